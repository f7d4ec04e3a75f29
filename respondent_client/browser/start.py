"""Join the bridge to the worker; only Pyodide can import this module."""

from __future__ import annotations

import sys
from typing import Final

import roomful_platform  # type: ignore[import-not-found] # registered by web/worker.mjs
from pyodide.ffi import to_js

from respondent_client.browser.bridge import Bridge
from respondent_client.browser.platform import BrowserPlatform

PROGRAM: Final = "/roomful.zip"
"""Where the worker has put our modules."""
handle = Bridge(BrowserPlatform(roomful_platform, to_js)).handle


def add_part(archive: str) -> None:
    """Let our packages find modules in a further zip of the program."""
    for module in tuple(sys.modules.values()):
        for path in tuple(getattr(module, "__path__", ())):
            if path.startswith(PROGRAM):
                module.__path__.append(archive + path.removeprefix(PROGRAM))
