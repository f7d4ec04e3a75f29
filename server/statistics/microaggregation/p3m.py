"""P3M: published values that keep a minimum distance from the true ones, after any partition.

Microaggregation hides who a record is, but a centroid may lie so near to a person's value that the value is
disclosed all the same (a proximity breach). P3M keeps the partition and moves only the published values: each
group gets, per attribute, the value that balances information loss and nearness,

    minimize  sum_i  t (x_i - y)^2 + (1 - t) w_i ((x_i - y)^2 - Delta_i^2)^2,

while every attribute keeps its mean and its variance. The partition, and so k, is untouched.

References
----------
R. Mortazavi, S. Jalili, P3M: the paper's equation 5 (standardized published values) and Tables 2 and 3.

Notes
-----
The objective above is a reconstruction from the paper's results. With distances in sample standard deviations
(divided by n - 1), a common importance, Delta = 0.1 and t = 0.5 it gives all twelve cells of Table 2 within
0.02 points, most of them to the last printed digit, and MDAV's twelve cells within 0.01. Giving either term
ten times its weight misses cells by more than 10 points. Importances are relative: they are divided by their
mean in each attribute, so that Table 2's common 0.001 is the same as 1. The table's alpha = 0.5 is taken as
t; which of the two terms alpha weighs cannot be told from 0.5. How the random importances of Table 3 were
drawn is not known to us; `server.statistics.reproduction.p3m` says how near the nearest way comes.

The paper hands the whole problem to a commercial solver; here it is solved by duality, with a bound that
proves how near the optimum is (`constrained_quartics`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.constrained_quartics import Solution, minimize_quartics

_LARGEST = 1e50
_SMALLEST = 1e-12
"""Between these the fourth powers and the discriminants of cubics stay within float64."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Aggregation:
    """Values to publish instead of centroids.

    Parameters
    ----------
    values : float array, shape (m, d)
        One row per group.
    solutions : tuple of Solution
        Per attribute: how well mean and variance are kept, and how near the optimum is.
    """

    values: FloatArray
    solutions: tuple[Solution, ...]

    @property
    def unmet(self) -> tuple[int, ...]:
        """Attributes whose mean or variance cannot be kept; empty if all are."""
        return tuple(index for index, solution in enumerate(self.solutions) if not solution.met)


def p3m(
    X: FloatArray,
    labels: IntArray,
    *,
    minimum_distance: ArrayLike = 0.1,
    importance: ArrayLike = 1.0,
    trade_off: float = 0.5,
    counts: IntArray | None = None,
) -> Aggregation:
    """Choose the published values of a partition so that they keep away from the true ones.

    Parameters
    ----------
    X : float array, shape (n, d)
        Standardized by the caller if distances are meant in standard deviations, as in the paper.
    labels : int array, shape (n,)
        Groups 0..m-1, none empty, by any algorithm.
    minimum_distance : float, or array that broadcasts to (n, d)
        Delta >= 0: how far the published value should be from each value. Larger is safer.
    importance : float, or array that broadcasts to (n, d)
        w > 0: how much each minimum distance matters, relative to the others of its attribute.
    trade_off : float, 0 <= t < 1
        Weight of information loss against nearness; 0.5 is the paper's Table 2.
    counts : int array, shape (n,), optional
        People each record stands for.

    Returns
    -------
    Aggregation
        ``unmet`` names the attributes whose constraints cannot be met, such as all of them when there is one
        group only.

    Raises
    ------
    ValueError
        Shapes that disagree, values that are not finite, an empty group, distances below 0, importances that
        are not above 0 or differ by more than 10^12, a trade-off outside [0, 1), values or distances of 10^50
        and more, a column that varies by less than 10^-12.

    Notes
    -----
    Guarantee: every record of a group gets the same values, so the release is as k-anonymous as the
    partition. Minimum distances are a goal and not promised;
    `server.statistics.measures.disclosure_risk` says how many
    are kept (satisfaction level). O(d (n + m)) per Newton step.
    """
    X, labels, people = checked(X, labels, counts)
    squared = squared_distances(minimum_distance, X.shape)
    weight = relative(importance, X.shape, people)
    trade_off = checked_trade_off(trade_off)
    solutions = tuple(
        minimize_quartics(X[:, j], labels, people, trade_off, (1 - trade_off) * weight[:, j], squared[:, j])
        for j in range(X.shape[1])
    )
    return Aggregation(values=np.column_stack([s.values for s in solutions]), solutions=solutions)


def checked(
    X: FloatArray, labels: IntArray, counts: IntArray | None
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return X, labels and people as arrays that fit each other, or raise ValueError."""
    X = np.asarray(X, dtype=np.float64)
    labels = np.asarray(labels, dtype=np.int64)
    if X.ndim != 2 or not X.size:
        raise ValueError("X must be a non-empty n x d array")
    if not np.isfinite(X).all():
        raise ValueError("X holds missing or infinite values (NaN); remove or fill them first")
    spans = X.max(axis=0) / 2 - X.min(axis=0) / 2
    if np.abs(X).max() >= _LARGEST or (spans[spans > 0] < _SMALLEST).any():
        raise ValueError("X holds values that are too large, or differ by too little; standardize first")
    if labels.shape != (len(X),):
        raise ValueError(f"there are {len(X)} records and {labels.size} labels")
    if labels.min() < 0 or (np.bincount(labels) == 0).any():
        raise ValueError("labels must be 0..m-1 with no empty group")
    people = np.ones(len(X)) if counts is None else np.asarray(counts, dtype=np.float64)
    if people.shape != (len(X),) or not (people > 0).all():
        raise ValueError("counts must be one positive number per record")
    return X, labels, people


def spread(value: ArrayLike, shape: tuple[int, ...], name: str) -> FloatArray:
    """Broadcast a parameter to one finite number per entry."""
    try:
        array = np.broadcast_to(np.asarray(value, dtype=np.float64), shape)
    except ValueError:
        raise ValueError(f"{name} does not fit the shape {shape} of the data") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds missing or infinite values")
    return array


def relative(importance: ArrayLike, shape: tuple[int, ...], people: FloatArray) -> FloatArray:
    """Importances divided by their mean over the people, attribute by attribute."""
    weight = spread(importance, shape, "importance")
    if (weight <= 0).any():
        raise ValueError("importances are above 0")
    if weight.min() < _SMALLEST * weight.max():
        raise ValueError("importances differ by a factor of more than 10^12")
    weight = weight / weight.max()
    return np.asarray(weight / (people @ weight / people.sum()))


def squared_distances(minimum_distance: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Squares of the minimum distances, one per entry."""
    distance = spread(minimum_distance, shape, "minimum_distance")
    if (distance < 0).any():
        raise ValueError("a minimum distance is not negative")
    if (distance >= _LARGEST).any():
        raise ValueError("a minimum distance is too large; standardize first")
    return np.asarray(distance**2)


def checked_trade_off(trade_off: float) -> float:
    """Return the trade-off, or raise ValueError."""
    if not 0 <= trade_off < 1:
        raise ValueError("trade_off lies in [0, 1): at 1 only the centroids are left")
    return float(trade_off)
