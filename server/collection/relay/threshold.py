"""When the pool leaves: the rule that the specification signs, and how long the oldest message has waited."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from server.collection.storage.relay import STEPS
from shared.invited import Relay

_LEAST_SECONDS: Final = 0.01  # a flush waits for no time at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A threshold pool: it leaves when it holds enough messages and the oldest has waited long enough.

    Attributes
    ----------
    messages : int
        At least so many.
    seconds : float
        At least so long.
    """

    messages: int
    seconds: float

    @classmethod
    def of(cls, relay: Relay) -> Threshold:
        """The rule of a survey."""
        return cls(messages=relay.messages, seconds=float(relay.seconds))

    def met(self, waiting: int, waited_seconds: float) -> bool:
        """Whether the pool leaves now.

        Guarantee: a message leaves together with at least ``messages - 1`` others, and with all others that
        were accepted within ``seconds`` after the first of the pool; one that somebody filled accepts nothing
        more. Only an operator's flush is an exception.
        """
        return waiting >= self.messages and waited_seconds >= self.seconds


class WaitedSteps(Protocol):
    """Where the number of steps is kept."""

    def waited(self) -> int:
        """Steps that were kept."""

    def note_waited(self, steps: int) -> None:
        """Keep a number of steps."""


class PoolAge:
    """How long the oldest message has waited, without any time of day.

    A monotonic clock measures within a process; what survives it is a number from 0 to 16. So a clock that
    is wrong or jumps changes nothing, and who takes the disk learns no time of arrival. A relay that is
    killed loses at most the sixteenth that it was in. Time in which the relay does not run is not counted:
    the pool leaves later then, never earlier.

    Parameters
    ----------
    steps : WaitedSteps
        The pool's file.
    seconds : float
        The time of the threshold.
    clock : callable
        Monotonic seconds.
    """

    def __init__(
        self, steps: WaitedSteps, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._steps, self._clock = steps, clock
        self._step_seconds = max(seconds, _LEAST_SECONDS) / STEPS
        self._began: float | None = None
        self._noted = 0

    def seconds(self, waiting: int) -> float:
        """The age of the pool as it is looked at; that of an empty pool is 0.

        Between two looks nothing is counted for a pool that was empty at the first.
        """
        now = self._clock()
        if waiting == 0:
            self._began = None
            return 0.0
        if self._began is None:
            self._noted = min(self._steps.waited(), STEPS)
            self._began = now - self._noted * self._step_seconds
        steps = min(int((now - self._began) / self._step_seconds), STEPS)
        if steps > self._noted:
            self._steps.note_waited(steps)
            self._noted = steps
        return now - self._began

    def restart(self) -> None:
        """Begin anew: the pool has left."""
        self._began = None
