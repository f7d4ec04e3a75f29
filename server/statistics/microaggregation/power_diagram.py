"""Power diagrams for registers: centroids and integer offsets, every cell acceptable, no value of one
person.

A cell is the set of answers whose squared distance to the cell's site, plus the cell's offset, is least.
With the right offsets this is the optimal assignment to the given sites under a least size for each cell
(Aurenhammer, Hoffmann and Aronov 1998); alternating it with the centroids of the cells (Lloyd) is the
probability-constrained quantizer of Rebollo-Monedero, Forne, Pallares and Parra-Arnau (2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.progress import Progress
from server.statistics.microaggregation.geometry import EXACT, checked, span, sums_by_label
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.size_rule import SizeRule

Snap = Callable[[IntArray, int], IntArray]
"""Moves sites to a coarser grid."""
LLOYD_STEPS: Final = 16
ASCENT_ROUNDS: Final = 40
FINAL_STEPS: Final = 2
FINEST_RESOLUTION: Final = 64
_SLACK: Final = 50
"""The start aims at cells of need + need / 50: with no slack at all there is nobody to spare."""
_MDAV_WORK: Final = 1 << 24
"""Tuples times cells up to which MDAV's groups are the start: outliers get cells of their own."""
_COMFORT: Final = 25
"""The ascent aims at no more than need + need / 25: what is left goes to whom it costs least."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerCells:
    """A partition by a power diagram.

    Attributes
    ----------
    resolution : int
        R: sites lie on a grid R times finer than the coordinates.
    sites : int array, c x d
        On the refined grid: a site s stands for the point s / R.
    offsets : int array, c
        At most 0, the largest is 0. Cell of x: argmin over i of sum_j w_j (R x_j - s_ij)^2 + offset_i,
        ties to the lowest i. Every distance plus |offset| is below 2**53.
    labels : int array, n
        Cell of each row of X under exactly that rule.
    counts : int array, c x L
        People per cell and participation level.
    """

    resolution: int
    sites: IntArray
    offsets: IntArray
    labels: IntArray
    counts: IntArray


def finest_resolution(domain_span: int) -> int:
    """Largest power of two R <= 64 with 2 R^2 domain_span < 2**53; 0 if there is none.

    Parameters
    ----------
    domain_span : int
        Largest squared distance in the domain at resolution 1. For R = 32 it must stay below 2**42.
    """
    resolution = FINEST_RESOLUTION
    while resolution and 2 * resolution**2 * domain_span >= EXACT:
        resolution //= 2
    return resolution


def power_diagram(
    X: IntArray,
    people: IntArray,
    weights: Sequence[int] | IntArray,
    rule: SizeRule,
    *,
    resolution: int | None = None,
    domain_span: int | None = None,
    snap: Snap | None = None,
    progress: Progress | None = None,
) -> PowerCells:
    """Divide distinct tuples into the cells of a power diagram, each of which meets its need.

    Parameters
    ----------
    X : int array, n x d
        Distinct tuples in canonical (lexicographic) order.
    people : int array, n x L
        People per tuple and participation level; each row sums to at least 1.
    weights : d integers >= 0
    rule : SizeRule
        Judge of every cell; its linear `mass` guides the search.
    resolution : int, optional
        R >= 1; by default the finest power of two up to 64 for which distance plus offset stays below
        2**53.
    domain_span : int, optional
        Largest squared distance in the declared domain at resolution 1, by default that within X. Devices
        map tuples nobody in the model has, so a design passes the domain's.
    snap : callable, optional
        `snap(sites, resolution)` moves sites (m x d, on the refined grid) to the coarser grid on which they
        may be published.
    progress : callable, optional
        `progress(steps done, steps)`.

    Returns
    -------
    PowerCells

    Raises
    ------
    ValueError
        Input that breaks the rules above, distances too large for any resolution, or all people together
        do not meet the need.

    Notes
    -----
    Guarantee: labels and counts are those of the exact rule over all of X, and every cell is acceptable.
    Every site is the mean, rounded to the grid, of the people of an acceptable cell of the step before
    the last assignment; every offset is an integer found by search or the roundest between two people's
    thresholds: no value is one person's. (If everybody in a cell has the same tuple, the mean is that
    tuple; it is then shared by the whole cell.)

    Start: MDAV's groups of a small population, regions between weighted medians of a large one. Then Lloyd
    steps, each an ascent on the offsets over candidate lists that are built once; then three steps of
    centroids, ascent and exact repair, of a small population from MDAV's groups as well: the diagram that
    explains most is taken. Sites that cannot be supplied are given up. The same input gives the
    same result on any machine (see power_search). Time about O(steps n (C log m + rounds C)) for m cells and
    C candidates per tuple: winners, candidates and floors are found in trees; memory O(n (d + C)).
    """
    # numba and what it has compiled are loaded only where they are used.
    from server.statistics.microaggregation.power_repair import Repaired, repair
    from server.statistics.microaggregation.power_search import Workbench

    X, people, w = checked(X, people, weights, rule.levels)
    if not rule.acceptable(people.sum(axis=0)):
        raise ValueError("all people together do not meet the need of one cell")
    domain = max(span(X, w), domain_span or 0)
    if resolution is None:
        resolution = finest_resolution(domain)
    if resolution < 1 or 2 * resolution**2 * domain >= EXACT:
        raise ValueError("distance plus offset could reach 2**53: lower the resolution or the weights")
    mass, enough = rule.mass(people)
    bench = Workbench(X, mass, w, resolution)
    people = people[bench.order]
    heads = people.sum(axis=1)
    steps = LLOYD_STEPS + FINAL_STEPS + 1

    def report(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    total = int(mass.sum())

    def needs(labels: IntArray, count: int) -> IntArray:
        held = sums_by_label(bench.mass[:, None], labels, count)[:, 0]
        return rule.enough(sums_by_label(people, labels, count), held)

    def start(size: int) -> IntArray:
        if not _is_small(X, total // size):
            return bench.regions(total // size)
        return mdav(X, mass[:, None], w, SizeRule(minimum=(size,))).labels[bench.order]

    # A second time where people in the regions' own proportions may need another mass.
    for _ in range(1 if rule.plain else 2):
        labels = start(min(enough + enough // _SLACK, total))
        count = int(labels.max()) + 1
        needed = needs(labels, count)
        enough = int(needed.mean())

    origin = resolution * bench.middle
    grid = (lambda s: s) if snap is None else (lambda s: snap(s + origin, bench.resolution) - origin)

    sites = bench.means(heads, labels, count)
    offsets = np.zeros(count, dtype=np.int64)
    # Few heavy tuples leave an ascent nothing between too many people and nobody: so that is tried as well.
    starts = [repair(bench, people, rule, sites, offsets)] if _is_small(X, count) else []
    pace = bench.scale(sites)
    report(1)
    for step in range(LLOYD_STEPS):
        if count == 1:
            break
        if step:
            sites = bench.means(heads, labels, count, sites)
            pace = np.maximum(pace, bench.scale(sites) // 16)
            needed = needs(labels, count)
        lists = bench.lists(sites, offsets, 3 * int(needed.mean()))
        offsets, pace = lists.ascend(offsets, pace, _targets(needed, total), ASCENT_ROUNDS, bench.reach)
        offsets -= offsets.max()
        labels = bench.assign(sites, offsets)
        report(step + 2)
    starts.append(repair(bench, people, rule, sites, offsets))
    # From here on every centroid is one of an acceptable cell.
    finished: list[Repaired] = []
    for result in starts:
        for _ in range(FINAL_STEPS):
            sites = grid(bench.means(heads, result.labels, len(result.sites)))
            kept, number = _united(sites)
            sites, offsets, count = sites[kept], result.offsets[kept], len(kept)
            offsets -= offsets.max()
            if count > 1:
                needed = needs(number[result.labels], count)
                lists = bench.lists(sites, offsets, 3 * int(needed.mean()))
                pace = np.maximum(bench.scale(sites) // 16, 1)
                offsets, _ = lists.ascend(offsets, pace, _targets(needed, total), ASCENT_ROUNDS, bench.reach)
            result = repair(bench, people, rule, sites, offsets)
            finished.append(result)
            report(LLOYD_STEPS + 1 + len(finished) // len(starts))
    result = max(finished, key=lambda cells: bench.explained(heads, cells.labels, len(cells.sites)))
    labels = np.empty_like(result.labels)
    labels[bench.order] = result.labels
    return PowerCells(
        resolution=resolution,
        sites=np.asarray(result.sites + origin, dtype=np.int64),
        offsets=result.offsets - result.offsets.max(),
        labels=labels,
        counts=result.counts,
    )


def _united(sites: IntArray) -> tuple[IntArray, IntArray]:
    """Of sites that a coarse grid put at one place only one can win anybody: the first of each place.

    Returns
    -------
    kept : int array
        Those sites, ascending.
    number : int array, m
        Which of them stands for each site.
    """
    _, first, place = np.unique(sites, axis=0, return_index=True, return_inverse=True)
    kept = np.sort(first)
    return kept, np.searchsorted(kept, first[place.reshape(-1)])


def _is_small(X: IntArray, cells: int) -> bool:
    return len(X) * cells <= _MDAV_WORK


def _targets(needed: IntArray, total: int) -> IntArray:
    """What the ascent aims at: a little more than each cell needs (m), as far as there is so much mass."""
    share = total * 1024 // int(needed.sum())
    return np.clip(needed * min(share, 2048) // 1024, needed, needed + np.maximum(needed // _COMFORT, 1))
