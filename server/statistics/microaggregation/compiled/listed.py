"""Within candidate lists: who wins each tuple, what each site holds, and how far greedy sites must step back.

listed, scores: n x W, sites that may win a tuple and their squared distances; a free place has the score
UNUSED. Values are integers in float64 below 2^53, ties go to the lowest site.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

UNUSED: Final = float(1 << 60)
"""Score of a place in a list that nobody took."""


@compiled
def settle(
    listed: Int32Array,
    scores: FloatArray,
    offsets: FloatArray,
    labels: IntArray,
    best: FloatArray,
    second: FloatArray,
) -> None:
    """For each tuple (n) the site of least value, that value, and the next one's."""
    n, places = listed.shape
    for p in range(n):
        winner = listed[p, 0]
        least, following = scores[p, 0] + offsets[winner], UNUSED
        for c in range(1, places):
            site = listed[p, c]
            value = scores[p, c] + offsets[site]
            if value < least or (value == least and site < winner):
                least, following, winner = value, least, site
            elif value < following:
                following = value
        labels[p], best[p], second[p] = winner, least, following


@compiled
def masses(labels: IntArray, mass: IntArray, count: int) -> IntArray:
    """Mass (n) of each of `count` labels."""
    held = np.zeros(count, dtype=np.int64)
    for p in range(len(labels)):
        held[labels[p]] += mass[p]
    return held


@compiled
def sums(points: IntArray, mass: IntArray, labels: IntArray, count: int) -> IntArray:
    """Sum of points (n x d) of each of `count` labels, as often as their mass (n): count x d."""
    total = np.zeros((count, points.shape[1]), dtype=np.int64)
    for p in range(len(points)):
        for j in range(points.shape[1]):
            total[labels[p], j] += mass[p] * points[p, j]
    return total


@compiled
def restrain(
    listed: Int32Array,
    scores: FloatArray,
    mass: IntArray,
    offsets: FloatArray,
    labels: IntArray,
    best: FloatArray,
    second: FloatArray,
    held: IntArray,
    targets: IntArray,
) -> bool:
    """Raise the offset of every site that holds more than twice its target (m) to where it would hold that.

    labels, best, second as `settle` gives them, held as `masses` does; `offsets` (m) is changed in place,
    never above 0. Whether there was such a site.
    """
    n, places = listed.shape
    m = len(offsets)
    slot = np.full(m, -1, dtype=np.int64)
    greedy = 0
    for i in range(m):
        if held[i] > 2 * targets[i] and offsets[i] < 0:
            slot[i] = greedy
            greedy += 1
    if greedy == 0:
        return False
    start = np.zeros(greedy + 1, dtype=np.int64)
    for p in range(n):
        for c in range(places):
            if slot[listed[p, c]] >= 0 and scores[p, c] < UNUSED:
                start[slot[listed[p, c]] + 1] += 1
    start = np.cumsum(start)
    filled = start[:-1].copy()
    # The offset up to which a site wins a tuple, and the tuple's mass.
    limit, heads = np.empty(start[-1]), np.empty(start[-1], dtype=np.int64)
    for p in range(n):
        for c in range(places):
            site = listed[p, c]
            if slot[site] >= 0 and scores[p, c] < UNUSED:
                place = filled[slot[site]]
                limit[place] = (second[p] if labels[p] == site else best[p]) - scores[p, c]
                heads[place] = mass[p]
                filled[slot[site]] += 1
    for i in range(m):
        if slot[i] >= 0:
            a, b = start[slot[i]], start[slot[i] + 1]
            order = np.argsort(-limit[a:b], kind="mergesort")
            reached, last = 0, 0
            for t in range(b - a):
                reached += heads[a + order[t]]
                last = a + order[t]
                if reached >= targets[i]:
                    break
            offsets[i] = min(max(limit[last] - 1, offsets[i]), 0.0)
    return True
