"""The clock stands years ahead when a survey is closed: the promise to delete is kept all the same.

Whoever sets the clock, or a machine without time synchronization, would keep answers, codes and keys for
years more than people were promised. And a clock that is wrong for a moment must not delete what is not
released.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.retention import EARLIER_ON, EARLIEST_DAY
from server.collection.storage.store import SurveyStore
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing
from tests.server.collection.storage.sample import Clock

AHEAD = date(2040, 1, 31)
RIGHT = date(2030, 1, 31)
DAYS = timedelta(days=365)
DAY = timedelta(days=1)
CANARY = "the-canary-of-the-clock"


@pytest.fixture
def clock() -> Clock:
    return Clock(AHEAD)


@pytest.fixture
def closed(tmp_path: Path, clock: Clock) -> Iterator[SurveyStore]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60, today=clock) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        store.submit(sample.message(remark=CANARY + "x" * 150))
        store.close()
        yield store


def on(clock: Clock, store: SurveyStore, day: date) -> int | None:
    clock.day = day
    return store.expire()


def test_answers_are_deleted_as_promised_once_the_clock_is_right(closed: SurveyStore, clock: Clock) -> None:
    for day in (RIGHT, RIGHT + DAY, RIGHT + DAYS - DAY):
        assert on(clock, closed, day) is None
        assert closed.retention.delete_on == RIGHT + DAYS
    clock.day = RIGHT + DAYS
    assert closed.is_overdue()
    assert closed.expire() == 1
    assert files_containing(closed.published.folder, CANARY.encode()) == []
    assert closed.expire() is None


def test_a_clock_that_stood_in_the_past_for_a_moment_deletes_nothing(
    closed: SurveyStore, clock: Clock
) -> None:
    """The clock that closed was right; the machine starts twice with the day of its firmware."""
    for start in (AHEAD - 3 * DAYS, AHEAD - DAYS):
        assert on(clock, closed, start) is None
        assert on(clock, closed, AHEAD + DAYS - DAY) is None
        assert closed.retention.earlier_on is None
        assert closed.retention.delete_on == AHEAD + DAYS
    assert on(clock, closed, AHEAD + DAYS) == 1


def test_no_day_is_kept_that_no_right_clock_shows(closed: SurveyStore, clock: Clock) -> None:
    assert on(clock, closed, EARLIEST_DAY - DAY) is None
    assert closed.retention.earlier_on is None
    assert on(clock, closed, RIGHT) is None
    assert closed.retention.earlier_on == RIGHT
    assert closed.retention.to_object().keys().isdisjoint({EARLIER_ON})
