"""Keys that a server reads unattended: the registrar's for tokens, the collector's for sealed ballots.

==================  =========================================================================
file                contents
==================  =========================================================================
``tokens.pem``      RSA, 3072 bits, exponent 65537: PKCS #8 in PEM, not encrypted, mode 0600; in an election
                    one for each box, in their order
``tokens.pub``      ``rsa-3072:`` and the modulus in base64url, one line for each
``collector.pem``   HPKE private key (:mod:`server.keys.private_pem`), mode 0600
``collector.pub``   ``hpke:``, the suite, ``:`` and the public key in base64url; below it ``ed25519:`` and
                    the key that verifies acceptances
==================  =========================================================================

The public files are read by :mod:`server.keys.public_keys`.

References
----------
RFC 8017, section 3.2 (private keys with CRT values). RFC 5958 (PKCS #8).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from server.files import read_bounded
from server.keys.private_pem import parse_private_pem, private_pem
from server.keys.public_keys import (
    MAX_KEY_FILE_BYTES,
    MAX_TOKEN_FILE_BYTES,
    CollectorPublicKey,
    token_key_line,
)
from server.keys.sealing import SECRET_BYTES, OpeningKey
from server.keys.signing_keys import write_key_pair
from shared.acceptance import acceptance_message
from shared.blind_rsa import PUBLIC_EXPONENT
from shared.errors import KeyFileError
from shared.limits import TOKEN_KEY_BYTES
from shared.sealing import Suite

_ACCEPTANCE_KEY: Final = b"roomful-acceptance-key/1"
_END: Final = b"-----END PRIVATE KEY-----\n"


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
            # Testing primes takes 0.2 s, and an election has a key for each box. A key whose parts do not
            # belong together signs nothing: every signature is verified before it leaves (blind_sign).
            key = load_pem_private_key(data, None, unsafe_skip_rsa_key_validation=True)
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


def create_token_keys(private_path: Path, boxes: int = 1) -> tuple[int, ...]:
    """Write new keys of the registrar, and the public ones beside them (``.pub``); return the moduli.

    Parameters
    ----------
    boxes : int
        Of an election; a survey has one key.

    Raises
    ------
    KeyFileError
        If a file is already there, or the folder cannot be written.
    """
    keys = [generate_private_key(PUBLIC_EXPONENT, 8 * TOKEN_KEY_BYTES) for _ in range(boxes)]
    moduli = tuple(key.public_key().public_numbers().n for key in keys)
    pem = b"".join(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) for key in keys)
    write_key_pair(private_path, pem, "".join(map(token_key_line, moduli)))
    return moduli


def load_token_keys(path: Path) -> tuple[TokenKey, ...]:
    """Read the registrar's private keys from their file; see :meth:`TokenKey.from_pem`."""
    data = read_bounded(path, MAX_TOKEN_FILE_BYTES, lambda message: KeyFileError(message, where=str(path)))
    blocks = [block + _END for block in data.split(_END)[:-1]] or [data]
    return tuple(TokenKey.from_pem(block, path.name) for block in blocks)


class CollectorKey:
    """The collector's private keys, both made from the 32 bytes of its file. Its ``repr`` shows nothing.

    Parameters
    ----------
    suite : Suite
    secret : bytes, 32

    Attributes
    ----------
    public_key : bytes
        HPKE: ballots are sealed to it.
    acceptance_key : bytes
        Ed25519: acceptances are verified with it. Its private half is HKDF-SHA-256 of the secret under a
        label of its own (RFC 5869), so that one file has both.
    """

    __slots__ = ("_opening", "_signing", "acceptance_key", "public_key")

    def __init__(self, suite: Suite, secret: bytes) -> None:
        self._opening = OpeningKey(suite, secret)
        derived = HKDF(algorithm=SHA256(), length=SECRET_BYTES, salt=None, info=_ACCEPTANCE_KEY).derive(
            secret
        )
        self._signing = Ed25519PrivateKey.from_private_bytes(derived)
        self.public_key = self._opening.public_key
        self.acceptance_key = self._signing.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return "<CollectorKey>"

    def open(self, info: bytes, sealed: bytes) -> bytes:
        """See :meth:`OpeningKey.open`."""
        return self._opening.open(info, sealed)

    def accept(self, specification_digest: str, receipt: bytes) -> bytes:
        """The acceptance of a ballot that is stored; the same each time."""
        return self._signing.sign(acceptance_message(specification_digest, receipt))


def create_collector_key(private_path: Path, suite: Suite) -> CollectorKey:
    """Write a new key of the collector, and its public half beside it (``.pub``).

    Raises
    ------
    KeyFileError
        If a file is already there, or the folder cannot be written.
    """
    secret = secrets.token_bytes(SECRET_BYTES)
    key = CollectorKey(suite, secret)
    public = CollectorPublicKey(suite=suite, key=key.public_key, acceptance_key=key.acceptance_key)
    write_key_pair(private_path, private_pem(suite, secret), public.to_text())
    return key


def load_collector_key(path: Path, suite: Suite) -> CollectorKey:
    """Read the collector's private key from its file.

    Raises
    ------
    KeyFileError
        If it is not a private key of the suite.
    """
    return CollectorKey(suite, parse_private_pem(_read(path), suite, path.name))


def _read(path: Path) -> bytes:
    return read_bounded(path, MAX_KEY_FILE_BYTES, lambda message: KeyFileError(message, where=str(path)))


def _refused(message: str, where: str) -> KeyFileError:
    return KeyFileError(
        message,
        where=where,
        expected="the .pem file of roomful keygen --purpose tokens",
        remedy="Look at the path first: a signed survey takes the key that it was designed with. "
        "Before that make one for this survey alone: roomful keygen --purpose tokens.",
    )
