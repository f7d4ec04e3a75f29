"""The line of waiting callers, without a database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

import pytest

from server.collection.storage.group_commit import MAX_GROUP, GroupCommitter
from shared.errors import StateError, StorageError
from tests.waiting import PATIENCE_SECONDS, until


def _run_all(committer: GroupCommitter[int], items: Sequence[int]) -> dict[int, Exception | None]:
    outcomes: dict[int, Exception | None] = {}

    def one(item: int) -> None:
        try:
            committer.store(item)
            outcomes[item] = None
        except Exception as error:
            outcomes[item] = error

    threads = [threading.Thread(target=one, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_waiting_items_share_a_commit_and_each_gets_its_own_outcome() -> None:
    groups: list[list[int]] = []

    def commit(group: Sequence[int]) -> list[Exception | None]:
        groups.append(list(group))
        if len(groups) == 1:
            until(lambda: committer._line.qsize() == 50 - len(group))  # meanwhile the others line up
        return [StateError("odd") if item % 2 else None for item in group]

    committer = GroupCommitter(commit, lambda: True, turn=nullcontext, name="test", quiet_seconds=60)
    outcomes = _run_all(committer, range(50))
    committer.end()
    assert len(groups) <= 2
    assert sorted(item for group in groups for item in group) == list(range(50))
    assert {item for item, error in outcomes.items() if error is None} == set(range(0, 50, 2))
    assert all(isinstance(outcomes[item], StateError) for item in range(1, 50, 2))


def test_nobody_is_answered_before_the_commit() -> None:
    go, answered = threading.Event(), threading.Event()

    def commit(group: Sequence[int]) -> list[Exception | None]:
        assert go.wait(PATIENCE_SECONDS)
        return [None] * len(group)

    committer = GroupCommitter(commit, lambda: True, turn=nullcontext, name="test", quiet_seconds=60)
    thread = threading.Thread(target=lambda: (committer.store(1), answered.set()))
    thread.start()
    assert not answered.wait(0.2)
    go.set()
    assert answered.wait(PATIENCE_SECONDS)
    thread.join()
    committer.end()


def test_a_failed_commit_fails_its_whole_group_and_the_writer_goes_on() -> None:
    fail = [True]

    def commit(group: Sequence[int]) -> list[Exception | None]:
        if fail[0]:
            raise StorageError("disk", code="storage.disk")
        return [None] * len(group)

    committer = GroupCommitter(commit, lambda: True, turn=nullcontext, name="test", quiet_seconds=60)
    with pytest.raises(StorageError):
        committer.store(1)
    fail[0] = False
    committer.store(2)
    committer.end()


def test_tidying_up_is_tried_again_until_it_succeeds_and_once_more_at_the_end() -> None:
    calls: list[int] = []

    def quiet() -> bool:
        calls.append(1)
        return len(calls) >= 3

    committer = GroupCommitter(
        lambda group: [None] * len(group), quiet, turn=nullcontext, name="test", quiet_seconds=0.05
    )
    committer.store(1)
    until(lambda: len(calls) == 3)
    time.sleep(0.3)
    assert len(calls) == 3
    committer.end()
    assert len(calls) == 4


def test_ending_stores_what_waits_and_refuses_what_comes_later() -> None:
    stored: list[int] = []

    def commit(group: Sequence[int]) -> list[Exception | None]:
        time.sleep(0.1)
        stored.extend(group)
        return [None] * len(group)

    committer = GroupCommitter(commit, lambda: True, turn=nullcontext, name="test", quiet_seconds=60)
    outcomes: dict[int, Exception | None] = {}
    loader = threading.Thread(target=lambda: outcomes.update(_run_all(committer, range(20))))
    loader.start()
    time.sleep(0.05)
    committer.end()
    committer.end()
    loader.join()
    acknowledged = {item for item, error in outcomes.items() if error is None}
    assert acknowledged == set(stored)
    with pytest.raises(StorageError) as caught:
        committer.store(99)
    assert caught.value.code == "storage.stopping"


def test_a_group_has_a_limit() -> None:
    assert _sizes(MAX_GROUP + 40) == [MAX_GROUP, 40]


def test_those_who_come_during_the_wait_for_the_turn_are_taken_along() -> None:
    assert _sizes(20) == [20]


def _sizes(number: int) -> list[int]:
    """Sizes of the groups if the first turn comes when so many are in line."""
    sizes: list[int] = []

    @contextmanager
    def turn() -> Iterator[None]:
        until(lambda: sizes or committer._line.qsize() == number - 1)
        yield

    def commit(group: Sequence[int]) -> list[Exception | None]:
        sizes.append(len(group))
        return [None] * len(group)

    committer = GroupCommitter(commit, lambda: True, turn=turn, name="test", quiet_seconds=60)
    _run_all(committer, range(number))
    committer.end()
    return sizes


def test_a_turn_that_never_comes_is_told_to_the_caller() -> None:
    @contextmanager
    def turn() -> Iterator[None]:
        raise StorageError("no lock file", code="storage.disk")
        yield

    committer = GroupCommitter(lambda _group: [], lambda: True, turn=turn, name="test", quiet_seconds=60)
    for _ in range(2):
        with pytest.raises(StorageError) as caught:
            committer.store(1)
        assert caught.value.code == "storage.disk"
    committer.end()
