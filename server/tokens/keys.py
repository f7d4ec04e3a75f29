"""Keys that a server reads unattended: the registrar's for tokens, the collector's for sealed ballots.

==================  =========================================================================
file                contents
==================  =========================================================================
``tokens.pem``      RSA, 3072 bits, exponent 65537: PKCS #8 in PEM, not encrypted, mode 0600
``tokens.pub``      ``rsa-3072:`` and the modulus in base64url, one line
``collector.pem``   HPKE private key (:mod:`server.sealing.key_files`), mode 0600
``collector.pub``   ``hpke:``, the suite, ``:`` and the public key in base64url, one line
==================  =========================================================================

The public files are read by :mod:`server.reading.public_keys`.

References
----------
RFC 8017, section 3.2 (private keys with CRT values). RFC 5958 (PKCS #8).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from server.reading.public_keys import SealingKey, token_key_line
from server.sealing.key_files import parse_private_pem, private_pem
from server.sealing.suites import SECRET_BYTES, OpeningKey
from server.signing.keys import write_key_pair
from shared.blind_rsa import PUBLIC_EXPONENT
from shared.errors import KeyFileError
from shared.limits import TOKEN_KEY_BYTES
from shared.sealing import Suite

_MAX_FILE_BYTES = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenKey:
    """The registrar's private key, as RFC 8017 names its parts.

    Attributes
    ----------
    n, p, q : int
        Modulus and primes.
    dp, dq : int
        Exponents d mod (p - 1) and d mod (q - 1).
    q_inverse : int
        Inverse of q modulo p.
    """

    n: int
    p: int
    q: int
    dp: int
    dq: int
    q_inverse: int

    def __repr__(self) -> str:
        return "TokenKey(...)"

    @classmethod
    def from_pem(cls, data: bytes, where: str) -> Self:
        """Read a private key.

        Raises
        ------
        KeyFileError
            Unless it is an RSA key in unencrypted PEM, of 3072 bits, with the exponent 65537.
        """
        try:
            key = load_pem_private_key(data, None)
        except TypeError:
            raise _refused("the key is encrypted, and a server reads it unattended", where) from None
        except (ValueError, UnsupportedAlgorithm):
            raise _refused("this is not a private key", where) from None
        if not isinstance(key, RSAPrivateKey):
            raise _refused("this is a key of another kind", where)
        numbers = key.private_numbers()
        public = numbers.public_numbers
        if public.n.bit_length() != 8 * TOKEN_KEY_BYTES or public.e != PUBLIC_EXPONENT:
            raise _refused(f"this is an RSA key of {public.n.bit_length()} bits, exponent {public.e}", where)
        return cls(
            n=public.n, p=numbers.p, q=numbers.q, dp=numbers.dmp1, dq=numbers.dmq1, q_inverse=numbers.iqmp
        )


def create_token_key(private_path: Path) -> int:
    """Write a new key of the registrar, and its public key beside it (``.pub``); return the modulus.

    Raises
    ------
    KeyFileError
        If a file is already there, or the folder cannot be written.
    """
    key = generate_private_key(PUBLIC_EXPONENT, 8 * TOKEN_KEY_BYTES)
    n = key.public_key().public_numbers().n
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_key_pair(private_path, pem, token_key_line(n))
    return n


def load_token_key(path: Path) -> TokenKey:
    """Read the registrar's private key from its file; see :meth:`TokenKey.from_pem`."""
    return TokenKey.from_pem(_read(path), path.name)


def create_collector_key(private_path: Path, suite: Suite) -> bytes:
    """Write a new key of the collector, and its public key beside it (``.pub``); return the public key.

    Raises
    ------
    KeyFileError
        If a file is already there, or the folder cannot be written.
    """
    secret = secrets.token_bytes(SECRET_BYTES)
    public = OpeningKey(suite, secret).public_key
    write_key_pair(private_path, private_pem(suite, secret), SealingKey(suite=suite, key=public).to_line())
    return public


def load_collector_key(path: Path, suite: Suite) -> OpeningKey:
    """Read the collector's private key from its file.

    Raises
    ------
    KeyFileError
        If it is not a private key of the suite.
    """
    return parse_private_pem(_read(path), suite, path.name)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES)
    except OSError as problem:
        raise KeyFileError(f"cannot be read ({problem.strerror})", where=str(path)) from None


def _refused(message: str, where: str) -> KeyFileError:
    return KeyFileError(
        message,
        where=where,
        expected="the .pem file of roomful keygen --purpose tokens",
        remedy="Make a key for this survey alone: roomful keygen --purpose tokens.",
    )
