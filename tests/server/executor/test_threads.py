"""Results in the order of the tasks, few tasks ahead, and an end at the first failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from server.executor import THREADS, Threads, slices
from tests.waiting import PATIENCE_SECONDS

WORKERS = (1, 2, 5)


@pytest.mark.parametrize("workers", WORKERS)
def test_results_are_in_the_order_of_the_tasks(workers: int) -> None:
    steps: list[tuple[int, int]] = []

    def work(task: int) -> int:
        time.sleep(0.002 * (task % 3))
        return task * task

    found = Threads(workers).map(work, iter(range(20)), progress=lambda *step: steps.append(step), total=20)
    assert found == [task * task for task in range(20)]
    assert steps == [(done, 20) for done in range(1, 21)]


@pytest.mark.parametrize("workers", WORKERS)
def test_few_tasks_are_made_before_they_are_done(workers: int) -> None:
    made, done = 0, 0

    def tasks() -> Iterator[int]:
        nonlocal made
        for made in range(1, 31):
            assert made - done <= 2 * workers + 1
            yield made

    def told(so_far: int, _total: int) -> None:
        nonlocal done
        done = so_far

    assert Threads(workers).map(lambda task: task, tasks(), progress=told) == list(range(1, 31))


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("where", ["task", "progress"])
def test_a_failure_is_raised_and_no_other_task_begins(workers: int, where: str) -> None:
    begun: list[int] = []

    def work(task: int) -> None:
        begun.append(task)
        if where == "task" and task == 3:
            raise ArithmeticError("the fourth")

    def told(done: int, _total: int) -> None:
        if where == "progress" and done == 4:
            raise ArithmeticError("the fourth")

    with pytest.raises(ArithmeticError, match="fourth"):
        Threads(workers).map(work, range(1000), progress=told)
    assert len(begun) <= 4 + 3 * workers


def test_tasks_overlap_and_are_not_divided_again() -> None:
    meeting = threading.Barrier(3)

    def work(_task: int) -> tuple[int, int]:
        meeting.wait(PATIENCE_SECONDS)
        return THREADS.workers, Threads(7).workers

    assert Threads(3).map(work, range(3)) == [(1, 1)] * 3
    assert Threads(7).workers == 7


def test_parts_of_a_range() -> None:
    assert slices(7, 3) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert slices(0, 3) == []
