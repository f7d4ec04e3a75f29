"""Which Chromium the tests drive, and how it is started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

CHROMIUM = Path(os.environ.get("ROOMFUL_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium")
WITHOUT = (
    # Suggestions of the address bar are pages of their own, two for each tab: 0.3 s of processor time.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # A process for a page that may come: each test's next page comes when its profile is new.
    "SpareRendererForSitePerProcess",
    # What Playwright 1.65 leaves out; of two lists Chromium takes the last.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
PLAIN = [
    f"--disable-features={','.join(WITHOUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
"""As people start it, without what belongs to a desktop."""

ARGUMENTS = [*PLAIN, "--js-flags=--liftoff-only", "--process-per-site"]
"""For pages that are looked at for a moment: what runs is not compiled a second time into faster code.

Half of the processor time of a page's start was that (2.0 s, 1.1 s without); ``--no-wasm-tier-up`` does not
stop it. The tabs of a profile share a process, and with it what the first of them compiled, while that stays
open: a walk takes 2.1 s of processor time instead of 2.8 s.
"""
