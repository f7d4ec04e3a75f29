"""Slow, obvious references in exact arithmetic, from the definitions, sharing no code with the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

import mpmath

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


def beta_binomial(n: int, pi: Fraction, rho: Fraction, j: int) -> Fraction:
    """P{K = j} of n people, any two of whom have the correlation rho."""
    if j > n:
        return Fraction(0)
    if not rho or pi == 1:
        return binomial(n, pi, j)
    a, b = pi * (1 - rho) / rho, (1 - pi) * (1 - rho) / rho
    return comb(n, j) * _rising(a, j) * _rising(b, n - j) / _rising(a + b, n)


def _by_generating_functions(
    k: int, levels: Sequence[tuple[Fraction, int]], named: Sequence[tuple[Fraction, int]], rho: Fraction
) -> Fraction:
    """min over theta = i/16 of theta^-(k-1) prod E[theta^K; all at level l]^(n_l / n), to 60 digits."""
    n, bounds = sum(count for _, count in levels), []
    with mpmath.workdps(60):
        for i in range(1, 16):
            theta = Fraction(i, 16)
            value = mpmath.mpf(1)
            for (_, count), (pi, _) in zip(levels, named, strict=True):
                length = min(n, 2 * k + 100) + 1
                g = sum((beta_binomial(n, pi, rho, j) * theta**j for j in range(length)), theta**length)
                value *= (mpmath.mpf(g.numerator) / g.denominator) ** (mpmath.mpf(count) / n)
            bounds.append(value / (mpmath.mpf(theta.numerator) / theta.denominator) ** (k - 1))
        return min(Fraction(1), Fraction(mpmath.nstr(min(bounds), 55)))


def _rising(x: Fraction, n: int) -> Fraction:
    result = Fraction(1)
    for i in range(n):
        result *= x + i
    return result


def fewer_than(k: int, n: int, pi: Fraction, rho: Fraction, size: int) -> Fraction:
    """The bound of P{fewer than k of n}: Markov's, on the missing ones of the largest households."""
    if n <= 0:
        return Fraction(1)
    whole, rest = divmod(n, size)
    households = whole + (rest > 0)
    together: dict[int, Fraction] = {}
    for j in range(households + 1):
        p = beta_binomial(households, pi, rho, j)
        with_rest = Fraction(j, households) if rest else Fraction(0)
        together[size * j] = together.get(size * j, Fraction(0)) + p * (1 - with_rest)
        if j and rest:
            together[size * (j - 1) + rest] = together.get(size * (j - 1) + rest, Fraction(0)) + p * with_rest
    if size == 1:
        return sum((p for people, p in together.items() if people < k), Fraction(0))
    bounds = [
        sum((p * max(0, c - people) for people, p in together.items()), Fraction(0)) / (c - k + 1)
        for c in range(k, 2 * (k + size) + 1)
    ]
    return min(Fraction(1), *bounds)


def dependent_metrics(
    counts: Sequence[int], participations: Sequence[Fraction], k: int, rho: Fraction, size: int
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """qbar, u, rbar, rbar' of a cell whose people may decide together, or their published bounds."""
    there = sorted((pi, n) for pi, n in zip(participations, counts, strict=True) if n)
    if not (rho or size > 1) or all(pi == 1 for pi, _ in there):
        return cell_metrics(counts, participations, k)
    people = sum(counts)
    expected = sum((n * pi for pi, n in there), Fraction(0))
    if len(there) == 1 and size == 1:
        failing = [(j, beta_binomial(people, there[0][0], rho, j)) for j in range(1, k)]
        qbar = sum((p for _, p in failing), Fraction(0))
        unprotected = sum((j * p for j, p in failing), Fraction(0))
        return qbar, unprotected / qbar, unprotected / people, unprotected / expected
    upward = [(pi, sum(n for other, n in there if other >= pi)) for pi, _ in there]
    qbar = min(fewer_than(k, n, pi, rho, size) for pi, n in upward)
    alone = min(fewer_than(k - 1, n - size, pi, rho, size) for pi, n in upward)
    if size == 1:
        qbar = min(qbar, _by_generating_functions(k, there, there, rho))
        fewer = [[(pi, n - (i == m)) for i, (pi, n) in enumerate(there)] for m in range(len(there))]
        if people > 1:
            alone = min(alone, max(_by_generating_functions(k - 1, left, there, rho) for left in fewer))
    rbar = min((k - 1) * qbar, alone * expected) / people
    return qbar, Fraction(k - 1) if qbar else Fraction(0), rbar, alone


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


def in_districts(x: Vector, cells: Any) -> int:
    """The cell in the district whose cuts all hold, after the cells of the districts before it."""
    nodes = iter(cells.tree.nodes)
    paths: list[list[tuple[int, int, bool]]] = []

    def read(path: list[tuple[int, int, bool]]) -> None:
        node = next(nodes)
        if node is None:
            paths.append(path)
            return
        for above in (False, True):
            read([*path, (*node, above)])

    read([])
    (own,) = [i for i, path in enumerate(paths) if all((x[j] > value) is above for j, value, above in path)]
    before = sum(part.count for part in cells.districts[:own])
    return before + ASSIGN[cells.districts[own].shape](x, cells.districts[own])


ASSIGN: dict[str, Callable[[Vector, Any], int]] = {
    "balls": in_balls,
    "power-diagram": in_power_diagram,
    "boxes": in_boxes,
    "prototypes": in_prototypes,
    "districts": in_districts,
}


def _squared(x: Sequence[int], y: Sequence[Any], weights: Sequence[int]) -> Any:
    return sum(w * (a - b) ** 2 for a, b, w in zip(x, y, weights, strict=True))
