"""Squared distances, summed in numpy's order, and bounds on them that hold without a margin.

The reference semantics are those of `((X - point) ** 2).sum(axis=1)` on a C-ordered matrix. numpy adds fewer
than 8 terms from left to right, up to 128 in eight interleaved sums, more by halves (pairwise summation).
Rounded subtraction, multiplication and addition are monotone. So the same sum over the nearest
(farthest) coordinates of a box is never above (below) the computed distance to any record in it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray
from server.statistics.microaggregation.compiled.compilation import compiled

LANES: Final = 16
"""Records, or boxes, that are compared together: two cache lines of each coordinate."""


@compiled
def _run_sum(terms: FloatArray, start: int, length: int) -> float:
    """Sum of at most 128 terms as numpy adds them."""
    if length < 8:
        total = 0.0
        for i in range(start, start + length):
            total += terms[i]
        return total
    r0, r1, r2, r3 = terms[start], terms[start + 1], terms[start + 2], terms[start + 3]
    r4, r5, r6, r7 = terms[start + 4], terms[start + 5], terms[start + 6], terms[start + 7]
    whole = length - length % 8
    for i in range(start + 8, start + whole, 8):
        r0 += terms[i]
        r1 += terms[i + 1]
        r2 += terms[i + 2]
        r3 += terms[i + 3]
        r4 += terms[i + 4]
        r5 += terms[i + 5]
        r6 += terms[i + 6]
        r7 += terms[i + 7]
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for i in range(start + whole, start + length):
        total += terms[i]
    return float(total)


@compiled
def numpy_sum(terms: FloatArray, length: int) -> float:
    """Sum of terms[:length] as numpy adds a contiguous run of float64.

    Halves wait on a stack: numba cannot load a function that calls itself from its cache.
    """
    if length <= 128:
        return _run_sum(terms, 0, length)
    starts, lengths, sums = np.empty(128, np.int64), np.empty(128, np.int64), np.empty(64)
    starts[0], lengths[0] = 0, length
    waiting, known = 1, 0
    while waiting > 0:
        waiting -= 1
        start, run = starts[waiting], lengths[waiting]
        if run == 0:  # both halves are known
            known -= 1
            sums[known - 1] += sums[known]
        elif run <= 128:
            sums[known] = _run_sum(terms, start, run)
            known += 1
        else:
            half = run // 2
            half -= half % 8
            lengths[waiting] = 0
            starts[waiting + 1], lengths[waiting + 1] = start + half, run - half
            starts[waiting + 2], lengths[waiting + 2] = start, half
            waiting += 3
    return float(sums[0])


@compiled
def squared_distance(row: FloatArray, point: FloatArray) -> float:
    """Squared distance of a record (d) to a point (d)."""
    d = len(point)
    squares = np.empty(d)
    for j in range(d):
        difference = row[j] - point[j]
        squares[j] = difference * difference
    return numpy_sum(squares, d)


@compiled
def _sum_lanes(terms: FloatArray, d: int, out: FloatArray) -> None:
    """Sum each of the LANES columns of `terms` (d >= 8 rows are used) in numpy's order; destroys `terms`."""
    if d > 128:
        for i in range(LANES):
            out[i] = numpy_sum(np.ascontiguousarray(terms[:, i]), d)
        return
    whole = d - d % 8
    for j in range(8, whole):
        for i in range(LANES):
            terms[j % 8, i] += terms[j, i]
    for i in range(LANES):
        out[i] = ((terms[0, i] + terms[1, i]) + (terms[2, i] + terms[3, i])) + (
            (terms[4, i] + terms[5, i]) + (terms[6, i] + terms[7, i])
        )
    for j in range(whole, d):
        for i in range(LANES):
            out[i] += terms[j, i]


@compiled
def box_distances(
    low: FloatArray, high: FloatArray, group: int, point: FloatArray, terms: FloatArray, out: FloatArray
) -> None:
    """For each of LANES boxes, low and high of shape (groups, d, LANES): the least squared distance that a
    record in the box can have from `point`."""
    d, lanes = len(point), len(out)
    out[:] = 0.0
    for j in range(d):
        coordinate = point[j]
        if d < 8:
            for i in range(lanes):
                difference = max(max(low[group, j, i] - coordinate, coordinate - high[group, j, i]), 0.0)
                out[i] += difference * difference
        else:
            for i in range(lanes):
                difference = max(max(low[group, j, i] - coordinate, coordinate - high[group, j, i]), 0.0)
                terms[j, i] = difference * difference
    if d >= 8:
        _sum_lanes(terms, d, out)


@compiled
def box_reaches(
    low: FloatArray, high: FloatArray, group: int, point: FloatArray, terms: FloatArray, out: FloatArray
) -> None:
    """As `box_distances`, the greatest squared distance; meaningless for a box without records."""
    d, lanes = len(point), len(out)
    out[:] = 0.0
    for j in range(d):
        coordinate = point[j]
        if d < 8:
            for i in range(lanes):
                difference = max(coordinate - low[group, j, i], high[group, j, i] - coordinate)
                out[i] += difference * difference
        else:
            for i in range(lanes):
                difference = max(coordinate - low[group, j, i], high[group, j, i] - coordinate)
                terms[j, i] = difference * difference
    if d >= 8:
        _sum_lanes(terms, d, out)


@compiled
def block_distances(
    blocks: FloatArray, block: int, point: FloatArray, terms: FloatArray, out: FloatArray
) -> None:
    """Squared distances of `point` (d) to LANES records; blocks has shape (blocks, d, LANES)."""
    d, lanes = len(point), len(out)
    out[:] = 0.0
    for j in range(d):
        coordinate = point[j]
        if d < 8:
            for i in range(lanes):
                difference = blocks[block, j, i] - coordinate
                out[i] += difference * difference
        else:
            for i in range(lanes):
                difference = blocks[block, j, i] - coordinate
                terms[j, i] = difference * difference
    if d >= 8:
        _sum_lanes(terms, d, out)


@compiled
def mean_as_numpy(X: FloatArray, labels: np.ndarray, out: FloatArray) -> None:
    """`X[labels < 0].mean(axis=0)` into `out`: rows added in order; a single column pairwise."""
    n, d = X.shape
    living = 0
    if d == 1:
        column = np.empty(n)
        for i in range(n):
            if labels[i] < 0:
                column[living] = X[i, 0]
                living += 1
        out[0] = numpy_sum(column, living) / living
        return
    out[:] = 0.0
    for i in range(n):
        if labels[i] < 0:
            living += 1
            for j in range(d):
                out[j] += X[i, j]
    for j in range(d):
        out[j] /= living
