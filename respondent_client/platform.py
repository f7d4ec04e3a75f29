"""The seam between the respondent's one code path and the machine it runs on.

``headless`` implements it with the standard library and ``cryptography``, ``browser`` with what the worker
offers (fetch and WebCrypto). Everything that can differ between the two is in these four functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server answered: its HTTP status and the body."""

    status: int
    body: bytes


class Platform(Protocol):
    """What the client needs of its machine."""

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        """Send one HTTP request without cookies, following no redirect.

        Raises
        ------
        RemoteError
            With the code ``remote.unreachable`` if no complete answer arrived, so that nobody knows whether
            the request did; with ``remote.too-long`` if the answer is longer than ``max_bytes``.
        """

    async def verify(self, *, public_key: bytes, signature: bytes, message: bytes) -> bool:
        """Whether an Ed25519 signature (RFC 8032) verifies; a key that is none verifies nothing."""

    def entropy(self, n_bytes: int) -> bytes:
        """Fresh random bytes from the operating system's generator."""

    def notify(self, notice: dict[str, int]) -> None:
        """Tell the person how far a long check has come."""
