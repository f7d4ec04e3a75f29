"""Who answers two surveys of one relay in one sitting is in a pool of each: together they must not tell more.

The attacker sees the two batches that leave and knows that people who answer one survey answer the other a
minute later. If both pools leave at the same moment, each ballot of the one belongs to one of the other, and
her two cells are known to be among so few pairs.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from server.collection.relay.collector import Outcome
from server.collection.relay.forwarding import Forwarder
from server.collection.relay.threshold import Threshold
from server.collection.relay.turns import Turns
from server.collection.storage.relay import RelayStore
from tests.server.collection.relay.survey import taken
from tests.server.collection.relay.test_threshold import Clock

SECONDS = 600
MESSAGES = 5
PEOPLE = 240
SITTING = 20


class Batches:
    """Notes what leaves, and when."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.left: dict[float, set[bytes]] = {}

    def pass_on(self, body: bytes) -> Outcome:
        self.left.setdefault(self.clock.now, set()).add(body)
        return taken(body)

    def close(self) -> None:
        """Nothing is open."""


def run_relay(folder: Path, *, staggered: bool) -> tuple[Batches, Batches]:
    """Two surveys whose people send to both, at random moments of one evening."""
    clock, dice = Clock(), random.Random(11)
    arrivals = sorted(dice.uniform(0, 4 * 3600) for _ in range(PEOPLE))
    turns = Turns((float(SECONDS), float(SECONDS)), clock, random.Random(3))
    lines = (Batches(clock), Batches(clock))
    stores, forwarders = [], []
    for number, line in enumerate(lines):
        place = folder / str(number)
        place.mkdir()
        digest = hashlib.sha256(b"%d" % number).hexdigest()
        RelayStore.create(place, digest=digest)
        store = RelayStore(place, digest=digest, capacity=4000, people=PEOPLE, quiet_seconds=60)
        rule = Threshold(messages=MESSAGES, seconds=SECONDS)
        turn = turns.of(number) if staggered else None
        stores.append(store)
        forwarders.append(Forwarder(store, line, rule, clock=clock, turn=turn))
    sends = [(time, 0, who) for who, time in enumerate(arrivals)]
    sends += [(time + SITTING, 1, who) for who, time in enumerate(arrivals)]
    began, waiting = clock.now, sorted(sends)
    try:
        for tick in range(0, 6 * 3600, 5):
            clock.now = began + tick
            while waiting and waiting[0][0] <= tick:
                _, survey, who = waiting.pop(0)
                stores[survey].accept(b"%d" % who)
            for forwarder in forwarders:
                forwarder.step()
    finally:
        for store in stores:
            store.end()
    return lines


def crowds(one: Batches, other: Batches) -> list[int]:
    """For each person: in how many ballots of the other survey hers can be, as the attacker counts.

    Hers of the first survey left with one batch, so she sent after the one before it. Hers of the other left
    with the first batch after she sent that, at the earliest, or any later one until the time in which she
    can have sent is over.
    """
    times, others = sorted(one.left), sorted(other.left)
    found = []
    for number, left in enumerate(times):
        earliest = times[number - 1] if number else 0.0
        possible = [
            when
            for index, when in enumerate(others)
            if when > earliest + SITTING and (index == 0 or others[index - 1] < left + SITTING)
        ]
        crowd = sum(len(other.left[when]) for when in possible)
        for who in one.left[left]:
            assert any(who in other.left[when] for when in possible)
            found.append(crowd)
    return found


def test_two_pools_never_leave_together_and_hide_more(tmp_path: Path) -> None:
    first, second = run_relay(tmp_path, staggered=True)
    gap = min(abs(a - b) for a in first.left for b in second.left)
    assert gap >= SECONDS / 4  # half a turn of two surveys
    (tmp_path / "together").mkdir()
    one, other = run_relay(tmp_path / "together", staggered=False)
    together = sum(min(abs(a - b) for b in other.left) <= 2 * SITTING for a in one.left) / len(one.left)
    assert together > 0.5  # otherwise this test could not fail
    apart, aligned = crowds(first, second), crowds(one, other)
    assert len(apart) == len(aligned) == PEOPLE
    assert sum(apart) / PEOPLE > 1.3 * sum(aligned) / PEOPLE
