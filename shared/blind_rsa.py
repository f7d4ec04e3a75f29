"""Blind RSA signatures: the parts of RFC 9474 that need no private key.

The protocol's variant is RSABSSA-SHA384-PSS-Randomized with a modulus of 3072 bits and the exponent 65537.
With an empty salt and without :func:`prepare`, the same functions are the other three variants of the RFC.
Names of functions and values are the RFC's. All randomness comes in as arguments. ``n`` is the modulus; its
length is a whole number of bytes, k.

The signer's part, which needs the private key, is ``server/collection/tokens/issuing.py``.

References
----------
RFC 9474, sections 4.1 (Prepare), 4.2 (Blind), 4.4 (Finalize), 4.5 (Verification), 5 (variants).
RFC 8017, sections 8.1.2 (RSASSA-PSS-VERIFY), 9.1 (EMSA-PSS), B.2.1 (MGF1).
FIPS 186-5, A.2.1 (a number below a bound from surplus random bits).
"""

from __future__ import annotations

import hashlib
from math import gcd
from typing import Final

from shared.errors import TokenError

PUBLIC_EXPONENT: Final = 65537
PREFIX_BYTES: Final = 32
SALT_BYTES: Final = 48
SURPLUS_BYTES: Final = 16
"""Random bytes beyond the modulus from which :func:`blinding_factor` is uniform up to 2^-128."""

_HASH_BYTES: Final = 48
_TRAILER: Final = b"\xbc"


def prepare(msg: bytes, msg_prefix: bytes) -> bytes:
    """PrepareRandomize (section 4.1): the message with 32 fresh random bytes before it.

    Raises
    ------
    ValueError
        If the prefix has another length.
    """
    if len(msg_prefix) != PREFIX_BYTES:
        raise ValueError(f"a prefix has {PREFIX_BYTES} bytes")
    return msg_prefix + msg


def blinding_factor(n: int, entropy: bytes) -> int:
    """A number r in 1..n-1 from fresh random bytes, ``SURPLUS_BYTES`` more than the modulus has.

    Raises
    ------
    ValueError
        For too little entropy.
    """
    if len(entropy) < modulus_bytes(n) + SURPLUS_BYTES:
        raise ValueError(f"{len(entropy)} random bytes are too few")
    return int.from_bytes(entropy, "big") % (n - 1) + 1


def blind(n: int, prepared_msg: bytes, *, salt: bytes, r: int) -> tuple[bytes, int]:
    """Blind (section 4.2); run by the respondent's device.

    Parameters
    ----------
    n : int
        The registrar's modulus.
    prepared_msg : bytes
        From :func:`prepare`.
    salt : bytes
        48 fresh random bytes (empty for the PSSZERO variants).
    r : int
        From :func:`blinding_factor`.

    Returns
    -------
    blinded_msg : bytes
        k bytes, to be sent to the signer.
    inv : int
        Inverse of r, secret until :func:`finalize`.

    Raises
    ------
    TokenError
        With the code ``token.key`` if the message or r shares a factor with n; it never does with a sound
        key.

    Guarantee
    ---------
    For r uniform among the invertible numbers, and 65537 prime to the order of their group, ``blinded_msg``
    is uniform among them whatever the message is: the signer learns nothing of it.
    """
    m = int.from_bytes(encode(prepared_msg, salt, modulus_bytes(n)), "big")
    if gcd(m, n) != 1 or gcd(r, n) != 1:
        raise TokenError(
            "the survey's token key is no product of two large primes",
            where="token key",
            remedy="Do not take part, and tell the organizer.",
            code="token.key",
        )
    z = m * pow(r, PUBLIC_EXPONENT, n) % n
    return z.to_bytes(modulus_bytes(n), "big"), pow(r, -1, n)


def finalize(
    n: int, prepared_msg: bytes, blind_sig: bytes, inv: int, *, salt_bytes: int = SALT_BYTES
) -> bytes:
    """Finalize (section 4.4); run by the respondent's device.

    Returns
    -------
    bytes
        The signature of ``prepared_msg``, k bytes.

    Raises
    ------
    TokenError
        With the code ``token.signature`` if the signer's answer is none to what was asked.
    """
    if len(blind_sig) != modulus_bytes(n):
        raise invalid("the registrar's signature has a wrong length")
    s = int.from_bytes(blind_sig, "big") * inv % n
    sig = s.to_bytes(modulus_bytes(n), "big")
    verify(n, prepared_msg, sig, salt_bytes=salt_bytes)
    return sig


def verify(n: int, prepared_msg: bytes, sig: bytes, *, salt_bytes: int = SALT_BYTES) -> None:
    """Verification (section 4.5): RSASSA-PSS-VERIFY with SHA-384, MGF1 with SHA-384.

    The salt is read from the recovered encoding, and the message encoded again with it: the two are equal in
    exactly the cases in which the steps of RFC 8017, section 9.1.2, end in "consistent".

    Raises
    ------
    TokenError
        With the code ``token.signature``.
    """
    k = modulus_bytes(n)
    s = int.from_bytes(sig, "big")
    if len(sig) != k or s >= n:
        raise invalid("the signature has a wrong length, or is larger than the key")
    em = pow(s, PUBLIC_EXPONENT, n).to_bytes(k, "big")
    masked_db, h = em[: k - _HASH_BYTES - 1], em[k - _HASH_BYTES - 1 : -1]
    db = _xor(masked_db, _mgf1(h, len(masked_db)))
    if encode(prepared_msg, db[len(db) - salt_bytes :], k) != em:
        raise invalid("the signature does not verify")


def encode(message: bytes, salt: bytes, k: int) -> bytes:
    """EMSA-PSS-ENCODE (RFC 8017, section 9.1.1) for a modulus of k whole bytes: emBits is 8 k - 1.

    Raises
    ------
    ValueError
        If the modulus is too short for the hash and the salt.
    """
    if k < _HASH_BYTES + len(salt) + 2:
        raise ValueError(f"a modulus of {k} bytes is too short")
    h = hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()
    db = bytes(k - len(salt) - _HASH_BYTES - 2) + b"\x01" + salt
    masked = bytearray(_xor(db, _mgf1(h, len(db))))
    masked[0] &= 0x7F
    return bytes(masked) + h + _TRAILER


def modulus_bytes(n: int) -> int:
    """k, the length of the modulus.

    Raises
    ------
    ValueError
        If it is not a whole number of bytes.
    """
    if n.bit_length() % 8:
        raise ValueError(f"a modulus of {n.bit_length()} bits is no whole number of bytes")
    return n.bit_length() // 8


def _mgf1(seed: bytes, length: int) -> bytes:
    """MGF1 with SHA-384 (RFC 8017, B.2.1)."""
    blocks = (hashlib.sha384(seed + i.to_bytes(4, "big")).digest() for i in range(-(-length // _HASH_BYTES)))
    return b"".join(blocks)[:length]


def _xor(left: bytes, right: bytes) -> bytes:
    number = int.from_bytes(left, "big") ^ int.from_bytes(right, "big")
    return number.to_bytes(len(left), "big")


def invalid(message: str) -> TokenError:
    """The error of a signature that is none."""
    return TokenError(
        message,
        where="token",
        expected="a signature of this survey's registrar",
        code="token.signature",
    )
