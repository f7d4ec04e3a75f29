"""The last step of a power diagram: every cell acceptable, by the exact mapping, whatever the ascent left
over.

A deficient cell *bids*: it lowers its offset just far enough to win the people whose second choice it is,
the least reluctant first, which may leave a neighbour short, who then bids in turn, until the shortage
reaches a cell that can spare somebody (Bertsekas 1988, auction algorithm). Where there is nobody to
spare, a site is given up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.statistics.microaggregation.geometry import sums_by_label
from server.statistics.microaggregation.power_search import UNUSED, Lists, Workbench
from server.statistics.microaggregation.size_rule import SizeRule

_PATIENCE: Final = 2
"""Bids per cell before a site is given up."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repaired:
    """A feasible diagram: sites (m x d) about the middle, offsets (m), labels (n), counts (m x L)."""

    sites: IntArray
    offsets: IntArray
    labels: IntArray
    counts: IntArray


def roundest(low: int, high: int) -> int:
    """The integer in low..high (low <= high) divisible by the largest power of two.

    An offset lies between the thresholds of two people; the roundest number there tells least about either.
    """
    if low <= 0 <= high:
        return 0
    if high < 0:
        return -roundest(-high, -low)
    shift = ((low - 1) ^ high).bit_length() - 1
    return high >> shift << shift


def repair(
    bench: Workbench, people: IntArray, rule: SizeRule, sites: IntArray, offsets: IntArray, wanted: int
) -> Repaired:
    """Bid and give up sites until every cell is acceptable.

    Parameters
    ----------
    bench : Workbench;  people : int array, n x L;  rule : SizeRule
    sites : int array, m x d;  offsets : int array, m
        The diagram to repair.
    wanted : int
        Mass of a comfortable cell (for the candidate lists).

    Notes
    -----
    Guarantee: the returned counts are those of the exact mapping over all sites, and each is acceptable,
    provided that all people together are. Every pass that does not end the work removes at least one
    site, or is one of at most four in a row that do not; with one site left the cell holds everybody.
    """
    offsets = offsets.copy()
    idle, first = 0, True
    while True:
        labels = bench.assign(sites, offsets)
        counts = sums_by_label(people, labels, len(sites))
        poor = np.array([not rule.acceptable(row) for row in counts])
        if len(sites) == 1 or not poor.any():
            return Repaired(sites=sites, offsets=offsets, labels=labels, counts=counts)
        if idle < 4:
            lists = bench.lists(sites, offsets, 3 * wanted)
            if first:
                for _ in range(3):
                    offsets = lists.restrain(offsets, bench.mass, wanted)
                first = False
            auction = _Auction(people, rule, lists, offsets)
            idle += 1
            if auction.run(_PATIENCE * len(sites) + 200):
                continue
            labels = bench.assign(sites, offsets)
            counts = sums_by_label(people, labels, len(sites))
            poor = np.array([not rule.acceptable(row) for row in counts])
            if not poor.any():
                continue
        idle = 0
        mass = sums_by_label(bench.mass[:, None], labels, len(sites))[:, 0]
        missing = int(np.maximum(wanted - mass, 0)[poor].sum())
        rows = np.flatnonzero(poor)
        rows = rows[np.argsort(mass[rows], kind="stable")][: max(1, missing // (2 * wanted))]
        rows = rows[: len(sites) - 1]
        sites, offsets = np.delete(sites, rows, axis=0), np.delete(offsets, rows)


class _Auction:
    """Bids on candidate lists; `offsets` is changed in place."""

    def __init__(self, people: IntArray, rule: SizeRule, lists: Lists, offsets: IntArray) -> None:
        self.people, self.rule, self.offsets = people, rule, offsets
        self.labels, self.best = lists.assign(offsets)
        self.counts = sums_by_label(people, self.labels, len(offsets))
        self.floors = lists.floors
        used = np.flatnonzero(lists.scores.ravel() < UNUSED)
        flat = lists.sites.ravel()[used]
        order = np.argsort(flat, kind="stable")
        self.start = np.searchsorted(flat[order], np.arange(len(offsets) + 1))
        self.points = used[order] % len(self.labels)
        self.scores = lists.scores.ravel()[used[order]]

    def run(self, bids: int) -> bool:
        """Bid until no cell is deficient (True), or the bids are used up or in vain (False)."""
        waiting = deque(
            site for site in range(len(self.offsets)) if not self.rule.acceptable(self.counts[site])
        )
        queued = set(waiting)
        stuck = False
        while waiting and bids:
            site = waiting.popleft()
            queued.discard(site)
            if self.rule.acceptable(self.counts[site]):
                continue
            bids -= 1
            touched = self.bid(site)
            if touched is None:  # to be seen with fresh lists
                stuck = True
                continue
            for other in (*touched, site):
                if other not in queued and not self.rule.acceptable(self.counts[other]):
                    waiting.append(other)
                    queued.add(other)
        return not waiting and not stuck

    def bid(self, site: int) -> list[int] | None:
        """Lower one offset until the cell is acceptable; the losers, or None if none could lose."""
        part = slice(self.start[site], self.start[site + 1])
        points, scores = self.points[part], self.scores[part]
        elsewhere = np.flatnonzero(self.labels[points] != site)
        if not len(elsewhere):
            return None
        gap = scores[elsewhere] + self.offsets[site] - self.best[points[elsewhere]]
        order = np.argsort(gap, kind="stable")
        gap = gap[order]
        last = self._enough(self.counts[site] + self.people[points[elsewhere[order]]].cumsum(axis=0))
        taken = int(gap[last])
        beyond = gap[int(np.searchsorted(gap, taken, side="right")) :]
        following = int(beyond[0]) if len(beyond) else taken + 2
        high = int(self.offsets[site]) - taken - 1
        low = int(self.offsets[site]) - following + 1
        new = high if low > high else roundest(low, high)
        if new < self.floors[site]:
            new = int(self.floors[site])
        if new >= self.offsets[site]:
            return None
        self.offsets[site] = new
        value = scores + new
        mine = self.labels[points] == site
        won = ~mine & (value < self.best[points])
        self.best[points[mine | won]] = value[mine | won]
        gained = points[won]
        losers = self.labels[gained]
        self.labels[gained] = site
        np.subtract.at(self.counts, losers, self.people[gained])
        self.counts[site] += self.people[gained].sum(axis=0)
        return [int(value) for value in np.unique(losers)]

    def _enough(self, cumulative: IntArray) -> int:
        """First position at which the cell would be acceptable; the last one if it never is."""
        total = cumulative.sum(axis=1)
        first = int(np.searchsorted(total, self.rule.floor))
        for position in range(first, len(total)):
            if self.rule.acceptable(cumulative[position]):
                return position
        return len(total) - 1
