"""Sites that lack people bid for them: the auction of a power diagram's repair, on candidate lists."""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.compiled.listed import UNUSED
from server.statistics.microaggregation.compiled.roundest import roundest

_roundest = compiled(roundest)


@compiled
def _entries(listed: Int32Array, scores: FloatArray, count: int) -> tuple[IntArray, IntArray]:
    """Where each site (count) stands in the lists: places in row order, from start[i] to start[i + 1]."""
    n, places = listed.shape
    start = np.zeros(count + 1, dtype=np.int64)
    for p in range(n):
        for c in range(places):
            if scores[p, c] < UNUSED:
                start[listed[p, c] + 1] += 1
    start = np.cumsum(start)
    filled, entries = start[:-1].copy(), np.empty(start[-1], dtype=np.int64)
    for p in range(n):
        for c in range(places):
            if scores[p, c] < UNUSED:
                entries[filled[listed[p, c]]] = p * places + c
                filled[listed[p, c]] += 1
    return start, entries


@compiled
def auction(
    listed: Int32Array,
    scores: FloatArray,
    mass: IntArray,
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
    enough, floors : arrays, m
        Mass that a site needs, and the offset below which lists would lie.
    offsets, labels, best, held
        As `settle` and `masses` give them; changed in place.
    bidders : int array
        Sites that may lack something, in the order in which they bid first.
    """
    places, m = listed.shape[1], len(offsets)
    start, entries = _entries(listed, scores, m)
    waiting, is_waiting = np.empty(m + 1, dtype=np.int64), np.zeros(m, dtype=np.bool_)
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
        gaps, where, others = np.empty(b - a), np.empty(b - a, dtype=np.int64), 0
        for e in range(a, b):
            p = entries[e] // places
            if labels[p] != site:
                gaps[others] = scores[p, entries[e] % places] + offsets[site] - best[p]
                where[others] = entries[e]
                others += 1
        if others == 0:
            continue
        order = np.argsort(gaps[:others], kind="mergesort")
        reached, last = held[site], 0
        for t in range(others):
            reached += mass[where[order[t]] // places]
            last = t
            if reached >= enough[site]:
                break
        taken = gaps[order[last]]
        following = taken + 2
        for t in range(last + 1, others):
            if gaps[order[t]] > taken:
                following = gaps[order[t]]
                break
        high, low = int(offsets[site] - taken - 1), int(offsets[site] - following + 1)
        offset = max(float(high if low > high else _roundest(low, high)), floors[site])
        if offset >= offsets[site]:
            continue
        offsets[site] = offset
        for e in range(a, b):
            p = entries[e] // places
            if labels[p] == site:
                best[p] = scores[p, entries[e] % places] + offset
        for t in range(others):
            p = where[t] // places
            value = scores[p, where[t] % places] + offset
            if value < best[p]:
                loser = labels[p]
                held[loser] -= mass[p]
                held[site] += mass[p]
                labels[p], best[p] = site, value
                if held[loser] < enough[loser] and not is_waiting[loser]:
                    waiting[after], is_waiting[loser] = loser, True
                    after = (after + 1) % (m + 1)
        if held[site] < enough[site] and not is_waiting[site]:
            waiting[after], is_waiting[site] = site, True
            after = (after + 1) % (m + 1)
