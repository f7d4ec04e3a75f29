"""Bytes as base64url without padding (RFC 4648, section 5), with exactly one accepted text for each."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

_ALPHABET: Final = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)


def encode(data: bytes) -> str:
    """Text of some bytes."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes | None:
    """Bytes of a text; None if it is not the text that :func:`encode` makes of any bytes."""
    if _ALPHABET.fullmatch(text) is None:
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return None
    return data if encode(data) == text else None
