"""Cuts near weighted medians, as of a k-d tree: regions of nearly equal mass."""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

_DEEPEST: Final = 128


@compiled
def _spread(
    points: FloatArray, weights: FloatArray, mass: IntArray, order: IntArray, a: int, b: int
) -> tuple[FloatArray, IntArray, int]:
    """Of order[a:b]: what a cut of each coordinate (d) is worth, who has its greater value, and all mass.

    The mass of those with the greater value of a coordinate (d) that takes two, 0 of one that takes one, and
    -1 of all others. A cut is worth the weighted variance of the coordinate, and more where there are but two
    values, since then it leaves nothing of it. Variances are about the first point, added in order: the same
    float64 numbers on every machine.
    """
    total = 0
    for i in range(a, b):
        total += mass[order[i]]
    d = points.shape[1]
    variance, greater = np.empty(d), np.empty(d, dtype=np.int64)
    for j in range(d):
        first, second, origin = 0.0, 0.0, points[order[a], j]
        other, away, several = 0.0, 0, False
        for i in range(a, b):
            heads, x = mass[order[i]], points[order[i], j] - origin
            first += heads * x
            second += heads * x * x
            if x != 0.0:
                several = several or (away > 0 and x != other)
                other = x
                away += heads
        variance[j] = weights[j] * (second - first * first / total)
        greater[j] = -1 if several else (away if other >= 0.0 else total - away)
        if away and not several:
            # By the bit: a half is one and leaves a quarter of the variance; a share p is about
            # (4 p (1 - p))^(3/4) bits and leaves nothing. Square roots are the same on every machine.
            even = 4.0 * away * (total - away) / (float(total) * total)
            variance[j] /= 0.75 * np.sqrt(even) * np.sqrt(np.sqrt(even))
    return variance, greater, total


@compiled
def _choose(variance: FloatArray, greater: IntArray, total: int, regions: int) -> tuple[int, int]:
    """The coordinate to cut, and the regions below the cut; 0 where the mass on both sides is to decide.

    The one worth most, unless it takes two values and people on one side are too few for a region.
    """
    variance = variance.copy()
    widest = np.argmax(variance)
    for _ in range(len(variance)):
        j = np.argmax(variance)
        if variance[j] <= 0.0:
            break
        if greater[j] < 0:
            return int(j), 0
        above = (2 * regions * greater[j] + total) // (2 * total)
        if 0 < above < regions:
            return int(j), regions - above
        variance[j] = 0.0
    return int(widest), 0


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
    Along the coordinate of greatest weighted variance by the bit, where the mass up to the cut is nearest to
    its share; a point is never divided. Equal coordinates keep their order. A coordinate of two values, such
    as a category, is cut between them, into regions in proportion to the mass, or not at all where one side
    is less than half a region. O(n d log(regions)) and a sort a level, with even cuts.
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
        variance, greater, total = _spread(points, weights, mass, order, a, b)
        widest, below = _choose(variance, greater, total, k)
        members = order[a:b].copy()
        members = members[np.argsort(points[members, widest], kind="mergesort")]
        order[a:b] = members
        middle = 1
        if below > 0:
            while points[members[middle], widest] == points[members[0], widest]:
                middle += 1
        else:
            below, reached = k // 2, 0
            wanted = total * below / k
            for i in range(b - a - 1):
                if i > 0 and reached + mass[members[i]] * 0.5 > wanted:
                    break
                reached += mass[members[i]]
                middle = i + 1
        # The side of fewer points waits on top: so no more wait than points can be halved.
        for is_above in (True, False) if 2 * middle <= b - a else (False, True):
            waiting[top] = (
                (a + middle, b, k - below, first + below) if is_above else (a, a + middle, below, first)
            )
            top += 1
