"""Searches in a shrinking k-d tree: the nearest records of a point, and the farthest.

Ties are decided as by numpy's stable argsort and argmax: the lower index first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.distances import (
    LANES,
    block_distances,
    box_distances,
    box_reaches,
)
from server.statistics.microaggregation.compiled.tree import NOBODY, Tree


class Space(NamedTuple):
    """Working memory of the searches."""

    terms: FloatArray
    """max(d, 8) x LANES."""
    distances: FloatArray
    stack: IntArray
    bounds: FloatArray
    firsts: IntArray
    heap_distance: FloatArray
    heap_id: IntArray
    spent: IntArray
    """Boxes and leaves visited by `farthest`."""


def workspace(d: int, capacity: int) -> Space:
    """Working memory for d columns and groups of up to `capacity` records."""
    return Space(
        terms=np.zeros((max(d, 8), LANES)),
        distances=np.zeros(LANES),
        stack=np.zeros(16 * LANES, dtype=np.int64),
        bounds=np.zeros(16 * LANES),
        firsts=np.zeros(16 * LANES, dtype=np.int64),
        heap_distance=np.zeros(capacity + 1),
        heap_id=np.zeros(capacity + 1, dtype=np.int64),
        spent=np.zeros(1, dtype=np.int64),
    )


@compiled
def _later(distance: float, identity: int, other_distance: float, other_identity: int) -> bool:
    """Whether a record comes after another in the order of (distance, index)."""
    return distance > other_distance or (distance == other_distance and identity > other_identity)


@compiled
def _push(space: Space, size: int, distance: float, identity: int) -> None:
    """Add to a heap of `size` records that keeps the last of them on top."""
    i = size
    while i > 0:
        parent = (i - 1) // 2
        if not _later(distance, identity, space.heap_distance[parent], space.heap_id[parent]):
            break
        space.heap_distance[i], space.heap_id[i] = space.heap_distance[parent], space.heap_id[parent]
        i = parent
    space.heap_distance[i], space.heap_id[i] = distance, identity


@compiled
def _replace_top(space: Space, size: int, distance: float, identity: int) -> None:
    """Put a record in the place of the top of a heap of `size` records."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and _later(
            space.heap_distance[child + 1],
            space.heap_id[child + 1],
            space.heap_distance[child],
            space.heap_id[child],
        ):
            child += 1
        if not _later(space.heap_distance[child], space.heap_id[child], distance, identity):
            break
        space.heap_distance[i], space.heap_id[i] = space.heap_distance[child], space.heap_id[child]
        i = child
    space.heap_distance[i], space.heap_id[i] = distance, identity


@compiled
def nearest(tree: Tree, space: Space, point: FloatArray, people: IntArray, k: int) -> int:
    """The shortest run of records, in ascending (distance, index), that holds at least k people.

    Their indices are left in space.heap_id (in no particular order); returns their number. Whoever calls
    sees to it that k people live.
    """
    size, total = 0, 0
    leaves = len(tree.living)
    waiting = 1
    space.stack[0], space.bounds[0], space.firsts[0] = 0, 0.0, 0
    while waiting > 0:
        waiting -= 1
        if total >= k and _later(
            space.bounds[waiting], space.firsts[waiting], space.heap_distance[0], space.heap_id[0]
        ):
            continue
        node = space.stack[waiting]
        if node >= leaves:
            leaf = node - leaves
            block_distances(tree.blocks, leaf, point, space.terms, space.distances)
            for i in range(tree.living[leaf]):
                distance, record = space.distances[i], tree.ids[leaf, i]
                if total >= k and not _later(space.heap_distance[0], space.heap_id[0], distance, record):
                    continue
                _push(space, size, distance, record)
                size += 1
                total += people[record]
                while size > 1 and total - people[space.heap_id[0]] >= k:
                    size -= 1
                    total -= people[space.heap_id[0]]
                    _replace_top(space, size, space.heap_distance[size], space.heap_id[size])
            continue
        box_distances(tree.low, tree.high, node, point, space.terms, space.distances)
        bottom = waiting
        for i in range(LANES):
            bound, first = space.distances[i], tree.first[node, i]
            if first == NOBODY or (
                total >= k and _later(bound, first, space.heap_distance[0], space.heap_id[0])
            ):
                continue
            # The nearest child goes on top.
            place = waiting
            while place > bottom and _later(bound, first, space.bounds[place - 1], space.firsts[place - 1]):
                space.stack[place] = space.stack[place - 1]
                space.bounds[place] = space.bounds[place - 1]
                space.firsts[place] = space.firsts[place - 1]
                place -= 1
            space.stack[place], space.bounds[place], space.firsts[place] = node * LANES + i, bound, first
            waiting += 1
    return size


@compiled
def farthest(tree: Tree, space: Space, point: FloatArray, shift: float, best: float, best_record: int) -> int:
    """The living record farthest from `point` (d), of several the lowest index.

    `best_record` at squared distance `best` is known already (-1.0: none), `shift` is the distance of `point`
    from the anchor. A record lies no farther than the far corner of its box, nor than `shift` and its
    distance from the anchor together.
    """
    d = len(point)
    leaves = len(tree.living)
    relative = 1 + 8.0 * (d + 8) * 2.0**-53
    waiting = 1
    space.stack[0], space.bounds[0], space.firsts[0] = 0, np.inf, 0
    while waiting > 0:
        waiting -= 1
        bound = space.bounds[waiting]
        if bound < best or (bound == best and space.firsts[waiting] > best_record):
            continue
        node = space.stack[waiting]
        space.spent[0] += 1
        if node >= leaves:
            leaf = node - leaves
            block_distances(tree.blocks, leaf, point, space.terms, space.distances)
            for i in range(tree.living[leaf]):
                distance, record = space.distances[i], tree.ids[leaf, i]
                if distance > best or (distance == best and record < best_record):
                    best, best_record = distance, record
            continue
        box_reaches(tree.low, tree.high, node, point, space.terms, space.distances)
        bottom = waiting
        for i in range(LANES):
            bound, first = space.distances[i], tree.first[node, i]
            if first == NOBODY or bound < best or (bound == best and first > best_record):
                continue
            ball = (tree.reach[node, i] + shift) * relative
            bound = min(bound, ball * ball * relative)
            if bound < best:
                continue
            # The child that may hold the farthest record goes on top.
            place = waiting
            while place > bottom and bound < space.bounds[place - 1]:
                space.stack[place] = space.stack[place - 1]
                space.bounds[place] = space.bounds[place - 1]
                space.firsts[place] = space.firsts[place - 1]
                place -= 1
            space.stack[place], space.bounds[place], space.firsts[place] = node * LANES + i, bound, first
            waiting += 1
    return best_record
