"""A request to end (SIGTERM) is a cancellation like Ctrl-C: what was begun is tidied up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def tidy_when_ended() -> Iterator[None]:
    """Raise KeyboardInterrupt where SIGTERM arrives, so that every ``finally`` runs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
    raise KeyboardInterrupt(f"signal {number}")
