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
