"""ristretto255 (RFC 9496): a group of prime order in which every element has one encoding.

Decoding is strict: whatever is not the encoding that :func:`encode` writes is refused, so that two parties
never differ about an element, and no library decides it.

References
----------
RFC 9496, sections 4.1 (constants), 4.2 (square roots), 4.3.1 (Decode), 4.3.2 (Encode), 4.3.3 (Equals).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shared.edwards import SQRT_MINUS_1, D, P, Point

ELEMENT_BYTES: Final = 32
IDENTITY_BYTES: Final = bytes(ELEMENT_BYTES)

_INVERSE_ROOT_A_MINUS_D: Final = 54469307008909316920995813868745141605393597292927456921205312896311721017578


def decode(data: bytes, number: Callable[[int], int] = int) -> Point | None:
    """The element of an encoding; None if it is not the one encoding of an element.

    Parameters
    ----------
    data : bytes
    number : callable
        Makes an integer of the type in which everything after is computed: a library's may be faster.

    Guarantee: for all bytes, either None, or ``encode(decode(data)) == data``.
    """
    s = number(int.from_bytes(data, "little"))
    if len(data) != ELEMENT_BYTES or s >= P or s & 1:  # step 1 and 2
        return None
    square = s * s % P
    u1, u2 = 1 - square, 1 + square
    v = (-D * u1 * u1 - u2 * u2) % P
    root = _inverse_root(v * u2 * u2)
    if root is None:
        return None
    denominator = root * u2 % P
    x = _even(2 * s * denominator)
    y = u1 * (root * denominator % P * v % P) % P
    t = x * y % P
    if t & 1 or y == 0:
        return None
    return x, y, 1, t


def encode(point: Point) -> bytes:
    """The 32 bytes of an element, the same for all points that stand for it.

    Parameters
    ----------
    point : Point
        One that :func:`decode` gave, the base point, or a sum of such points.
    """
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    root = _inverse_root(u1 * u2 * u2) or 0  # none if u2 is zero: the identity
    denominator_1, denominator_2 = root * u1 % P, root * u2 % P
    z_inverse = denominator_1 * denominator_2 % P * t % P
    denominator = denominator_2
    if t * z_inverse % P & 1:
        x, y = y * SQRT_MINUS_1, x * SQRT_MINUS_1
        denominator = denominator_1 * _INVERSE_ROOT_A_MINUS_D
    if x * z_inverse % P & 1:
        y = -y
    return int(_even(denominator * (z - y))).to_bytes(ELEMENT_BYTES, "little")


def _even(number: int) -> int:
    """Of a number and its negative the one that counts as not negative (CT_ABS)."""
    number %= P
    return P - number if number & 1 else number


def _inverse_root(number: int) -> int | None:
    """One of the two roots of 1/number; None if there is none (SQRT_RATIO_M1 with u = 1).

    Which of the two, makes no difference above: either it is squared, or its sign is taken away.
    """
    number %= P
    cube = number * number % P * number % P
    root = cube * pow(cube * cube % P * number % P, (P - 5) // 8, P) % P
    check = number * root % P * root % P
    if check == 1:
        return root
    return root * SQRT_MINUS_1 % P if check == P - 1 else None
