"""BlindSign (RFC 9474, section 4.3): what the registrar does with a blinded message.

The arithmetic is GMP's through ``gmpy2``: the exponentiations with secret exponents run in constant time
(``mpz_powm_sec``), by the Chinese remainder theorem, four times as fast as with one long exponent.

References
----------
RFC 9474, sections 4.3 (BlindSign) and 7.1 (side channels). Kocher 1996 (base blinding). Boneh, DeMillo and
Lipton 1997 (one faulty half of a CRT signature gives away the factors).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from gmpy2 import invert, mpz, powmod, powmod_sec

from server.keys.token_keys import TokenKey
from shared.blind_rsa import PUBLIC_EXPONENT, SURPLUS_BYTES, blinding_factor
from shared.errors import TokenError
from shared.limits import TOKEN_KEY_BYTES


def blind_sign(
    key: TokenKey, blinded_msg: bytes, *, entropy: Callable[[int], bytes] = secrets.token_bytes
) -> bytes:
    """The blind signature of a blinded message; run by the registrar, once for each code.

    The same message always has the same signature, so an answer that was lost can be given again.

    Parameters
    ----------
    key : TokenKey
        The survey's.
    blinded_msg : bytes
        As it arrived.
    entropy : callable
        Gives so many fresh random bytes.

    Returns
    -------
    bytes
        384 bytes.

    Raises
    ------
    TokenError
        With the code ``token.blinded-message`` for a wrong length, 0, 1, n - 1 or a number not below n; with
        ``token.fault`` if the machine miscalculated.

    Guarantee
    ---------
    Whatever was sent, what leaves is either an error that does not depend on the key, or a number whose
    65537th power is the message. The time of the exponentiations does not depend on the message, which an
    attacker chooses: it is multiplied by a random number first.
    """
    n, m = mpz(key.n), mpz(require_blinded(key.n, blinded_msg))
    r = mpz(blinding_factor(key.n, entropy(TOKEN_KEY_BYTES + SURPLUS_BYTES)))
    try:
        signature = _power(key, m * powmod(r, PUBLIC_EXPONENT, n) % n) * invert(r, n) % n
    except (ValueError, ZeroDivisionError):
        signature = mpz(0)  # a prime that is even, or no prime: its bits were flipped in memory
    if powmod(signature, PUBLIC_EXPONENT, n) != m:
        raise TokenError(
            "a signature was calculated wrongly, and kept back",
            where="registrar",
            remedy="Try again. If it happens twice, the memory or the processor of this machine is faulty.",
            code="token.fault",
        )
    return int(signature).to_bytes(TOKEN_KEY_BYTES, "big")


def require_blinded(n: int, blinded_msg: bytes) -> int:
    """The number of a blinded message, before anything secret touches it.

    Raises
    ------
    TokenError
        With the code ``token.blinded-message``; see :func:`blind_sign`.
    """
    number = int.from_bytes(blinded_msg, "big")
    if len(blinded_msg) != TOKEN_KEY_BYTES or number >= n or number in (0, 1, n - 1):
        raise TokenError(
            "this is no blinded message",
            where="blinded_message",
            expected=f"{TOKEN_KEY_BYTES} bytes, as a number above 1 and below n - 1",
            code="token.blinded-message",
        )
    return number


def _power(key: TokenKey, x: mpz) -> mpz:
    """RSASP1 (RFC 8017, section 5.2.1) by the Chinese remainder theorem."""
    at_p = powmod_sec(x % key.p, key.dp, key.p)
    at_q = powmod_sec(x % key.q, key.dq, key.q)
    return at_q + key.q * ((at_p - at_q) * key.q_inverse % key.p)
