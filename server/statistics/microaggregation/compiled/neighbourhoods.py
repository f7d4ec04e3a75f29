"""Large neighbourhood search: a few groups that lie together are dissolved, built anew, and improved.

The new groups stand if they lose less than the old ones, or a little more while the search is still warm. A
trial costs as much as its few groups, however large the file is.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.exchange import (
    NONE,
    Partition,
    energy_of,
    extract,
    improve,
    insert,
)

FEWEST, MOST = 2, 5
"""Groups that a trial dissolves."""
PASSED_OVER: Final = 0.3
"""Chance that a group nearby is left out, so that not always the same ones are taken."""


@compiled
def chance(state: np.ndarray) -> float:
    """The next number in [0, 1) of the generator SplitMix64 (Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@compiled
def _far(X: FloatArray, people: IntArray, labels: IntArray, state: np.ndarray) -> int:
    """A record without a group that is far from the mean of those; which of the far ones, chance decides."""
    mean = np.zeros(X.shape[1])
    mass = 0
    for i in range(len(X)):
        if labels[i] == NONE:
            mass += people[i]
            for j in range(X.shape[1]):
                mean[j] += people[i] * X[i, j]
    mean /= mass
    found, most = NONE, -1.0
    for i in range(len(X)):
        if labels[i] == NONE:
            distance = 0.0
            for j in range(X.shape[1]):
                distance += (X[i, j] - mean[j]) ** 2
            distance *= 0.5 + chance(state)
            if distance > most:
                found, most = i, distance
    return found


@compiled
def _any(labels: IntArray, left: int, state: np.ndarray) -> int:
    """One of the records without a group."""
    skip = int(chance(state) * left)
    for i in range(len(labels)):
        if labels[i] == NONE:
            if skip == 0:
                return i
            skip -= 1
    return NONE


@compiled
def _distance(X: FloatArray, record: int, block: Partition, group: int) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        total += (X[record, j] - block.sums[group, j] / block.mass[group]) ** 2
    return total


@compiled
def _build(X: FloatArray, people: IntArray, block: Partition, k: int, state: np.ndarray) -> bool:
    """Divide records without a group: seeds, each with the records nearest to its growing centroid.

    What is left over goes to the nearest centroid. False if there are too few people for so many groups.
    """
    left, style = len(X), int(3 * chance(state))
    for group in range(len(block.mass)):
        if left == 0:
            return False
        far = style == 0 or (style == 1 and chance(state) < 0.5)
        seed = _far(X, people, block.labels, state) if far else _any(block.labels, left, state)
        insert(X, people, block, seed, group)
        left -= 1
        while block.mass[group] < k:
            nearest, least = NONE, np.inf
            for i in range(len(X)):
                if block.labels[i] == NONE:
                    distance = _distance(X, i, block, group)
                    if distance < least:
                        nearest, least = i, distance
            if nearest == NONE:
                return False
            insert(X, people, block, nearest, group)
            left -= 1
    for i in range(len(X)):
        if block.labels[i] == NONE:
            nearest, least = NONE, np.inf
            for group in range(len(block.mass)):
                distance = _distance(X, i, block, group)
                if distance < least:
                    nearest, least = group, distance
            insert(X, people, block, i, nearest)
    return True


@compiled
def _neighbours(labels: IntArray, near: IntArray, state: np.ndarray) -> IntArray:
    """Some groups that lie together: that of a record by chance, and those of its nearest records."""
    wanted = FEWEST + int((MOST - FEWEST + 1) * chance(state))
    record = int(len(labels) * chance(state))
    found = np.empty(wanted, dtype=np.int64)
    found[0] = labels[record]
    number = 1
    for c in range(near.shape[1]):
        group = labels[near[record, c]]
        known = False
        for other in range(number):
            known = known or found[other] == group
        if known or chance(state) < PASSED_OVER:
            continue
        found[number] = group
        number += 1
        if number == wanted:
            break
    return found[:number]


@compiled
def _replace(
    X: FloatArray,
    people: IntArray,
    whole: Partition,
    groups: int,
    old: IntArray,
    records: IntArray,
    block: Partition,
) -> int:
    """Put the groups of a block in the place of old ones; returns the new number of groups.

    Sums are taken from the block, which has just added them up, so that rounding never grows.
    """
    new = len(block.mass)
    places = np.empty(new, dtype=np.int64)
    for group in range(new):
        if group < len(old):
            places[group] = old[group]
        else:
            places[group] = groups
            whole.head[groups], whole.mass[groups] = NONE, 0
            whole.sums[groups] = 0.0
            groups += 1
    for r in range(len(records)):
        extract(X, people, whole, records[r])
        insert(X, people, whole, records[r], places[block.labels[r]])
    for group in range(new):
        place = places[group]
        whole.mass[place], whole.energy[place] = block.mass[group], block.energy[group]
        whole.sums[place] = block.sums[group]
    if new < len(old):  # the last group takes the empty place
        empty, groups = old[new], groups - 1
        if empty != groups:
            record = whole.head[groups]
            while record != NONE:
                whole.labels[record] = empty
                record = whole.after[record]
            whole.head[empty], whole.mass[empty] = whole.head[groups], whole.mass[groups]
            whole.energy[empty] = whole.energy[groups]
            whole.sums[empty] = whole.sums[groups]
    return groups


@compiled
def search(
    X: FloatArray,
    people: IntArray,
    whole: Partition,
    near: IntArray,
    lowest: IntArray,
    standing: FloatArray,
    heat: FloatArray,
    k: int,
    tolerance: float,
    state: np.ndarray,
) -> None:
    """One trial for each entry of `heat`.

    Parameters
    ----------
    X, people : arrays, n x d and n
    whole : Partition
        With room for every number of groups; in use are as many as `standing` says. Changed.
    near : int array, n x c
        The nearest records of each record.
    lowest : int array, n
        Labels of the best partition so far. Changed.
    standing : float array
        Groups in use; loss above that of the start, now and at its lowest. Changed.
    heat : float array
        For each trial by how much more it may lose: accepted with probability exp(-more / heat).
    k : int
    tolerance : float
        Least difference that counts.
    state : uint64 array of one
        Of the generator. Changed.
    """
    d = X.shape[1]
    groups = int(standing[0])
    for trial in range(len(heat)):
        old = _neighbours(whole.labels, near, state)
        number, mass, energy = 0, 0, 0.0
        for group in old:
            mass += whole.mass[group]
            energy += whole.energy[group]
            record = whole.head[group]
            while record != NONE:
                number += 1
                record = whole.after[record]
        records = np.empty(number, dtype=np.int64)
        number = 0
        for group in old:
            record = whole.head[group]
            while record != NONE:
                records[number] = record
                number += 1
                record = whole.after[record]
        new = min(len(old) - 1 + int(3 * chance(state)), mass // k)
        if new < max(1, len(old) - 1):
            continue
        rows, held = X[records], people[records]
        block = Partition(
            np.full(number, NONE, dtype=np.int64),
            np.zeros((new, d)),
            np.zeros(new, dtype=np.int64),
            np.zeros(new),
            np.full(new, NONE, dtype=np.int64),
            np.empty(number, dtype=np.int64),
            np.empty(number, dtype=np.int64),
        )
        if not _build(rows, held, block, k, state):
            continue
        for group in range(new):
            block.energy[group] = energy_of(block.sums, group, block.mass[group])
        every = np.empty((number, new), dtype=np.int64)
        every[:] = np.arange(new)
        active = np.ones(new, dtype=np.bool_)
        while improve(rows, held, block, every, active, k, tolerance):
            continue
        more = energy - block.energy.sum()
        if abs(more) <= tolerance or (more > 0 and chance(state) >= np.exp(-more / heat[trial])):
            continue
        groups = _replace(X, people, whole, groups, old, records, block)
        standing[0] = groups
        standing[1] += more
        if standing[1] < standing[2] - tolerance:
            standing[2] = standing[1]
            lowest[:] = whole.labels
