"""Slow, obvious references in exact arithmetic, from the definitions, sharing no code with the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

Vector = tuple[int, ...]


def binomial(n: int, pi: Fraction, j: int) -> Fraction:
    """P{K = j} of n people who take part with pi each."""
    return comb(n, j) * pi**j * (1 - pi) ** (n - j) if j <= n else Fraction(0)


def distribution(counts: Sequence[int], participations: Sequence[Fraction], k: int) -> list[Fraction]:
    """P{K = j}, j = 0..k-1, person by person."""
    p = [Fraction(1)] + [Fraction(0)] * (k - 1)
    for n, pi in zip(counts, participations, strict=True):
        for _ in range(n):
            p = [(1 - pi) * p[j] + (pi * p[j - 1] if j else 0) for j in range(k)]
    return p


def cell_metrics(
    counts: Sequence[int], participations: Sequence[Fraction], k: int
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """qbar, u, rbar, rbar' of a cell."""
    p = distribution(counts, participations, k)
    qbar = sum(p[1:], Fraction(0))
    unprotected = sum((j * p[j] for j in range(1, k)), Fraction(0))
    expected = sum((n * pi for n, pi in zip(counts, participations, strict=True)), Fraction(0))
    u = unprotected / qbar if qbar else Fraction(0)
    return qbar, u, unprotected / sum(counts), unprotected / expected


def even_failure(n: int, pi: Fraction, k: int) -> Fraction:
    """qbar of n people who take part with pi each."""
    return sum((binomial(n, pi, j) for j in range(1, k)), Fraction(0))


def digits(value: Fraction, significant: int = 40) -> str:
    """Correctly rounded decimal."""
    with localcontext(Context(prec=significant + 30, Emin=-(10**6), Emax=10**6)):
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
        return f"{quotient:.{significant - 1}e}"


def in_balls(x: Vector, cells: Any) -> int:
    """First ball that contains x, else the remainder rule."""
    distances = [_squared(x, r, cells.weights) for r in cells.references]
    inside = [i for i, d in enumerate(distances) if d <= cells.radii[i]]
    if inside:
        return inside[0]
    return len(distances) if cells.remainder == "last" else distances.index(min(distances))


def in_power_diagram(x: Vector, cells: Any) -> int:
    """Least power distance, in units of a coordinate's step."""
    refined = [
        _squared(x, [Fraction(c, cells.resolution) for c in site], cells.weights)
        + Fraction(offset, cells.resolution**2)
        for site, offset in zip(cells.sites, cells.offsets, strict=True)
    ]
    return refined.index(min(refined))


def in_boxes(x: Vector, cells: Any) -> int:
    """Nearest point of each box by clamping; a box that contains x comes before one at distance 0."""
    contains = [
        i for i, box in enumerate(cells.boxes) if all(a <= c <= b for c, (a, b) in zip(x, box, strict=True))
    ]
    if contains:
        return contains[0]
    nearest = [
        _squared(x, [min(max(c, a), b) for c, (a, b) in zip(x, box, strict=True)], cells.weights)
        for box in cells.boxes
    ]
    return nearest.index(min(nearest))


def in_prototypes(x: Vector, cells: Any) -> int:
    """Cell of the nearest tabulated tuple."""
    distances = [_squared(x, point, cells.weights) for point in cells.points]
    return int(cells.cells[distances.index(min(distances))])


ASSIGN: dict[str, Callable[[Vector, Any], int]] = {
    "balls": in_balls,
    "power-diagram": in_power_diagram,
    "boxes": in_boxes,
    "prototypes": in_prototypes,
}


def _squared(x: Sequence[int], y: Sequence[Any], weights: Sequence[int]) -> Any:
    return sum(w * (a - b) ** 2 for a, b, w in zip(x, y, weights, strict=True))
