"""The thread that lets a pool leave, mixes it, and passes it on until the collector has all of it."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

from server.collection.relay.collector import Later, Outcome, Passed
from server.collection.relay.threshold import PoolAge, Threshold
from server.collection.relay.turns import Turn, Turns
from server.collection.relay.watching import Watch
from server.collection.storage.relay import RelayStore, Totals
from shared.errors import StorageError

LOOK_SECONDS: Final = 1.0
"""How often the pool is looked at."""
SETTLE_MESSAGES: Final = 64
"""How many answered messages are deleted in one transaction; after a kill so many are sent twice."""
FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 300.0
_GIVE_UP_AFTER: Final = 8
_LOG: Final = logging.getLogger("roomful.relay")


class Line(Protocol):
    """Where messages go; see :class:`server.collection.relay.collector.Collector`."""

    def pass_on(self, body: bytes) -> Outcome:
        """Send one message."""

    def close(self) -> None:
        """Let go of the connection."""


class Forwarder:
    """Passes the pool of one survey on.

    Parameters
    ----------
    store : RelayStore
        The pool.
    line : Line
        To the collector.
    threshold : Threshold
        When the pool leaves.
    clock : callable
        Monotonic seconds.
    turn : Turn, optional
        When this survey may pass on among others of the same relay; always by default.
    watch : Watch, optional
        What is looked at besides. While it distrusts the collector no pool leaves but by a flush.
    look_seconds : float
        How often the pool is looked at.

    Notes
    -----
    Guarantee: a message is deleted only after the collector answered that it has it, or will never take it.
    It may be sent twice; the collector stores one ballot for each token, so it counts once.
    """

    def __init__(
        self,
        store: RelayStore,
        line: Line,
        threshold: Threshold,
        *,
        clock: Callable[[], float] = time.monotonic,
        turn: Turn | None = None,
        watch: Watch | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._store, self._line, self._threshold = store, line, threshold
        self._age = PoolAge(store, threshold.seconds, clock)
        self._turn = turn or Turns((threshold.seconds,), clock).of(0)
        self._watch = watch
        self._look_seconds = look_seconds
        self._pause = 0.0
        self._complaint = ""
        self._ended = threading.Event()

    def run(self) -> None:
        """Work until :meth:`end` is called from another thread."""
        self._tidy()  # a relay that was killed leaves the order of arrival in its file
        pause = 0.0
        while not self._ended.wait(pause):
            try:
                if self._watch is not None:
                    self._watch.look()
                pause = self.step()
            except StorageError as error:
                _LOG.error("relay-storage-failed %s", error.code)
                pause = self._longer_pause()
            except Exception as error:
                # By its class alone. A thread that ended would let the relay accept what nobody passes on.
                _LOG.error("relay-failed %s", type(error).__name__)
                self._line.close()
                pause = self._longer_pause()
        self._line.close()

    def end(self) -> None:
        """Stop after the message that is being sent."""
        self._ended.set()

    def step(self) -> float:
        """Do what is due; returns the seconds until the next look.

        Raises
        ------
        StorageError
            If the pool cannot be read or written; nothing is lost.
        """
        flush = self._store.flush_asked()  # before the totals: since then they can only have grown
        totals = self._store.totals()
        waited = self._age.seconds(totals.waiting)
        asked = 0 < flush <= totals.waiting
        if flush and not asked:
            self._store.ask_flush(0)
        due = self._threshold.met(totals.waiting, waited) and not self._distrusts(totals)
        if not asked and not ((due or totals.leaving) and self._turn.mine()):
            return self._look_seconds
        with self._turn.sending() as free:
            if not free:
                return self._look_seconds
            if asked or due:
                self._store.take()
                self._age.restart()
            passed = self._pass_on()
        if not passed:
            return self._longer_pause()
        self._pause = 0.0
        self._complaint = ""
        self._tidy()
        _LOG.info("batch-passed")
        return 0.0

    def _distrusts(self, totals: Totals) -> bool:
        return self._watch is not None and self._watch.distrusts(totals)

    def _pass_on(self) -> bool:
        """Send what is on its way, in random order; whether nothing of it is left."""
        keys = self._store.leaving()
        secrets.SystemRandom().shuffle(keys)
        passed: dict[bytes, bytes] = {}
        refused: dict[bytes, str] = {}
        left = failures = 0
        try:
            for number, key in enumerate(keys):
                if self._ended.is_set():
                    return False
                outcome = self._line.pass_on(self._store.body(key))
                if isinstance(outcome, Later):
                    left += 1
                    failures += 1
                    self._complain(outcome)
                    if outcome.away or failures == _GIVE_UP_AFTER:
                        left += len(keys) - number - 1
                        break
                    continue
                failures = 0
                if isinstance(outcome, Passed):
                    passed[key] = outcome.receipt
                else:
                    refused[key] = outcome.code
                if len(passed) + len(refused) >= SETTLE_MESSAGES:
                    self._settle(passed, refused)
                    passed, refused = {}, {}
        finally:
            self._settle(passed, refused)
        return left == 0

    def _settle(self, passed: dict[bytes, bytes], refused: dict[bytes, str]) -> None:
        if passed or refused:
            self._store.settle(passed, refused)
        for code in sorted(set(refused.values())):
            _LOG.warning("messages-refused %s", code)

    def _complain(self, outcome: Later) -> None:
        """Say once what is wrong, until all is passed on or something else is wrong."""
        complaint = "collector-away" if outcome.away else f"answer-unexpected {outcome.status}"
        if outcome.untrusted:
            complaint = "collector-untrusted"  # its certificate: no waiting mends it
        if complaint != self._complaint:
            self._complaint = complaint
            _LOG.warning(complaint)

    def _tidy(self) -> None:
        try:
            self._store.sweep()
        except StorageError as error:
            _LOG.warning("sweep-postponed %s", error.code)

    def _longer_pause(self) -> float:
        self._pause = min(max(2 * self._pause, FIRST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
        return self._pause
