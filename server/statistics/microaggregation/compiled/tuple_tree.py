"""A tree over the tuples: where a site would first win a tuple that does not list it.

Tuples stand in blocks of sixteen neighbours, under the nodes of a binary heap whose boxes never change. For
the lists of the moment each node also knows the greatest best value and the least last value of its tuples,
so that whole nodes are skipped that cannot be won earlier, or all of whose tuples list the site. Integers in
float64 throughout, below 2^53.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled

_BLOCK: Final = 16
_DEEPEST: Final = 64


class TupleTree(NamedTuple):
    """Boxes over n tuples; node i has the children 2 i and 2 i + 1, blocks are the last half of the nodes."""

    points: FloatArray
    """blocks x d x 16 coordinates of n tuples, neighbours near each other; places beyond n have 0."""
    low: FloatArray
    high: FloatArray
    """nodes x d corners; [inf, -inf] of no tuples."""


class Standings(NamedTuple):
    """What tuples (n) and nodes have at the offsets for which lists were made."""

    best: FloatArray
    """Per tuple, the least value (squared distance plus offset)."""
    bound: FloatArray
    """Per tuple, the value of the last site that it lists."""
    last: IntArray
    """Per tuple, that site."""
    most_best: FloatArray
    """Per node, the greatest `best`; -inf of no tuples."""
    least_bound: FloatArray
    """Per node, the least `bound`."""
    least_gap: FloatArray
    """Per node, the least `bound` less `best`: no site takes a tuple that does not list it for less."""


def plant(points: FloatArray) -> TupleTree:
    """Build the tree over points (n x d)."""
    blocks = 1
    while blocks * _BLOCK < len(points):
        blocks *= 2
    n, d = points.shape
    padded = np.zeros((blocks * _BLOCK, d))
    padded[:n] = points
    tree = TupleTree(
        points=np.ascontiguousarray(padded.reshape(blocks, _BLOCK, d).transpose(0, 2, 1)),
        low=np.full((2 * blocks, d), np.inf),
        high=np.full((2 * blocks, d), -np.inf),
    )
    _fit(tree, n)
    return tree


@compiled
def _fit(tree: TupleTree, n: int) -> None:
    blocks, d, _ = tree.points.shape
    for p in range(n):
        node = blocks + p // _BLOCK
        for j in range(d):
            x = tree.points[p // _BLOCK, j, p % _BLOCK]
            tree.low[node, j] = min(tree.low[node, j], x)
            tree.high[node, j] = max(tree.high[node, j], x)
    for node in range(blocks - 1, 0, -1):
        for j in range(d):
            tree.low[node, j] = min(tree.low[2 * node, j], tree.low[2 * node + 1, j])
            tree.high[node, j] = max(tree.high[2 * node, j], tree.high[2 * node + 1, j])


@compiled
def standings(tree: TupleTree, listed: Int32Array, scores: FloatArray, offsets: FloatArray) -> Standings:
    """What follows from lists in ascending order of value: listed, scores n x C, offsets m."""
    n, length = listed.shape
    nodes = len(tree.low)
    best, bound, last = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    most_best = np.full(nodes, -np.inf)
    least_bound, least_gap = np.full(nodes, np.inf), np.full(nodes, np.inf)
    for p in range(n):
        best[p] = scores[p, 0] + offsets[listed[p, 0]]
        last[p] = listed[p, length - 1]
        bound[p] = scores[p, length - 1] + offsets[last[p]]
        node = nodes // 2 + p // _BLOCK
        most_best[node] = max(most_best[node], best[p])
        least_bound[node] = min(least_bound[node], bound[p])
        least_gap[node] = min(least_gap[node], bound[p] - best[p])
    for node in range(nodes // 2 - 1, 0, -1):
        most_best[node] = max(most_best[2 * node], most_best[2 * node + 1])
        least_bound[node] = min(least_bound[2 * node], least_bound[2 * node + 1])
        least_gap[node] = min(least_gap[2 * node], least_gap[2 * node + 1])
    return Standings(best, bound, last, most_best, least_bound, least_gap)


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


# Arrays are handed on one by one: with a tree as a whole every call counts references to each of them.
@compiled
def _values(
    points: FloatArray, block: int, site: FloatArray, weights: FloatArray, offset: float, out: FloatArray
) -> None:
    """Value of a site for each of the 16 places of a block."""
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
    """Between these are a site's values for all tuples of a node."""
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
    start: int,
    end: int,
) -> None:
    """Offset at which each of the sites start..end would begin to win tuples that do not list it, to out (m).

    At least -reach. By branch and bound, the nearer child first; `known` (m) are gaps as of `gaps_of_next`,
    with which it begins.
    """
    points, low, high = tree.points, tree.low, tree.high
    best, bound, last = now.best, now.bound, now.last
    most_best, least_bound, least_gap = now.most_best, now.least_bound, now.least_gap
    n, blocks = len(best), len(points)
    site, values = np.empty(sites.shape[1]), np.empty(_BLOCK)
    waiting, gaps = np.empty(_DEEPEST, dtype=np.int64), np.empty(_DEEPEST)
    for i in range(start, end):
        site[:] = sites[i]
        offset = offsets[i]
        least = min(reach + offset, known[i])
        waiting[0], gaps[0], top = 1, -np.inf, 1
        while top > 0:
            top -= 1
            node = waiting[top]
            if gaps[top] >= least:
                continue
            if node >= blocks:
                first = (node - blocks) * _BLOCK
                _values(points, node - blocks, site, weights, offset, values)
                for p in range(first, min(n, first + _BLOCK)):
                    value = values[p - first]
                    if value > bound[p] or (value == bound[p] and i > last[p]):
                        least = min(least, value - best[p])
                continue
            nearer, gap, other = 2 * node, np.inf, np.inf
            for child in range(2 * node, 2 * node + 2):
                near, far = _nearest_and_furthest(low, high, child, site, weights, offset)
                # There may be no tuples, or all of them may list the site.
                if most_best[child] == -np.inf or far < least_bound[child]:
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
    does not list the site. Their floors are made anew. Best first: the heap holds nodes, and tuples.
    """
    n, blocks = len(now.best), len(tree.points)
    values = np.empty(_BLOCK)
    places = listed.shape[1]
    used = np.full(n, length, dtype=np.int64)
    for i in few:
        site, offset = sites[i], offsets[i]
        reached, left_out = 0, np.inf
        heap = [(-np.inf, 1)]
        while len(heap) > 0:
            gap, node = heappop(heap)
            if reached >= wanted:
                left_out = min(left_out, gap)
                break
            if node >= 2 * blocks:  # a tuple
                p = node - 2 * blocks
                reached += mass[p]
                known = False
                for c in range(length):
                    known = known or listed[p, c] == i
                if known:
                    continue
                if used[p] == places:
                    left_out = min(left_out, gap)
                    continue
                listed[p, used[p]] = i
                scores[p, used[p]] = gap + now.best[p] - offset
                used[p] += 1
            elif node >= blocks:
                first = (node - blocks) * _BLOCK
                _values(tree.points, node - blocks, site, weights, offset, values)
                for p in range(first, min(n, first + _BLOCK)):
                    heappush(heap, (values[p - first] - now.best[p], 2 * blocks + p))
            else:
                for child in range(2 * node, 2 * node + 2):
                    if now.most_best[child] > -np.inf:
                        near, _ = _nearest_and_furthest(tree.low, tree.high, child, site, weights, offset)
                        heappush(heap, (near - now.most_best[child], child))
        floors[i] = max(offset - max(left_out, 0.0), -reach)
