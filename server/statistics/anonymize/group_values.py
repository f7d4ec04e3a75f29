"""What a group publishes: means, modes, or values that keep away from the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.anonymize.request import Breach
from server.statistics.microaggregation.p3m import Aggregation, p3m
from server.statistics.microaggregation.p3m_record import p3m_record
from server.statistics.microaggregation.preparation import group_means, mean_and_deviation
from server.tables.column import DataColumn
from server.wording import quoted
from shared.errors import DesignError, InputError

_LARGEST_FACTOR: Final = 10.0
"""Beyond it the groups keep less than a hundredth of the variance, and what is stretched is mostly chance."""


def breach_free(
    X: FloatArray,
    labels: IntArray,
    *,
    breach: Breach,
    chosen: Sequence[int],
    distances: FloatArray,
    importances: FloatArray,
    trade_off: float,
    counts: IntArray | None,
    weights: FloatArray | IntArray | None = None,
    progress: Progress | None = None,
) -> tuple[FloatArray, tuple[int, ...], int]:
    """Values of the groups (m x d) that prevent a breach: they keep away from the true ones.

    Parameters
    ----------
    chosen : sequence of int
        Attributes to keep apart from the true values; all columns of X are numbers then. Columns of others
        hold their means.
    distances, importances : float arrays, n x d (p3m) or n (p3m-record)
    counts : int array, n, or None
        People of the records.
    weights : array, n, optional
        What a record counts in a mean, where that is not its people: with uneven participation, the people
        who are expected to take part.

    Returns
    -------
    values : float array, m x d
    unmet : tuple of int
        Attributes whose mean or variance cannot be kept.
    missed : int
        Values of importance 1 that are not published at their minimum distance.

    Raises
    ------
    InputError
        For parameters outside their range.
    """
    values = group_means(X, labels, counts if weights is None else weights)
    columns = list(chosen)
    try:
        found: Aggregation
        if breach == "p3m":
            found = p3m(
                X[:, columns],
                labels,
                minimum_distance=distances[:, columns],
                importance=importances[:, columns],
                trade_off=trade_off,
                counts=counts,
            )
        else:
            found = p3m_record(
                X,
                labels,
                minimum_distance=distances,
                importance=importances,
                trade_off=trade_off,
                counts=counts,
                progress=progress,
            )
    except ValueError as error:
        raise InputError(str(error), where=f"--breach {breach}") from None
    values[:, columns] = found.values
    return values, tuple(columns[index] for index in found.unmet), found.missed


def modes(column: DataColumn, labels: IntArray, counts: IntArray | FloatArray | None) -> IntArray:
    """For each group a record with its most frequent value; ties to the first value in text order."""
    codes = column.ranks + 1  # missing becomes 0
    width = int(codes.max()) + 1
    pairs, first, inverse = np.unique(labels * width + codes, return_index=True, return_inverse=True)
    held = np.bincount(inverse.reshape(-1), counts)
    order = np.lexsort((pairs % width, -held, pairs // width))
    groups = pairs[order] // width
    return np.asarray(first[order][np.r_[True, groups[1:] != groups[:-1]]], dtype=np.int64)


def variance_restored(
    name: str, means: FloatArray, numbers: FloatArray, labels: IntArray, counts: IntArray | None
) -> tuple[FloatArray, float]:
    """Values of the groups (m) with mean and variance of the original, and the factor that it took.

    Parameters
    ----------
    name : str
        Of the attribute, for the message.
    means : float array, shape (m,)
        NaN of groups that lack the number.
    numbers : float array, shape (n,)
    labels : int array, shape (n,)
    counts : int array, shape (n,), optional
        People of the records, over whom mean and variance are taken.

    Raises
    ------
    DesignError
        If the groups keep too little of the variance to stretch it.

    Notes
    -----
    Groups vary less than their members, so their means are moved away from the mean of all by the factor
    sigma / sigma of the means. With e the attribute's SSE/SST before, it is 2 (1 - sqrt(1 - e)) afterwards:
    about a quarter of e^2 more.

    References
    ----------
    R. Mortazavi, S. Jalili, "Fine granular proximity breach prevention during numerical data anonymization",
    Transactions on Data Privacy 10 (2017), equation 5.
    """
    given = ~np.isnan(numbers)
    people = None if counts is None else counts[given]
    mean, deviation = mean_and_deviation(numbers[given], people)
    centre, kept = mean_and_deviation(means[labels[given]], people)
    if deviation == 0:
        return means, 1.0
    if kept * _LARGEST_FACTOR < deviation:
        raise DesignError(
            f"the groups keep {(kept / deviation) ** 2:.2%} of the variance of {quoted(name)}, which is too "
            "little to restore",
            where="--restore-variance",
            expected="at least 1 %",
            remedy="Choose a smaller k, or leave --restore-variance out.",
        )
    factor = deviation / kept
    return np.asarray(mean + (means - centre) * factor, dtype=np.float64), factor


def group_medians(numbers: FloatArray, labels: IntArray, counts: IntArray | FloatArray | None) -> FloatArray:
    """Lower median of each group, a value that occurs in it; NaN of a group that lacks the number."""
    order = np.lexsort((numbers, labels))
    weight = np.ones(len(numbers)) if counts is None else counts.astype(np.float64)
    reached = np.cumsum(weight[order])
    total = np.bincount(labels, weight)
    before = np.cumsum(total) - total
    # The first record of a group at which half of its people are reached.
    first = np.searchsorted(reached, before + total / 2, side="left")
    return np.asarray(numbers[order[first]], dtype=np.float64)
