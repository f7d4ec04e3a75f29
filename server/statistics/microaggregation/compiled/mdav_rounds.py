"""The rounds of MDAV-generic over a shrinking k-d tree and a queue around the centroid."""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.centroid_queue import (
    Queue,
    Sums,
    Twins,
    farthest_from_centroid,
    farthest_from_record,
    locate,
    take_away,
)
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.distances import LANES
from server.statistics.microaggregation.compiled.tree import Tree, remove
from server.statistics.microaggregation.compiled.tree_search import Space, nearest

GROUPS, RECORDS, PEOPLE, PLANTED = 0, 1, 2, 3
"""Places in the state: groups so far; records and people left; records when the tree was built."""
DONE, PAUSE, SORT, PLANT = 0, 1, 2, 3
"""Why `advance` returned."""
PASSES: Final = 40
"""Passes over the living records that may be spent on scans before the queue is sorted anew."""


@compiled
def _group(
    X: FloatArray,
    people: IntArray,
    labels: IntArray,
    tree: Tree,
    space: Space,
    queue: Queue,
    twins: Twins,
    sums: Sums,
    state: IntArray,
    point: FloatArray,
    k: int,
) -> bool:
    """Form the group around `point`; False, and no group, if fewer than k people would be left."""
    size = nearest(tree, space, point, people, k)
    held = 0
    for i in range(size):
        held += people[space.heap_id[i]]
    if state[PEOPLE] - held < k:
        return False
    for i in range(size):
        labels[space.heap_id[i]] = state[GROUPS]
    for i in range(size):
        take_away(X, people, labels, twins, queue, space.heap_id[i], sums)
    remove(tree, space.heap_id, size)
    state[GROUPS] += 1
    state[RECORDS] -= size
    state[PEOPLE] -= held
    return True


@compiled
def advance(
    X: FloatArray,
    people: IntArray,
    labels: IntArray,
    tree: Tree,
    space: Space,
    queue: Queue,
    twins: Twins,
    sums: Sums,
    state: IntArray,
    k: int,
    single: bool,
    rounds: int,
) -> int:
    """Run up to `rounds` rounds; returns why it stopped: DONE, PAUSE, SORT or PLANT."""
    centroid = np.empty(X.shape[1])
    while state[PEOPLE] >= 2 * k:
        if queue.cursor[1] * LANES > PASSES * state[RECORDS] + 1024:
            return SORT
        if 2 * state[RECORDS] < state[PLANTED]:
            return PLANT
        if rounds == 0:
            return PAUSE
        rounds -= 1
        two = state[PEOPLE] >= 3 * k
        error = locate(sums, state[RECORDS], state[PEOPLE], single, centroid)
        r = farthest_from_centroid(X, labels, queue, centroid, error, space, tree)
        s = farthest_from_record(queue, X[r], space, tree, False) if two else r
        if not _group(X, people, labels, tree, space, queue, twins, sums, state, X[r], k):
            break
        if two and labels[s] < 0:
            _group(X, people, labels, tree, space, queue, twins, sums, state, X[s], k)
    for i in range(len(labels)):
        if labels[i] < 0:
            labels[i] = state[GROUPS]
    state[GROUPS] += 1
    state[RECORDS] = state[PEOPLE] = 0
    return DONE
