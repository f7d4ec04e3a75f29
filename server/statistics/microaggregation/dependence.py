"""Microaggregation that preserves statistical dependence between quasi-identifiers and confidential data.

Groups that are alike only in the quasi-identifiers X blur how the confidential attributes Y depend on them.
Any algorithm can trade the two losses against each other when it is run on (X, beta Y).
"""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.partitioner import Partitioner
from server.statistics.microaggregation.preparation import data_matrix
from server.statistics.microaggregation.size_rule import SizeRule


def beta(weight: float, m_X: int, m_Y: int) -> float:
    """Factor of Y that makes an algorithm minimize (1 - weight) D_X + weight D_Y.

    Parameters
    ----------
    weight : float
        lambda, from 0 (only the quasi-identifiers count) to 1 (only the confidential attributes count; the
        factor is infinite).
    m_X, m_Y : int
        Number of columns, over which D_X and D_Y are means.

    Raises
    ------
    ValueError
        A weight outside 0..1, or no column.

    Notes
    -----
    beta = sqrt(lambda / (1 - lambda) * m_X / m_Y): then |x|^2 + beta^2 |y|^2 is proportional to
    (1 - lambda) |x|^2 / m_X + lambda |y|^2 / m_Y.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of the confidential attributes must be from 0 to 1, not {weight}")
    if m_X < 1 or m_Y < 1:
        raise ValueError("both sides need at least one column")
    return float("inf") if weight == 1 else float(np.sqrt(weight / (1 - weight) * m_X / m_Y))


def joined(X: FloatArray, Y: FloatArray, weight: float) -> FloatArray:
    """The matrix to be partitioned: X for weight 0, Y for weight 1, otherwise (X, beta Y).

    Parameters
    ----------
    X, Y : float arrays, n x m_X and n x m_Y
        Finite, standardized by the caller.
    weight : float
        lambda, see `beta`.

    Raises
    ------
    ValueError
        As `beta`; X or Y not finite, or of unequal length.
    """
    X, Y = data_matrix(X), data_matrix(Y)
    if len(X) != len(Y):
        raise ValueError(f"X has {len(X)} records, Y has {len(Y)}")
    factor = beta(weight, X.shape[1], Y.shape[1])
    if factor == 0:
        return X
    return Y if factor == float("inf") else np.column_stack([X, factor * Y])


def preserving_dependence(
    algorithm: Partitioner,
    X: FloatArray,
    Y: FloatArray,
    rule: SizeRule,
    *,
    weight: float,
    counts: IntArray | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Labels from any algorithm of the library on (X, beta Y).

    Parameters
    ----------
    algorithm : callable
        Such as `mdav_records`, `v_mdav`, `pcl`.
    X, Y : float arrays, n x m_X and n x m_Y
        Quasi-identifiers and confidential attributes, standardized.
    rule, counts, seed, progress
        As for the algorithm.
    weight : float
        lambda in [0, 1].

    Raises
    ------
    ValueError
        As `joined`, and as the algorithm.

    Notes
    -----
    Guarantee: groups meet the rule exactly as without Y, so the released quasi-identifiers are as
    k-anonymous for every weight. But with a weight above 0 groups are more alike in Y: the larger it is,
    the less diverse are the confidential values of a group. Measure that before a release (distinct
    l-diversity, t-closeness).

    References
    ----------
    D. Rebollo-Monedero, J. Forne, M. Soriano, J. Puiggali Allepuz, "k-Anonymous microaggregation with
    preservation of statistical dependence", Information Sciences 342 (2016) 1-23.
    """
    return algorithm(joined(X, Y, weight), rule, counts=counts, seed=seed, progress=progress)
