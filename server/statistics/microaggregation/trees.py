"""Trees over records: the minimum spanning tree, and the removal of long edges under a least mass.

A forest is an array of parents: `parent[i]` is the other end of the edge that record i owns, -1 for a
root; `length[i]` is the squared length of that edge.
"""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, IntArray


def canonical_order(X: FloatArray, people: IntArray) -> IntArray:
    """Order of the records by their values, first column first, then by `people` (n).

    Algorithms that break ties by index work in this order, so that the order of the rows of a file does
    not matter; records that are equal in everything are interchangeable.
    """
    return np.lexsort((people, *X.T[::-1])).astype(np.int64)


def minimum_spanning_tree(X: FloatArray) -> tuple[IntArray, FloatArray]:
    """The Euclidean minimum spanning tree of the rows of X (n x d): parents and squared lengths.

    Notes
    -----
    Prim's algorithm on the complete graph: time O(n^2 d), memory O(n d), so a distance matrix is never
    made. Record 0 is the root. Ties: the record of lowest index joins, at the parent that reached it
    first. (A sparse-matrix tree would lose the edges of length 0 between duplicates.)
    """
    n = len(X)
    parent = np.full(n, -1, dtype=np.int64)
    length = np.zeros(n)
    record = np.arange(1, n)
    columns = np.array(X[1:].T, order="C")
    nearest = np.full(n - 1, np.inf)
    via = np.zeros(n - 1, dtype=np.int64)
    last, gone = 0, 0
    for _ in range(n - 1):
        distance = np.zeros(len(record))
        for column, value in zip(columns, X[last], strict=True):
            difference = column - value
            difference *= difference
            distance += difference
        closer = np.flatnonzero(distance < nearest)
        nearest[closer], via[closer] = distance[closer], last
        i = int(nearest.argmin())
        last = int(record[i])
        parent[last], length[last] = via[i], nearest[i]
        # A record that has joined is no longer near: NaN is below nothing. Now and then they are dropped.
        columns[:, i], nearest[i] = np.nan, np.inf
        gone += 1
        if 8 * gone > len(record):
            stay = np.flatnonzero(nearest < np.inf)
            record, nearest, via = record[stay], nearest[stay], via[stay]
            columns, gone = np.ascontiguousarray(columns[:, stay]), 0
    return parent, length


def leaves_first(parent: IntArray) -> IntArray:
    """All records, every child before its parent."""
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    order = np.empty(len(parent), dtype=np.int64)
    ready = [int(i) for i in np.flatnonzero(children == 0)]
    above, left = parent.tolist(), children.tolist()
    for place in range(len(parent)):
        i = ready.pop()
        order[place] = i
        j = above[i]
        if j >= 0:
            left[j] -= 1
            if not left[j]:
                ready.append(j)
    return order


def cut_longest(parent: IntArray, length: FloatArray, mass: IntArray, k: int, above: int) -> IntArray:
    """Remove edges, the longest first, wherever both sides keep mass k; the parents that remain.

    Parameters
    ----------
    parent, length : arrays, n
        The forest.
    mass : int array, n
        People of each record, >= 0.
    k : int
        Least mass of a tree.
    above : int
        Trees of at most this mass are left alone (0: cut wherever possible).

    Notes
    -----
    One pass is enough: sides only shrink, so an edge that may not be removed now never may. Ties go to the
    lower index. Time O(n log n + n h) for trees of height h, and usually much less: only edges above
    enough mass climb to their root.
    """
    up = parent.tolist()
    below = mass.tolist()
    for i in leaves_first(parent).tolist():
        if up[i] >= 0:
            below[up[i]] += below[i]
    for i in np.argsort(-length, kind="stable").tolist():
        part = below[i]
        if up[i] < 0 or part < k:
            continue
        path = [up[i]]
        while up[path[-1]] >= 0:
            path.append(up[path[-1]])
        whole = below[path[-1]]
        if whole - part < k or whole <= above:
            continue
        for j in path:
            below[j] -= part
        up[i] = -1
    return np.array(up, dtype=np.int64)


def members(parent: IntArray) -> list[IntArray]:
    """The records of each tree, ascending; trees in the order of their lowest record."""
    root = np.empty(len(parent), dtype=np.int64)
    for i in leaves_first(parent)[::-1]:
        root[i] = i if parent[i] < 0 else root[parent[i]]
    order = np.argsort(root, kind="stable")
    starts = np.flatnonzero(np.diff(root[order], prepend=-1))
    groups = np.split(order, starts[1:])
    return sorted(groups, key=lambda group: int(group[0]))
