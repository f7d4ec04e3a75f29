"""The seam between the respondent's one code path and the machine it runs on.

``headless`` implements it with the standard library and ``cryptography``, ``browser`` with what the worker
offers (fetch and WebCrypto). Everything that can differ between the two is in these seven functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from shared.errors import SpecificationError


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

    async def seal(self, *, suite: str, public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
        """Seal one message with HPKE (RFC 9180, section 6.1, base mode, no additional data).

        Parameters
        ----------
        suite : str
            Name of a suite in :data:`shared.sealing.SUITES`.
        public_key, info, plaintext : bytes
            The receiver's key, what the message is bound to, the message.

        Returns
        -------
        bytes
            The encapsulated key, then the ciphertext.

        Raises
        ------
        RemoteError
            With the code ``remote.unreachable`` if the browser could not load the program for it; nothing is
            lost, and it can be tried again.
        SpecificationError
            With the code ``specification.sealing-key`` if nothing can be sealed to the key.
        """

    async def public_key(self, *, secret: bytes) -> bytes:
        """The public half of a private Ed25519 key (RFC 8032, section 5.1.5), 32 bytes each."""

    async def sign(self, *, secret: bytes, message: bytes) -> bytes:
        """The Ed25519 signature of a message (RFC 8032, section 5.1.6), 64 bytes."""

    def entropy(self, n_bytes: int) -> bytes:
        """Fresh random bytes from the operating system's generator."""

    def notify(self, notice: Mapping[str, Any]) -> None:
        """Tell the person how far a long check has come."""


def unusable_key() -> SpecificationError:
    """The error of :meth:`Platform.seal` for a key that is none, or a point of low order."""
    return SpecificationError(
        "nothing can be sealed to a key of this survey",
        where="invited",
        expected="a public key of the survey's suite",
        remedy="Do not take part, and tell the organizer.",
        code="specification.sealing-key",
    )
