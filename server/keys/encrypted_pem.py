"""A private key under a passphrase: PKCS #8 with PBES2, scrypt and AES-256-CBC, in PEM.

The library ``cryptography`` reads this form but writes PBKDF2 with 2,048 rounds only, which a stolen file
does not withstand; so the fields are put together here, and encoded and read by the library.

References
----------
RFC 5958 (EncryptedPrivateKeyInfo), RFC 8018, section 6.2 (PBES2), RFC 7914, sections 2 and 7 (scrypt and its
identifier), RFC 7468 (PEM).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from typing import Final

from cryptography.hazmat import asn1
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509 import ObjectIdentifier

SCRYPT_COST: Final = 2**17
"""N of scrypt: with r = 8, 128 MiB of memory for every guess."""
SCRYPT_BLOCK: Final = 8
SCRYPT_PARALLEL: Final = 1
_KEY_BYTES: Final = 32
_SALT_BYTES: Final = 16
_PBES2: Final = ObjectIdentifier("1.2.840.113549.1.5.13")
_SCRYPT: Final = ObjectIdentifier("1.3.6.1.4.1.11591.4.11")
_AES_256_CBC: Final = ObjectIdentifier("2.16.840.1.101.3.4.1.42")
_BEGIN, _END = "-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----END ENCRYPTED PRIVATE KEY-----"
_PEM: Final = re.compile(f"{_BEGIN}([A-Za-z0-9+/=\\s]+){_END}".encode("ascii"))


@asn1.sequence
class _ScryptParameters:
    salt: bytes
    cost: int
    block: int
    parallel: int
    key_bytes: int | None


@asn1.sequence
class _Derivation:
    algorithm: ObjectIdentifier
    parameters: _ScryptParameters


@asn1.sequence
class _Encryption:
    algorithm: ObjectIdentifier
    iv: bytes


@asn1.sequence
class _Pbes2Parameters:
    derivation: _Derivation
    encryption: _Encryption


@asn1.sequence
class _Pbes2:
    algorithm: ObjectIdentifier
    parameters: _Pbes2Parameters


@asn1.sequence
class _EncryptedPrivateKey:
    algorithm: _Pbes2
    data: bytes


def encrypt_pem(key: Ed25519PrivateKey, passphrase: str) -> bytes:
    """The file of a private key, with a fresh salt."""
    salt, iv = os.urandom(_SALT_BYTES), os.urandom(algorithms.AES.block_size // 8)
    derivation = Scrypt(salt=salt, length=_KEY_BYTES, n=SCRYPT_COST, r=SCRYPT_BLOCK, p=SCRYPT_PARALLEL)
    cipher = Cipher(algorithms.AES256(derivation.derive(passphrase.encode("utf-8"))), modes.CBC(iv))
    padder, encryptor = PKCS7(algorithms.AES.block_size).padder(), cipher.encryptor()
    plain = padder.update(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    parameters = _ScryptParameters(
        salt=salt, cost=SCRYPT_COST, block=SCRYPT_BLOCK, parallel=SCRYPT_PARALLEL, key_bytes=_KEY_BYTES
    )
    algorithm = _Pbes2Parameters(
        derivation=_Derivation(algorithm=_SCRYPT, parameters=parameters),
        encryption=_Encryption(algorithm=_AES_256_CBC, iv=iv),
    )
    document = _EncryptedPrivateKey(
        algorithm=_Pbes2(algorithm=_PBES2, parameters=algorithm),
        data=encryptor.update(plain + padder.finalize()) + encryptor.finalize(),
    )
    text = base64.b64encode(asn1.encode_der(document)).decode("ascii")
    lines = (text[i : i + 64] for i in range(0, len(text), 64))
    return "\n".join((_BEGIN, *lines, _END, "")).encode("ascii")


def is_costly_to_guess(pem: bytes) -> bool:
    """Whether every guess at the passphrase costs at least what :func:`encrypt_pem` makes it cost."""
    found = _PEM.search(pem)
    try:
        document = asn1.decode_der(_EncryptedPrivateKey, base64.b64decode(found[1]) if found else b"")
    except (binascii.Error, ValueError):
        return False
    derivation = document.algorithm.parameters.derivation
    return (
        derivation.algorithm == _SCRYPT
        and derivation.parameters.cost >= SCRYPT_COST
        and derivation.parameters.block >= SCRYPT_BLOCK
    )
