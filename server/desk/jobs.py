"""Long work behind a page: one piece at a time, with its progress, and an end that leaves nothing behind."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from server.progress import StageProgress
from shared.errors import RoomfulError, StateError

_LOG: Final = logging.getLogger("roomful.desk")


class CancelledError(Exception):
    """Somebody pressed Cancel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """How far a piece of work is.

    Attributes
    ----------
    name : str
        What it does, as a key of the texts.
    state : {"running", "done", "failed", "cancelled"}
    stage : str
        The present part.
    done, total : int
        Of that part.
    result : object
        What came out.
    error : RoomfulError or None
        Why it failed; None for a defect.
    """

    name: str
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    stage: str = ""
    done: int = 0
    total: int = 0
    result: Any = None
    error: RoomfulError | None = None


class Jobs:
    """The one piece of work of a desk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: JobState | None = None
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()

    @property
    def state(self) -> JobState | None:
        """The present or last piece of work."""
        return self._state

    @property
    def running(self) -> bool:
        """Whether something is under way."""
        return self._state is not None and self._state.state == "running"

    def start(self, name: str, work: Callable[[StageProgress], Any]) -> None:
        """Begin; ``work`` is given what it reports its progress to, and which ends it if it is cancelled.

        Raises
        ------
        StateError
            If something is under way.
        """
        with self._lock:
            if self.running:
                raise StateError(
                    "something else is being computed",
                    remedy="Wait until it is over, or cancel it.",
                    code="state.busy",
                )
            self._state = JobState(name=name)
            self._cancelled.clear()
            self._thread = threading.Thread(target=self._run, args=(work,), name="desk", daemon=True)
            self._thread.start()

    def cancel(self) -> None:
        """Ask the work to end; it does at its next report, before anything is written."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, work: Callable[[StageProgress], Any]) -> None:
        assert self._state is not None  # noqa: S101 - set by start
        try:
            result = work(self._report)
            self._state = replace(self._state, state="done", result=result)
        except CancelledError:
            self._state = replace(self._state, state="cancelled")
        except RoomfulError as error:
            self._state = replace(self._state, state="failed", error=error)
        except Exception as error:
            _LOG.error("job-crashed %s", type(error).__name__)
            self._state = replace(self._state, state="failed")

    def _report(self, stage: str, done: int, total: int) -> None:
        if self._cancelled.is_set():
            raise CancelledError
        if self._state is not None:
            self._state = replace(self._state, stage=stage, done=done, total=total)
