"""Sites that lack people bid for them: the auction of a power diagram's repair, on candidate lists."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.listed import UNUSED
from server.statistics.microaggregation.compiled.roundest import roundest

_SAMPLE: Final = 8
_roundest = compiled(roundest)


class Entries(NamedTuple):
    """The lists, site by site: those of site i are at start[i] to start[i + 1], in order of tuples."""

    start: IntArray
    tuples: Int32Array
    scores: FloatArray
    lots: IntArray
    """The tuple's mass."""


@compiled
def entries_of(listed: Int32Array, scores: FloatArray, mass: IntArray, count: int) -> Entries:
    """Where each of `count` sites stands in the lists of tuples (n) with a mass."""
    n, places = listed.shape
    start = np.zeros(count + 1, dtype=np.int64)
    for p in range(n):
        for c in range(places):
            if scores[p, c] < UNUSED:
                start[listed[p, c] + 1] += 1
    start = np.cumsum(start)
    filled, size = start[:-1].copy(), start[-1]
    tuples, own = np.empty(size, dtype=np.int32), np.empty(size)
    lots = np.empty(size, dtype=np.int64)
    for p in range(n):
        for c in range(places):
            if scores[p, c] < UNUSED:
                place = filled[listed[p, c]]
                tuples[place], own[place], lots[place] = p, scores[p, c], mass[p]
                filled[listed[p, c]] += 1
    return Entries(start, tuples, own, lots)


@compiled
def price(gaps: FloatArray, lots: IntArray, number: int, lacking: int) -> tuple[float, float]:
    """The least gap up to which the lots add up to what is lacking, or the greatest, and the next above it.

    Of the first `number` gaps (integers) and lots, which are put into another order; `taken + 2` if no gap is
    above `taken`. Expected time O(number), by halving around a pivot.
    """
    start, end = 0, number
    taken, following = -np.inf, np.inf
    while start < end:
        pivot = gaps[(start + end) // 2]
        if lacking * _SAMPLE < end - start:
            # At most `lacking` of them are taken: the least of a few is nearer to the last of those.
            for i in range(start, end, (end - start) // _SAMPLE):
                pivot = min(pivot, gaps[i])
        # Below the pivot, equal to it, not looked at yet, above it.
        below, at, above = start, start, end
        least, equal = 0, 0
        while at < above:
            if gaps[at] < pivot:
                least += lots[at]
                gaps[at], gaps[below] = gaps[below], gaps[at]
                lots[at], lots[below] = lots[below], lots[at]
                below, at = below + 1, at + 1
            elif gaps[at] > pivot:
                above -= 1
                gaps[at], gaps[above] = gaps[above], gaps[at]
                lots[at], lots[above] = lots[above], lots[at]
            else:
                equal += lots[at]
                at += 1
        if least >= lacking:
            end, following = below, pivot
            continue
        taken = pivot
        lacking -= least + equal
        if lacking <= 0:
            for i in range(above, end):
                following = min(following, gaps[i])
            break
        start = above
    return taken, following if following < np.inf else taken + 2


@compiled
def auction(
    entries: Entries,
    enough: IntArray,
    floors: FloatArray,
    offsets: FloatArray,
    labels: IntArray,
    best: FloatArray,
    held: IntArray,
    bidders: IntArray,
    patience: int,
) -> None:
    """Bid until nobody lacks anything who could win it, or `patience` bids are made.

    A site that holds less than enough lowers its offset just far enough to win what it lacks, the least
    reluctant tuples first, and never below its floor; whom it leaves short bids in turn.

    Parameters
    ----------
    entries : Entries
    enough, floors : arrays, m
        Mass that a site needs, and the offset below which lists would lie.
    offsets, labels, best, held
        As `settle` and `masses` give them; changed in place.
    bidders : int array
        Sites that may lack something, in the order in which they bid first.
    """
    start, tuples, scores, mass = entries.start, entries.tuples, entries.scores, entries.lots
    m = len(offsets)
    waiting, is_waiting = np.empty(m + 1, dtype=np.int64), np.zeros(m, dtype=np.bool_)
    longest = 0
    for i in range(m):
        longest = max(longest, start[i + 1] - start[i])
    gaps, lots = np.empty(longest), np.empty(longest, dtype=np.int64)
    # Places of the tuples that others win from the front, of its own from the back.
    where, known = np.empty(longest, dtype=np.int64), np.empty(longest)
    first, after = 0, 0
    for site in bidders:
        if held[site] < enough[site]:
            waiting[after], is_waiting[site] = site, True
            after += 1
    while first != after and patience > 0:
        site = waiting[first]
        first, is_waiting[site] = (first + 1) % (m + 1), False
        if held[site] >= enough[site]:
            continue
        patience -= 1
        a, b = start[site], start[site + 1]
        others, own = 0, longest
        for e in range(a, b):
            p = tuples[e]
            if labels[p] != site:
                known[others] = scores[e] + offsets[site] - best[p]
                lots[others], where[others] = mass[e], e
                others += 1
            else:
                own -= 1
                where[own] = e
        if others == 0:
            continue
        gaps[:others] = known[:others]
        taken, following = price(gaps, lots, others, enough[site] - held[site])
        high, low = int(offsets[site] - taken - 1), int(offsets[site] - following + 1)
        offset = max(float(high if low > high else _roundest(low, high)), floors[site])
        if offset >= offsets[site]:
            continue
        lower = offsets[site] - offset
        offsets[site] = offset
        for t in range(own, longest):
            best[tuples[where[t]]] -= lower
        for t in range(others):
            if known[t] < lower:
                e = where[t]
                p = tuples[e]
                loser = labels[p]
                held[loser] -= mass[e]
                held[site] += mass[e]
                labels[p], best[p] = site, scores[e] + offset
                if held[loser] < enough[loser] and not is_waiting[loser]:
                    waiting[after], is_waiting[loser] = loser, True
                    after = (after + 1) % (m + 1)
        if held[site] < enough[site] and not is_waiting[site]:
            waiting[after], is_waiting[site] = site, True
            after = (after + 1) % (m + 1)
