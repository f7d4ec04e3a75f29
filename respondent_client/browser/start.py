"""Join the bridge to the worker; only Pyodide can import this module."""

from __future__ import annotations

import roomful_platform  # type: ignore[import-not-found] # registered by web/worker.mjs
from pyodide.ffi import to_js

from respondent_client.browser.bridge import Bridge
from respondent_client.browser.platform import BrowserPlatform

handle = Bridge(BrowserPlatform(roomful_platform, to_js)).handle
