"""A survey takes answers within its signed period, and is closed once that is over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from shared import strict_json
from shared.envelope import survey_digest
from shared.errors import StateError
from shared.submission import encode
from tests.server.collection.storage import sample

OPENS, CLOSES = "2030-12-01T08:00:00Z", "2030-12-15T23:00:00Z"
BEFORE, WITHIN = "2030-12-01T07:59:59Z", "2030-12-15T22:59:59Z"


class Clock:
    """A moment that a test sets."""

    moment = BEFORE

    def __call__(self) -> str:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path, clock: Clock) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60, now=clock) as directory:
        yield directory


PAYLOAD = strict_json.dumps(sample.document() | {"period": {"opens": OPENS, "closes": CLOSES}})
MESSAGES = [
    encode(
        survey_digest(PAYLOAD), 0, {"health": "good"}, os.urandom(sample.MESSAGE_BYTES), sample.MESSAGE_BYTES
    )
    for _ in range(3)
]


def publish(data: DataDirectory) -> str:
    return data.publish(sample.sign(PAYLOAD), sample.MODEL)


def test_answers_are_taken_from_the_first_moment_until_before_the_last(
    data: DataDirectory, clock: Clock
) -> None:
    store = data.survey(publish(data))
    store.open()
    assert (store.state, store.met) == (State.OPEN, State.DRAFT)
    with pytest.raises(StateError, match="not open yet") as early:
        store.submit(MESSAGES[0])
    assert early.value.code == "state.draft"
    clock.moment = OPENS
    receipt = store.submit(MESSAGES[0])
    clock.moment = WITHIN
    store.submit(MESSAGES[1])
    clock.moment = CLOSES
    assert store.met is State.CLOSED
    with pytest.raises(StateError) as late:
        store.submit(MESSAGES[2])
    assert late.value.code == "state.closed"
    assert store.submit(MESSAGES[0]) == receipt, "what is stored is acknowledged again"
    assert store.total() == 2


def test_it_is_closed_by_whoever_looks_after_the_data(data: DataDirectory, clock: Clock) -> None:
    store = data.survey(publish(data))
    store.open()
    clock.moment = WITHIN
    assert data.expire() == ()
    assert store.state is State.OPEN
    assert not store.close_if_over()
    clock.moment = CLOSES
    assert data.expire() == ()
    assert store.state is State.CLOSED
    assert store.retention.closed_on is not None
    assert not store.close_if_over()


def test_it_does_not_open_when_its_period_is_over(data: DataDirectory, clock: Clock) -> None:
    store = data.survey(publish(data))
    clock.moment = CLOSES
    with pytest.raises(StateError, match="that is over"):
        store.open()
    assert store.state is State.DRAFT
