"""The best partition of a few records, by trying all: what a heuristic is measured against."""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.preparation import bounded_matrix
from server.statistics.microaggregation.size_rule import SizeRule

MOST_RECORDS: Final = 18
"""3^n / 2 pairs of sets are compared: 0.1 s for 16 records, a second for 18."""


def exhaustive(
    X: FloatArray,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 - part of the common signature
    progress: Progress | None = None,
) -> IntArray:
    """Partition records with the least possible within-group sum of squared distances.

    A :class:`Partitioner` for one head count k and at most `MOST_RECORDS` single records; groups of k..2k-1
    records are in the order of their lowest record.

    Notes
    -----
    Dynamic program over sets: the lowest record of a set is in one of its groups. Larger groups need not be
    tried: dividing a group never raises the sum. Ties go to the group whose records, as a binary
    number, are the largest. Time O(3^n), memory O(2^n d).
    """
    X = bounded_matrix(X)
    n = len(X)
    if n > MOST_RECORDS:
        raise ValueError(f"all partitions of {n} records are too many; at most {MOST_RECORDS}")
    k = rule.single_records("exhaustive", n, counts)
    group = _best_group(_group_losses(X - X.mean(axis=0), k))
    labels = np.empty(n, dtype=np.int64)
    left, count = (1 << n) - 1, 0
    while left:
        taken = int(group[left])
        labels[[i for i in range(n) if taken >> i & 1]] = count
        left ^= taken
        count += 1
    if progress is not None:
        progress(n, n)
    return labels


def _group_losses(X: FloatArray, k: int) -> FloatArray:
    """Sum of squares of each set of records (bit i: record i) that may be a group; infinite otherwise."""
    n, d = X.shape
    sums, squares, size = np.zeros((1 << n, d)), np.zeros(1 << n), np.zeros(1 << n, dtype=np.int64)
    for i, record in enumerate(X):
        old, new = slice(0, 1 << i), slice(1 << i, 2 << i)
        sums[new] = sums[old] + record
        squares[new] = squares[old] + record @ record
        size[new] = size[old] + 1
    lost = squares - (sums**2).sum(axis=1) / np.maximum(size, 1)
    return np.where((size >= k) & (size < 2 * k), np.maximum(lost, 0.0), np.inf)


@compiled
def _best_group(lost: FloatArray) -> IntArray:
    """For each set, the group of its lowest record in a best partition of the set; 0 where there is none."""
    best = np.full(len(lost), np.inf)
    best[0] = 0.0
    group = np.zeros(len(lost), dtype=np.int64)
    for whole in range(1, len(lost)):
        lowest = whole & -whole
        others = whole ^ lowest
        part = others
        while True:
            total = lost[part | lowest] + best[others ^ part]
            if total < best[whole]:
                best[whole], group[whole] = total, part | lowest
            if part == 0:
                break
            part = (part - 1) & others
    return group
