"""When the pool leaves, and that no clock on the wall has a say in it."""

from __future__ import annotations

import pytest

from server.collection.relay.threshold import STEPS, PoolAge, Threshold


class Kept:
    """Where steps are kept, as the pool's file does."""

    def __init__(self, steps: int = 0) -> None:
        self.steps, self.writes = steps, 0

    def waited(self) -> int:
        return self.steps

    def note_waited(self, steps: int) -> None:
        self.steps, self.writes = steps, self.writes + 1


class Clock:
    """A monotonic clock that is moved by hand."""

    def __init__(self, now: float = 1e6) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("waiting", "waited", "met"),
    [
        (0, 1e9, False),
        (4, 1e9, False),
        (5, 59.9, False),
        (5, 60.0, True),
        (500, 0.0, False),
        (500, 61.0, True),
    ],
)
def test_both_have_to_be_reached(waiting: int, waited: float, met: bool) -> None:
    assert Threshold(messages=5, seconds=60).met(waiting, waited) is met


def test_the_age_is_that_of_the_oldest_and_begins_when_it_is_seen() -> None:
    clock = Clock()
    kept = Kept()
    age = PoolAge(kept, 160, clock)
    assert age.seconds(0) == 0
    clock.now += 500
    assert age.seconds(1) == 0  # it may have come at any moment since the last look; it counts from now
    clock.now += 30
    assert age.seconds(7) == 30
    kept.steps = 0  # as taking the pool does
    age.restart()
    assert age.seconds(3) == 0


def test_a_restart_loses_at_most_one_step_and_never_gains() -> None:
    clock, kept = Clock(), Kept()
    age = PoolAge(kept, 160, clock)
    age.seconds(1)
    for _ in range(79):
        clock.now += 1
        age.seconds(1)
    assert kept.steps == 7
    again = PoolAge(kept, 160, Clock(5.0))  # another boot, another origin of the clock
    assert again.seconds(1) == 70


def test_time_without_the_relay_does_not_count() -> None:
    kept = Kept(3)
    assert PoolAge(kept, 160, Clock(1e12)).seconds(1) == 30


def test_a_nonsensical_number_is_bounded() -> None:
    assert PoolAge(Kept(10**9), 160, Clock()).seconds(1) == 160


def test_the_file_is_written_sixteen_times_and_no_more() -> None:
    clock, kept = Clock(), Kept()
    age = PoolAge(kept, 160, clock)
    for _ in range(1000):
        age.seconds(1)
        clock.now += 1
    assert kept.writes == kept.steps == STEPS
