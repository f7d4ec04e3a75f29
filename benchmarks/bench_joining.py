"""Joining small cells: groups, loss and time of the signed row beside greedy merging of the nearest.

    python benchmarks/bench_joining.py [--cells 10000] [--draws 20] [--json]

20,000 people in 12 districts of 36 cells each (18 age bands, two sexes), 432 cells of 34 to 63 people, at
least 30 answers to a group: cells smaller than a design would make them, to stress joining. Loss is the share
of the squared distances that joining loses (0: none), with unit variance of age, sex and the coordinates of
the district. Greedy merging unites the nearest pair of groups of which one is too small, until none is: the
rule before this one. Both count the same turnouts; figures are means over the draws.
Then the time for many cells, and how the candidates for a row fare.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.design.row import choose_row, choose_row_in_units
from shared.joining import Row, join, join_within
from shared.participation import ParticipationLevel

DISTRICTS, BANDS, SEXES, MINIMUM, PEOPLE = 12, 18, 2, 30, 20_000
LEVEL = (ParticipationLevel(low="0.5", high="0.5"),)
SCALE = 10_000
TURNOUTS: dict[str, Callable[[int], float]] = {
    "80 %": lambda _: 0.8,
    "50 %": lambda _: 0.5,
    "20 %": lambda _: 0.2,
    "8 %": lambda _: 0.08,
    "15-75 % by age": lambda band: 0.15 + 0.6 * band / (BANDS - 1),
}


def town(chance: random.Random) -> tuple[list[tuple[int, ...]], tuple[int, ...], list[int]]:
    """Points, weights and people of the cells, district by district."""
    places = [(chance.randrange(100), chance.randrange(100)) for _ in range(DISTRICTS)]
    points = [
        (band * SCALE, sex * SCALE, x * SCALE, y * SCALE)
        for x, y in places
        for band in range(BANDS)
        for sex in range(SEXES)
    ]
    people = [chance.randint(34, 58) for _ in points]
    while sum(people) != PEOPLE:
        cell = chance.randrange(len(people))
        step = 1 if sum(people) < PEOPLE else -1
        if 34 <= people[cell] + step <= 63:
            people[cell] += step
    variances = [statistics.pvariance([point[j] / SCALE for point in points]) for j in range(4)]
    return points, tuple(round(10**6 / v) for v in variances), people


def row_by_district(points: Sequence[tuple[int, ...]], weights: tuple[int, ...], people: list[int]) -> Row:
    """Districts side by side in a row of their own, and inside of each the row of its cells."""
    size = BANDS * SEXES
    districts = [range(d * size, (d + 1) * size) for d in range(DISTRICTS)]
    order = choose_row_in_units(points, weights, [[n] for n in people], LEVEL, MINIMUM, districts)
    units = tuple((d * size, (d + 1) * size) for d in range(DISTRICTS))
    return Row(order=order, points=tuple(points), weights=weights, units=units)


def turn_out(people: Sequence[int], rate: Callable[[int], float], chance: random.Random) -> list[int]:
    """How many of each cell take part."""
    rates = [rate(cell // SEXES % BANDS) for cell in range(len(people))]
    return [sum(chance.random() < p for _ in range(n)) for n, p in zip(people, rates, strict=True)]


def loss_of(row: Row, counts: Sequence[int], groups: Sequence[Sequence[int]]) -> float:
    """Share of the squared distances that is lost within groups."""

    def spread(cells: Sequence[int]) -> float:
        n = sum(counts[c] for c in cells)
        if not n:
            return 0.0
        total = 0.0
        for j, w in enumerate(row.weights):
            mean = sum(counts[c] * row.points[c][j] for c in cells) / n
            total += w * sum(counts[c] * (row.points[c][j] - mean) ** 2 for c in cells)
        return total

    return sum(map(spread, groups)) / spread(range(len(counts)))


def greedy(row: Row, counts: Sequence[int]) -> list[list[int]]:
    """Unite the nearest pair of groups of which one is too small; as near as their nearest cells are."""
    z = np.array(row.points, dtype=float) * np.sqrt(np.array(row.weights, dtype=float))
    apart = ((z[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    groups: list[list[int]] = [[cell] for cell in range(len(counts))]
    sizes = np.array(counts)
    alive = np.ones(len(counts), dtype=bool)
    while (alive & (sizes < MINIMUM)).any():
        small = np.flatnonzero(alive & (sizes < MINIMUM))
        pick = int(np.argmin(apart[small]))
        a, b = sorted((int(small[pick // len(counts)]), pick % len(counts)))
        groups[a] += groups[b]
        sizes[a] += sizes[b]
        alive[b] = False
        apart[a] = np.minimum(apart[a], apart[b])
        apart[:, a] = apart[a]
        apart[a, a] = np.inf
        apart[b] = apart[:, b] = np.inf
    return [groups[cell] for cell in np.flatnonzero(alive)]


def compare(draws: int) -> list[dict[str, Any]]:
    """Both rules at each turnout."""
    chance = random.Random(432)
    points, weights, people = town(chance)
    row = row_by_district(points, weights, people)
    whole = choose_row(points, weights, [[n] for n in people], LEVEL, MINIMUM)
    free = Row(order=whole, points=tuple(points), weights=weights)
    found = []
    for name, rate in TURNOUTS.items():
        figures: dict[str, list[float]] = {}
        for _ in range(draws):
            counts = turn_out(people, rate, chance)
            rules: dict[str, Callable[[], list[Any]]] = {
                "greedy": lambda c=counts: greedy(row, c),
                "districts": lambda c=counts: [row.cells(s) for s in join_within(row, c, MINIMUM)],
                "row": lambda c=counts: [free.cells(s) for s in join(free, c, MINIMUM)],
            }
            figures.setdefault("small", []).append(sum(n < MINIMUM for n in counts))
            for rule, run in rules.items():
                started = time.process_time()
                groups = run()
                milliseconds = 1000 * (time.process_time() - started)
                for key, value in (
                    ("groups", len(groups)),
                    ("loss", loss_of(row, counts, groups)),
                    ("milliseconds", milliseconds),
                ):
                    figures.setdefault(f"{rule} {key}", []).append(value)
        found.append({"turnout": name} | {key: statistics.mean(v) for key, v in figures.items()})
    return found


def time_many(cells: int) -> dict[str, float]:
    """Seconds for very many cells of 50 people at a fifth, and to choose their row."""
    chance = random.Random(cells)
    points = [tuple(chance.randrange(100 * SCALE) for _ in range(6)) for _ in range(cells)]
    counts = [sum(chance.random() < 0.2 for _ in range(50)) for _ in range(cells)]
    row = Row(order=tuple(range(cells)), points=tuple(points), weights=(1000,) * 6)
    started = time.process_time()
    join(row, counts, MINIMUM)
    joined = time.process_time()
    choose_row(points, (1000,) * 6, [[50]] * cells, LEVEL, MINIMUM)
    return {"cells": cells, "join": joined - started, "choose a row": time.process_time() - joined}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows, many = compare(options.draws), time_many(options.cells)
    if options.json:
        print(json.dumps({"turnouts": rows, "many": many}, indent=1))
        return
    print("turnout          small   greedy          with districts   one row")
    for found in rows:
        rules = [
            f"{found[f'{rule} groups']:4.0f} / {found[f'{rule} loss']:.4f}"
            for rule in ("greedy", "districts", "row")
        ]
        milliseconds = f"{found['districts milliseconds']:.0f} ms"
        print(f"{found['turnout']:16} {found['small']:4.0f}", *rules, milliseconds, sep="   ")
    print(", ".join(f"{key} {value:.2f}" for key, value in many.items()))


if __name__ == "__main__":
    main()
