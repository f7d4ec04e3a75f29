"""The last step of a power diagram: every cell acceptable, by the exact mapping, whatever the ascent left
over.

A deficient cell *bids*: it lowers its offset just far enough to win the people whose second choice it is,
the least reluctant first, which may leave a neighbour short, who then bids in turn, until the shortage
reaches a cell that can spare somebody (Bertsekas 1988, auction algorithm). Where there is nobody to
spare, a site is given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.statistics.microaggregation.geometry import sums_by_label
from server.statistics.microaggregation.power_search import Workbench
from server.statistics.microaggregation.size_rule import SizeRule

_PATIENCE: Final = 4
"""Bids per cell before sites are given up."""
_RETREATS: Final = 60
"""Times that sites are given up with the same lists."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repaired:
    """A feasible diagram: sites (m x d) about the middle, offsets (m), labels (n), counts (m x L)."""

    sites: IntArray
    offsets: IntArray
    labels: IntArray
    counts: IntArray


def repair(
    bench: Workbench, people: IntArray, rule: SizeRule, sites: IntArray, offsets: IntArray
) -> Repaired:
    """Bid and give up sites until every cell is acceptable.

    Parameters
    ----------
    bench : Workbench
    people : int array, n x L
        In the order of the workbench.
    rule : SizeRule
    sites : int array, m x d;  offsets : int array, m
        The diagram to repair.

    Notes
    -----
    Guarantee: the returned counts are those of the exact mapping over all sites, and each is acceptable,
    provided that all people together are. Every pass that does not end the work removes at least one
    site, or is one of at most four in a row that do not; with one site left the cell holds everybody.

    With several levels of participation the auction goes by mass; a cell that the rule then refuses is
    told how much it needs with people in its own proportions, and the next pass goes by that.
    """
    idle, first = 0, True
    while True:
        labels = bench.assign(sites, offsets)
        counts = sums_by_label(people, labels, len(sites))
        poor = ~rule.acceptable_rows(counts)
        if len(sites) == 1 or not poor.any():
            return Repaired(sites=sites, offsets=offsets, labels=labels, counts=counts)
        mass = sums_by_label(bench.mass[:, None], labels, len(sites))[:, 0]
        enough = rule.enough(counts, mass)
        if idle < 4:
            lists = bench.lists(sites, offsets, 3 * int(enough.mean()))
            start = offsets.astype(float)
            if first:
                for _ in range(3):
                    lists.restrained(start, enough)
                first = False
            # Sites that lists of other offsets could not supply may be supplied by these.
            kept, offsets = lists.bid(start, enough, _PATIENCE, _RETREATS if idle else 0)
            idle = 0 if len(kept) < len(sites) else idle + 1
            sites = sites[kept]
            continue
        idle = 0
        missing = int(np.maximum(enough - mass, 0)[poor].sum())
        rows = np.flatnonzero(poor)
        rows = rows[np.argsort(mass[rows], kind="stable")][: max(1, missing // (2 * int(enough.mean())))]
        rows = rows[: len(sites) - 1]
        sites, offsets = np.delete(sites, rows, axis=0), np.delete(offsets, rows)
