"""No two surveys of a relay pass on at the same moment, and the order says nothing of arrivals."""

from __future__ import annotations

import itertools
import random

import pytest

from server.collection.relay.turns import LEAST_TURN_SECONDS, Turns
from tests.server.collection.relay.test_threshold import Clock


def test_a_single_survey_never_waits() -> None:
    clock = Clock()
    turn = Turns((600.0,), clock).of(0)
    for _ in range(100):
        assert turn.mine()
        clock.now += 17.3


@pytest.mark.parametrize(("seconds", "length"), [((600.0, 900.0), 300.0), ((1.0, 600.0, 5.0), 4.0)])
def test_turns_go_round_half_a_turn_apart(seconds: tuple[float, ...], length: float) -> None:
    clock = Clock()
    turns = Turns(seconds, clock, random.Random(7))
    assert turns.turn_seconds == length >= LEAST_TURN_SECONDS
    seen: list[tuple[float, int]] = []
    for _ in range(40_000):
        now = [survey for survey in range(len(seconds)) if turns.of(survey).mine()]
        assert len(now) <= 1
        seen += [(clock.now, survey) for survey in now]
        clock.now += length / 100
    changes = [(one, other) for one, other in itertools.pairwise(seen) if one[1] != other[1]]
    assert len(changes) > 100
    for (before, one), (after, other) in changes:
        assert after - before >= length / 2
        assert other == (one + 1) % len(seconds)


def test_where_the_round_begins_is_drawn() -> None:
    first = {Turns((600.0, 600.0), Clock()).of(0).mine() for _ in range(60)}
    assert first == {True, False}


def test_one_at_a_time_sends() -> None:
    turns = Turns((600.0, 600.0), Clock())
    with turns.of(0).sending() as one, turns.of(1).sending() as other:
        assert (one, other) == (True, False)
    with turns.of(1).sending() as other:
        assert other
