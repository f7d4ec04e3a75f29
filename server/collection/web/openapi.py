"""The OpenAPI document, kept as JSON beside this module; a test compares it with the routes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def document(public_url: str) -> dict[str, Any]:
    """The document of a server.

    Parameters
    ----------
    public_url : str
        The address under which people reach it, with a slash at its end.
    """
    found: dict[str, Any] = json.loads(Path(__file__).with_name("openapi.json").read_text("utf-8"))
    return found | {"servers": [{"url": public_url.rstrip("/") or "/"}]}
