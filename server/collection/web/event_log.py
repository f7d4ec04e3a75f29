"""What the servers write to standard error: names of events, without times, and each seldom.

A log is read by more people than a database, and kept in more places. So nothing that came from outside
stands in it, and an event that comes again and again, as with a full disk, neither fills the next disk nor
tells how often, or when, somebody came.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

SILENT_SECONDS: Final = 3600.0
"""For how long an event is not written again."""
MAX_EVENTS: Final = 1000
"""How many different events a process remembers; there are a few dozen."""
_EVENTS: Final = {
    "Exception while serving": "request-crashed",
    "Exception when servicing": "request-crashed",
    "Socket error": "connection-broken",
    "total open connections reached": "connections-full",
    "total open connections dropped": "connections-free",
    "Client disconnected": "connection-broken",
}
"""Beginnings of waitress's own messages, which may hold paths or addresses, and what is logged instead."""


class EventNames(logging.Filter):
    """Lets through the name of an event and the class of an error, and nothing that came from outside."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the record's text."""
        if record.name.partition(".")[0] != "roomful":
            text = str(record.msg)
            record.msg = next(
                (event for start, event in _EVENTS.items() if text.startswith(start)), "server-event"
            )
            record.args = ()
        if record.exc_info:
            kind = record.exc_info[0]
            record.msg = f"{record.msg} {kind.__name__ if kind else ''}"
        record.exc_info = record.exc_text = record.stack_info = None
        return True


class Seldom(logging.Filter):
    """Lets each warning and error through once in :data:`SILENT_SECONDS`; after :class:`EventNames`.

    What happens once by itself, as a survey that opens, is always let through.

    Parameters
    ----------
    clock : callable
        Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[str, float] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        if record.levelno < logging.WARNING:
            return True
        event, now = record.getMessage(), self._clock()
        with self._lock:
            if now - self._last.get(event, -SILENT_SECONDS) < SILENT_SECONDS:
                return False
            if len(self._last) >= MAX_EVENTS:
                self._last.clear()
            self._last[event] = now
        return True


def set_up_logging() -> None:
    """Send event names to standard error, without times: the hour of a visit is nobody's business."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    handler.addFilter(EventNames())
    handler.addFilter(Seldom())
    logging.raiseExceptions = False  # if standard error cannot be written: a traceback there would have paths
    for name in ("roomful", "waitress"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)
    logging.getLogger("waitress").setLevel(logging.WARNING)
    logging.getLogger("waitress.queue").disabled = True
