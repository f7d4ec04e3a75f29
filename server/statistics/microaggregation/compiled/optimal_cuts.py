"""Least within-group sum of squares of sorted numbers with people behind them, by dynamic programming."""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled


@compiled
def optimal_cuts(values: FloatArray, people: IntArray, k: int) -> IntArray:
    """Labels, ascending from 0, of ascending `values` (n) in groups of at least k people.

    Of several best first records of a group the last is taken, so groups at the upper end are small. A
    group that could be cut into two of k people is never tried: the cut costs nothing.
    """
    n = len(values)
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    first = np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        held, enough, mean, squares = 0, 0, 0.0, 0.0
        for start in range(end - 1, -1, -1):
            weight = people[start]
            held += weight
            step = values[start] - mean
            mean += step * weight / held
            squares += weight * step * (values[start] - mean)
            if held < k:
                continue
            if enough == 0:
                enough = held
            elif held - enough >= k:
                break
            if cost[start] + squares < cost[end]:
                cost[end] = cost[start] + squares
                first[end] = start
    labels = np.zeros(n, dtype=np.int64)
    end, groups = n, 0
    while end > 0:
        labels[first[end] : end] = groups
        groups += 1
        end = first[end]
    return groups - 1 - labels
