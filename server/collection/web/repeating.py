"""Something that a worker does beside its requests, again and again, until it stops."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Final

_LOG: Final = logging.getLogger("roomful.web")


@contextlib.contextmanager
def repeating(action: Callable[[], None], *, every_seconds: float, name: str) -> Iterator[None]:
    """Run an action on a thread of its own, first after `every_seconds`, until the block ends.

    Parameters
    ----------
    action : callable
        What to do. If it raises, that is logged by the class of the error alone, and it is tried again.
    every_seconds : float
        The pause before each time.
    name : str
        Of the thread, and of the event when it fails.
    """
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every_seconds):
            try:
                action()
            except Exception as error:
                _LOG.error("%s-failed %s", name, type(error).__name__)

    thread = threading.Thread(target=run, name=f"roomful-{name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
