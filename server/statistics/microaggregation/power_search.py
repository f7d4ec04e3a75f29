"""The workbench of the power diagram: exact scores, short candidate lists, and the ascent on the offsets.

Everything that decides is an integer. Scores are float64 matrix products of integers whose partial sums
stay below 2**53, candidate lists are sets of unique integer keys, and the ascent is integer arithmetic;
so the same input gives the same diagram with any BLAS, any number of threads and any processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.geometry import EXACT, span, sums_by_label

CANDIDATES: Final = 16
EXTRA_CANDIDATES: Final = 8
UNUSED: Final = 1 << 60
"""Score of a place in a list that nobody took."""
_BLOCK: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lists:
    """For every tuple the sites that may win it, as of the offsets for which the lists were made.

    Attributes
    ----------
    sites, scores : int array, (C + E) x n
        Listed sites of every tuple, and their scores without offsets.
    floors : int array, m
        Offset of each site at which it would begin to win tuples that do not list it.
    """

    sites: IntArray
    scores: IntArray
    floors: IntArray

    def assign(self, offsets: IntArray) -> tuple[IntArray, IntArray]:
        """Best listed site of every tuple, and its score with offset."""
        best = self.scores[0] + offsets[self.sites[0]]
        labels = self.sites[0].copy()
        for site, score in zip(self.sites[1:], self.scores[1:], strict=True):
            value = score + offsets[site]
            better = value < best
            np.minimum(best, value, out=best)
            np.copyto(labels, site, where=better)
        return labels, best

    def restrain(self, offsets: IntArray, mass: IntArray, target: int) -> IntArray:
        """Raise the offset of every cell with more than twice the `target` mass to where it would hold
        the target.

        A site that moves can turn an offset that was right into one that wins everybody. That must be
        undone before the cells that it starves begin to bid against it.
        """
        count = len(offsets)
        labels, best = self.assign(offsets)
        held = np.bincount(labels, weights=mass, minlength=count).astype(np.int64)
        greedy = (held > 2 * target) & (offsets < 0)
        if not greedy.any():
            return offsets
        second = np.full(len(labels), UNUSED, dtype=np.int64)
        for site, score in zip(self.sites, self.scores, strict=True):
            np.minimum(second, np.where(site == labels, UNUSED, score + offsets[site]), out=second)
        row, point = np.nonzero(greedy[self.sites] & (self.scores < UNUSED))
        site = self.sites[row, point]
        # The offset up to which the site wins the tuple.
        limit = np.where(labels[point] == site, second[point], best[point]) - self.scores[row, point]
        order = np.lexsort((-limit, site))
        site, limit, total = site[order], limit[order], mass[point[order]].cumsum()
        first = np.searchsorted(site, np.flatnonzero(greedy))
        before = np.concatenate(([0], total))[first]
        last = np.minimum(np.searchsorted(total, before + target), np.append(first[1:], len(site)) - 1)
        raised = offsets.copy()
        raised[greedy] = np.clip(limit[last] - 1, offsets[greedy], 0)
        return raised


class Workbench:
    """The tuples on the refined grid, about their middle, with what each of them weighs.

    `score(x, site) = d(x, site) - d(x, middle)`: the part of the distance that tells sites apart.
    """

    def __init__(self, X: IntArray, mass: IntArray, weights: IntArray, resolution: int) -> None:
        self.middle: IntArray = (X.min(axis=0) + X.max(axis=0)) // 2
        self.X: IntArray = X - self.middle
        self.mass = mass
        self.resolution = resolution
        self.weights = weights.astype(float)
        self.points: FloatArray = (resolution * self.X).astype(float)
        self.reach = resolution**2 * span(X, weights)
        if 2 * self.reach >= EXACT:
            raise ValueError("distance plus offset could reach 2**53: lower the resolution or the weights")

    def means(self, labels: IntArray, count: int, otherwise: IntArray | None = None) -> IntArray:
        """Mean of each label's people, rounded to the grid (half up); an empty label keeps `otherwise`."""
        size = sums_by_label(self.mass[:, None], labels, count)
        total = sums_by_label(self.X * self.mass[:, None], labels, count)
        means = (2 * self.resolution * total + size) // (2 * np.maximum(size, 1))
        return means if otherwise is None else np.where(size > 0, means, otherwise)

    def blocks(self, sites: IntArray) -> Iterator[tuple[slice, FloatArray]]:
        """Scores of a block of tuples against all sites (b x m), exact."""
        f = sites.astype(float)
        own = (f * f * self.weights).sum(axis=1)
        slope = np.ascontiguousarray((2 * f * self.weights).T)
        for start in range(0, len(self.points), _BLOCK):
            rows = slice(start, min(start + _BLOCK, len(self.points)))
            yield rows, own - self.points[rows] @ slope

    def assign(self, sites: IntArray, offsets: IntArray) -> IntArray:
        """Exact argmin over all sites, ties to the lowest index: what a device computes."""
        labels = np.empty(len(self.points), dtype=np.int64)
        for rows, score in self.blocks(sites):
            score += offsets
            labels[rows] = score.argmin(axis=1)
        return labels

    def lists(self, sites: IntArray, offsets: IntArray, wanted: int) -> Lists:
        """Candidate lists: each tuple's best sites, and for each site at least `wanted` mass of tuples.

        A far-off site is nobody's near neighbour; without the second half its offset would fall and fall
        without effect, and then win everybody at the next renewal of the lists.
        """
        m, n = len(sites), len(self.points)
        length = min(CANDIDATES, m)
        bits = max(1, (m - 1).bit_length())
        shift = max(0, 54 + bits - 62)
        number = np.arange(m, dtype=np.int64)
        listed = np.empty((length + EXTRA_CANDIDATES, n), dtype=np.int64)
        scores = np.empty_like(listed)
        reached = np.zeros(m, dtype=np.int64)
        margin = np.full(m, EXACT, dtype=np.int64)
        for rows, exact in self.blocks(sites):
            score = exact.astype(np.int64)
            gap = score + offsets
            gap -= gap.min(axis=1)[:, None]
            # Unique keys: which of several equal ones a partition picks would depend on the processor.
            key = (gap >> shift << bits) | number
            if length < m:
                key = np.partition(key, length - 1, axis=1)[:, :length]
            near = np.sort(key & ((1 << bits) - 1), axis=1)
            listed[:length, rows] = near.T
            scores[:length, rows] = np.take_along_axis(score, near, axis=1).T
            np.put_along_axis(gap, near, EXACT, axis=1)
            np.minimum(margin, gap.min(axis=0), out=margin)
        for row in listed[:length]:
            reached += np.bincount(row, weights=self.mass, minlength=m).astype(np.int64)
        listed[length:], scores[length:] = listed[0], UNUSED
        lists = Lists(sites=listed, scores=scores, floors=margin)
        self._extend(lists, length, sites, offsets, np.flatnonzero(reached < wanted), wanted)
        np.subtract(offsets, margin, out=margin)
        np.maximum(margin, -self.reach, out=margin)
        return lists

    def _extend(
        self, lists: Lists, length: int, sites: IntArray, offsets: IntArray, few: IntArray, wanted: int
    ) -> None:
        """List each of the sites `few` with the tuples most easily won for it; widen its margin."""
        best = lists.assign(offsets)[1]
        used = np.zeros(len(best), dtype=np.int64)
        for site in few:
            f = sites[site].astype(float)
            own = (f * f * self.weights).sum()
            score = (own - self.points @ (2 * f * self.weights)).astype(np.int64)
            gap = score + offsets[site] - best
            order = np.argsort(gap, kind="stable")
            end = int(np.searchsorted(self.mass[order].cumsum(), wanted)) + 1
            near = order[:end]
            near = near[~(lists.sites[:length, near] == site).any(axis=0)]
            full = used[near] >= EXTRA_CANDIDATES
            left_out = np.append(gap[near[full]], gap[order[end : end + 1]])
            near = near[~full]
            lists.sites[length + used[near], near] = site
            lists.scores[length + used[near], near] = score[near]
            used[near] += 1
            lists.floors[site] = left_out.min() if len(left_out) else EXACT

    def scale(self, sites: IntArray) -> IntArray:
        """A quarter of the squared distance to the nearest other site, at least 1: a cell's own yardstick."""
        f = sites.astype(float)
        own = (f * f * self.weights).sum(axis=1)
        nearest = np.empty(len(sites))
        for start in range(0, len(sites), _BLOCK):
            rows = slice(start, min(start + _BLOCK, len(sites)))
            distance = own[rows, None] + own - 2 * ((f[rows] * self.weights) @ f.T)
            distance[np.arange(len(distance)), np.arange(rows.start, rows.stop)] = EXACT
            nearest[rows] = distance.min(axis=1)
        return np.maximum(nearest.astype(np.int64) // 4, 1)

    def ascend(
        self, lists: Lists, offsets: IntArray, steps: IntArray, target: int, rounds: int
    ) -> tuple[IntArray, IntArray]:
        """Lower the offset of cells below `target` mass, raise (up to 0) that of cells above it.

        Each cell has a step of its own that grows while the sign of its deficit stays and is halved when
        it changes (Riedmiller and Braun 1993, Rprop), because cells near outliers live on another scale
        than dense ones. The deficit is the gradient of the dual of the transport problem whose optimum is
        the best assignment to these sites with at least `target` mass each (Aurenhammer, Hoffmann, Aronov
        1998).
        """
        offsets, steps = offsets.copy(), steps.copy()
        before = np.zeros(len(offsets), dtype=np.int64)
        for turn in range(rounds):
            if turn < 4 or turn % 4 == 0:
                offsets = lists.restrain(offsets, self.mass, target)
            labels, _ = lists.assign(offsets)
            held = np.bincount(labels, weights=self.mass, minlength=len(offsets)).astype(np.int64)
            deficit = np.clip(target - held, -target, target)
            sign = np.sign(deficit)
            agree = sign * before
            steps = np.where(agree > 0, steps + steps // 4, np.where(agree < 0, steps // 2, steps))
            steps = np.clip(steps, 1, self.reach // 4 + 1)
            offsets = np.clip(offsets - _proportion(steps, deficit, target), lists.floors, 0)
            before = sign
        return offsets, steps


def _proportion(steps: IntArray, deficit: IntArray, target: int) -> IntArray:
    """steps * deficit / target in integers that cannot overflow: the share is taken in 1/256."""
    return steps * (256 * deficit // target) // 256
