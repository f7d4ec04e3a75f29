"""Work for workers of a cluster, which import it."""

from __future__ import annotations

import os
import signal
import time

from server.executor import THREADS
from shared.errors import DesignError


def squared(number: int) -> int:
    return number * number


def process(_task: int) -> int:
    time.sleep(0.05)  # so that another worker takes the next
    return os.getpid()


def refused(name: str) -> None:
    raise DesignError(f"{name} is refused", where="here", expected="another", remedy="Go.", code="design.x")


def threads(_task: int) -> int:
    return THREADS.workers


def killing(number: int) -> int:
    """Ends the process that does it."""
    os.kill(os.getpid(), 9)
    return number


class LockedError(Exception):
    """An error that no other process can be told as it is."""

    def __reduce__(self) -> str:
        raise TypeError(f"{self} cannot be pickled")


def locked(name: str) -> None:
    raise LockedError(name)


def unpicklable(name: str) -> object:
    return lambda: name


class UnreadableError(Exception):
    """An error that is pickled, and cannot be made anew of that."""

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("no number",)


def unreadable(name: str) -> None:
    raise UnreadableError(name)


def interrupt(_task: int) -> object:
    return signal.getsignal(signal.SIGINT)
