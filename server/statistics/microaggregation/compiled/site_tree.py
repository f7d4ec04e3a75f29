"""A k-d tree over the sites of a power diagram: which site wins a tuple, and which come next.

The tree is balanced: 2^h leaves of four to eight sites, nodes numbered as in a binary heap from the root 1
on. Each node has the box of its sites and the least of their offsets; the squared distance to the box plus
that offset is a lower bound for all of them. Coordinates, weights and offsets are integers in float64, every
distance plus offset is below 2^53, and so are all partial sums: values and bounds are exact in any order of
summation. A node is left out only if its bound exceeds what is at hand, never at a tie, and sites are
compared as pairs (value, number): the result is that of comparing with every site.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

_LEAF: Final = 8
_BLOCK: Final = 16
"""Tuples that are ranked together."""
_DEEPEST: Final = 64
"""More nodes than ever wait on the way down: one for each level."""


class SiteTree(NamedTuple):
    """Arrays of a tree over m sites of d coordinates; see the module."""

    weights: FloatArray
    sites: FloatArray
    """m x d, those of a leaf side by side."""
    number: IntArray
    """Which of the given sites each of them is (m)."""
    start: IntArray
    end: IntArray
    """Per node, its first site and the one after its last."""
    low: FloatArray
    high: FloatArray
    """nodes x d corners."""


class Shifts(NamedTuple):
    """What a profile of tuples (see `profiles`) adds to the distance of each site, in the tree's order."""

    base: FloatArray
    """m, with the least value in each of c coordinates."""
    more: FloatArray
    """c x m, how much more with the greatest value of a coordinate."""
    start: IntArray
    coordinate: IntArray
    """Profile g has the greatest values in coordinate[start[g] : start[g + 1]]."""


class Runs(NamedTuple):
    """Stretches of the order of tuples, each of tuples of one profile."""

    start: IntArray
    end: IntArray
    profile: IntArray


def plant(sites: FloatArray, weights: FloatArray) -> SiteTree:
    """Build the tree over sites (m >= 1, d) with weights (d)."""
    m, d = sites.shape
    leaves = 1
    while leaves * _LEAF < m:
        leaves *= 2
    nodes = 2 * leaves
    index = np.arange(m)
    start, end = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    low, high = np.zeros((nodes, d)), np.zeros((nodes, d))
    _divide(sites, weights, index, start, end, low, high)
    return SiteTree(
        weights=weights, sites=sites[index], number=index, start=start, end=end, low=low, high=high
    )


@compiled
def _divide(
    sites: FloatArray,
    weights: FloatArray,
    index: IntArray,
    start: IntArray,
    end: IntArray,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Halve each node along its widest side, by (coordinate, index)."""
    nodes, d = low.shape
    end[1] = len(index)
    for node in range(1, nodes):
        a, b = start[node], end[node]
        widest, widest_side = 0, -1.0
        for j in range(d):
            least, most = np.inf, -np.inf
            for i in range(a, b):
                least = min(least, sites[index[i], j])
                most = max(most, sites[index[i], j])
            low[node, j], high[node, j] = least, most
            side = weights[j] * (most - least) * (most - least)
            if side > widest_side:
                widest, widest_side = j, side
        if 2 * node < nodes:
            members = np.sort(index[a:b])
            order = np.argsort(sites[members, widest], kind="mergesort")
            index[a:b] = members[order]
            middle = (a + b) // 2
            start[2 * node], end[2 * node] = a, middle
            start[2 * node + 1], end[2 * node + 1] = middle, b


@compiled
def least_offsets(tree: SiteTree, offsets: FloatArray) -> FloatArray:
    """Least offset (offsets: m, in the tree's order) of the sites of each node."""
    nodes = len(tree.start)
    least = np.full(nodes, np.inf)
    for node in range(nodes - 1, 0, -1):
        if 2 * node < nodes:
            least[node] = min(least[2 * node], least[2 * node + 1])
        else:
            for i in range(tree.start[node], tree.end[node]):
                least[node] = min(least[node], offsets[i])
    return least


# Arrays are handed on one by one: with a tree as a whole every call counts references to each of them.
@compiled
def _bound(
    low: FloatArray,
    high: FloatArray,
    weights: FloatArray,
    node: int,
    least: FloatArray,
    below: FloatArray,
    above: FloatArray,
) -> float:
    """Below this no site of the node has its distance plus offset to any tuple between two corners (d)."""
    total: float = least[node]
    for j in range(len(weights)):
        gap = max(max(low[node, j] - above[j], below[j] - high[node, j]), 0.0)
        total += weights[j] * gap * gap
    return total


@compiled
def shifted(offsets: FloatArray, shifts: Shifts, profile: int) -> FloatArray:
    """Offsets (m, in the tree's order) with what the profile adds to each distance."""
    own = offsets + shifts.base
    for t in range(shifts.start[profile], shifts.start[profile + 1]):
        own += shifts.more[shifts.coordinate[t]]
    return own


@compiled
def assign(
    tree: SiteTree,
    offsets: FloatArray,
    shifts: Shifts,
    runs: Runs,
    order: IntArray,
    points: FloatArray,
    labels: IntArray,
) -> None:
    """Number of the site of least distance plus offset of each point (n x d) of the runs, to labels (n).

    Ties to the lowest. offsets: m, in the tree's order. Each point begins with the winner of the one before.
    """
    d = points.shape[1]
    weights, sites, number, start, end = tree.weights, tree.sites, tree.number, tree.start, tree.end
    low, high, nodes = tree.low, tree.high, len(tree.start)
    waiting, bounds = np.empty(_DEEPEST, dtype=np.int64), np.empty(_DEEPEST)
    x, place = np.empty(d), 0
    for run in range(len(runs.profile)):
        own = shifted(offsets, shifts, runs.profile[run])
        least = least_offsets(tree, own)
        for p in order[runs.start[run] : runs.end[run]]:
            x[:] = points[p]
            best, winner = own[place], number[place]
            for j in range(d):
                gap = x[j] - sites[place, j]
                best += weights[j] * gap * gap
            waiting[0], bounds[0], top = 1, least[1], 1
            while top > 0:
                top -= 1
                node = waiting[top]
                if bounds[top] > best:
                    continue
                while 2 * node < nodes:
                    near, far = 2 * node, 2 * node + 1
                    bound = _bound(low, high, weights, near, least, x, x)
                    other = _bound(low, high, weights, far, least, x, x)
                    if other < bound:
                        near, far, bound, other = far, near, other, bound
                    if other <= best:
                        waiting[top], bounds[top] = far, other
                        top += 1
                    if bound > best:
                        break
                    node = near
                else:
                    for i in range(start[node], end[node]):
                        value = own[i]
                        for j in range(d):
                            gap = x[j] - sites[i, j]
                            value += weights[j] * gap * gap
                        if value < best or (value == best and number[i] < winner):
                            best, winner, place = value, number[i], i
            labels[p] = winner


@compiled
def _block_values(
    sites: FloatArray, weights: FloatArray, i: int, offset: float, block: FloatArray, out: FloatArray
) -> None:
    """Distance plus offset of the site in place i to each tuple of the block (d x 16)."""
    for lane in range(_BLOCK):
        out[lane] = offset
    for j in range(len(block)):
        coordinate, weight = sites[i, j], weights[j]
        for lane in range(_BLOCK):
            gap = block[j, lane] - coordinate
            out[lane] += weight * gap * gap


@compiled
def _concerns(
    low: FloatArray,
    high: FloatArray,
    weights: FloatArray,
    node: int,
    offset: float,
    block: FloatArray,
    worst: FloatArray,
    out: FloatArray,
) -> bool:
    """Whether a node with this least offset may have a value of at most `worst` for a tuple of the block."""
    for lane in range(_BLOCK):
        out[lane] = offset
    for j in range(len(block)):
        below, above, weight = low[node, j], high[node, j], weights[j]
        for lane in range(_BLOCK):
            gap = max(max(below - block[j, lane], block[j, lane] - above), 0.0)
            out[lane] += weight * gap * gap
    found = False
    for lane in range(_BLOCK):
        found |= out[lane] <= worst[lane]
    return found


@compiled
def rank(
    tree: SiteTree,
    offsets: FloatArray,
    shifts: Shifts,
    runs: Runs,
    order: IntArray,
    points: FloatArray,
    listed: Int32Array,
    scores: FloatArray,
) -> None:
    """The C sites of least (distance plus offset, number) of each point (n x d) of the runs, in this order.

    offsets: m, in the tree's order. listed, scores: n x C, numbers of the sites and their distances without
    offsets; 1 <= C <= m.

    Sixteen points that stand together go down the tree as one box, and the sites of each leaf that concerns
    one of them are compared with all. No point's last value exceeds the greatest that the sites of the last
    point of the block before have for it.
    """
    d = points.shape[1]
    length = listed.shape[1]
    weights, sites, number, start, end = tree.weights, tree.sites, tree.number, tree.start, tree.end
    floor, ceiling, nodes = tree.low, tree.high, len(tree.start)
    waiting, bounds = np.empty(_DEEPEST, dtype=np.int64), np.empty(_DEEPEST)
    block, low, high, value = np.empty((d, _BLOCK)), np.empty(d), np.empty(d), np.empty(_BLOCK)
    values, places = np.empty((_BLOCK, length)), np.zeros((_BLOCK, length), dtype=np.int64)
    known, worst = np.empty(_BLOCK, dtype=np.int64), np.empty(_BLOCK)
    last = np.empty(_BLOCK, dtype=np.int64)
    places[_BLOCK - 1] = np.arange(length)
    for run in range(len(runs.profile)):
        own = shifted(offsets, shifts, runs.profile[run])
        least = least_offsets(tree, own)
        for first in range(runs.start[run], runs.end[run], _BLOCK):
            rows = min(_BLOCK, runs.end[run] - first)
            for j in range(d):
                low[j], high[j] = np.inf, -np.inf
                for lane in range(_BLOCK):
                    x = points[order[first + min(lane, rows - 1)], j]
                    block[j, lane] = x
                    low[j], high[j] = min(low[j], x), max(high[j], x)
            worst[:] = -np.inf
            for place in range(length):
                before = places[_BLOCK - 1, place]
                _block_values(sites, weights, before, own[before], block, value)
                for lane in range(_BLOCK):
                    worst[lane] = max(worst[lane], value[lane])
            known[:], last[:] = 0, len(own)
            furthest = worst.max()
            waiting[0], bounds[0], top = 1, least[1], 1
            while top > 0:
                top -= 1
                node = waiting[top]
                if bounds[top] > furthest:
                    continue
                if 2 * node < nodes:
                    near, far = 2 * node, 2 * node + 1
                    bound = _bound(floor, ceiling, weights, near, least, low, high)
                    other = _bound(floor, ceiling, weights, far, least, low, high)
                    if other < bound:
                        near, far, bound, other = far, near, other, bound
                    if other <= furthest:
                        waiting[top], bounds[top] = far, other
                        top += 1
                    if bound <= furthest:
                        waiting[top], bounds[top] = near, bound
                        top += 1
                    continue
                if not _concerns(floor, ceiling, weights, node, least[node], block, worst, value):
                    continue
                for i in range(start[node], end[node]):
                    _block_values(sites, weights, i, own[i], block, value)
                    it = number[i]
                    for lane in range(rows):
                        reached = value[lane]
                        if reached > worst[lane] or (reached == worst[lane] and it > last[lane]):
                            continue
                        known[lane] = min(known[lane] + 1, length)
                        place = known[lane] - 1
                        while place > 0 and (
                            values[lane, place - 1] > reached
                            or (values[lane, place - 1] == reached and number[places[lane, place - 1]] > it)
                        ):
                            values[lane, place] = values[lane, place - 1]
                            places[lane, place] = places[lane, place - 1]
                            place -= 1
                        values[lane, place], places[lane, place] = reached, i
                        if known[lane] == length:
                            worst[lane] = values[lane, length - 1]
                            last[lane] = number[places[lane, length - 1]]
                furthest = worst[:rows].max()
            for lane in range(rows):
                p = order[first + lane]
                for place in range(length):
                    i = places[lane, place]
                    listed[p, place] = number[i]
                    scores[p, place] = values[lane, place] - offsets[i]
