"""Cuts near weighted medians, as of a k-d tree: regions of nearly equal mass."""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

_DEEPEST: Final = 128


@compiled
def _widest(
    points: FloatArray, weights: FloatArray, mass: IntArray, order: IntArray, a: int, b: int
) -> tuple[int, int]:
    """The coordinate of greatest weighted variance among order[a:b], and their mass.

    Variances are about the first point, added in order: the same float64 numbers on every machine.
    """
    total = 0
    for i in range(a, b):
        total += mass[order[i]]
    widest, greatest = 0, -1.0
    for j in range(points.shape[1]):
        first, second, origin = 0.0, 0.0, points[order[a], j]
        for i in range(a, b):
            x = points[order[i], j] - origin
            first += mass[order[i]] * x
            second += mass[order[i]] * x * x
        variance = weights[j] * (second - first * first / total)
        if variance > greatest:
            widest, greatest = j, variance
    return widest, total


@compiled
def cut(
    points: FloatArray, weights: FloatArray, mass: IntArray, regions: int, labels: IntArray, order: IntArray
) -> None:
    """Divide points (n x d) into at most `regions` of nearly equal mass (n).

    Parameters
    ----------
    labels : int array, n
        Becomes the region of each point; numbers below `regions`, some of them perhaps of no point.
    order : int array, n
        0 to n - 1; becomes the points region by region, so that neighbours stand near each other.

    Notes
    -----
    Along the coordinate of greatest weighted variance, where the mass up to the cut is nearest to its share;
    a point is never divided. Equal coordinates keep their order. O(n d log(regions)) and a sort a level.
    """
    waiting = np.empty((_DEEPEST, 4), dtype=np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, len(points), regions, 0
    top = 1
    while top > 0:
        top -= 1
        a, b, k, first = waiting[top]
        if k == 1 or b - a <= 1:
            for i in range(a, b):
                labels[order[i]] = first
            continue
        widest, total = _widest(points, weights, mass, order, a, b)
        members = order[a:b].copy()
        members = members[np.argsort(points[members, widest], kind="mergesort")]
        order[a:b] = members
        below = k // 2
        wanted = total * below / k
        reached, middle = 0, 1
        for i in range(b - a - 1):
            if i > 0 and reached + mass[members[i]] * 0.5 > wanted:
                break
            reached += mass[members[i]]
            middle = i + 1
        # The side that is divided next waits on top.
        waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3] = (
            a + middle,
            b,
            k - below,
            first + below,
        )
        top += 1
        waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3] = a, a + middle, below, first
        top += 1
