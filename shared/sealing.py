"""What is sealed to whom: cipher suites of HPKE (RFC 9180) and the texts that bind a message to its place.

The sealing itself is the platform's (``seal``) and the opener's; here are the names, the lengths and the
``info`` of both layers, so that every party means the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shared.blind_rsa import PREFIX_BYTES
from shared.ed25519 import KEY_BYTES

TAG_BYTES: Final = 16
"""Bytes by which both AEADs lengthen a message (RFC 9180, section 7.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One HPKE cipher suite in base mode.

    Attributes
    ----------
    name : str
        As the specification writes it.
    public_key_bytes, encapsulated_bytes : int
        Npk and Nenc of its KEM.
    """

    name: str
    public_key_bytes: int
    encapsulated_bytes: int

    @property
    def overhead(self) -> int:
        """Bytes that sealing adds: the encapsulated key and the tag."""
        return self.encapsulated_bytes + TAG_BYTES


SUITES: Final = {
    suite.name: suite
    for suite in (
        Suite(name="x25519-hkdf-sha256-aes128gcm", public_key_bytes=32, encapsulated_bytes=32),
        Suite(name="x25519-hkdf-sha256-chacha20poly1305", public_key_bytes=32, encapsulated_bytes=32),
        Suite(name="mlkem768x25519-hkdf-sha256-aes128gcm", public_key_bytes=1216, encapsulated_bytes=1120),
    )
}
"""Suites by name: RFC 9180, section 7, and the post-quantum hybrid X-Wing."""
DEFAULT_SUITE: Final = "x25519-hkdf-sha256-aes128gcm"
ELECTION_SUITE: Final = "mlkem768x25519-hkdf-sha256-aes128gcm"
"""The one of elections: recorded traffic ties addresses to ballots, for whoever can read it later."""

_BOX: Final = b"roomful-box/2"
_BALLOT: Final = b"roomful-ballot/1"


def box_info(specification_digest: str, token_prefix: bytes, device_key: bytes, cell: int) -> bytes:
    """``info`` of the inner layer, to the trustees.

    Layout: ``roomful-box/2`` || SHA-256 of the specification (32 bytes) || prefix of the token (32 bytes) ||
    its device key (32 bytes) || cell (4 bytes, big endian).

    Guarantee: a box opens for its survey, its token and its cell alone. So nobody who holds somebody else's
    box can count it again under a token of her own, to find the answers that repeat; nor can a registrar and
    a collector give old boxes fresh tokens, to have all but one of them opened a second time. The other
    direction, from a token to its box, is the signature of the ballot (:mod:`shared.ballot`).

    Raises
    ------
    ValueError
        If prefix or key has another length.
    """
    if len(token_prefix) != PREFIX_BYTES or len(device_key) != KEY_BYTES:
        raise ValueError(f"a token has a prefix of {PREFIX_BYTES} bytes and a key of {KEY_BYTES}")
    return _BOX + bytes.fromhex(specification_digest) + token_prefix + device_key + cell.to_bytes(4, "big")


def ballot_info(specification_digest: str) -> bytes:
    """``info`` of the outer layer, to the collector: ``roomful-ballot/1`` || SHA-256 of the specification."""
    return _BALLOT + bytes.fromhex(specification_digest)
