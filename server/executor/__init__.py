"""Work in tasks that do not depend on each other: by threads of this process, or by workers of a cluster.

One shape, `Executor`, for all work that is divided. What comes out is in the order of the tasks, so that it
cannot depend on who did them, or on how many there were.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from typing import Any, Final, Protocol, TypeVar

from server.progress import Progress

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 2
"""Tasks that are made for each worker before the first of them is done, so that none waits for the next."""
_within: ContextVar[bool] = ContextVar("within", default=False)


class Executor(Protocol):
    """Does tasks, several at the same time."""

    @property
    def workers(self) -> int:
        """How many tasks are done at the same time."""

    def map(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Progress | None = None,
        total: int = 0,
    ) -> list[Result]:
        """The results of all tasks, in their order.

        Parameters
        ----------
        work : callable
            A function of the task alone. On a cluster function and task are pickled, and a task is done again
            if its worker dies: it must leave nothing behind but its result.
        tasks : iterable
            Taken from when a worker is about to be free, so that few of them are in memory.
        progress : callable, optional
            Called with the tasks that are done and ``total``, in the thread of the caller. Whatever it
            raises, and whatever a task raises, ends the work: no other task begins.
        total : int
            Number of tasks, for ``progress``.
        """


class Threads:
    """Threads of this process. They overlap where work lets go of the interpreter, as machine code does.

    Parameters
    ----------
    workers : int, optional
        By default as many as there are processors.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        """Threads, but one within a task: nothing is divided twice."""
        return 1 if _within.get() else self._workers or processors()

    def map(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Progress | None = None,
        total: int = 0,
    ) -> list[Result]:
        """As `Executor.map`; nothing is copied."""
        if (isinstance(tasks, Sequence) and len(tasks) < 2) or self.workers < 2:
            results = []
            for task in tasks:
                results.append(work(task))
                if progress is not None:
                    progress(len(results), total)
            return results
        with ThreadPoolExecutor(self.workers) as pool:
            return in_order(lambda task: pool.submit(alone, work, task), tasks, self.workers, progress, total)


def alone(work: Callable[[Task], Result], task: Task) -> Result:
    """Do a task whose own work is not divided again: the other processors have tasks of their own."""
    token = _within.set(True)
    try:
        return work(task)
    finally:
        _within.reset(token)


def in_order(
    submit: Callable[[Any], Future[Any]],
    tasks: Iterable[Any],
    workers: int,
    progress: Progress | None,
    total: int,
    opened: Callable[[Any], Any] = lambda result: result,
) -> list[Any]:
    """Submit tasks, few ahead of those that are done, and put their ``opened`` results in order."""
    results: dict[int, Any] = {}
    waiting: dict[Future[Any], int] = {}
    coming = enumerate(tasks)
    try:
        while True:
            for number, task in _first(coming, _AHEAD * workers - len(waiting)):
                waiting[submit(task)] = number
            if not waiting:
                return [results[number] for number in range(len(results))]
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                results[waiting.pop(future)] = opened(future.result())
                if progress is not None:
                    progress(len(results), total)
    finally:
        for future in waiting:
            future.cancel()


def _first(coming: Iterator[tuple[int, Task]], most: int) -> Iterator[tuple[int, Task]]:
    for _, numbered in zip(range(most), coming, strict=False):
        yield numbered


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


THREADS: Final[Executor] = Threads()
"""Where nobody says otherwise."""


def slices(n: int, length: int) -> list[slice]:
    """Parts of range(n), of ``length`` each but the last."""
    return [slice(start, min(start + length, n)) for start in range(0, n, length)]
