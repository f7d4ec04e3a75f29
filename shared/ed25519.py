"""Ed25519 (RFC 8032) as every party of a ballot reads it: one accepted reading, whatever library is at hand.

Libraries differ at the edges: points of small or mixed order, encodings that are not reduced, S of L or more.
Here a key counts only if it is the canonical encoding of a point of prime order, a signature only if S is
below L and R is, byte for byte, the encoding of [S]B - [k]A. With such a key R has prime order too, so the
equations with and without the cofactor agree, and so do all libraries.

Nothing here handles a secret: it is not in constant time. Keys are made and used by the platform.

References
----------
RFC 8032, sections 5.1.2 (encoding), 5.1.3 (decoding), 5.1.4 (group operations), 5.1.7 (verification).
Chalkias, Garillot, Nikolaenko: Taming the many EdDSAs (2020), on where libraries differ.
Pornin: Point-halving and subgroup membership in twisted Edwards curves (2022).
RFC 7748, section 4.1, on the two forms of the curve.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from shared.edwards import BASE, D, L, P, Point, combine, negate, square_root

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_A: Final = 486662
_HALF: Final = (P + 1) // 2


@lru_cache(maxsize=1024)
def is_key(public_key: bytes) -> bool:
    """Whether some bytes are the canonical encoding of a point of prime order, hence not of small order.

    Notes
    -----
    Answers are kept: each takes half a millisecond, and the few keys of a survey are asked about whenever
    one of its files is read.
    """
    point = _decode(public_key)
    return point is not None and _has_prime_order(point)


def is_canonical(signature: bytes) -> bool:
    """Whether a signature has 64 bytes and S is below L, so that nobody can make a second one of it."""
    return len(signature) == SIGNATURE_BYTES and int.from_bytes(signature[32:], "little") < L


def verifies(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is one of this message by this key.

    Guarantee: for all bytes, the answer is that of every library that verifies by RFC 8032, with or without
    the cofactor, after :func:`is_key` and :func:`is_canonical` have passed.

    Notes
    -----
    Two multiplications of a point: milliseconds in CPython. A server leaves the equation to a library.
    """
    point = _decode(public_key)
    if point is None or not is_canonical(signature) or not _has_prime_order(point):
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % L
    return _encode(combine((s, k), (BASE, negate(point)))) == r


def _has_prime_order(point: Point) -> bool:
    """Whether a point of the curve is eight times another one, and not the identity.

    The group is cyclic of order 8 L, so these are the points of order L. On the Montgomery form
    v^2 = u (u^2 + A u + 1), which has one point of order two, a point is twice another exactly if u is a
    square; then one of its halves h satisfies h + 1/h = 2 u +- 2 sqrt(u^2 + A u + 1), and it does not matter
    which half is asked next. A quarter of the time of multiplying by L.
    """
    y = point[1]
    if y in (1, P - 1):  # the identity and the point of order two
        return False
    u = (1 + y) * pow(1 - y, -1, P) % P
    for _ in range(2):
        root = square_root(u * u + _A * u + 1)  # u times this is v^2: both are squares, or none
        if root is None:
            return False
        total = 2 * (u + root)
        difference = square_root(total * total - 4)
        if difference is None:
            total = 2 * (u - root)  # of the two differences exactly one is a square
            difference = square_root(total * total - 4) or 0
        u = (total + difference) * _HALF % P
    return square_root(u) is not None


def _encode(point: Point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(KEY_BYTES, "little")


def _decode(data: bytes) -> Point | None:
    """The point of an encoding; None if it is none, or not the one that :func:`_encode` writes."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if len(data) != KEY_BYTES or y >= P:
        return None
    x = square_root((y * y - 1) * pow(D * y * y + 1, -1, P))
    if x is None or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P
