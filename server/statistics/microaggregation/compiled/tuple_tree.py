"""A tree over the tuples: where a site would first win a tuple that does not list it.

Tuples stand in blocks of sixteen neighbours of one profile (see `profiles`), under the nodes of a binary heap
whose boxes never change. For the lists of the moment each node also knows the greatest best value and the
least last value of its tuples, so that whole nodes are skipped that cannot be won earlier, or all of whose
tuples list the site. Integers in float64 throughout, below 2^53.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.arrays import BoolArray, ByteArray, FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.profiles import Profiles

_BLOCK: Final = 16
_DEEPEST: Final = 64
_LEAST: Final = 1
_GREATEST: Final = 2
_BOTH: Final = 3


class Boxes(NamedTuple):
    """Boxes of nodes: node i has the children 2 i and 2 i + 1, blocks are the last half of the nodes."""

    low: FloatArray
    high: FloatArray
    """nodes x e corners, in the coordinates that profiles do not tell of; [inf, -inf] of no tuples."""
    sides: ByteArray
    """nodes x c: which values its tuples have in a coordinate that profiles tell of; 0 of no tuples."""
    start: IntArray
    greatest: IntArray
    """greatest[start[i] : start[i + 1]] are those of them in which all of node i have the greatest value."""
    single: BoolArray
    """Whether all tuples of the node have one profile."""


class TupleTree(NamedTuple):
    """Boxes over n tuples, and the tuples."""

    boxes: Boxes
    row: IntArray
    """blocks x 16: which tuple is at a place, -1 if none."""
    points: FloatArray
    """blocks x e x 16 coordinates that profiles do not tell of; 0 of no tuple."""
    binary: IntArray
    other: IntArray
    """Coordinates that profiles tell of (c), and the others (e)."""
    values: FloatArray
    """2 x c, the least and the greatest value of each of the former."""


class Standings(NamedTuple):
    """What tuples (n) and nodes have at the offsets for which lists were made."""

    best: FloatArray
    """Per tuple, the least value (squared distance plus offset)."""
    bound: FloatArray
    """Per tuple, the value of the last site that it lists."""
    last: Int32Array
    """Per tuple, that site."""
    most_best: FloatArray
    """Per node, the greatest `best`; -inf of no tuples."""
    least_bound: FloatArray
    """Per node, the least `bound`."""
    least_gap: FloatArray
    """Per node, the least `bound` less `best`: no site takes a tuple that does not list it for less."""


def rows_by_profile(tuples: Profiles) -> IntArray:
    """Places of blocks of tuples of one profile: blocks x 16 rows, -1 where there is none."""
    held = np.diff(tuples.start)
    blocks = -(-held // _BLOCK)
    first = _BLOCK * (np.cumsum(blocks) - blocks)
    return _rows(tuples.order, np.arange(len(tuples.order)) + np.repeat(first - tuples.start[:-1], held))


def rows_in_order(n: int) -> IntArray:
    """Places of blocks of n tuples as they stand."""
    return _rows(np.arange(n), np.arange(n))


def _rows(rows: IntArray, places: IntArray) -> IntArray:
    blocks = 1 << (int(places[-1]) // _BLOCK).bit_length()
    row = np.full(blocks * _BLOCK, -1)
    row[places] = rows
    return row.reshape(blocks, _BLOCK)


def plant(tuples: Profiles, row: IntArray) -> TupleTree:
    """Build the tree over tuples at places."""
    return TupleTree(
        boxes=boxes_of(tuples, row),
        row=row,
        points=np.ascontiguousarray(
            np.where((row < 0)[:, :, None], 0.0, tuples.rest[row]).transpose(0, 2, 1)
        ),
        binary=tuples.binary,
        other=tuples.other,
        values=np.stack([tuples.low, tuples.high]),
    )


def boxes_of(tuples: Profiles, row: IntArray) -> Boxes:
    """Boxes of the nodes over tuples at places."""
    none = (row < 0)[:, :, None]
    rest = tuples.rest[row]
    held = np.where(tuples.is_high, _GREATEST, _LEAST).astype(np.uint8)
    sides = np.bitwise_or.reduce(np.where(none, np.uint8(0), held[tuples.profile[row]]), axis=1)
    sides = _up(sides, np.bitwise_or)
    node, greatest = np.nonzero(sides == _GREATEST)
    return Boxes(
        low=_up(np.where(none, np.inf, rest).min(axis=1), np.minimum),
        high=_up(np.where(none, -np.inf, rest).max(axis=1), np.maximum),
        sides=sides,
        start=np.searchsorted(node, np.arange(len(sides) + 1)),
        greatest=greatest,
        single=(sides != _BOTH).all(axis=1),
    )


def _up(leaves: NDArray[Any], merge: np.ufunc) -> NDArray[Any]:
    """Values of all nodes (2 blocks x ...) from those of the blocks; that of node 0 means nothing."""
    level = len(leaves)
    nodes = np.concatenate([leaves, leaves])
    while level > 1:
        nodes[level // 2 : level] = merge(nodes[level : 2 * level : 2], nodes[level + 1 : 2 * level : 2])
        level //= 2
    return nodes


def standings(row: IntArray, listed: Int32Array, scores: FloatArray, offsets: FloatArray) -> Standings:
    """What follows from lists in ascending order of value: row of a tree, listed, scores n x C, offsets m."""
    best = scores[:, 0] + offsets[listed[:, 0]]
    last = listed[:, -1].copy()
    bound = scores[:, -1] + offsets[last]
    return Standings(
        best=best,
        bound=bound,
        last=last,
        most_best=greatest_of_nodes(row, best),
        least_bound=-greatest_of_nodes(row, -bound),
        least_gap=-greatest_of_nodes(row, best - bound),
    )


def greatest_of_nodes(row: IntArray, values: FloatArray) -> FloatArray:
    """The greatest value (n) of each node's tuples; -inf of none."""
    return _up(np.where(row < 0, -np.inf, values[row]).max(axis=1), np.maximum)


@compiled
def gaps_of_next(
    listed: Int32Array, scores: FloatArray, offsets: FloatArray, length: int, count: int
) -> FloatArray:
    """For each of `count` sites, the least gap to the best of a tuple whose list of `length` ends before it.

    listed, scores: n x C in ascending order of value; inf of a site that is nobody's next.
    """
    gaps = np.full(count, np.inf)
    if listed.shape[1] > length:
        for p in range(len(listed)):
            site = listed[p, length]
            best = scores[p, 0] + offsets[listed[p, 0]]
            gaps[site] = min(gaps[site], scores[p, length] + offsets[site] - best)
    return gaps


@compiled
def _support(
    values: FloatArray,
    site: FloatArray,
    weights: FloatArray,
    support: IntArray,
    table: FloatArray,
    extra: FloatArray,
) -> int:
    """Squared distances of a site (c) to each side, for `_to_sides`; how many coordinates are not least.

    support: those coordinates. table: 4 x c, for each of them the distance to a side. extra: c, for all
    others the distance to the greatest value; to the least it is 0.
    """
    found = 0
    for j in range(len(site)):
        low, high, weight = values[0, j] - site[j], values[1, j] - site[j], weights[j]
        extra[j] = weight * high * high
        if low != 0.0:
            gap = max(max(low, -high), 0.0)
            support[found] = j
            table[_LEAST, found] = weight * low * low
            table[_GREATEST, found] = extra[j]
            table[_BOTH, found] = weight * gap * gap
            extra[j] = 0.0
            found += 1
    return found


# Arrays are handed on one by one: with a tree as a whole every call counts references to each of them.
@compiled
def _to_sides(
    sides: ByteArray,
    start: IntArray,
    greatest: IntArray,
    node: int,
    support: IntArray,
    found: int,
    table: FloatArray,
    extra: FloatArray,
) -> float:
    """Squared distance of a site to the nearest place of a node, in the coordinates that profiles tell of."""
    total = 0.0
    for t in range(found):
        total += table[sides[node, support[t]], t]
    for t in range(start[node], start[node + 1]):
        total += extra[greatest[t]]
    return total


@compiled
def _values(
    points: FloatArray, block: int, site: FloatArray, weights: FloatArray, offset: float, out: FloatArray
) -> None:
    """Value of a site for each of the 16 places of a block; offset: with the distance to its profile."""
    for i in range(_BLOCK):
        out[i] = offset
    for j in range(len(site)):
        x, weight = site[j], weights[j]
        for i in range(_BLOCK):
            gap = points[block, j, i] - x
            out[i] += weight * gap * gap


@compiled
def _nearest_and_furthest(
    low: FloatArray, high: FloatArray, node: int, site: FloatArray, weights: FloatArray, offset: float
) -> tuple[float, float]:
    """Between these are a site's values for all tuples of a node; offset: with the distance to its sides."""
    near, far = offset, offset
    for j in range(len(site)):
        before, after = low[node, j] - site[j], site[j] - high[node, j]
        gap = max(max(before, after), 0.0)
        near += weights[j] * gap * gap
        gap = max(abs(before), abs(after))
        far += weights[j] * gap * gap
    return near, far


@compiled
def floors(
    tree: TupleTree,
    now: Standings,
    sites: FloatArray,
    weights: FloatArray,
    offsets: FloatArray,
    reach: float,
    known: FloatArray,
    out: FloatArray,
    begin: int,
    end: int,
) -> None:
    """Offset at which each of the sites begin..end would begin to win tuples that do not list it, to out (m).

    At least -reach. By branch and bound, the nearer child first; `known` (m) are gaps as of `gaps_of_next`,
    with which it begins.
    """
    points, row, low, high = tree.points, tree.row, tree.boxes.low, tree.boxes.high
    sides, start, greatest, single = (
        tree.boxes.sides,
        tree.boxes.start,
        tree.boxes.greatest,
        tree.boxes.single,
    )
    best, bound, last = now.best, now.bound, now.last
    most_best, least_bound, least_gap = now.most_best, now.least_bound, now.least_gap
    blocks, c = len(points), len(tree.binary)
    heavy, light = weights[tree.binary], weights[tree.other]
    support, table, extra = np.empty(c, dtype=np.int64), np.zeros((4, c)), np.empty(c)
    values = np.empty(_BLOCK)
    waiting, gaps = np.empty(_DEEPEST, dtype=np.int64), np.empty(_DEEPEST)
    for i in range(begin, end):
        site, offset = sites[i][tree.other], offsets[i]
        found = _support(tree.values, sites[i][tree.binary], heavy, support, table, extra)
        least = min(reach + offset, known[i])
        waiting[0], gaps[0], top = 1, -np.inf, 1
        while top > 0:
            top -= 1
            node = waiting[top]
            if gaps[top] >= least:
                continue
            if node >= blocks:
                own = offset + _to_sides(sides, start, greatest, node, support, found, table, extra)
                _values(points, node - blocks, site, light, own, values)
                for lane in range(_BLOCK):
                    p, value = row[node - blocks, lane], values[lane]
                    if p >= 0 and (value > bound[p] or (value == bound[p] and i > last[p])):
                        least = min(least, value - best[p])
                continue
            nearer, gap, other = 2 * node, np.inf, np.inf
            for child in range(2 * node, 2 * node + 2):
                own = offset + _to_sides(sides, start, greatest, child, support, found, table, extra)
                near, far = _nearest_and_furthest(low, high, child, site, light, own)
                # There may be no tuples, or all of them may list the site.
                if most_best[child] == -np.inf or (single[child] and far < least_bound[child]):
                    continue
                reached = max(near - most_best[child], least_gap[child])
                if reached < gap:
                    nearer, gap, other = child, reached, gap
                else:
                    other = reached
            if other < least:
                waiting[top], gaps[top] = 4 * node + 1 - nearer, other
                top += 1
            if gap < least:
                waiting[top], gaps[top] = nearer, gap
                top += 1
        out[i] = max(offset - max(least, 0.0), -reach)


@compiled
def list_more(
    tree: TupleTree,
    now: Standings,
    frame: Boxes,
    most_best: FloatArray,
    sites: FloatArray,
    weights: FloatArray,
    offsets: FloatArray,
    few: IntArray,
    wanted: int,
    mass: IntArray,
    length: int,
    listed: Int32Array,
    scores: FloatArray,
    floors: FloatArray,
    reach: float,
) -> None:
    """List each of the sites `few` with the tuples most easily won for it, until `wanted` mass lists it.

    The columns `length` and after of listed and scores (n x (C + E)) are free; a tuple without a free place
    does not list the site. Best first: the heap holds nodes, and tuples. Floors of these sites are made anew:
    bounds for the tuples that come after the last one, as `frame` gives them, whose nodes (with `most_best`)
    have tuples of all profiles together.
    """
    blocks = len(tree.points)
    low, high = tree.boxes.low, tree.boxes.high
    sides, start, greatest = tree.boxes.sides, tree.boxes.start, tree.boxes.greatest
    c = len(tree.binary)
    heavy, light = weights[tree.binary], weights[tree.other]
    support, table, extra = np.empty(c, dtype=np.int64), np.zeros((4, c)), np.empty(c)
    values = np.empty(_BLOCK)
    places = listed.shape[1]
    used = np.full(len(now.best), length, dtype=np.int64)
    for i in few:
        site, offset = sites[i][tree.other], offsets[i]
        found = _support(tree.values, sites[i][tree.binary], heavy, support, table, extra)
        reached, left_out = 0, np.inf
        heap, is_full = [(-np.inf, 1)], False
        while len(heap) > 0:
            gap, node = heappop(heap)
            if is_full and gap >= left_out:
                break
            if node >= 2 * blocks:  # a tuple
                if is_full:
                    left_out = gap
                    break
                p = node - 2 * blocks
                reached += mass[p]
                known = False
                for t in range(length):
                    known = known or listed[p, t] == i
                if not known and used[p] == places:
                    left_out = min(left_out, gap)
                elif not known:
                    listed[p, used[p]] = i
                    scores[p, used[p]] = gap + now.best[p] - offset
                    used[p] += 1
                if reached >= wanted:
                    is_full = True
                    left_out = min(
                        left_out,
                        _next_node(frame, most_best, site, light, offset, support, found, table, extra, gap),
                    )
            elif node >= blocks:
                own = offset + _to_sides(sides, start, greatest, node, support, found, table, extra)
                _values(tree.points, node - blocks, site, light, own, values)
                for lane in range(_BLOCK):
                    p = tree.row[node - blocks, lane]
                    if p >= 0:
                        heappush(heap, (values[lane] - now.best[p], 2 * blocks + p))
            else:
                for child in range(2 * node, 2 * node + 2):
                    if now.most_best[child] > -np.inf:
                        own = offset + _to_sides(sides, start, greatest, child, support, found, table, extra)
                        near, _ = _nearest_and_furthest(low, high, child, site, light, own)
                        heappush(heap, (near - now.most_best[child], child))
        floors[i] = max(offset - max(left_out, 0.0), -reach)


@compiled
def _next_node(
    frame: Boxes,
    most_best: FloatArray,
    site: FloatArray,
    weights: FloatArray,
    offset: float,
    support: IntArray,
    found: int,
    table: FloatArray,
    extra: FloatArray,
    gap: float,
) -> float:
    """The least bound above `gap` among nodes whose parents' bounds are not."""
    low, high, sides, start, greatest = frame.low, frame.high, frame.sides, frame.start, frame.greatest
    waiting, top = np.empty(_DEEPEST, dtype=np.int64), 1
    waiting[0], least, nodes = 1, np.inf, len(low)
    while top > 0:
        top -= 1
        node = waiting[top]
        for child in range(2 * node, min(2 * node + 2, nodes)):
            if most_best[child] > -np.inf:
                own = offset + _to_sides(sides, start, greatest, child, support, found, table, extra)
                near, _ = _nearest_and_furthest(low, high, child, site, weights, own)
                if near - most_best[child] > gap:
                    least = min(least, near - most_best[child])
                else:
                    waiting[top] = child
                    top += 1
    return least
