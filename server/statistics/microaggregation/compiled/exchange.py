"""Moves of one record and swaps of two that lower the within-group sum of squares.

With S_g and M_g the sum and the mass of group g, the SSE is sum m |x|^2 - sum_g |S_g|^2 / M_g. The first term
never changes, so a step is judged by the second alone, for the two groups that it touches.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

NONE: Final = -1


class Partition(NamedTuple):
    """A partition in lists: `head[g]` is the first record of group g, `after` and `before` its neighbours."""

    labels: IntArray
    sums: FloatArray
    mass: IntArray
    energy: FloatArray
    """|S_g|^2 / M_g."""
    head: IntArray
    after: IntArray
    before: IntArray


@compiled
def energy_of(sums: FloatArray, group: int, mass: int) -> float:
    total = 0.0
    for j in range(sums.shape[1]):
        total += sums[group, j] * sums[group, j]
    return float(total / mass)


@compiled
def gather(X: FloatArray, people: IntArray, partition: Partition) -> None:
    """Fill lists, sums, mass and energy from the labels."""
    partition.head[:] = NONE
    partition.sums[:] = 0.0
    partition.mass[:] = 0
    for i in range(len(X) - 1, -1, -1):
        insert(X, people, partition, i, partition.labels[i])
    for g in range(len(partition.mass)):
        partition.energy[g] = energy_of(partition.sums, g, partition.mass[g])


@compiled
def insert(X: FloatArray, people: IntArray, partition: Partition, record: int, group: int) -> None:
    """Put a record at the front of a group."""
    first = partition.head[group]
    partition.after[record], partition.before[record] = first, NONE
    if first != NONE:
        partition.before[first] = record
    partition.head[group] = record
    partition.labels[record] = group
    partition.mass[group] += people[record]
    for j in range(X.shape[1]):
        partition.sums[group, j] += people[record] * X[record, j]


@compiled
def extract(X: FloatArray, people: IntArray, partition: Partition, record: int) -> None:
    """Take a record out of its group."""
    group = partition.labels[record]
    before, after = partition.before[record], partition.after[record]
    if before == NONE:
        partition.head[group] = after
    else:
        partition.after[before] = after
    if after != NONE:
        partition.before[after] = before
    partition.mass[group] -= people[record]
    for j in range(X.shape[1]):
        partition.sums[group, j] -= people[record] * X[record, j]


@compiled
def _shifted(sums: FloatArray, group: int, mass: int, row: FloatArray, weight: float) -> float:
    """Energy of a group of new mass once `weight` times a record is added."""
    total = 0.0
    for j in range(sums.shape[1]):
        value = sums[group, j] + weight * row[j]
        total += value * value
    return float(total / mass)


@compiled
def improve(
    X: FloatArray,
    people: IntArray,
    partition: Partition,
    near: IntArray,
    active: np.ndarray,
    k: int,
    tolerance: float,
) -> int:
    """One pass over the records of active groups: the best step of each, if it gains; number of steps.

    `near` (n x c) holds candidate groups per record. After the pass, `active` marks the groups that changed.
    """
    n, d = X.shape
    steps = 0
    touched = np.zeros(len(active), dtype=np.bool_)
    for i in range(n):
        a = partition.labels[i]
        weight = people[i]
        best, best_group, best_record = tolerance, NONE, NONE
        without = 0.0
        may_leave = partition.mass[a] - weight >= k
        if may_leave:
            without = _shifted(partition.sums, a, partition.mass[a] - weight, X[i], -float(weight))
        for c in range(near.shape[1]):
            b = near[i, c]
            if b == a or not (active[a] or active[b] or touched[a] or touched[b]):
                continue
            now = partition.energy[a] + partition.energy[b]
            if may_leave:
                gain = without - now
                gain += _shifted(partition.sums, b, partition.mass[b] + weight, X[i], float(weight))
                if gain > best:
                    best, best_group, best_record = gain, b, NONE
            other = partition.head[b]
            while other != NONE:
                heavier = people[other] - weight
                mass_a, mass_b = partition.mass[a] + heavier, partition.mass[b] - heavier
                if mass_a >= k and mass_b >= k:
                    left, right = 0.0, 0.0
                    for j in range(d):
                        difference = people[other] * X[other, j] - weight * X[i, j]
                        value = partition.sums[a, j] + difference
                        left += value * value
                        value = partition.sums[b, j] - difference
                        right += value * value
                    gain = left / mass_a + right / mass_b - now
                    if gain > best:
                        best, best_group, best_record = gain, b, other
                other = partition.after[other]
        if best_group == NONE:
            continue
        steps += 1
        extract(X, people, partition, i)
        if best_record != NONE:
            extract(X, people, partition, best_record)
            insert(X, people, partition, best_record, a)
        insert(X, people, partition, i, best_group)
        for group in (a, best_group):
            partition.energy[group] = energy_of(partition.sums, group, partition.mass[group])
            touched[group] = True
    active[:] = touched
    return steps
