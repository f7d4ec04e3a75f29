"""P3M: published values that keep a minimum distance from the true ones, after any partition.

Microaggregation hides who a record is, but a centroid may lie so near to a person's value that the value is
disclosed all the same (a proximity breach). P3M keeps the partition and moves only the published values: each
group gets, per attribute, the value that balances information loss and nearness,

    minimize  sum_i  t (x_i - y)^2 + (1 - t) ((x_i - y)^2 - Delta_i^2)^2 / (1 - w_i)^2,

while every attribute keeps its mean and its variance. The partition, and so k, is untouched.

References
----------
R. Mortazavi, S. Jalili, "Fine granular proximity breach prevention during numerical data anonymization",
Transactions on Data Privacy 10 (2017): equations 5 (variance of the published values), 13 (satisfaction
level) and 14 (the objective).

Notes
-----
This is equation 14 with its slack eliminated: there alpha sum gamma_i^2 + (1 - alpha) sum n_j delta_j^2 is
minimized subject to (y - x_i)^2 = Delta_i^2 - (1 - w_i) gamma_i, so alpha = 1 - t weighs nearness.
Importances are absolute: w = 0 lets a distance give way as far as any, w = 1 is a constraint, and that value
is published at its distance, if the others of its group and the mean and variance allow it.

The paper hands the whole problem to a commercial solver; here it is solved by duality, with a bound that
proves how near the optimum is (`constrained_quartics`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.constrained_quartics import Solution, minimize_quartics

DEFAULT_IMPORTANCE: Final = 0.001
"""The paper's small epsilon."""
_MOST_IMPORTANT: Final = 1 - 1e-6
"""From here on an importance counts as 1: its weight, 10^12, is as good as infinite in float64."""
_HELD: Final = 1e-3
_LARGEST: Final = 1e50
_SMALLEST: Final = 1e-12
"""Between these the fourth powers and the discriminants of cubics stay within float64."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Aggregation:
    """Values to publish instead of centroids.

    Attributes
    ----------
    values : float array, shape (m, d)
        One row per group.
    solutions : tuple of Solution
        Per attribute: how well mean and variance are kept, and how near the optimum is.
    missed : int
        Values of importance 1 that are not published at their minimum distance (within a thousandth of it,
        and not farther), because others of their group, or mean and variance, ask for something else.
    """

    values: FloatArray
    solutions: tuple[Solution, ...]
    missed: int = 0

    @property
    def unmet(self) -> tuple[int, ...]:
        """Attributes whose mean or variance cannot be kept; empty if all are."""
        return tuple(index for index, solution in enumerate(self.solutions) if not solution.met)


def p3m(
    X: FloatArray,
    labels: IntArray,
    *,
    minimum_distance: ArrayLike = 0.1,
    importance: ArrayLike = DEFAULT_IMPORTANCE,
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
        w from 0 to 1: how much each minimum distance matters; 1 is a constraint.
    trade_off : float, 0 <= t < 1
        Weight of information loss against nearness: 1 - alpha of the paper, whose default is 0.5.
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
        Shapes that disagree, values that are not finite, an empty group, distances below 0, importances
        outside [0, 1], a trade-off outside [0, 1), values or distances of 10^50
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
    weight = weights(importance, X.shape)
    trade_off = checked_trade_off(trade_off)
    solutions = tuple(
        minimize_quartics(X[:, j], labels, people, trade_off, (1 - trade_off) * weight[:, j], squared[:, j])
        for j in range(X.shape[1])
    )
    values = np.column_stack([s.values for s in solutions])
    missed = unheld(np.abs(X - values[labels]), np.sqrt(squared), weight)
    return Aggregation(values=values, solutions=solutions, missed=missed)


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


def weights(importance: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """What importances multiply the nearness by, 1 / (1 - w)^2; from 1 to 10^12."""
    w = spread(importance, shape, "importance")
    if (w < 0).any() or (w > 1).any():
        raise ValueError("importances are from 0 to 1")
    return np.asarray(1 / (1 - np.minimum(w, _MOST_IMPORTANT)) ** 2)


def unheld(distance: FloatArray, asked: FloatArray, weight: FloatArray) -> int:
    """Entries of importance 1 whose distance is not the one asked for."""
    held = np.abs(distance - asked) <= _HELD * asked + _HELD**2
    return int(((weight >= (1 - _MOST_IMPORTANT) ** -2) & ~held).sum())


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
