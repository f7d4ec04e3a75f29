"""MDAV-generic on records, exact: the partition of the plain quadratic program, in far less time.

While at least 3k records remain, r is the record farthest from their centroid and s the record farthest from
r; the k nearest to r form a group, then the k nearest to s, unless s went with r. With 2k to 3k - 1 left one
group is formed around r, and the rest is the last group.

Here r is found in a queue sorted by distance from an anchor (see `compiled.centroid_queue`), the nearest
records in a k-d tree that shrinks (see `compiled.tree`), and s in whichever of the two is cheaper. Both
only skip records that cannot win.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.preparation import bounded_matrix
from server.statistics.microaggregation.size_rule import SizeRule


def mdav_records(
    X: ArrayLike,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 (the common signature)
    progress: Progress | None = None,
) -> IntArray:
    """Divide records into groups of k to 2k - 1 by MDAV-generic.

    A :class:`Partitioner` for one head count k; groups are numbered in the order of formation.

    Notes
    -----
    Guarantee: with one person a record, every group has k to 2k - 1 records and the labels are those of this
    program with a C-ordered float64 matrix, bit for bit and whatever the ties::

        centroid = X[rows].mean(axis=0);  distance = ((X[rows] - point) ** 2).sum(axis=1)
        farthest = rows[distance.argmax()];  nearest = rows[distance.argsort(kind="stable")[:k]]

    with `rows` in ascending order. So ties go to the lowest index, and sums are rounded in numpy's order.
    Distances to records are computed in that order and compared as they are. The centroid is kept in
    double-double arithmetic and lies within a proven bound of numpy's; only records closer in distance than
    that bound allows are compared again, with numpy's centroid summed anew. Where every order of summation
    gives the same sum (integers, decimals on a common binary grid) the bound is zero. The input order
    matters only where distances tie.

    With counts a group takes records in ascending distance until it holds k people. It is formed only if at
    least k people are left; otherwise all that is left is the last group. The centroid is then the weighted
    mean from sums in double-double arithmetic, which rounds correctly unless a column spans more than some
    twenty orders of magnitude. Groups hold at least k people, and equal the result without counts if each
    count is 1.

    Time between O(n log n) and O(n^2) where trees prune well (measured for d = 5 and k = 5 about n^1.4 up to
    a million records), O(n^2 d / k) at worst, as the plain program always takes. Memory about 8 copies of X.
    The first call compiles for some seconds, see `warm_up`.

    References
    ----------
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11, Algorithm 5.1 (MDAV-generic).
    Bentley (1975) and Friedman, Bentley, Finkel (1977) for the k-d tree.
    """
    matrix = bounded_matrix(X)
    k, people = rule.head_counts("mdav_records", len(matrix), counts)
    return _Division(matrix, people, k).run(progress)


def warm_up() -> None:
    """Compile all that `mdav_records` needs, or load it from the cache.

    The first call after an installation takes about fifteen seconds on one core, with a cache later ones
    well below one; without it the first `mdav_records` does the same. A server calls this before it
    accepts requests. See `compiled.compilation` for where the cache lies.
    """
    mdav_records(np.arange(40.0).reshape(20, 2), SizeRule.of_k(3))


class _Division:
    """The state of one run, between stretches of compiled rounds."""

    def __init__(self, X: FloatArray, people: IntArray, k: int) -> None:
        from server.statistics.microaggregation.compiled import centroid_queue, mdav_rounds, tree, tree_search

        self.rounds: ModuleType = mdav_rounds
        self.queues: ModuleType = centroid_queue
        self.trees: ModuleType = tree
        n, d = X.shape
        self.X, self.people, self.k = X, people, k
        self.single = int(people.max()) == 1
        self.labels: IntArray = np.full(n, -1, dtype=np.int64)
        self.state = np.array([0, n, int(people.sum()), n], dtype=np.int64)
        self.space = tree_search.workspace(d, min(k, n))
        self.twins = centroid_queue.twins(X)
        self.sums = centroid_queue.zero_sums(d)
        self.centroid = np.empty(d)

    def sorted_queue(self) -> tuple[np.ndarray, ...]:
        self.queues.add_up(self.X, self.people, self.labels, self.sums)
        _, records, left, _ = self.state.tolist()
        self.queues.locate(self.sums, records, left, self.single, self.centroid)
        return self.queues.line_up(self.X, self.labels, self.twins, self.centroid)  # type: ignore[no-any-return]

    def run(self, progress: Progress | None) -> IntArray:
        total = int(self.people.sum())
        queue = self.sorted_queue()
        planted = self.trees.plant(self.X, np.arange(len(self.X)), self.centroid)
        while True:
            why = self.rounds.advance(
                self.X,
                self.people,
                self.labels,
                planted,
                self.space,
                queue,
                self.twins,
                self.sums,
                self.state,
                self.k,
                self.single,
                1 + 20_000 // self.k,
            )
            if progress is not None:
                progress(total - int(self.state[2]), total)
            if why == self.rounds.DONE:
                return self.labels
            if why == self.rounds.SORT:
                queue = self.sorted_queue()
            elif why == self.rounds.PLANT:
                planted = self.trees.plant(self.X, np.flatnonzero(self.labels < 0), self.centroid)
                self.state[3] = self.state[1]
