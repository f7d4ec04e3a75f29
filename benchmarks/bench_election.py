"""Elections by group: processor time of each step of one ballot and of one trustee, per core.

    python benchmarks/bench_election.py [--ballots 300] [--choices 12] [--groups 200] [--standard] [--json]

Votes are made as a device does it, with the standard library alone; all else with GMP's integers as collector
and observers have them, or with ``--standard`` as a trustee's tool, without. Ballots come in batches.
The quality: every vote was accepted, and what is decrypted is what was cast.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dataclasses import replace
from random import Random

from server.keys.election_group import fast_group
from shared.election.decryption import decrypt, verify_factors
from shared.election.group import PythonGroup
from shared.election.groups import add_up
from shared.election.making import make
from shared.election.result import count
from shared.election.verifying import verify, verify_batch
from shared.joining import Row, join
from shared.verification.examining import BATCH
from tests import election_held as held

ROW = 432
"""Boxes that are joined."""


def timed(found: dict[str, float], name: str, step: Callable[[], Any], times: int = 1) -> Any:
    """Result of a step, and its milliseconds of processor time for each of so many things."""
    started = time.process_time()
    result = step()
    found[name] = round(1000 * (time.process_time() - started) / times, 2)
    return result


def row_joined() -> None:
    """The boxes of a large election at half the turnout, most of them too small."""
    random = Random(432)
    row = Row(
        order=tuple(range(ROW)),
        points=tuple(tuple(random.randrange(10_000) for _ in range(3)) for _ in range(ROW)),
        weights=(1, 1, 1),
    )
    counts = [random.randrange(12, 36) for _ in range(ROW)]
    segments = join(row, counts, 30)
    if any(0 < sum(counts[start:end]) < 30 for start, end in segments):
        sys.exit("wrong: a group is too small")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ballots", type=int, default=300)
    parser.add_argument("--choices", type=int, default=12)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--standard", action="store_true", help="the standard library alone")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    device, found = PythonGroup(), dict[str, float]()
    group = device if asked.standard else fast_group()
    terms = replace(held.terms(), choices=(asked.choices,), cells=asked.groups)

    def vote(number: int) -> Any:
        cell, choice = number % asked.groups, number % asked.choices
        return make(terms, cell, os.urandom(32), (choice,), os.urandom(32), device)

    first = timed(found, "make the first", lambda: vote(0))
    others = timed(
        found, "make another", lambda: [vote(i) for i in range(1, asked.ballots)], asked.ballots - 1
    )
    votes = [first, *others]
    timed(found, "verify equation by equation", lambda: verify(first, terms, group))
    timed(found, "verify one, as the collector", lambda: verify_batch([first], terms, group, os.urandom))
    outcome = timed(
        found,
        "verify in a batch, each",
        lambda: [
            refusal
            for start in range(0, len(votes), BATCH)
            for refusal in verify_batch(votes[start : start + BATCH], terms, group, os.urandom)
        ],
        len(votes),
    )
    cells = tuple((cell,) for cell in range(asked.groups))
    sums = timed(found, "add, each", lambda: add_up(votes, cells, terms, group), len(votes))
    fresh = [os.urandom(32) for _ in range(asked.groups * asked.choices)]
    by_trustee = {}
    for trustee in (1, 3):
        name = "decrypt all groups, one trustee"
        by_trustee[trustee] = timed(
            found,
            name,
            lambda i=trustee: decrypt(held.secrets()[i - 1], i, held.stated(), sums, fresh, group),  # type: ignore[misc]
        )
    timed(
        found,
        "verify one trustee's factors",
        lambda: verify_factors(by_trustee[1], 1, held.trustees(), held.stated(), sums, group),
    )
    ballots = [sum(vote.cell == cell for vote in votes) for cell in range(asked.groups)]
    counted = timed(found, "count", lambda: count(sums, ballots, by_trustee, held.T, group))
    totals = [sum(rows[0][choice] for rows in counted) for choice in range(asked.choices)]
    cast = [sum(i % asked.choices == choice for i in range(len(votes))) for choice in range(asked.choices)]
    timed(found, f"join {ROW} boxes", row_joined)
    if any(outcome) or totals != cast:
        sys.exit("wrong: the result is not what was cast")
    if asked.json:
        print(json.dumps({"choices": asked.choices, "groups": asked.groups, "milliseconds": found}))
        return
    print(
        f"{asked.choices} choices, {asked.ballots} ballots, {asked.groups} groups; totals as they were cast"
    )
    for name, milliseconds in found.items():
        print(f"{name:<34} {milliseconds:>10.2f} ms")


if __name__ == "__main__":
    main()
