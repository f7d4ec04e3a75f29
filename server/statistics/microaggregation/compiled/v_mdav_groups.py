"""The groups of V-MDAV over a shrinking k-d tree."""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.tree import Tree, remove
from server.statistics.microaggregation.compiled.tree_search import Space, nearest

CURSOR, GROUPS, RECORDS, PEOPLE = 0, 1, 2, 3
"""Places in the state: position in `order`; groups so far; records and people left."""


@compiled
def _seek(X: FloatArray, ones: IntArray, tree: Tree, space: Space, record: int, number: int) -> int:
    """The last of the `number` living records nearest to `record`; its distance is heap_distance[0]."""
    nearest(tree, space, X[record], ones, number)
    return int(space.heap_id[0])


@compiled
def form_groups(
    X: FloatArray,
    people: IntArray,
    ones: IntArray,
    order: IntArray,
    labels: IntArray,
    tree: Tree,
    space: Space,
    state: IntArray,
    k: int,
    gamma: float,
    budget: int,
) -> bool:
    """Form up to `budget` groups; whether fewer than k people are left."""
    n = len(X)
    members = np.empty(min(2 * k, n), dtype=np.int64)
    candidate = np.empty(min(2 * k, n), dtype=np.int64)
    gap = np.empty(min(2 * k, n))
    one = np.empty(1, dtype=np.int64)
    while state[PEOPLE] >= k:
        if budget == 0:
            return False
        budget -= 1
        while labels[order[state[CURSOR]]] >= 0:
            state[CURSOR] += 1
        size = nearest(tree, space, X[order[state[CURSOR]]], people, k)
        held = 0
        for i in range(size):
            members[i] = space.heap_id[i]
            labels[members[i]] = state[GROUPS]
            held += people[members[i]]
            candidate[i] = -1
        remove(tree, members, size)
        state[RECORDS] -= size
        state[PEOPLE] -= held
        while held < 2 * k - 1 and state[RECORDS] > 0 and gamma > 0:
            best = 0
            for i in range(size):
                if candidate[i] < 0 or labels[candidate[i]] >= 0:
                    candidate[i] = _seek(X, ones, tree, space, members[i], 1)
                    gap[i] = space.heap_distance[0]
                if gap[i] < gap[best] or (gap[i] == gap[best] and candidate[i] < candidate[best]):
                    best = i
            record, inwards = candidate[best], np.sqrt(gap[best])
            if held + people[record] > 2 * k - 1:
                break
            if state[RECORDS] > 1:
                _seek(X, ones, tree, space, record, 2)
                if not inwards < gamma * np.sqrt(space.heap_distance[0]):
                    break
            one[0] = record
            remove(tree, one, 1)
            labels[record] = state[GROUPS]
            members[size], candidate[size] = record, -1
            size += 1
            held += people[record]
            state[RECORDS] -= 1
            state[PEOPLE] -= people[record]
        state[GROUPS] += 1
    return True
