"""The workbench of the power diagram: tuples in order, candidate lists, and the ascent on the offsets.

Everything that decides is an integer, in int64 or in float64 below 2^53: the same input gives the same
diagram with any number of threads and on any processor. Machine code is in `compiled`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.executor import THREADS, slices
from server.statistics.microaggregation.compiled import auction, listed, tuple_tree, weighted_cuts
from server.statistics.microaggregation.geometry import EXACT, span
from server.statistics.microaggregation.profiles import Profiles
from server.statistics.microaggregation.sites import ROWS, Sites

CANDIDATES: Final = 8
EXTRA_CANDIDATES: Final = 4
_NEIGHBOURS: Final = 12
"""Tuples that stand together in the order of the workbench."""
_SITES: Final = 256
"""Sites whose floors a thread looks for at a time."""
_GIVEN_UP: Final = float(1 << 55)
"""Offset of a site that wins nobody."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """Who wins each tuple at some offsets, within the lists.

    Attributes
    ----------
    labels : int array, n
    best, second : float array of integers, n
        Value of the winner, and of the next.
    held : int array, m
        Mass that each site wins.
    """

    labels: IntArray
    best: FloatArray
    second: FloatArray
    held: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lists:
    """For every tuple the sites that may win it, as of the offsets for which the lists were made.

    Attributes
    ----------
    sites : int array, n x (C + E)
    scores : float array of integers, n x (C + E)
        Listed sites of every tuple, and their squared distances.
    floors : float array of integers, m
        Offset of each site at which it would begin to win tuples that do not list it.
    mass : int array, n
    """

    sites: Int32Array
    scores: FloatArray
    floors: FloatArray
    mass: IntArray

    def standing(self, offsets: FloatArray) -> Standing:
        """Best listed site of every tuple."""
        n = len(self.sites)
        labels, best, second = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n)
        THREADS.map(
            lambda rows: listed.settle(
                self.sites[rows], self.scores[rows], offsets, labels[rows], best[rows], second[rows]
            ),
            slices(n, ROWS),
        )
        held = listed.masses(labels, self.mass, len(offsets))
        return Standing(labels=labels, best=best, second=second, held=held)

    def restrained(self, offsets: FloatArray, targets: IntArray) -> Standing:
        """Raise the offset of every site with more than twice its target, in place; what stands then.

        A site that moves can turn an offset that was right into one that wins everybody. That must be
        undone before the cells that it starves begin to bid against it.
        """
        now = self.standing(offsets)
        raised = listed.restrain(
            self.sites,
            self.scores,
            self.mass,
            offsets,
            now.labels,
            now.best,
            now.second,
            now.held,
            targets,
        )
        return self.standing(offsets) if raised else now

    def ascend(
        self, offsets: IntArray, steps: IntArray, targets: IntArray, rounds: int, reach: int
    ) -> tuple[IntArray, IntArray]:
        """Lower the offset of cells below their target mass (m), raise (up to 0) that of cells above it.

        Each cell has a step of its own that grows while the sign of its deficit stays and is halved when
        it changes (Riedmiller and Braun 1993, Rprop), because cells near outliers live on another scale
        than dense ones. The deficit is the gradient of the dual of the transport problem whose optimum is
        the best assignment to these sites with at least that mass each (Aurenhammer, Hoffmann, Aronov
        1998).
        """
        found, before = offsets.astype(float), np.zeros(len(offsets), dtype=np.int64)
        for turn in range(rounds):
            often = turn < 4 or turn % 4 == 0
            now = self.restrained(found, targets) if often else self.standing(found)
            deficit = np.clip(targets - now.held, -targets, targets)
            sign = np.sign(deficit)
            at_end = np.where(sign > 0, found <= self.floors, found >= 0.0)
            if (at_end | (sign == 0)).all():
                break
            agree = sign * before
            steps = np.where(agree > 0, steps + steps // 4, np.where(agree < 0, steps // 2, steps))
            steps = np.clip(steps, 1, reach // 4 + 1)
            found = np.clip(found - _proportion(steps, deficit, targets), self.floors, 0.0)
            before = sign
        return found.astype(np.int64), steps

    def bid(
        self, offsets: FloatArray, enough: IntArray, patience: int, retreats: int
    ) -> tuple[IntArray, IntArray]:
        """Let sites that hold less than `enough` (m) bid, and give up those that cannot be supplied.

        At most `retreats` times some are given up, the poorest first, and the others bid again.

        Returns
        -------
        kept : int array
            Sites that were not given up.
        offsets : int array
            Of those.
        """
        found, enough, typical = offsets.copy(), enough.copy(), int(enough.mean())
        kept = np.ones(len(offsets), dtype=bool)
        entries = auction.entries_of(self.sites, self.scores, self.mass, len(offsets))
        for turn in range(retreats + 1):
            now = self.standing(found)
            auction.auction(
                entries,
                enough,
                self.floors,
                found,
                now.labels,
                now.best,
                now.held,
                np.flatnonzero(kept),
                patience * int(kept.sum()) + 200,
            )
            poor = np.flatnonzero(kept & (now.held < enough))
            missing = int((enough - now.held)[poor].sum())
            given_up = poor[np.argsort(now.held[poor], kind="stable")][: max(1, missing // (2 * typical))]
            if turn == retreats or not len(poor) or len(given_up) >= kept.sum():
                break
            kept[given_up], found[given_up], enough[given_up] = False, _GIVEN_UP, 0
        return np.flatnonzero(kept), found[kept].astype(np.int64)


class Workbench:
    """The tuples on the refined grid, about their middle, with what each of them weighs.

    Attributes
    ----------
    order : int array, n
        Row of the given X of each tuple here: neighbours stand together.
    X : int array, n x d
        In this order, at resolution 1.
    tuples : Profiles
        In this order, on the refined grid.
    """

    def __init__(self, X: IntArray, mass: IntArray, weights: IntArray, resolution: int) -> None:
        self.middle: IntArray = (X.min(axis=0) + X.max(axis=0)) // 2
        self.resolution = resolution
        self.weights = weights.astype(float)
        self.reach = resolution**2 * span(X, weights)
        if 2 * self.reach >= EXACT:
            raise ValueError("distance plus offset could reach 2**53: lower the resolution or the weights")
        alike = np.ones(len(X), dtype=np.int64)
        centred = np.subtract(X, self.middle, dtype=float)
        _, self.order = _cut(centred, self.weights, alike, -(-len(X) // _NEIGHBOURS))
        del centred  # with many categories as large as everything else
        self.X: IntArray = X[self.order]
        self.X -= self.middle
        self.mass: IntArray = mass[self.order]
        self.tuples = Profiles.of(self._refined())
        self._tree = tuple_tree.plant(self.tuples, tuple_tree.rows_by_profile(self.tuples))
        self._in_order = tuple_tree.rows_in_order(len(X))
        self._frame = tuple_tree.boxes_of(self.tuples, self._in_order)

    def _refined(self) -> FloatArray:
        """The tuples on the refined grid, n x d."""
        return np.multiply(self.X, self.resolution, dtype=float)

    def regions(self, count: int) -> IntArray:
        """At most `count` regions of nearly equal mass, by cuts near weighted medians: labels (n) from 0."""
        labels, _ = _cut(self._refined(), self.weights, self.mass, count)
        return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def means(
        self, people: IntArray, labels: IntArray, count: int, otherwise: IntArray | None = None
    ) -> IntArray:
        """Mean of each label's people (n), rounded to the grid (half up); of an empty label `otherwise`."""
        size, total = (
            listed.masses(labels, people, count)[:, None],
            listed.sums(self.X, people, labels, count),
        )
        means = (2 * self.resolution * total + size) // (2 * np.maximum(size, 1))
        return means if otherwise is None else np.where(size > 0, means, otherwise)

    def explained(self, people: IntArray, labels: IntArray, count: int) -> int:
        """Sum of squares between the labels' means of people (n), rounded: the more, the less is lost."""
        size = listed.masses(labels, people, count).tolist()
        totals = listed.sums(self.X, people, labels, count).tolist()
        return sum(
            int(w) * total * total // heads
            for heads, row in zip(size, totals, strict=True)
            for w, total in zip(self.weights, row, strict=True)
            if heads
        )

    def assign(self, sites: IntArray, offsets: IntArray) -> IntArray:
        """Exact argmin over all sites, ties to the lowest index: what a device computes."""
        return Sites(sites, self.weights).assign(self.tuples, offsets)

    def lists(self, sites: IntArray, offsets: IntArray, wanted: int) -> Lists:
        """Candidate lists: each tuple's best sites, and for each site at least `wanted` mass of tuples.

        A far-off site is nobody's near neighbour; without the second half its offset would fall and fall
        without effect, and then win everybody at the next renewal of the lists.
        """
        m, n = len(sites), len(self.X)
        length = min(CANDIDATES, m)
        here, values = sites.astype(float), offsets.astype(float)
        near, scores = Sites(sites, self.weights).rank(self.tuples, offsets, min(length + 1, m))
        known = tuple_tree.gaps_of_next(near, scores, values, length, m)
        near, scores = near[:, :length].copy(), scores[:, :length].copy()
        now = tuple_tree.standings(self._tree.row, near, scores, values)
        floors = np.empty(m)
        THREADS.map(
            lambda rows: tuple_tree.floors(
                self._tree,
                now,
                here,
                self.weights,
                values,
                float(self.reach),
                known,
                floors,
                rows.start,
                rows.stop,
            ),
            slices(m, _SITES),
        )
        reached = np.bincount(near.ravel(), weights=np.repeat(self.mass, length), minlength=m)
        few = np.flatnonzero(reached < wanted)
        if len(few):
            free = np.full((n, EXTRA_CANDIDATES), listed.UNUSED)
            scores = np.concatenate([scores, free], axis=1)
            near = np.concatenate([near, np.repeat(near[:, :1], EXTRA_CANDIDATES, axis=1)], axis=1)
            tuple_tree.list_more(
                self._tree,
                now,
                self._frame,
                tuple_tree.greatest_of_nodes(self._in_order, now.best),
                here,
                self.weights,
                values,
                few,
                wanted,
                self.mass,
                length,
                near,
                scores,
                floors,
                float(self.reach),
            )
        return Lists(sites=near, scores=scores, floors=floors, mass=self.mass)

    def scale(self, sites: IntArray) -> IntArray:
        """A quarter of the squared distance to the nearest other site, at least 1: a cell's own yardstick."""
        near = min(2, len(sites))
        still = np.zeros(len(sites), dtype=np.int64)
        _, scores = Sites(sites, self.weights).rank(Profiles.of(sites.astype(float)), still, near)
        return np.maximum(scores[:, -1].astype(np.int64) // 4, 1)


def _cut(points: FloatArray, weights: FloatArray, mass: IntArray, regions: int) -> tuple[IntArray, IntArray]:
    labels, order = np.empty(len(points), dtype=np.int64), np.arange(len(points))
    weighted_cuts.cut(points, weights, mass, regions, labels, order)
    return labels, order


def _proportion(steps: IntArray, deficit: IntArray, targets: IntArray) -> IntArray:
    """steps * deficit / targets in integers that cannot overflow: the share is taken in 1/256."""
    return steps * (256 * deficit // targets) // 256
