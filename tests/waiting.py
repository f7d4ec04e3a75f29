"""Waiting for something that comes, on machines of any speed, which may stand still for a minute.

A wait ends as soon as what it waits for has come, so patience costs nothing but the time until a real failure
is told. What must be quick is measured in processor time, which neither pauses nor neighbours lengthen.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 240.0


def until(condition: Callable[[], object], said: Callable[[], str] = str) -> None:
    """Look again and again until a condition holds.

    Parameters
    ----------
    condition : callable
        Returns something true in the end.
    said : callable
        What to say if it never does.

    Raises
    ------
    AssertionError
        After :data:`PATIENCE_SECONDS`.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, said()
        time.sleep(0.02)


def quickest(act: Callable[[], object], times: int = 3) -> float:
    """Seconds of processor time that the quickest of some runs took; neighbours slow down each of them."""
    found = []
    for _ in range(times):
        started = time.process_time()
        act()
        found.append(time.process_time() - started)
    return min(found)


def let_midnight_pass() -> None:
    """Wait for tomorrow if it is near: what several processes count from today must be the same day's."""
    while time.time() % 86_400 > 86_400 - PATIENCE_SECONDS:
        time.sleep(1)
