"""Exact weighted squared distances in numpy.

Every distance is an integer below 2**53, so float64 holds it, and each of its partial sums, without
rounding. Results therefore do not depend on the order of summation, the BLAS library, the number of
threads or the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray

EXACT: Final = 1 << 53
"""Integers of smaller magnitude are exact in float64 and in JavaScript numbers."""


def span(X: IntArray, weights: Sequence[int] | IntArray) -> int:
    """Largest squared distance within the bounding box of the rows of X (n x d), a Python integer."""
    return sum(
        int(w) * (int(column.max()) - int(column.min())) ** 2 for w, column in zip(weights, X.T, strict=True)
    )


def checked(
    X: IntArray, people: IntArray, weights: Sequence[int] | IntArray, levels: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return X (n x d), people (n x L) and weights (d) as int64 arrays that obey the kernels' rules.

    Raises
    ------
    ValueError
        Shapes disagree; no rows; rows of X not distinct or not in canonical (lexicographic) order; a row
        without people or with a negative count; a negative weight; a distance within the data, or the
        extent of a column of any weight, that reaches 2**53.
    """
    X = np.ascontiguousarray(X, dtype=np.int64)
    people = np.ascontiguousarray(people, dtype=np.int64)
    w = np.ascontiguousarray(weights, dtype=np.int64)
    if X.ndim != 2 or len(X) == 0:
        raise ValueError("X must be a non-empty n x d array of distinct tuples")
    if people.ndim == 1:
        people = people[:, None]
    if people.shape != (len(X), levels):
        raise ValueError(f"people must be {len(X)} x {levels}, not {people.shape}")
    if w.shape != (X.shape[1],) or (w < 0).any():
        raise ValueError("weights must be d non-negative integers")
    if (people < 0).any() or (people.sum(axis=1) < 1).any():
        raise ValueError("every tuple must stand for at least one person")
    if not _canonical(X):
        raise ValueError("rows of X must be distinct and in lexicographic order")
    if span(X, w) >= EXACT:
        raise ValueError("squared distances within X reach 2**53: choose a smaller scale of weights")
    if any(int(column.max()) - int(column.min()) >= EXACT for column in X.T):
        raise ValueError("a column of X extends over 2**53 or more, though it has no weight")
    return X, people, w


def _canonical(X: IntArray) -> bool:
    """Say whether the rows are strictly increasing in lexicographic order."""
    if len(X) < 2:
        return True
    before, after = X[:-1], X[1:]
    different = before != after
    first = different.argmax(axis=1)
    rows = np.arange(len(first))
    return bool((different[rows, first] & (before[rows, first] < after[rows, first])).all())


def canonical(X: IntArray, people: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct rows of X (n x d) in canonical order, their summed people (n x L), and the inverse (n)."""
    distinct, inverse = np.unique(np.asarray(X, dtype=np.int64), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    people = np.asarray(people, dtype=np.int64).reshape(len(inverse), -1)
    total = np.zeros((len(distinct), people.shape[1]), dtype=np.int64)
    np.add.at(total, inverse, people)
    return distinct, total, inverse.astype(np.int64)


def squared_distances(columns: FloatArray, point: FloatArray, weights: FloatArray) -> FloatArray:
    """Distances from every record, given by columns (d x n), to one point (d); exact for integers."""
    total = np.zeros(columns.shape[1])
    for column, coordinate, weight in zip(columns, point, weights, strict=True):
        if weight:
            difference = column - coordinate
            difference *= difference
            difference *= weight
            total += difference
    return total


def sums_by_label(values: IntArray, labels: IntArray, count: int) -> IntArray:
    """Sum the rows of `values` (n x c) per label in 0..count-1; exact int64, empty labels give zero."""
    out = np.zeros((count, values.shape[1]), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    present, start = np.unique(labels[order], return_index=True)
    out[present] = np.add.reduceat(values[order], start, axis=0)
    return out


def distortion(X: IntArray, people: IntArray, weights: Sequence[int] | IntArray, labels: IntArray) -> float:
    """Within-group over total sum of squares, SSE / SST, over people; 0 when all people are equal.

    Parameters
    ----------
    X : int array, n x d;  people : int array, n x L;  weights : d integers;  labels : n integers from 0

    Notes
    -----
    Float64 about shifted origins; for tables and curves, not for decisions.
    """
    mass = np.asarray(people).reshape(len(X), -1).sum(axis=1)
    m = mass.astype(float)
    w = np.asarray(weights, dtype=float)
    count = int(labels.max()) + 1
    size = np.bincount(labels, weights=mass, minlength=count)
    sst = sse = 0.0
    for j in range(X.shape[1]):
        column = X[:, j] - X[:, j].min()
        column = column - (column * m).sum() / m.sum()
        mean = np.bincount(labels, weights=column * m, minlength=count) / np.where(size > 0, size, 1)
        sse += w[j] * float((m * (column - mean[labels]) ** 2).sum())
        sst += w[j] * float((m * column**2).sum())
    return float(sse / sst) if sst > 0 else 0.0
