"""The relay's key, with which it signs what it takes: Ed25519, PKCS #8 in PEM.

It is not encrypted, because a relay reads it unattended; it belongs to its owner alone (0600). The public key
is beside it, ``ed25519:`` and base64url, as :func:`server.keys.signing_keys.load_public_key` reads it.
"""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from server.files import read_bounded
from server.keys.public_keys import MAX_KEY_FILE_BYTES
from server.keys.signing_keys import public_key_line, write_key_pair
from shared.acceptance import passed_on_message
from shared.errors import KeyFileError


class RelayKey:
    """The private key of a relay. Its ``repr`` shows nothing.

    Attributes
    ----------
    public_key : bytes
        32 bytes: ``[invited.relay]`` names it.
    """

    __slots__ = ("_signing", "public_key")

    def __init__(self, signing: Ed25519PrivateKey) -> None:
        self._signing = signing
        self.public_key = signing.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return "<RelayKey>"

    def accept(self, specification_digest: str, sealed: bytes) -> bytes:
        """The signature that a sealed ballot was taken; the same each time."""
        return self._signing.sign(passed_on_message(specification_digest, sealed))


def create_relay_key(private_path: Path) -> RelayKey:
    """Write a new key of a relay, and its public half beside it (``.pub``).

    Raises
    ------
    KeyFileError
        If a file is already there, or the folder cannot be written.
    """
    signing = Ed25519PrivateKey.generate()
    key = RelayKey(signing)
    pem = signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_key_pair(private_path, pem, public_key_line(key.public_key))
    return key


def load_relay_key(path: Path) -> RelayKey:
    """Read a relay's private key from its file.

    Raises
    ------
    KeyFileError
        If it is none.
    """
    data = read_bounded(path, MAX_KEY_FILE_BYTES, lambda message: KeyFileError(message, where=str(path)))
    try:
        key = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            "this is not a relay's private key",
            where=str(path),
            expected="the .pem file of roomful keygen --purpose relay",
        )
    return RelayKey(key)
