"""Ballots that are tested: another device makes the same bytes from what the voter's device gives away."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared import base64url
from shared.election.tested import BallotTest, rebuild
from shared.errors import ElectionError
from tests import election_held as held
from tests.election import DIGEST, GROUP, TERMS, seed, token_of, voted
from tests.elections import HeldElection

TESTED = BallotTest(specification=DIGEST, cell=2, token=token_of(7), chosen=(1, 0), seed=seed(7))


def parsed(change: Callable[[dict[str, Any]], object]) -> BallotTest:
    """The file, changed."""
    value = json.loads(TESTED.to_bytes())
    change(value)
    return BallotTest.parse(json.dumps(value, separators=(",", ":")).encode())


def test_every_byte_is_made_again() -> None:
    ballot = voted(7, 2, (1, 0))
    again = BallotTest.parse(TESTED.to_bytes()).ballot(TERMS, GROUP)
    assert (again.body, again.words) == (ballot.body, ballot.words)


@pytest.mark.parametrize(
    "other",
    [
        replace(TESTED, cell=3),
        replace(TESTED, chosen=(2, 0)),
        replace(TESTED, seed=seed(8)),
        replace(TESTED, token=token_of(8)),
    ],
    ids=["cell", "choice", "seed", "token"],
)
def test_anything_else_has_other_words(other: BallotTest) -> None:
    assert other.ballot(TERMS, GROUP).words != TESTED.ballot(TERMS, GROUP).words


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.pop("seed"),
        lambda v: v.update(format="roomful-test/2"),
        lambda v: v.update(seed=base64url.encode(bytes(31))),
        lambda v: v.update(token=v["token"][:-4]),
        lambda v: v.update(token="?"),
        lambda v: v.update(chosen=[50, 0]),
        lambda v: v.update(chosen="10"),
        lambda v: v.update(cell=-1),
    ],
    ids=["no-seed", "format", "short-seed", "short-token", "no-token", "choice", "choices", "cell"],
)
def test_a_damaged_file_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(ElectionError) as refused:
        parsed(change)
    assert refused.value.code == "election.test"


@pytest.mark.parametrize(
    "other",
    [
        replace(TESTED, specification="00" * 32),
        replace(TESTED, cell=4),
        replace(TESTED, chosen=(1, 2)),
        replace(TESTED, chosen=(1,)),
    ],
    ids=["election", "box", "choice", "contest"],
)
def test_what_does_not_exist_is_refused(other: BallotTest) -> None:
    with pytest.raises(ElectionError) as refused:
        other.ballot(TERMS, GROUP)
    assert refused.value.code == "election.test"


def test_a_ballot_is_made_again_from_the_specification() -> None:
    election = HeldElection(Path())
    specification, digest = election.specification, election.digest
    answers = {"board": "ben", "statutes": False}
    ballot = election.ballot(2, answers)
    given = BallotTest(
        specification=digest, cell=2, token=ballot.token, chosen=(1, 1), seed=held.fresh("voter 0")
    )
    found = rebuild(specification, digest, given, GROUP)
    assert (found.words, found.cell, found.answers, found.genuine) == (ballot.words, 2, answers, True)
    forged = replace(given, token=replace(ballot.token, signature=bytes(384)))
    assert not rebuild(specification, digest, forged, GROUP).genuine
