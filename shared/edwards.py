"""The curve of Ed25519 and ristretto255: its points, their sums and multiples, in extended coordinates.

Nothing here is in constant time. Where secrets are multiplied, the pages that speak of it say so.

References
----------
RFC 8032, sections 5.1 and 5.1.4 (constants and addition). Hisil, Wong, Carter, Dawson: Twisted Edwards curves
revisited (2008). Bernstein, Doumen, Lange, Oosterwijk: Faster batch forgery identification (2012), section 4,
on sums of many multiples; the buckets are Pippenger's (1976).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

P: Final = 2**255 - 19
L: Final = 2**252 + 27742317777372353535851937790883648493
"""Order of the base point."""
D: Final = -121665 * pow(121666, -1, P) % P
SQRT_MINUS_1: Final = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, x y = T/Z."""
IDENTITY: Final[Point] = (0, 1, 1, 0)
_BASE_X: Final = 15112221349535400772501151409588531511454012693041857206046113283949847762202
_BASE_Y: Final = 46316835694926478169428394003475163141307993866256225615783033603165251855960
BASE: Final[Point] = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % P)

_TWICE_D: Final = 2 * D % P
_WINDOW: Final = 4
_FEW: Final = 24
"""Up to so many points a table for each is faster than buckets for all."""


def add(p: Point, q: Point) -> Point:
    """The sum; the formula has no exceptions on this curve."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = p[3] * q[3] % P * _TWICE_D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(p: Point) -> Point:
    """Twice a point."""
    a, b = p[0] * p[0] % P, p[1] * p[1] % P
    h = a + b
    e = h - (p[0] + p[1]) ** 2 % P
    g = a - b
    f = 2 * p[2] * p[2] % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def negate(p: Point) -> Point:
    """The point that makes zero with it."""
    return -p[0] % P, p[1], p[2], -p[3] % P


def combine(factors: Sequence[int], points: Sequence[Point]) -> Point:
    """The sum of multiples: factors[0] points[0] + factors[1] points[1] + ...

    Parameters
    ----------
    factors : sequence of int
        Not negative. Small ones are fast, those of 128 bits twice as fast as those of 253.
    points : sequence of Point, of the same length

    Notes
    -----
    For a few points O(bits) doublings and O(n bits / 4) additions; for n points in buckets of c bits,
    c about log2 n, O((n + 2^c) bits / c) additions.
    """
    if len(factors) != len(points):
        raise ValueError("one factor for each point")
    bits = max((factor.bit_length() for factor in factors), default=0)
    many = len(points) > _FEW
    width = max(len(points).bit_length() - 3, 2) if many else _WINDOW
    tables = [] if many else [_multiples(point) for point in points]
    result = IDENTITY
    for shift in range(-(-bits // width) * width - width, -1, -width):
        for _ in range(width if result is not IDENTITY else 0):
            result = double(result)
        digits = [factor >> shift & (1 << width) - 1 for factor in factors]
        if many:
            result = add(result, _in_buckets(digits, points, width))
        else:
            for digit, table in zip(digits, tables, strict=True):
                if digit:
                    result = add(result, table[digit])
    return result


def multiply(factor: int, point: Point) -> Point:
    """A multiple."""
    return combine((factor,), (point,))


class FixedBase:
    """A point with a table of 64 times 16 of its multiples, 1,024 additions to make."""

    def __init__(self, point: Point) -> None:
        self._rows = []
        for _ in range(-(-L.bit_length() // _WINDOW)):
            row = _multiples(point)
            point = add(row[-1], point)
            self._rows.append(row)

    def multiply(self, factor: int) -> Point:
        """A multiple, of a factor from 0 to L - 1."""
        result = IDENTITY
        for row in self._rows:
            digit = factor & (1 << _WINDOW) - 1
            factor >>= _WINDOW
            if digit:
                result = add(result, row[digit])
        return result


def square_root(square: int) -> int | None:
    """A root modulo p = 5 mod 8; None if there is none."""
    square %= P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * SQRT_MINUS_1 % P
    return root if root * root % P == square else None


def _multiples(point: Point) -> list[Point]:
    """0 to 15 times the point."""
    table = [IDENTITY, point]
    while len(table) < 1 << _WINDOW:
        table.append(add(table[-1], point))
    return table


def _in_buckets(digits: Sequence[int], points: Sequence[Point], width: int) -> Point:
    """The sum of digit times point: points of one digit are added first, then running sums from above."""
    buckets: list[Point | None] = [None] * (1 << width)
    for digit, point in zip(digits, points, strict=True):
        if digit:
            held = buckets[digit]
            buckets[digit] = point if held is None else add(held, point)
    running = total = IDENTITY
    for bucket in reversed(buckets[1:]):
        if bucket is not None:
            running = add(running, bucket)
        total = add(total, running)
    return total
