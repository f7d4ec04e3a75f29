"""A request to end (SIGTERM) is a cancellation like Ctrl-C: what was begun is tidied up. Neither is lost."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_AGAIN_SECONDS: Final = 0.05


@contextmanager
def tidy_when_ended() -> Iterator[None]:
    """Raise KeyboardInterrupt where SIGTERM arrives, so that every ``finally`` runs.

    Python passes over what is raised in a callback of the garbage collector or a finalizer, KeyboardInterrupt
    too, and Dask has such callbacks: what was lost there is raised again a moment later, by SIGTERM, since a
    shell lets what it puts into the background ignore Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    main, passed_over, timers = threading.get_ident(), sys.unraisablehook, list[threading.Timer]()

    def lost(what: UnraisableHookArgs) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            passed_over(what)
            return
        timers.append(threading.Timer(_AGAIN_SECONDS, signal.pthread_kill, (main, signal.SIGTERM)))
        timers[-1].start()

    before = signal.signal(signal.SIGTERM, _end)
    sys.unraisablehook = lost
    try:
        yield
    finally:
        sys.unraisablehook = passed_over
        for timer in timers:
            timer.cancel()
            timer.join()  # what it has sent is raised here, and does not end the process
        signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
    raise KeyboardInterrupt(f"signal {number}")
