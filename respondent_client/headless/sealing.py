"""HPKE of the command line, by the library ``cryptography``; the browser's is ``sealing/`` beside this
folder.

References
----------
RFC 9180, section 6.1 (single-shot encryption in base mode). draft-connolly-cfrg-xwing-kem, section 5 (a
public key is that of ML-KEM-768, then that of X25519).
"""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, MLKEM768X25519PublicKey, Suite

from respondent_client.platform import unusable_key

_MLKEM_BYTES: Final = 1184
_SUITES: Final = {
    "x25519-hkdf-sha256-aes128gcm": Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM),
    "x25519-hkdf-sha256-chacha20poly1305": Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305),
    "mlkem768x25519-hkdf-sha256-aes128gcm": Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM),
}
"""Name of a suite in the specification -> the library's object."""


def seal(suite: str, public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
    """``enc || ciphertext`` of one message; see :meth:`respondent_client.platform.Platform.seal`."""
    try:
        return _SUITES[suite].encrypt(plaintext, _key(suite, public_key), info=info)
    except ValueError:
        raise unusable_key() from None


def _key(suite: str, data: bytes) -> X25519PublicKey | MLKEM768X25519PublicKey:
    if not suite.startswith("mlkem768x25519"):
        return X25519PublicKey.from_public_bytes(data)
    lattice = MLKEM768PublicKey.from_public_bytes(data[:_MLKEM_BYTES])
    return MLKEM768X25519PublicKey(lattice, X25519PublicKey.from_public_bytes(data[_MLKEM_BYTES:]))
