"""Whether a k-d tree holds a point that is nearer than some distance: the search ends at the first."""

from __future__ import annotations

import numpy as np

from server.arrays import BoolArray, FloatArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.distances import LANES
from server.statistics.microaggregation.compiled.tree import Tree


@compiled
def has_nearer(tree: Tree, X: FloatArray, squares: FloatArray, found: BoolArray) -> None:
    """Set ``found`` (n) where a living point is nearer to a row of X (n x d) than the root of ``squares``."""
    n, d = X.shape
    leaves = len(tree.living)
    waiting = np.empty(len(tree.first) + LANES, dtype=np.int64)
    gaps = np.empty(LANES)
    for i in range(n):
        found[i] = False
        waiting[0], top = 0, 1
        while top > 0 and not found[i]:
            top -= 1
            group = waiting[top]
            gaps[:] = 0.0
            for j in range(d):
                value = X[i, j]
                for lane in range(LANES):
                    gap = max(tree.low[group, j, lane] - value, value - tree.high[group, j, lane], 0.0)
                    gaps[lane] += gap * gap
            nearest = 0
            for lane in range(1, LANES):
                if gaps[lane] < gaps[nearest]:
                    nearest = lane
            first = group * LANES
            if first + LANES > leaves:
                for step in range(LANES):
                    lane = (nearest + step) % LANES
                    if gaps[lane] < squares[i] and not found[i]:
                        found[i] = _in_leaf(tree, first + lane - leaves, X, i, squares[i])
                continue
            # The nearest box is searched first.
            for step in range(1, LANES + 1):
                lane = (nearest + step) % LANES
                if gaps[lane] < squares[i]:
                    waiting[top] = first + lane
                    top += 1


@compiled
def _in_leaf(tree: Tree, leaf: int, X: FloatArray, i: int, square: float) -> bool:
    for place in range(tree.living[leaf]):
        total = 0.0
        for j in range(X.shape[1]):
            difference = tree.blocks[leaf, j, place] - X[i, j]
            total += difference * difference
        if total < square:
            return True
    return False
