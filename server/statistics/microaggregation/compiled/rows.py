"""Machine code for rows of cells: chains of nearest neighbours, and turns that shorten a path.

Every sum goes coordinate by coordinate, each step rounded as numpy rounds it. What is added is not negative,
so that a sum that was cut short is a bound in the same arithmetic: results are those of comparing everything.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

_STRIDE: Final = 4
"""Coordinates that are added before a sum is looked at."""


@compiled
def squared(z: FloatArray, a: int, b: int) -> float:
    """Squared distance of two rows of z (m x d)."""
    total = 0.0
    for j in range(z.shape[1]):
        total += (z[a, j] - z[b, j]) ** 2
    return total


@compiled
def ward_merges(z: FloatArray, people: FloatArray) -> IntArray:
    """Ward's hierarchical clustering by chains of nearest neighbours.

    Parameters
    ----------
    z : float array, m x d
    people : float array, m
        Weights of the rows.

    Returns
    -------
    int array, m - 1 x 2
        In each step, the cluster that is kept and the one that joins it; a cluster has the lowest number of
        its rows.

    Notes
    -----
    Ties go to the cluster of lowest number, but for the one before it in the chain. Time O(m^2 d), and less
    where few coordinates show that a cluster is not the nearest.
    """
    m, d = z.shape
    centre, weight = z.copy(), people.copy()
    members, alive = np.arange(m), m
    merges = np.empty((max(m - 1, 0), 2), dtype=np.int64)
    chain, length = np.empty(m + 1, dtype=np.int64), 0
    for step in range(m - 1):
        if length == 0:
            chain[0], length = members[0], 1
        while True:
            last = chain[length - 1]
            before, limit = -1, np.inf
            if length > 1:
                before = chain[length - 2]
                factor = weight[before] * weight[last] / (weight[before] + weight[last])
                limit = squared(centre, before, last) * factor
            nearest, least = -1, np.inf
            for place in range(alive):
                other = members[place]
                if other == last:
                    continue
                factor = weight[other] * weight[last] / (weight[other] + weight[last])
                total, j = 0.0, 0
                while j < d and total * factor < least:
                    for t in range(j, min(j + _STRIDE, d)):
                        total += (centre[other, t] - centre[last, t]) ** 2
                    j += _STRIDE
                if total * factor < least:
                    nearest, least = other, total * factor
            if length > 1 and limit <= least:
                break  # The two are one another's nearest.
            chain[length] = nearest
            length += 1
        kept, gone = min(last, before), max(last, before)
        length -= 2
        merges[step, 0], merges[step, 1] = kept, gone
        both = weight[kept] + weight[gone]
        for j in range(d):
            centre[kept, j] = (centre[kept, j] * weight[kept] + centre[gone, j] * weight[gone]) / both
        weight[kept] = both
        place = np.searchsorted(members[:alive], gone)
        members[place : alive - 1] = members[place + 1 : alive].copy()
        alive -= 1
    return merges


@compiled
def shorten(distance: FloatArray, path: IntArray, sweeps: int) -> None:
    """Turn stretches of a path (m) around while that shortens it, in place: the best turn from each place.

    distance: m x m. At most so many sweeps over all places. Of equal turns the shortest.
    """
    m = len(path)
    steps = np.zeros(m)
    for i in range(m - 1):
        steps[i] = distance[path[i], path[i + 1]]
    for _ in range(sweeps):
        improved = False
        for i in range(-1, m - 2):
            # Turning the places i + 1 to j exchanges the steps (i, i + 1) and (j, j + 1); an end has no step.
            last, most, replaced = -1, -np.inf, 0.0
            for j in range(i + 2, m):
                old, new = steps[j], 0.0
                if i >= 0:
                    old, new = old + steps[i], distance[path[i], path[j]]
                if j + 1 < m:
                    new += distance[path[i + 1], path[j + 1]]
                if old - new > most:
                    last, most, replaced = j, old - new, old
            if most > 1e-9 * replaced:
                path[i + 1 : last + 1] = path[i + 1 : last + 1][::-1].copy()
                for j in range(max(i, 0), min(last + 1, m - 1)):
                    steps[j] = distance[path[j], path[j + 1]]
                improved = True
        if not improved:
            break
