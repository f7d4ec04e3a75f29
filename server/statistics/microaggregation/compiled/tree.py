"""A k-d tree of living records that shrinks as records are taken.

The tree is perfectly balanced: 2^h leaves, numbered from 2^h on as in a binary heap, of at most LANES
records each. Only every fourth level is kept, so a node i has the sixteen children 16 i .. 16 i + 15, whose
boxes lie together as group i and are compared together. Group 0 holds the topmost nodes. Each leaf keeps
its living records in front; each box is that of the living records and comes with their lowest index. A node
without living records has the box [inf, -inf].
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.distances import LANES

NOBODY: Final = 2**63 - 1


class Tree(NamedTuple):
    """Arrays of a tree over records of d columns; see the module."""

    blocks: FloatArray
    """leaves x d x LANES coordinates."""
    ids: IntArray
    """leaves x LANES record indices."""
    living: IntArray
    """Living records per leaf."""
    low: FloatArray
    """groups x d x LANES lower corners."""
    high: FloatArray
    """groups x d x LANES upper corners."""
    first: IntArray
    """groups x LANES lowest living indices, NOBODY where none lives."""
    anchor: FloatArray
    depth: FloatArray
    """leaves x LANES distances from the anchor."""
    reach: FloatArray
    """groups x LANES largest distances of the living from the anchor."""
    leaf_of: IntArray
    """Leaf of each record (n)."""
    dirty: IntArray
    """Per leaf, 1 while its box waits to be recomputed."""


def plant(X: FloatArray, living: IntArray, anchor: FloatArray) -> Tree:
    """Build a tree over the records `living` (indices in ascending order) of X (n x d)."""
    n, d = X.shape
    leaves = 1
    while leaves * LANES < len(living):
        leaves *= 2
    groups = max(2 * leaves // LANES, 1)
    tree = Tree(
        blocks=np.zeros((leaves, d, LANES)),
        ids=np.zeros((leaves, LANES), dtype=np.int64),
        living=np.zeros(leaves, dtype=np.int64),
        low=np.full((groups, d, LANES), np.inf),
        high=np.full((groups, d, LANES), -np.inf),
        first=np.full((groups, LANES), NOBODY, dtype=np.int64),
        anchor=anchor.copy(),
        depth=np.zeros((leaves, LANES)),
        reach=np.zeros((groups, LANES)),
        leaf_of=np.zeros(n, dtype=np.int64),
        dirty=np.zeros(leaves, dtype=np.int64),
    )
    _fill(X[living], living.copy(), tree)
    return tree


@compiled
def _swap(rows: FloatArray, ids: IntArray, i: int, j: int) -> None:
    ids[i], ids[j] = ids[j], ids[i]
    for column in range(rows.shape[1]):
        rows[i, column], rows[j, column] = rows[j, column], rows[i, column]


@compiled
def _select(rows: FloatArray, ids: IntArray, start: int, end: int, middle: int, column: int) -> None:
    """Reorder start..end so that the pairs (value, id) before `middle` are the smallest (quickselect)."""
    left, right = start, end - 1
    while left < right:
        pivot = (left + right) // 2
        value, identity = rows[pivot, column], ids[pivot]
        i, j = left, right
        while i <= j:
            while rows[i, column] < value or (rows[i, column] == value and ids[i] < identity):
                i += 1
            while rows[j, column] > value or (rows[j, column] == value and ids[j] > identity):
                j -= 1
            if i <= j:
                _swap(rows, ids, i, j)
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@compiled
def _fill(rows: FloatArray, ids: IntArray, tree: Tree) -> None:
    """Divide at the median of the widest column, by index where all records are equal.

    The records are moved, not only their indices, so that each node's lie together in memory.
    """
    d = rows.shape[1]
    leaves = len(tree.living)
    start = np.zeros(2 * leaves, dtype=np.int64)
    end = np.zeros(2 * leaves, dtype=np.int64)
    end[1] = len(ids)
    low, high = np.empty(d), np.empty(d)
    # Depth first, so that small nodes are divided while they are in the processor's cache.
    waiting = np.empty(64, dtype=np.int64)
    waiting[0], top = 1, 1 if leaves > 1 else 0
    while top > 0:
        top -= 1
        node = waiting[top]
        a, b = start[node], end[node]
        low[:] = np.inf
        high[:] = -np.inf
        for i in range(a, b):
            for j in range(d):
                low[j] = min(low[j], rows[i, j])
                high[j] = max(high[j], rows[i, j])
        widest = 0
        for j in range(1, d):
            if high[j] - low[j] > high[widest] - low[widest]:
                widest = j
        middle = (a + b) // 2
        if middle < b:
            _select(rows, ids, a, b, middle, widest)
        start[2 * node], end[2 * node] = a, middle
        start[2 * node + 1], end[2 * node + 1] = middle, b
        if 2 * node < leaves:
            waiting[top], waiting[top + 1] = 2 * node + 1, 2 * node
            top += 2
    for leaf in range(leaves):
        a, b = start[leaves + leaf], end[leaves + leaf]
        tree.living[leaf] = b - a
        for i in range(b - a):
            record = ids[a + i]
            tree.ids[leaf, i] = record
            tree.leaf_of[record] = leaf
            total = 0.0
            for j in range(d):
                tree.blocks[leaf, j, i] = rows[a + i, j]
                total += (rows[a + i, j] - tree.anchor[j]) ** 2
            tree.depth[leaf, i] = np.sqrt(total)
        _shrink_leaf(tree, leaf)
    for group in range(len(tree.first) - 1, 0, -1):
        _shrink_node(tree, group)


@compiled
def _shrink_leaf(tree: Tree, leaf: int) -> bool:
    """Recompute box and lowest index of a leaf; whether anything changed."""
    node = len(tree.living) + leaf
    group, lane = node // LANES, node % LANES
    changed = False
    for j in range(tree.low.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(tree.living[leaf]):
            low = min(low, tree.blocks[leaf, j, i])
            high = max(high, tree.blocks[leaf, j, i])
        if low != tree.low[group, j, lane] or high != tree.high[group, j, lane]:
            tree.low[group, j, lane], tree.high[group, j, lane] = low, high
            changed = True
    first, reach = NOBODY, 0.0
    for i in range(tree.living[leaf]):
        first = min(first, tree.ids[leaf, i])
        reach = max(reach, tree.depth[leaf, i])
    if reach != tree.reach[group, lane]:
        tree.reach[group, lane] = reach
        changed = True
    if first != tree.first[group, lane]:
        tree.first[group, lane] = first
        changed = True
    return changed


@compiled
def _shrink_node(tree: Tree, node: int) -> bool:
    """Recompute box and lowest index of an inner node from its children; whether anything changed.

    Apart from `_shrink_leaf`: one function for both, over slices or by index, costs MDAV a tenth of its time.
    """
    group, lane = node // LANES, node % LANES
    changed = False
    for j in range(tree.low.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(LANES):
            low = min(low, tree.low[node, j, i])
            high = max(high, tree.high[node, j, i])
        if low != tree.low[group, j, lane] or high != tree.high[group, j, lane]:
            tree.low[group, j, lane], tree.high[group, j, lane] = low, high
            changed = True
    first, reach = NOBODY, 0.0
    for i in range(LANES):
        first = min(first, tree.first[node, i])
        reach = max(reach, tree.reach[node, i])
    if reach != tree.reach[group, lane]:
        tree.reach[group, lane] = reach
        changed = True
    if first != tree.first[group, lane]:
        tree.first[group, lane] = first
        changed = True
    return changed


@compiled
def remove(tree: Tree, records: IntArray, size: int) -> None:
    """Take `size` living records out, and shrink boxes from their leaves up as far as they change."""
    for r in range(size):
        record = records[r]
        leaf = tree.leaf_of[record]
        last = tree.living[leaf] - 1
        place = 0
        while tree.ids[leaf, place] != record:
            place += 1
        tree.ids[leaf, place], tree.ids[leaf, last] = tree.ids[leaf, last], record
        for j in range(tree.low.shape[1]):
            tree.blocks[leaf, j, place] = tree.blocks[leaf, j, last]
        tree.depth[leaf, place] = tree.depth[leaf, last]
        tree.living[leaf] = last
        tree.dirty[leaf] = 1
    for r in range(size):
        leaf = tree.leaf_of[records[r]]
        if tree.dirty[leaf]:
            tree.dirty[leaf] = 0
            if _shrink_leaf(tree, leaf):
                node = (len(tree.living) + leaf) // LANES
                while node >= 1 and _shrink_node(tree, node):
                    node //= LANES
