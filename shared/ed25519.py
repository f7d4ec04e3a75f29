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
"""

from __future__ import annotations

import hashlib
from typing import Final

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
L: Final = 2**252 + 27742317777372353535851937790883648493
"""Order of the base point."""

_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_1: Final = pow(2, (_P - 1) // 4, _P)

Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, x y = T/Z."""
_IDENTITY: Final[Point] = (0, 1, 1, 0)
_BASE_X: Final = 15112221349535400772501151409588531511454012693041857206046113283949847762202
_BASE_Y: Final = 46316835694926478169428394003475163141307993866256225615783033603165251855960
_BASE: Final[Point] = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)


def is_key(public_key: bytes) -> bool:
    """Whether some bytes are the canonical encoding of a point of prime order, hence not of small order."""
    point = _decode(public_key)
    return point is not None and _is_key_point(point)


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
    if point is None or not is_canonical(signature) or not _is_key_point(point):
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % L
    x, y, z, t = point
    return _encode(_add(_multiply(s, _BASE), _multiply(k, (-x, y, z, -t)))) == r


def _is_key_point(point: Point) -> bool:
    return not _is_identity(point) and _is_identity(_multiply(L, point))


def _is_identity(point: Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0


def _add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _double(p: Point) -> Point:
    a, b = p[0] * p[0] % _P, p[1] * p[1] % _P
    h = a + b
    e = h - (p[0] + p[1]) ** 2 % _P
    g = a - b
    f = 2 * p[2] * p[2] % _P + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(factor: int, point: Point) -> Point:
    result = _IDENTITY
    for bit in bin(factor)[2:]:
        result = _double(result)
        if bit == "1":
            result = _add(result, point)
    return result


def _encode(point: Point) -> bytes:
    inverse = pow(point[2], -1, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(KEY_BYTES, "little")


def _decode(data: bytes) -> Point | None:
    """The point of an encoding; None if it is none, or not the one that :func:`_encode` writes."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if len(data) != KEY_BYTES or y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P:
        x = x * _SQRT_MINUS_1 % _P
    if (v * x * x - u) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P
