"""P3M by record, a method of ours: one minimum distance per person instead of one per value.

    minimize  sum_i  t |x_i - y|^2 + (1 - t) (|x_i - y|^2 - Delta_i^2)^2 / (1 - w_i)^2

over the published vectors y of the groups, with every attribute's mean and variance kept.

Notes
-----
With all attributes but one held fixed this is P3M's problem, with Delta_i^2 lowered by the squared distance
in the other attributes; it is solved exactly (`constrained_quartics`). The attributes take turns until the
objective no longer falls. It rises only where an attribute comes to keep its constraints; the result is a
point that no single attribute can improve much.

It is not DREAM (R. Mortazavi, S. Jalili, Enhancing aggregation phase of microaggregation methods for interval
disclosure risk minimization, Data Mining and Knowledge Discovery 30, 2016), which the P3M paper compares in
its section 5.6: that has preferences by record too, but maximizes the distances attribute by attribute.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.constrained_quartics import Solution, minimize_quartics
from server.statistics.microaggregation.p3m import (
    DEFAULT_IMPORTANCE,
    Aggregation,
    checked,
    checked_trade_off,
    squared_distances,
    unheld,
    weights,
)

_SWEEPS: Final = 50
_LEAST_GAIN: Final = 1e-6


def p3m_record(
    X: FloatArray,
    labels: IntArray,
    *,
    minimum_distance: ArrayLike = 0.1,
    importance: ArrayLike = DEFAULT_IMPORTANCE,
    trade_off: float = 0.5,
    counts: IntArray | None = None,
    progress: Progress | None = None,
) -> Aggregation:
    """Choose the published values of a partition so that they keep away from the true records.

    Parameters
    ----------
    X, labels, trade_off, counts
        As in `p3m.p3m`.
    minimum_distance, importance : float, or array of shape (n,)
        Per record; distances are Euclidean over all attributes. Larger distances are safer.
    progress : callable, optional
        Called with the sweeps done and their greatest number.

    Returns
    -------
    Aggregation
        As in `p3m.p3m`; attributes that are held by an unmet constraint are named in ``unmet``.

    Raises
    ------
    ValueError
        As in `p3m.p3m`.

    Notes
    -----
    O(d (n + m)) per sweep and Newton step, at most 50 sweeps; ends when a sweep lowers the objective by less
    than one part in 10^6.
    """
    X, labels, people = checked(X, labels, counts)
    target = squared_distances(minimum_distance, (len(X),))
    weight = weights(importance, (len(X),))
    trade_off = checked_trade_off(trade_off)
    b = (1 - trade_off) * weight
    size = np.bincount(labels, people)
    values = np.column_stack([np.bincount(labels, people * column) / size for column in X.T])
    squared = (X - values[labels]) ** 2
    total = squared.sum(axis=1)
    solutions: list[Solution] = [_unsolved] * X.shape[1]
    before = np.inf
    for sweep in range(_SWEEPS):
        gained = False
        for j in range(X.shape[1]):
            others = total - squared[:, j]
            solution = minimize_quartics(X[:, j], labels, people, trade_off, b, target - others)
            # After the first sweep only what keeps the constraints is taken, and only if it is better or the
            # present values do not keep them.
            present = _loss(total, people, trade_off, b, target)
            worse = solution.objective + trade_off * float(np.dot(people, others)) > present
            if sweep and (not solution.met or (worse and solutions[j].met)):
                continue
            gained |= solution.met and not solutions[j].met
            solutions[j], values[:, j] = solution, solution.values
            squared[:, j] = (X[:, j] - solution.values[labels]) ** 2
            total = others + squared[:, j]
        after = _loss(total, people, trade_off, b, target)
        if progress is not None:
            progress(sweep + 1, _SWEEPS)
        if sweep and not gained and before - after <= _LEAST_GAIN * abs(before):
            break
        before = after
    if progress is not None:
        progress(_SWEEPS, _SWEEPS)
    missed = unheld(np.sqrt(total), np.sqrt(target), weight)
    return Aggregation(values=values, solutions=tuple(solutions), missed=missed)


_unsolved = Solution(
    values=np.zeros(0), mean_error=np.inf, variance_error=np.inf, objective=np.inf, bound=0.0
)


def _loss(
    total: FloatArray, people: FloatArray, trade_off: float, b: FloatArray, target: FloatArray
) -> float:
    return float(np.dot(people, trade_off * total + b * (total - target) ** 2))
