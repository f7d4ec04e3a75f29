"""MDAV in specifiable form: cells are closed balls minus the earlier balls.

MDAV-generic (Domingo-Ferrer and Torra 2005, Algorithm 5.1) chooses the record r farthest from the
centroid of the remaining records and the record s farthest from r, and forms a group around each. Here a
group is not "the k nearest records" but "all records up to a radius", so that a device that knows only
its own tuple finds its cell, and it grows not to a fixed k but until its need is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.geometry import checked, span, squared_distances
from server.statistics.microaggregation.size_rule import SizeRule

FURTHER_REFERENCES: Final = 64
"""How many references are tried when the extreme one cannot be cut off (ties, large multiplicities)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallCells:
    """A partition by closed balls, in the order in which a device must try them.

    Attributes
    ----------
    references : int array, c x d
        Reference tuples: rows of X.
    radii : int array, c
        Squared radii. A record belongs to the first ball with distance <= radius. The last ball reaches the
        farthest record that remained, so no record of the model needs the remainder rule; a tuple outside
        all balls (nobody in the model has it) goes by that rule: to the last cell, or to the nearest
        reference.
    labels : int array, n
        Cell of each row of X.
    counts : int array, c x L
        People per cell and participation level.
    """

    references: IntArray
    radii: IntArray
    labels: IntArray
    counts: IntArray


def mdav(
    X: IntArray,
    people: IntArray,
    weights: Sequence[int] | IntArray,
    rule: SizeRule,
    *,
    progress: Progress | None = None,
) -> BallCells:
    """Divide distinct tuples into balls, each of which meets its need.

    Parameters
    ----------
    X : int array, n x d
        Distinct tuples in canonical (lexicographic) order.
    people : int array, n x L
        People per tuple and participation level; each row sums to at least 1.
    weights : d integers >= 0
        Weight per coordinate; any squared distance within X must stay below 2**53.
    rule : SizeRule
        A cell grows in ascending distance from its reference until it is acceptable.
    progress : callable, optional
        `progress(people placed, people)`, once a round.

    Returns
    -------
    BallCells
        "First ball that contains x" gives `labels[i]` for every row i of X.

    Raises
    ------
    ValueError
        Input that breaks the rules above, or all people together do not meet the need.

    Notes
    -----
    Guarantee: every cell is acceptable to `rule`. A ball is cut off only when it and what remains are both
    acceptable; what remains at the end, which contains no further ball of that kind that was tried, is
    the last cell. With one level, single people and no equal distances this is MDAV-generic, group for
    group: a round with at least 3k people forms two groups, one with 2k..3k-1 forms one, and the rest of
    k..2k-1 people is the last group. Equal distances make a ball larger than its need. If the ball around
    r would leave too little, the records are tried as references in descending distance from r (at most
    64), so that one heavy tie does not end the division.

    Ties: farthest record -> lowest canonical index. The farthest from the centroid is selected in float64
    and decided in exact integers among the candidates within the error bound, so the result is the same
    on any machine. Time O(c n d) for c cells, memory O(n d).
    """
    X, people, w = checked(X, people, weights, rule.levels)
    division = _Division(X, people, w, rule)
    references: list[IntArray] = []
    radii: list[int] = []
    labels = np.full(len(X), -1, dtype=np.int64)

    def cut(position: int, distance: FloatArray) -> bool:
        radius = division.radius(distance)
        if radius is None:
            return False
        inside = distance <= radius
        if not division.leaves_enough(inside):
            return False
        references.append(division.tuple_at(position))
        radii.append(int(radius))
        labels[division.index[inside]] = len(radii) - 1
        division.remove(inside)
        return True

    if not rule.acceptable(division.counts):
        raise ValueError("all people together do not meet the need of one cell")
    while True:
        r = division.farthest_from_centroid()
        from_r = division.distances_from(r)
        if not division.may_be_divided():
            break
        s_row = int(division.index[int(from_r.argmax())])
        if cut(r, from_r):
            s = division.position_of(s_row)
            if s is not None:
                cut(s, division.distances_from(s))
        elif not any(
            cut(int(s), division.distances_from(int(s)))
            for s in np.argsort(-from_r, kind="stable")[:FURTHER_REFERENCES]
        ):
            break
        if progress is not None:
            progress(division.placed, division.total)
    references.append(division.tuple_at(r))
    radii.append(int(from_r.max()))
    labels[division.index] = len(radii) - 1
    counts = np.zeros((len(radii), rule.levels), dtype=np.int64)
    np.add.at(counts, labels, people)
    if progress is not None:
        progress(division.total, division.total)
    return BallCells(
        references=np.array(references, dtype=np.int64).reshape(len(radii), X.shape[1]),
        radii=np.array(radii, dtype=np.int64),
        labels=labels,
        counts=counts,
    )


class _Division:
    """The records not yet placed, as compact arrays: index, columns (d x n, from zero), people."""

    def __init__(self, X: IntArray, people: IntArray, weights: IntArray, rule: SizeRule) -> None:
        self.rule = rule
        self.low = X.min(axis=0)
        self.weights = [int(value) for value in weights]
        self.float_weights = weights.astype(float)
        # Error of a float64 distance to a rounded centroid: (d + 8) units in the last place of the span
        # suffice; 16 times that costs nothing.
        self.error = 16.0 * (X.shape[1] + 8) * 2.0**-53 * float(span(X, weights))
        self.index: IntArray = np.arange(len(X))
        self.columns: FloatArray = np.ascontiguousarray((X - self.low).T.astype(float))
        self.people = people
        self.size: IntArray = people.sum(axis=1)
        self.counts: IntArray = people.sum(axis=0)
        self.total = int(self.size.sum())
        # Python integers: people x coordinate can be large.
        self.sums = [sum(map(int, (X[:, j] - self.low[j]) * self.size)) for j in range(X.shape[1])]

    @property
    def placed(self) -> int:
        return self.total - int(self.counts.sum())

    def tuple_at(self, position: int) -> IntArray:
        return np.asarray(self.columns[:, position].astype(np.int64) + self.low, dtype=np.int64)

    def position_of(self, row: int) -> int | None:
        position = int(np.searchsorted(self.index, row))
        return position if position < len(self.index) and self.index[position] == row else None

    def distances_from(self, position: int) -> FloatArray:
        return squared_distances(self.columns, self.columns[:, position], self.float_weights)

    def may_be_divided(self) -> bool:
        return len(self.index) > 1 and int(self.counts.sum()) >= 2 * self.rule.floor

    def farthest_from_centroid(self) -> int:
        """Exact argmax of sum_j w_j (n x_j - sums_j)^2, lowest position on ties."""
        n = int(self.counts.sum())
        centroid = np.array([total / n for total in self.sums])
        distance = squared_distances(self.columns, centroid, self.float_weights)
        candidates = np.flatnonzero(distance >= distance.max() - 2 * self.error)
        if len(candidates) == 1:
            return int(candidates[0])
        # For a fixed centroid the order is that of n |x|^2 - 2 x.sums, which needs no division.
        scores = np.zeros(len(candidates), dtype=object)
        for column, weight, total in zip(self.columns, self.weights, self.sums, strict=True):
            if weight:
                x = column[candidates].astype(np.int64).astype(object)
                scores += weight * x * (n * x - 2 * total)
        best = max(scores)
        return int(candidates[next(i for i, score in enumerate(scores) if score == best)])

    def radius(self, distance: FloatArray) -> float | None:
        """Smallest radius whose closed ball is acceptable; None when not even all records are."""
        if self.rule.predicate is None:
            return self._radius_by_count(distance, self.rule.floor)
        n, reach = len(distance), 2 * max(self.rule.minimum)
        while True:
            bound = np.inf if reach >= n else np.partition(distance, reach - 1)[reach - 1]
            near = np.flatnonzero(distance <= bound)
            near = near[np.argsort(distance[near], kind="stable")]
            values = distance[near]
            cumulative = self.people[near].cumsum(axis=0)
            last_of_tie = np.append(values[1:] > values[:-1], True)
            for i in np.flatnonzero(last_of_tie & (cumulative.sum(axis=1) >= self.rule.floor)):
                if self.rule.acceptable(cumulative[i]):
                    return float(values[i])
            if reach >= n:
                return None
            reach *= 2

    def _radius_by_count(self, distance: FloatArray, minimum: int) -> float | None:
        # Every tuple stands for at least one person, so the `minimum` nearest tuples are enough. Which of
        # several tuples at the boundary distance are among them does not matter: the boundary value is
        # the same.
        if minimum < len(distance):
            near = np.argpartition(distance, minimum - 1)[:minimum]
        else:
            near = np.arange(len(distance))
        near = near[np.argsort(distance[near], kind="stable")]
        position = int(np.searchsorted(self.size[near].cumsum(), minimum))
        return float(distance[near[position]]) if position < len(near) else None

    def leaves_enough(self, inside: np.ndarray) -> bool:
        left = self.counts - self.people[inside].sum(axis=0)
        return self.rule.acceptable(left)

    def remove(self, inside: np.ndarray) -> None:
        gone, stay = np.flatnonzero(inside), np.flatnonzero(~inside)
        size = self.size[gone]
        for j in range(len(self.sums)):
            self.sums[j] -= sum(map(int, self.columns[j, gone].astype(np.int64) * size))
        self.counts = self.counts - self.people[gone].sum(axis=0)
        self.index, self.people, self.size = self.index[stay], self.people[stay], self.size[stay]
        self.columns = self.columns[:, stay]
