"""Verify an election in the worker; loaded when somebody asks for it. Only Pyodide can import this module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import roomful_platform  # type: ignore[import-not-found] # registered by web/worker.mjs
from pyodide.ffi import to_js

from respondent_client.browser.platform import BrowserPlatform
from respondent_client.browser.verifying import verify_files

_PLATFORM: Final = BrowserPlatform(roomful_platform, to_js)


def verify(text: str, files: Mapping[str, memoryview]) -> str:
    contents = {name: bytes(data) for name, data in files.items()}
    return verify_files(text, contents, _PLATFORM)
