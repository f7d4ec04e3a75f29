"""Ed25519 by the definition: affine points, one inversion for each addition, nothing clever.

For crafting hostile keys and signatures in tests; it signs with chosen scalars and in any order of points.
"""

from __future__ import annotations

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]
IDENTITY: Point = (0, 1)


def add(p: Point, q: Point) -> Point:
    """The sum on -x^2 + y^2 = 1 + d x^2 y^2 (RFC 8032, section 5.1.4)."""
    product = D * p[0] * q[0] * p[1] * q[1] % P
    x = (p[0] * q[1] + p[1] * q[0]) * pow(1 + product, -1, P)
    y = (p[1] * q[1] + p[0] * q[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def multiply(factor: int, point: Point) -> Point:
    """The point, so many times."""
    result = IDENTITY
    while factor:
        if factor & 1:
            result = add(result, point)
        point, factor = add(point, point), factor >> 1
    return result


def encode(point: Point) -> bytes:
    """y, with the lowest bit of x as the highest of all."""
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def recover(y: int, sign: int) -> Point | None:
    """The point with this y, if there is one."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    if root * root % P != square:
        return None
    return (root if root & 1 == sign else -root % P), y


def base() -> Point:
    """The base point: y = 4/5, x even."""
    found = recover(4 * pow(5, -1, P) % P, 0)
    assert found is not None
    return found


def torsion() -> list[Point]:
    """The eight points of order 1, 2, 4 and 8, as multiples of one of order 8."""
    y = 2
    while True:
        point = recover(y, 0)
        if point is not None:
            generator = multiply(L, point)
            if multiply(4, generator) != IDENTITY:
                return [multiply(i, generator) for i in range(8)]
        y += 1


def challenge(r: bytes, public_key: bytes, message: bytes) -> int:
    """k of RFC 8032, section 5.1.7."""
    return int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % L


def verifies(public_key: bytes, signature: bytes, message: bytes, *, cofactor: int = 1) -> bool:
    """The equation of RFC 8032 with cofactor 8, or without it; lenient in everything else."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    points = [recover(int.from_bytes(data, "little") % 2**255 % P, data[31] >> 7) for data in (r, public_key)]
    if points[0] is None or points[1] is None:
        return False
    k = challenge(r, public_key, message)
    left = multiply(cofactor * s, base())
    return left == multiply(cofactor, add(points[0], multiply(k, points[1])))
