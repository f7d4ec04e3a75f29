"""What a relay looks at while it runs: whether the survey is open, and whether the numbers can be true."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, Protocol

from server.collection.relay.collector import Said
from server.collection.relay.judging import TAKEN, Judgement, judge
from server.collection.storage.relay import RelayStore, Totals
from server.collection.storage.remembered import ENDED

ASK_SECONDS: Final = 60.0
"""How often the collector is asked for the survey's state; a draft may open at any moment, so each look."""
_LOG: Final = logging.getLogger("roomful.relay")


class Asked(Protocol):
    """Who is asked; see :class:`server.collection.relay.collector.Collector`."""

    def said(self) -> Said | None:
        """What the collector says in public."""


class Watch:
    """Watches one survey. Only :attr:`state` and :attr:`public` are read by other threads.

    Parameters
    ----------
    store : RelayStore
        The pool.
    collector : Asked
        Whom to ask.
    people : int
        Invitations, as signed.
    clock : callable
        Monotonic seconds.

    Attributes
    ----------
    state : str or None
        What the collector last said, None before it said anything. It is believed for a minute and not kept,
        but for the end: a collector can refuse ballots anyway, and a relay that does not hear from it takes
        them.
    public : int or None
        How many ballots it last said in public to have, once that is exact.
    """

    def __init__(
        self, store: RelayStore, collector: Asked, people: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store, self._collector, self._people, self._clock = store, collector, people, clock
        self._next = clock()
        self._raised: frozenset[str] = frozenset()
        self.state: str | None = None
        self.public: int | None = None

    def look(self) -> Judgement:
        """Ask, if it is time, and name each alarm in the log when it is new.

        If the survey is over, the pool forgets what it remembers for repeats, and what waits is refused: the
        collector takes none of it any more.
        """
        totals = self._store.totals()  # before asking: what was taken until now must be in the public number
        if self._clock() >= self._next:
            said = self._collector.said()
            self.state, self.public = (None, None) if said is None else (said.state, said.exact)
            if (ended := f"state.{self.state}") in ENDED and self._store.note_ended(ended):
                _LOG.warning("messages-refused %s", ended)
            self._next = self._clock() + (0.0 if self.state in ("draft", "tokens") else ASK_SECONDS)
            judgement = judge(totals, self._people, self.public)
        else:
            judgement = judge(totals, self._people)
        for alarm in judgement.alarms:
            if alarm not in self._raised:
                _LOG.error("alarm %s", alarm)
        self._raised = frozenset(judgement.alarms)
        return judgement

    def distrusts(self, totals: Totals) -> bool:
        """Whether pools are held back: the collector claims more ballots than there can be."""
        return TAKEN in judge(totals, self._people).alarms
