"""Distinct living records in descending distance from an anchor, to find the one farthest from a point.

For a record x, an anchor a and a point c the triangle inequality gives d(x, c) <= d(x, a) + d(a, c). So
the search may stop at the first record whose distance from the anchor, plus that of the point from the
anchor, cannot reach the best. Each comparison leaves room for the rounding of both sides.

Equal records share a slot, which shows the lowest index that lives: groups take equal records in the order
of their indices, since every point is equally far from them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.distances import (
    LANES,
    block_distances,
    mean_as_numpy,
    squared_distance,
)
from server.statistics.microaggregation.compiled.tree import Tree
from server.statistics.microaggregation.compiled.tree_search import Space, farthest

UNIT: Final = 2.0**-53
"""Relative error of one rounded operation."""
TINY: Final = 1e-140
"""More than the error of a distance whose squares fall below the smallest float64."""
SPLITTER: Final = 134217729.0
"""2^27 + 1: divides a float64 into two halves whose products are exact (Dekker 1971)."""


class Queue(NamedTuple):
    """Arrays of a queue in blocks of LANES slots; `cursor` holds the first block in use, the blocks
    visited since the sort, what a search of the tree costs on average, in blocks, and whether the last scan
    came to its end."""

    anchor: FloatArray
    reach: FloatArray
    """Largest distance from the anchor in each block, descending."""
    record: IntArray
    """Lowest living record of each slot."""
    blocks: FloatArray
    """blocks x d x LANES coordinates, so that a scan runs through memory in order; NaN once taken."""
    left: IntArray
    """Slots of each block in which somebody lives."""
    slot_of: IntArray
    """Slot of each distinct tuple."""
    cursor: IntArray


class Twins(NamedTuple):
    """Which records (n) are equal: number of the tuple, and the next and previous equal record or -1."""

    tuple_of: IntArray
    later: IntArray
    earlier: IntArray


class Sums(NamedTuple):
    """Sums of the living records by column, in double-double arithmetic.

    `exact` says for which columns every order of summation gives the same float64 sum, `magnitude` is the
    sum of absolute values, `slack` bounds its own error.
    """

    high: FloatArray
    low: FloatArray
    magnitude: FloatArray
    slack: FloatArray
    exact: np.ndarray


def zero_sums(d: int) -> Sums:
    """Sums of nobody, for d columns."""
    high, low, magnitude, slack = np.zeros((4, d))
    return Sums(high=high, low=low, magnitude=magnitude, slack=slack, exact=np.ones(d, dtype=np.bool_))


def twins(X: FloatArray) -> Twins:
    """Find equal records of X (n x d)."""
    n = len(X)
    found = Twins(
        tuple_of=np.zeros(n, dtype=np.int64),
        later=np.full(n, -1, dtype=np.int64),
        earlier=np.full(n, -1, dtype=np.int64),
    )
    table = np.full(1 << int(2 * n).bit_length(), -1, dtype=np.int64)
    # + 0.0 makes one zero of two.
    _pair(X, (X + 0.0).view(np.int64), table, found)
    return found


@compiled
def _pair(X: FloatArray, bits: IntArray, table: IntArray, found: Twins) -> None:
    """Hash each record into `table`, which holds the last record seen of each tuple."""
    mask = len(table) - 1
    tuples = 0
    for i in range(len(X)):
        mixed = np.uint64(0)
        for j in range(X.shape[1]):
            mixed = (mixed ^ np.uint64(bits[i, j])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        place = np.int64(mixed & np.uint64(mask))
        while True:
            other = table[place]
            if other < 0:
                found.tuple_of[i] = tuples
                tuples += 1
                break
            equal = True
            for j in range(X.shape[1]):
                equal = equal and X[i, j] == X[other, j]
            if equal:
                found.tuple_of[i] = found.tuple_of[other]
                found.later[other], found.earlier[i] = i, other
                break
            place = (place + 1) & mask
        table[place] = i


def line_up(X: FloatArray, labels: IntArray, twins: Twins, anchor: FloatArray) -> Queue:
    """Sort the tuples of the living records of X (n x d) by distance from `anchor` (d), farthest first."""
    lives = labels < 0
    # earlier = -1 reads the last record, and is overruled.
    record = np.flatnonzero(lives & ((twins.earlier < 0) | ~lives[twins.earlier]))
    distance = np.sqrt(((X[record] - anchor) ** 2).sum(axis=1))
    order = np.argsort(-distance)
    record = record[order]
    slot_of = np.zeros(len(X), dtype=np.int64)
    slot_of[twins.tuple_of[record]] = np.arange(len(record))
    blocks = -(-len(record) // LANES)
    rows = np.full((blocks * LANES, X.shape[1]), np.nan)
    rows[: len(record)] = X[record]
    left = np.full(blocks, LANES, dtype=np.int64)
    left[-1] -= blocks * LANES - len(record)
    return Queue(
        anchor=anchor.copy(),
        reach=distance[order[::LANES]],
        record=record,
        blocks=np.ascontiguousarray(rows.reshape(blocks, LANES, -1).transpose(0, 2, 1)),
        left=left,
        slot_of=slot_of,
        cursor=np.array([0, 0, 64, 1], dtype=np.int64),
    )


@compiled
def add_up(X: FloatArray, people: IntArray, labels: IntArray, sums: Sums) -> None:
    """Sum the living records anew. A column is exact when it lies on a grid that float64 sums exactly."""
    n, d = X.shape
    for j in range(d):
        sums.high[j] = sums.low[j] = sums.magnitude[j] = 0.0
    living = 0
    for i in range(n):
        if labels[i] < 0:
            living += 1
            _add(X[i], float(people[i]), sums)
    for j in range(d):
        sums.slack[j] = 8 * living * UNIT * sums.magnitude[j]
        # The finest grid on which the sum of absolute values stays below 2^53 steps.
        step = 2.0 ** (np.ceil(np.log2(sums.magnitude[j])) - 51) if sums.magnitude[j] > 1e-290 else 0.0
        sums.exact[j] = True
        for i in range(n):
            if labels[i] < 0 and X[i, j] != 0.0 and (step == 0.0 or X[i, j] % step != 0.0):
                sums.exact[j] = False
                break


@compiled
def _add(row: FloatArray, weight: float, sums: Sums) -> None:
    """Add weight times a record; a negative weight takes it away."""
    for j in range(len(row)):
        value = weight * row[j]
        rest = 0.0
        if weight != 1.0 and weight != -1.0:
            a = SPLITTER * weight
            weight_high = a - (a - weight)
            a = SPLITTER * row[j]
            row_high = a - (a - row[j])
            weight_low, row_low = weight - weight_high, row[j] - row_high
            rest = weight_low * row_low - (
                ((value - weight_high * row_high) - weight_low * row_high) - weight_high * row_low
            )
        total = sums.high[j] + value
        back = total - sums.high[j]
        rest += (sums.high[j] - (total - back)) + (value - back) + sums.low[j]
        sums.high[j] = total + rest
        sums.low[j] = rest - (sums.high[j] - total)
        sums.magnitude[j] += abs(value) if weight > 0 else -abs(value)


@compiled
def take_away(
    X: FloatArray, people: IntArray, labels: IntArray, twins: Twins, queue: Queue, record: int, sums: Sums
) -> None:
    """Strike a record from the queue and the sums, once all of its group are labelled."""
    _add(X[record], -float(people[record]), sums)
    slot = queue.slot_of[twins.tuple_of[record]]
    head = queue.record[slot]
    if labels[head] < 0:
        return
    while head >= 0 and labels[head] >= 0:
        head = twins.later[head]
    if head >= 0:
        queue.record[slot] = head
        return
    block = slot // LANES
    if np.isnan(queue.blocks[block, 0, slot % LANES]):
        return
    queue.blocks[block, :, slot % LANES] = np.nan
    queue.left[block] -= 1
    while queue.cursor[0] < len(queue.left) and queue.left[queue.cursor[0]] == 0:
        queue.cursor[0] += 1


@compiled
def locate(sums: Sums, records: int, people: int, single: bool, centroid: FloatArray) -> float:
    """The centroid (d), and how far numpy's mean of the living records can lie from it (0: equal).

    With `single` False records stand for several people; then the centroid, rounded from the sums, is the
    definition itself.
    """
    error = 0.0
    for j in range(len(centroid)):
        if single:
            centroid[j] = sums.high[j] / people
            if not sums.exact[j]:
                mean = (sums.magnitude[j] + sums.slack[j]) / records
                bound = 2.0 * (records + 4) * UNIT * mean + TINY * TINY
                error += bound * bound
        else:
            quotient = sums.high[j] / people
            a = SPLITTER * quotient
            high = a - (a - quotient)
            b = SPLITTER * people
            people_high = b - (b - people)
            low, people_low = quotient - high, people - people_high
            product = quotient * people
            rest = low * people_low - (
                ((product - high * people_high) - low * people_high) - high * people_low
            )
            centroid[j] = quotient + ((sums.high[j] - product) - rest + sums.low[j]) / people
    return float(np.sqrt(error) * 1.0001)


@compiled
def _distance(a: FloatArray, b: FloatArray) -> float:
    total = 0.0
    for j in range(len(a)):
        total += (a[j] - b[j]) ** 2
    return float(np.sqrt(total))


@compiled
def farthest_from_record(queue: Queue, point: FloatArray, space: Space, tree: Tree, patient: bool) -> int:
    """The living record farthest from `point` (d), of several the lowest index.

    Unless `patient`, the tree takes over once the scan has cost twice what the tree costs on average, or a
    quarter of it after a scan that did not end. The scan is shorter in round data, the tree in skewed data.
    """
    relative = 4.0 * (len(point) + 8) * UNIT
    shift = _distance(point, queue.anchor)
    best, best_record, threshold = -1.0, 0, -np.inf
    block = queue.cursor[0]
    end = len(queue.reach)
    if not patient:
        end = block + (2 * queue.cursor[2] if queue.cursor[3] else queue.cursor[2] // 4) + 8
    while block < len(queue.reach) and queue.reach[block] * (1 + relative) >= threshold:
        if block == end:
            space.spent[0] = 0
            best_record = farthest(tree, space, point, _distance(point, tree.anchor), best, best_record)
            queue.cursor[2] = (7 * queue.cursor[2] + space.spent[0]) // 8
            queue.cursor[1] += block - queue.cursor[0]
            queue.cursor[3] = 0
            return best_record
        block_distances(queue.blocks, block, point, space.terms, space.distances)
        for i in range(LANES):
            distance = space.distances[i]
            if distance >= best:
                record = queue.record[block * LANES + i]
                if distance > best:
                    best, best_record = distance, record
                    threshold = np.sqrt(best) * (1 - 3 * relative) - shift * (1 + relative) - TINY
                elif record < best_record:
                    best_record = record
        block += 1
    queue.cursor[1] += block - queue.cursor[0]
    if not patient:
        queue.cursor[3] = 1
    return best_record


@compiled
def farthest_from_centroid(
    X: FloatArray,
    labels: IntArray,
    queue: Queue,
    centroid: FloatArray,
    error: float,
    space: Space,
    tree: Tree,
) -> int:
    """The living record that numpy's argmax names for numpy's centroid, which lies within `error`.

    Records whose distances differ by less than the two centroids and the rounding can change are told
    apart with numpy's centroid itself, summed anew in numpy's order.
    """
    if error == 0:
        return farthest_from_record(queue, centroid, space, tree, True)
    relative = 4.0 * (len(centroid) + 8) * UNIT
    shift = _distance(centroid, queue.anchor)
    best, second, best_record = -1.0, -1.0, 0
    border, threshold = -1.0, -np.inf
    first = block = queue.cursor[0]
    while block < len(queue.reach) and queue.reach[block] * (1 + relative) >= threshold:
        block_distances(queue.blocks, block, centroid, space.terms, space.distances)
        for i in range(LANES):
            distance = space.distances[i]
            if distance > best:
                second, best, best_record = best, distance, queue.record[block * LANES + i]
                border = (
                    best - 2.002 * (2 * np.sqrt(best) + error) * error - 2 * relative * best - TINY * TINY
                )
                threshold = np.sqrt(max(border, 0.0)) * (1 - 3 * relative) - shift * (1 + relative) - TINY
            elif distance > second:
                second = distance
        block += 1
    last = block
    queue.cursor[1] += last - first
    if second < border:
        return best_record
    numpy_centroid = np.empty(len(centroid))
    mean_as_numpy(X, labels, numpy_centroid)
    best, lowest = -1.0, 0
    for block in range(first, last):
        block_distances(queue.blocks, block, centroid, space.terms, space.distances)
        for i in range(LANES):
            if space.distances[i] >= border:
                record = queue.record[block * LANES + i]
                distance = squared_distance(X[record], numpy_centroid)
                if distance > best or (distance == best and record < lowest):
                    best, lowest = distance, record
    return lowest
