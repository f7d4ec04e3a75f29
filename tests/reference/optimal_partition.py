"""The best partition of up to a dozen records, by trying all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def squares(group: np.ndarray) -> float:
    """Sum of squared distances to the centroid."""
    return float(((group - group.mean(axis=0)) ** 2).sum())


def distances(group: np.ndarray) -> float:
    """Sum of distances to the centroid."""
    return float(np.sqrt(((group - group.mean(axis=0)) ** 2).sum(axis=1)).sum())


def least_loss(X: np.ndarray, k: int, loss: Callable[[np.ndarray], float] = squares) -> float:
    """Least total loss over all partitions into groups of at least k of the rows of X (k <= n <= 12)."""
    n = len(X)
    full = (1 << n) - 1
    rows = [np.array([i for i in range(n) if mask >> i & 1]) for mask in range(full + 1)]
    cost = [loss(X[r]) if len(r) >= k else np.inf for r in rows]
    best = [0.0] + [np.inf] * full
    for mask in range(1, full + 1):
        lowest = mask & -mask
        others = part = mask ^ lowest
        while True:  # every group that holds the lowest record of the mask
            group = part | lowest
            if cost[group] < np.inf and best[mask ^ group] + cost[group] < best[mask]:
                best[mask] = best[mask ^ group] + cost[group]
            if not part:
                break
            part = (part - 1) & others
    return best[full]
