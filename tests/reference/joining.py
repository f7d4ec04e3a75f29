"""The slow, obvious joining: every way to cut the row, judged one by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from shared.joining import Row, Segment


def every_cutting(n: int) -> list[tuple[Segment, ...]]:
    """All ways to cut n positions into stretches."""
    cuttings = []
    for cuts in itertools.product((False, True), repeat=n - 1):
        borders = [0, *(i for i, cut in enumerate(cuts, 1) if cut), n]
        cuttings.append(tuple(itertools.pairwise(borders)))
    return cuttings


def loss(row: Row, counts: Sequence[int], segment: Segment) -> int:
    """Squared distances to the mean, rounded down, by their definition."""
    cells = row.cells(segment)
    n = sum(counts[c] for c in cells)
    total = 0
    for j, w in enumerate(row.weights):
        s = sum(counts[c] * row.points[c][j] for c in cells)
        q = sum(counts[c] * row.points[c][j] ** 2 for c in cells)
        total += w * (q * n - s * s)
    return total // n if n else 0


def best_cutting(row: Row, counts: Sequence[int], minimum: int) -> tuple[Segment, ...] | None:
    """The admissible cutting of least loss; of several the one with the latest cuts from the end on."""
    found = []
    for cutting in every_cutting(len(counts)):
        sums = [sum(counts[c] for c in row.cells(segment)) for segment in cutting]
        if all(n == 0 or n >= minimum for n in sums):
            total = sum(loss(row, counts, segment) for segment in cutting)
            found.append((total, [-start for start, _ in reversed(cutting)], cutting))
    return min(found)[2] if found and sum(counts) >= minimum else None


def best_within(row: Row, counts: Sequence[int], minimum: int) -> tuple[Segment, ...] | None:
    """Both levels by all cuttings: of the units at their means, and of the cells of each stretch of units."""
    sums = [sum(counts[cell] for cell in row.order[slice(*unit)]) for unit in row.units]
    means = tuple(
        tuple(
            sum(counts[cell] * row.points[cell][j] for cell in row.order[slice(*unit)]) // max(total, 1)
            for j in range(len(row.weights))
        )
        for unit, total in zip(row.units, sums, strict=True)
    )
    of_units = Row(order=tuple(range(len(sums))), points=means, weights=row.weights)
    stretches = best_cutting(of_units, sums, minimum)
    if stretches is None:
        return None
    found: list[Segment] = []
    for first, behind in stretches:
        start, end = row.units[first][0], row.units[behind - 1][1]
        cells = row.order[start:end]
        part = Row(
            order=tuple(range(len(cells))), points=tuple(row.points[c] for c in cells), weights=row.weights
        )
        own = [counts[cell] for cell in cells]
        inner = best_cutting(part, own, minimum) or tuple((i, i + 1) for i in range(len(cells)))
        found += [(start + a, start + b) for a, b in inner]
    return tuple(found)
