"""The suites of ``shared.sealing`` as the library ``cryptography`` has them: seal, open, keys from 32 bytes.

Everything that opens is here: the collector's outer layer and the trustees' inner one use the same
:class:`OpeningKey`. A private key of either kind is 32 bytes: of X25519 the scalar, of X-Wing the seed.

References
----------
RFC 9180 (HPKE), section 5.1.1, base mode, no additional data; what is sent is ``enc || ciphertext``.
draft-connolly-cfrg-xwing-kem, section 5.2: ``SHAKE256(seed, 96)`` is the ML-KEM-768 seed, then the scalar.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import (
    AEAD,
    KDF,
    KEM,
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
)
from cryptography.hazmat.primitives.hpke import Suite as LibrarySuite

from shared.errors import KeyFileError, SubmissionError
from shared.sealing import Suite

SECRET_BYTES: Final = 32
"""Length of the secret from which the private key of every suite is made."""
_MLKEM_PUBLIC_BYTES: Final = 1184
_MLKEM_SEED_BYTES: Final = 64
_X_WING: Final = "mlkem768x25519-hkdf-sha256-aes128gcm"
_LIBRARY: Final = {
    "x25519-hkdf-sha256-aes128gcm": LibrarySuite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM),
    "x25519-hkdf-sha256-chacha20poly1305": LibrarySuite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305),
    _X_WING: LibrarySuite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM),
}
"""Name of a suite in the specification -> the library's object."""


class SealingKey:
    """A public key to which messages are sealed.

    Parameters
    ----------
    suite : Suite
    public_key : bytes
        As the specification writes it.

    Raises
    ------
    KeyFileError
        If it is not a public key of the suite.
    """

    __slots__ = ("_key", "_library", "public_key", "suite")

    def __init__(self, suite: Suite, public_key: bytes) -> None:
        self.suite, self.public_key = suite, public_key
        self._library = _LIBRARY[suite.name]
        self._key = _public(suite, public_key)

    def seal(self, info: bytes, plaintext: bytes) -> bytes:
        """``enc || ciphertext`` of one message, with fresh randomness of the operating system.

        Raises
        ------
        KeyFileError
            If the key is a point of low order, to which nothing can be sealed.
        """
        try:
            return bytes(self._library.encrypt(plaintext, self._key, info=info))
        except ValueError:
            raise _not_a_key(self.suite) from None


class OpeningKey:
    """A private key. Its ``repr`` shows nothing.

    Parameters
    ----------
    suite : Suite
    secret : bytes, 32
        The scalar of X25519, or the seed of X-Wing.

    Attributes
    ----------
    public_key : bytes
        What belongs to it, as the specification writes it.
    """

    __slots__ = ("_key", "_library", "public_key", "suite")

    def __init__(self, suite: Suite, secret: bytes) -> None:
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"a private key is made from {SECRET_BYTES} bytes")
        self.suite = suite
        self._library = _LIBRARY[suite.name]
        self._key: X25519PrivateKey | MLKEM768X25519PrivateKey
        if suite.name == _X_WING:
            expanded = hashlib.shake_256(secret).digest(_MLKEM_SEED_BYTES + SECRET_BYTES)
            lattice = MLKEM768PrivateKey.from_seed_bytes(expanded[:_MLKEM_SEED_BYTES])
            curve = X25519PrivateKey.from_private_bytes(expanded[_MLKEM_SEED_BYTES:])
            self._key = MLKEM768X25519PrivateKey(lattice, curve)
            self.public_key = lattice.public_key().public_bytes_raw() + curve.public_key().public_bytes_raw()
        else:
            self._key = X25519PrivateKey.from_private_bytes(secret)
            self.public_key = self._key.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"<OpeningKey {self.suite.name}>"

    def open(self, info: bytes, sealed: bytes) -> bytes:
        """The message.

        Raises
        ------
        SubmissionError
            With the code ``ballot.sealed``: sealed to another key, for another place, or damaged. What of
            these it was, nobody can tell.
        """
        try:
            return bytes(self._library.decrypt(sealed, self._key, info=info))
        except (InvalidTag, ValueError):
            raise SubmissionError(
                "this cannot be opened: it is sealed to another key, for another place, or damaged",
                expected=f"a message sealed with {self.suite.name}",
                code="ballot.sealed",
            ) from None


def _public(suite: Suite, data: bytes) -> X25519PublicKey | MLKEM768X25519PublicKey:
    if len(data) != suite.public_key_bytes:
        raise _not_a_key(suite)
    try:
        if suite.name != _X_WING:
            return X25519PublicKey.from_public_bytes(data)
        return MLKEM768X25519PublicKey(
            MLKEM768PublicKey.from_public_bytes(data[:_MLKEM_PUBLIC_BYTES]),
            X25519PublicKey.from_public_bytes(data[_MLKEM_PUBLIC_BYTES:]),
        )
    except ValueError:
        raise _not_a_key(suite) from None


def _not_a_key(suite: Suite) -> KeyFileError:
    return KeyFileError(
        "not a public key of this suite",
        where=suite.name,
        expected=f"{suite.public_key_bytes} bytes that are such a key",
    )
