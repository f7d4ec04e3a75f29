"""The best partition of some dozens of records, proven: HiGHS chooses from all groups that could be in it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_array


def least_loss(X: np.ndarray, k: int) -> float:
    """Least SSE over all partitions into groups of k to 2k - 1 rows of X, as an integer program.

    Larger groups are never needed: dividing one loses nothing (Domingo-Ferrer and Mateo-Sanz 2002). There are
    sum over s of C(n, s) groups, so 40 rows are enough for k = 2, and 24 for k = 3.
    """
    n = len(X)
    squares = (X**2).sum(axis=1)
    rows, costs, sizes = [], [], []
    for size in range(k, min(2 * k, n + 1)):
        groups = np.array(list(combinations(range(n), size)))
        costs.append(squares[groups].sum(axis=1) - (X[groups].sum(axis=1) ** 2).sum(axis=1) / size)
        rows.append(groups.ravel())
        sizes.append(np.full(len(groups), size))
    size = np.concatenate(sizes)
    starts = np.concatenate([[0], np.cumsum(size)])
    holds = csc_array((np.ones(starts[-1]), np.concatenate(rows), starts), shape=(n, len(size)))
    found = milp(
        np.concatenate(costs),
        integrality=np.ones(len(size)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(holds, 1, 1),
    )
    assert found.status == 0, found.message
    return float(found.fun)
