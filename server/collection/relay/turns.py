"""Which of a relay's surveys may pass on now, so that no two pools leave together.

Who answers two surveys in one sitting is in one pool of each. If both pools leave at the same moment, both
hold the same people, and whoever sees the two batches knows that each ballot of the one belongs to one of the
other. Pools that leave at different moments cut the senders at different moments: hers may then be in either
of two pools of the other survey, so she hides among both.

An order that depends on arrivals would tell again which pools were due together. So the time is cut into
turns of equal length that go round, whatever arrives, and a pool leaves in the first half of a turn of its
own survey or waits for the next one.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

LEAST_TURN_SECONDS: Final = 4.0
"""A pool is looked at each second, so a shorter turn could pass unseen."""


class Turns:
    """The turns of the surveys of one relay. Safe for many threads.

    Guarantee: two surveys begin to pass on at least half a turn apart, and never at the same time, except by
    an operator's flush. With n surveys a turn lasts the n-th part of the shortest time of all their pools, or
    :data:`LEAST_TURN_SECONDS`; a pool waits at most n turns longer than its rule says, and on average about
    half of that. A single survey never waits.

    Parameters
    ----------
    seconds : tuple of float
        The time of each survey's threshold.
    clock : callable
        Monotonic seconds.
    dice : random.Random, optional
        Where in the round the relay begins; by default the system's generator.
    """

    def __init__(
        self,
        seconds: tuple[float, ...],
        clock: Callable[[], float] = time.monotonic,
        dice: random.Random | None = None,
    ) -> None:
        self._surveys, self._clock = len(seconds), clock
        self.turn_seconds = max(min(seconds) / len(seconds), LEAST_TURN_SECONDS)
        round_seconds = self._surveys * self.turn_seconds
        self._began = clock() - (dice or secrets.SystemRandom()).uniform(0, round_seconds)
        self._sending = threading.Lock()

    def of(self, survey: int) -> Turn:
        """The turns of one survey, counted from 0."""
        return Turn(self, survey)

    def mine(self, survey: int) -> bool:
        """Whether a pool of this survey may leave now."""
        if self._surveys == 1:
            return True
        turn, part = divmod(self._clock() - self._began, self.turn_seconds)
        return int(turn) % self._surveys == survey and part < self.turn_seconds / 2

    @contextmanager
    def sending(self) -> Iterator[bool]:
        """Whether the caller may send now; False while another survey does."""
        free = self._sending.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._sending.release()


class Turn:
    """One survey's view of the turns of its relay."""

    def __init__(self, turns: Turns, survey: int) -> None:
        self._turns, self._survey = turns, survey

    def mine(self) -> bool:
        """Whether a pool of this survey may leave now."""
        return self._turns.mine(self._survey)

    def sending(self) -> AbstractContextManager[bool]:
        """Whether this survey may send now; False while another one does."""
        return self._turns.sending()
