"""The one hash of elections: SHA-512 over parts that each bring their length, so that none can move over."""

from __future__ import annotations

import hashlib

from shared.edwards import L


def hash_scalar(label: str, *parts: bytes) -> int:
    """H(label, parts...): a number below L, from the digest read little-endian.

    Each part, the label first, stands behind its length in four bytes, big-endian. 512 bits modulo a prime of
    253 bits are uniform up to 2^-259.
    """
    digest = hashlib.sha512()
    for part in (label.encode("ascii"), *parts):
        digest.update(len(part).to_bytes(4, "big") + part)
    return int.from_bytes(digest.digest(), "little") % L


def u16(number: int) -> bytes:
    """Two bytes, big-endian."""
    return number.to_bytes(2, "big")


def u32(number: int) -> bytes:
    """Four bytes, big-endian."""
    return number.to_bytes(4, "big")
