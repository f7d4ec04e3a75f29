"""mu-Approx: a forest of short edges, decomposed into small trees, with a proven bound on the loss.

Domingo-Ferrer, Sebe and Solanas (2008) carry the graph algorithm of Aggarwal et al. (2005) for
k-anonymity over to multivariate microaggregation.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.spatial import cKDTree

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import bounded_matrix
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.trees import canonical_order, cut_longest, members

_NEIGHBOURS: Final = 16
"""How many near values are looked up beforehand; the rare record that needs more asks again."""


def mu_approx(
    X: FloatArray,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,
    order: IntArray | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Partition records by mu-Approx.

    A :class:`Partitioner` for one head count k; groups are in the order of their lowest record (in canonical
    order).

    Parameters
    ----------
    seed : int
        Of the random choices: which of several smallest trees grows next, or, with `order`, which edges go.
    order : int array, n, optional
        All records, each once: the order in which the paper's program goes through them, which is that of
        the file (0, 1, ..., n - 1). Without it the order of the rows does not matter. ValueError if it is
        none.

    Notes
    -----
    1. FOREST: while a tree has fewer than k records, the one record of it without an outgoing edge sends
       one to its nearest record outside the tree, which is among its k - 1 nearest (Procedure 1).
    2. DECOMPOSE-COMPONENT: trees of more than M = max(2k - 1, 3k - 5) records are divided: the longest
       edge with k records on both sides is removed; where there is none, all subtrees of some vertex are
       smaller than k, and are put together into parts. Each part keeps that vertex as a connection, but
       only one of them counts it as a member; in the others it is a *Steiner vertex* (Procedure 2).
    3. Groups of 2k and more records are divided further by MDAV.

    The paper (procedures in section 2, algorithm in section 3) proves, with SSE* and SDE* the least possible
    sums of squared distances and of distances to the group centroids (Theorem 2, section 5, and Theorem 1,
    section 4):

        SSE <= 2 (2k - 1) M^2 SSE*           SDE <= (2k - 1) M SDE*

    We have, for single records and any seed, a little better:

        SSE <= (k + 1) M (M - 1) SSE*        SDE <= (k + 1) M SDE*

    For a group of an optimal partition with centroid c and r the k-th smallest distance to c, an edge of
    a member u is at most d(u, c) + r, and r is at most the k-th part of the group's sum of distances: so
    the edges sum to at most (k + 1) SDE*, their squares to 2 (k + 1) SSE*. Every edge ends up in at most
    one tree; a tree of t <= M members has at most one Steiner vertex, hence no path of more than t edges,
    hence two members are at most sqrt(t sum e^2) apart. Both are O(k^3) and O(k^2) at worst, as in the
    paper; in practice the loss is near MDAV's.

    Free choices of the paper and how they are made: the smallest tree grows next, of equal ones a random
    one; ties of distance go to a record of the same values, else to the lower ones in canonical order; the
    edge that is removed is the longest, not any. The vertex stays with the rest as long as it can, so that
    no tree ever gets a second Steiner vertex (in the paper's order of cases it may, and then cannot be
    divided any more).

    With `order` they are made as in the printed tables: each record in turn sends its edge, if its tree is
    still small, and any edge may be removed, a random one. That follows the tables (docs/reproduction.md),
    and loses 1 to 20 % more where a file has another order than theirs.

    With counts, M is a target, not a promise (one record may hold more); every group still holds k
    people. Time O(n k log n) without the MDAV of small groups, memory O(n d).

    References
    ----------
    J. Domingo-Ferrer, F. Sebe, A. Solanas, "A polynomial-time approximation to optimal multivariate
    microaggregation", Computers and Mathematics with Applications 55 (2008) 714-732.
    G. Aggarwal et al., "Approximation algorithms for k-anonymity", J. Privacy Technology (2005).
    """
    X = bounded_matrix(X)
    k, people = rule.head_counts("mu_approx", len(X), counts)
    if order is not None:
        order = np.asarray(order)
        if not np.array_equal(np.sort(order), np.arange(len(X))):
            raise ValueError("order must hold every record once")
    canonical = canonical_order(X, people)
    X, people = X[canonical], people[canonical]
    # A record's place in canonical order, in the order of the turns.
    turns = None if order is None else np.argsort(canonical)[order]
    single = SizeRule.of_k(k)
    labels = np.empty(len(X), dtype=np.int64)
    total, placed, count = int(people.sum()), 0, 0
    for group in components(X, people, k, seed, turns):
        mass = int(people[group].sum())
        if mass >= 2 * k and len(group) > 1:
            inner = mdav_records(X[group], single, counts=people[group])
            labels[canonical[group]] = count + inner
            count += int(inner.max()) + 1
        else:
            labels[canonical[group]] = count
            count += 1
        placed += mass
        if progress is not None:
            progress(placed, total)
    return labels


def components(
    X: FloatArray, people: IntArray, k: int, seed: int, turns: IntArray | None = None
) -> list[IntArray]:
    """Steps 1 and 2 on records in canonical order: the records of each component, ascending."""
    bound = max(2 * k - 1, 3 * k - 5)
    parent = forest(X, people, k, seed, turns)
    if turns is None:
        owners = np.flatnonzero(parent >= 0)
        removed_first = np.zeros(len(X))
        removed_first[owners] = ((X[owners] - X[parent[owners]]) ** 2).sum(axis=1)
    else:
        removed_first = np.random.default_rng(seed).random(len(X))
    parent = cut_longest(parent, removed_first, people, k, bound)
    result: list[IntArray] = []
    for tree in members(parent):
        if int(people[tree].sum()) <= bound:
            result.append(tree)
        else:
            result += _divide_star(tree, parent, people, k, bound)
    return result


def forest(X: FloatArray, people: IntArray, k: int, seed: int, turns: IntArray | None = None) -> IntArray:
    """FOREST on records in canonical order: parents of trees of at least k people each."""
    n = len(X)
    parent = np.full(n, -1, dtype=np.int64)
    neighbours = _Neighbours(X)
    # The one record of a tree without an outgoing edge stands for it.
    leader = list(range(n))
    mass = people.tolist()

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    def grow(u: int) -> int:
        v = next(j for j in neighbours.of(u) if find(j) != u)
        parent[u] = v
        whole = find(v)
        leader[u] = whole
        mass[whole] += mass[u]
        return whole

    if turns is not None:
        # One pass is enough: whoever sends no edge in its turn has a tree of k people already.
        for u in turns.tolist():
            if mass[u] < k:
                grow(u)
        return parent
    draws = np.random.default_rng(seed).random(n).tolist()
    queue = [(mass[i], draw, i) for i, draw in enumerate(draws) if mass[i] < k]
    heapq.heapify(queue)
    while queue:
        size, draw, u = heapq.heappop(queue)
        if leader[u] != u or mass[u] != size:
            continue
        whole = grow(u)
        if mass[whole] < k:
            heapq.heappush(queue, (mass[whole], draw, whole))
    return parent


class _Neighbours:
    """All other records in ascending distance from a record, found as far as they are asked for.

    Equal records come first, the following ones before the preceding ones, so that many equal records do
    not all lead to the same one. Ties between distinct values go to the lower ones, as far as the tree
    returns them.
    """

    def __init__(self, X: FloatArray) -> None:
        new = np.append(True, (X[1:] != X[:-1]).any(axis=1))
        self.start = np.append(np.flatnonzero(new), len(X)).tolist()
        self.values = X[new]
        self.value_of = (np.cumsum(new) - 1).tolist()
        self.tree = cKDTree(self.values)
        self.near = self._nearest(self.values, min(len(self.values), _NEIGHBOURS))

    def of(self, record: int) -> Iterator[int]:
        value = self.value_of[record]
        first, end = self.start[value], self.start[value + 1]
        yield from range(record + 1, end)
        yield from range(first, record)
        near, seen = self.near[value], 0
        while True:
            for other in near[seen:].tolist():
                if other != value:
                    yield from range(self.start[other], self.start[other + 1])
            seen = len(near)
            if seen == len(self.values):
                return
            # A longer list begins with the shorter one but for the order of ties: nothing is left out,
            # and what comes twice does no harm.
            near = self._nearest(self.values[value : value + 1], min(len(self.values), 2 * seen))[0]
            seen //= 2

    def _nearest(self, points: FloatArray, count: int) -> IntArray:
        distance, index = self.tree.query(points, k=count)
        distance, index = distance.reshape(len(points), -1), index.reshape(len(points), -1)
        order = np.lexsort((index, distance), axis=1)
        return np.take_along_axis(index, order, axis=1).astype(np.int64)


def _divide_star(tree: IntArray, parent: IntArray, people: IntArray, k: int, bound: int) -> list[IntArray]:
    """Divide a tree no edge of which has k people on both sides.

    Such a tree has a central vertex whose subtrees all hold fewer than k. They are collected, the heaviest
    first, into parts of at least k, which the vertex connects as a Steiner vertex; it is itself a member
    of what is left, as long as that holds k and is larger than `bound`. With single records one cut more
    is then always possible: if collecting k would leave less than k, the heaviest subtree holds k - 1 and
    makes a part together with the vertex, which becomes the Steiner vertex of the rest.
    """
    inside = tree.tolist()
    children: dict[int, list[int]] = {i: [] for i in inside}
    root = -1
    for i in inside:
        j = int(parent[i])
        if j < 0:
            root = i
        else:
            children[j].append(i)
    order = [root]
    for i in order:
        order += children[i]
    below = {i: int(people[i]) for i in inside}
    for i in reversed(order[1:]):
        below[int(parent[i])] += below[i]
    centre, heavy = root, [root]
    while heavy:
        centre = heavy[0]
        heavy = [j for j in children[centre] if below[j] >= k]
    # Each record's branch: the child of the centre above it, or the root for what lies above the centre.
    branch = {root: root}
    for i in order[1:]:
        branch[i] = i if parent[i] == centre else branch[int(parent[i])]
    mass = {j: below[j] for j in children[centre]}
    if centre != root:
        mass[root] = below[root] - below[centre]
    waiting = sorted(mass, key=lambda j: (mass[j], -j))
    left, own = below[root], int(people[centre])
    part_of: dict[int, int] = {}
    parts, centre_part = 0, 0
    while left > bound:
        takes_centre, chosen = False, _prefix(waiting, mass, k)
        held = sum(mass[j] for j in chosen)
        if held < k or left - held < k:
            takes_centre, chosen = True, _prefix(waiting, mass, k - own)
            held = sum(mass[j] for j in chosen) + own
            if held < k or left - held < k:
                break
        parts += 1
        part_of |= dict.fromkeys(chosen, parts)
        del waiting[len(waiting) - len(chosen) :]
        left -= held
        if takes_centre:
            centre_part = parts
            break
    label = [centre_part if i == centre else part_of.get(branch[i], 0) for i in inside]
    return [tree[np.array(label) == part] for part in range(parts + 1)]


def _prefix(waiting: list[int], mass: dict[int, int], least: int) -> list[int]:
    """The last ones of `waiting`, as many as it takes to hold `least`."""
    chosen: list[int] = []
    held = 0
    for j in reversed(waiting):
        if held >= least:
            break
        chosen.append(j)
        held += mass[j]
    return chosen
