"""Data matrices for the library: standardizing, one-hot encoding, group means, sums of squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray

Paths = tuple[tuple[str, ...], ...]
"""For each category the nodes of a hierarchy from below its root down to the category, all of one length."""

LARGEST: Final = 1e145
"""Coordinates of larger magnitude are refused: squares of their differences could overflow."""


def data_matrix(X: ArrayLike) -> FloatArray:
    """A copy of X as a C-contiguous float64 matrix (n x d).

    Raises
    ------
    ValueError
        Not two-dimensional, no record, no column, no numbers, or a value that is missing or infinite (the
        message names its record and column, from 0).
    """
    values = np.asarray(X)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"X must be records x columns with at least one of each, not {values.shape}")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, not {values.dtype}; see `encode` for nominal columns")
    matrix = np.array(values, dtype=np.float64, order="C")
    finite = np.isfinite(matrix)
    if not finite.all():
        record, column = (int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(f"X[{record}, {column}] is {matrix[record, column]}: missing or infinite")
    return matrix


def bounded_matrix(X: ArrayLike) -> FloatArray:
    """X as `data_matrix` gives it; ValueError too where squared distances could overflow."""
    matrix = data_matrix(X)
    if np.abs(matrix).max() >= LARGEST:
        record, column = (int(i) for i in np.argwhere(np.abs(matrix) >= LARGEST)[0])
        raise ValueError(f"X[{record}, {column}] is {matrix[record, column]}: too large, standardize first")
    return matrix


def standardize(X: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Zero mean and unit variance by column.

    Parameters
    ----------
    X : array, n x d
        Finite numbers.

    Returns
    -------
    Z : float array, n x d
        (X - means) / deviations; a constant column becomes 0.
    means, deviations : float arrays, d
        Population standard deviations (divided by n), so the total sum of squares of Z is n times the
        number of columns that vary. A constant column has deviation 1, so that X = Z * deviations + means.
    """
    matrix = data_matrix(X)
    # Powers of two cost no digit, and keep the squares of huge and of tiny values within float64.
    exponents = np.frexp(np.abs(matrix).max(axis=0))[1]
    scaled = np.ldexp(matrix, -exponents)
    constant = (scaled == scaled[0]).all(axis=0)
    means = np.where(constant, scaled[0], scaled.mean(axis=0))
    deviations = np.where(constant, 1.0, scaled.std(axis=0))
    units = np.where(constant, 0, exponents)
    return (scaled - means) / deviations, np.ldexp(means, exponents), np.ldexp(deviations, units)


def mean_and_deviation(values: FloatArray, counts: IntArray | None = None) -> tuple[float, float]:
    """Mean and population standard deviation of n finite values, whatever their unit; `counts` weigh them."""
    if (values == values[0]).all():
        return float(values[0]), 0.0
    exponent = np.frexp(np.abs(values).max())[1]
    scaled = np.ldexp(values, -exponent)  # as in `standardize`
    mean = np.average(scaled, weights=counts)
    deviation = np.sqrt(np.average((scaled - mean) ** 2, weights=counts))
    return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))


def encode(table: Mapping[str, ArrayLike]) -> FloatArray:
    """One matrix from named numeric and nominal columns, every attribute with the same say.

    Parameters
    ----------
    table : mapping of column name to n values
        Numbers and booleans are numeric; all else is nominal, compared as text.

    Returns
    -------
    float array, n x d
        A numeric column becomes one standardized column. A nominal column of c categories becomes c
        centred indicator columns (categories in text order), divided by sqrt(sum of p (1 - p)) with p the
        shares of the categories. So each attribute that varies adds exactly n to the total sum of squares,
        two records of different category are sqrt(2 / sum p (1 - p)) apart in that attribute whichever
        categories they have, and a nominal attribute of two categories gives the distances of its 0/1
        coding. A constant attribute becomes zeros.

    Raises
    ------
    ValueError
        No column, columns of unequal length, or a missing value (None or NaN); the message names the
        column.
    """
    if not table:
        raise ValueError("no column to encode")
    blocks: list[FloatArray] = []
    for name, given in table.items():
        values = np.asarray(given)
        if values.ndim != 1 or len(values) == 0:
            raise ValueError(f"column {name!r} must be a list of at least one value")
        if blocks and len(values) != len(blocks[0]):
            raise ValueError(f"column {name!r} has {len(values)} values, the first has {len(blocks[0])}")
        if values.dtype.kind in "biuf":
            if not np.isfinite(values).all():
                raise ValueError(f"column {name!r} has a missing or infinite value")
            blocks.append(standardize(values[:, None])[0])
            continue
        if values.dtype.kind == "O" and any(
            value is None or (isinstance(value, float) and np.isnan(value)) for value in values.tolist()
        ):
            raise ValueError(f"column {name!r} has a missing value")
        _, code = np.unique(values.astype(str), return_inverse=True)
        indicators = (code.reshape(-1)[:, None] == np.arange(int(code.max()) + 1)).astype(float)
        shares = indicators.mean(axis=0)
        variance = float((shares * (1 - shares)).sum())
        blocks.append((indicators - shares) / np.sqrt(variance if variance > 0 else 1.0))
    return np.concatenate(blocks, axis=1)


def group_means(X: FloatArray, labels: IntArray, counts: IntArray | FloatArray | None = None) -> FloatArray:
    """Centroid of each group, m x d; `counts` (n) weigh the records. Labels are 0..m-1, none empty."""
    matrix = np.asarray(X, dtype=np.float64)
    weight = None if counts is None else np.asarray(counts, dtype=np.float64)
    groups = int(labels.max()) + 1
    size = np.bincount(labels, weights=weight, minlength=groups).astype(float)
    # Sums about the overall mean lose no digits when the columns lie far from 0.
    origin = matrix.mean(axis=0)
    means = np.empty((groups, matrix.shape[1]))
    for j, column in enumerate(matrix.T):
        shifted = column - origin[j]
        shifted = shifted if weight is None else shifted * weight
        means[:, j] = np.bincount(labels, weights=shifted, minlength=groups) / size + origin[j]
    return means


def sse(X: FloatArray, labels: IntArray, counts: IntArray | None = None) -> float:
    """Within-group sum of squared distances to the centroids; `counts` (n) weigh the records."""
    matrix = np.asarray(X, dtype=np.float64)
    means = group_means(matrix, labels, counts)
    total = 0.0
    for j, column in enumerate(matrix.T):
        squares = (column - means[labels, j]) ** 2
        total += float(squares.sum() if counts is None else (squares * counts).sum())
    return total


def sst(X: FloatArray, counts: IntArray | None = None) -> float:
    """Total sum of squared distances to the overall centroid; `counts` (n) weigh the records."""
    return sse(X, np.zeros(len(X), dtype=np.int64), counts)
