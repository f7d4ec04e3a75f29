"""One writer that takes all waiting items and commits them together.

A transaction costs one wait for the disk, however many items it holds; and items that share a transaction
have no order among them. So callers wait in line, the writer takes the whole line, and every caller is
answered only after the commit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar

from shared.errors import StorageError

Item = TypeVar("Item")

MAX_GROUP: Final = 512


def _held() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(slots=True)
class _Waiting(Generic[Item]):
    """A caller in line. The lock is held until its outcome is known."""

    item: Item
    answered: threading.Lock = field(default_factory=_held)
    error: Exception | None = None


class GroupCommitter(Generic[Item]):
    """The writer thread of one survey.

    Parameters
    ----------
    commit : callable
        Stores a group durably. Returns one outcome per item: None if it is stored, else the error for its
        caller. If it raises, nothing of the group is acknowledged and every caller gets the error.
    quiet : callable
        Called when no item came for `quiet_seconds` after the last group, and when the writer ends. Returns
        whether it is done; if not it is called again later. Must not raise.
    turn : callable
        A context that waits until this writer may write. The group is whoever is in line once it may, so that
        those who came during the wait need not wait for another round.
    quiet_seconds : float
        See above.

    Notes
    -----
    Guarantee: :meth:`store` returns only after `commit` returned None for its item.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Item]], Sequence[Exception | None]],
        quiet: Callable[[], bool],
        *,
        turn: Callable[[], AbstractContextManager[None]],
        name: str,
        quiet_seconds: float,
    ) -> None:
        self._commit = commit
        self._quiet = quiet
        self._turn = turn
        self._quiet_seconds = quiet_seconds
        self._line: SimpleQueue[_Waiting[Item] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def store(self, item: Item) -> None:
        """Wait until the item is durably stored.

        Raises
        ------
        StorageError
            If the writer has ended, or the group could not be stored.
        Exception
            The item's own outcome.
        """
        waiting = _Waiting(item)
        with self._gate:
            if self._ended:
                raise StorageError(
                    "the server is stopping", remedy="Send it again in a minute.", code="storage.stopping"
                )
            self._line.put(waiting)
        waiting.answered.acquire()
        if waiting.error is not None:
            raise waiting.error

    def end(self) -> None:
        """Store what waits, tidy up, and end the thread. Later items are refused."""
        with self._gate:
            if not self._ended:
                self._ended = True
                self._line.put(None)
        self._thread.join()

    def _run(self) -> None:
        tidy = True
        while True:
            try:
                first = self._line.get(timeout=None if tidy else self._quiet_seconds)
            except Empty:
                tidy = self._quiet()
                continue
            if first is None:
                last = True
            else:
                tidy = False
                last = self._serve(first)
            if last:
                self._quiet()
                return

    def _take(self, first: _Waiting[Item]) -> tuple[list[_Waiting[Item]], bool]:
        """Everything in line, and whether the end is among it."""
        group: list[_Waiting[Item]] = []
        current: _Waiting[Item] | None = first
        while current is not None:
            group.append(current)
            if len(group) == MAX_GROUP:
                return group, False
            try:
                current = self._line.get_nowait()
            except Empty:
                return group, False
        return group, True

    def _serve(self, first: _Waiting[Item]) -> bool:
        """Store whoever waits and tell each the outcome; returns whether the end was in line."""
        group: list[_Waiting[Item]] = []
        last = False
        try:
            with self._turn():
                group, last = self._take(first)
                outcomes = self._commit([waiting.item for waiting in group])
        except Exception as error:
            group = group or [first]
            outcomes = [error] * len(group)
        for waiting, outcome in zip(group, outcomes, strict=True):
            waiting.error = outcome
            waiting.answered.release()
        return last
