"""One invited person seals her ballot anew, again and again, and looks to the relay like all who are invited.

The collector has her ballot, and says so each time. A relay that counts its answers takes it for a liar: it
raises an alarm, and holds back all others until the operator flushes.
"""

from __future__ import annotations

from pathlib import Path

from server.collection.relay.judging import TAKEN, judge
from shared.ballot import require_invited
from tests.attacks.relayed_survey import relayed_survey
from tests.invited import seal_ballot
from tests.server.collection.relay.survey import ballot
from tests.waiting import until


def test_one_ballot_sealed_often_counts_once_and_holds_nobody_back(tmp_path: Path) -> None:
    with relayed_survey(tmp_path, messages=5) as place:
        people = require_invited(place.specification).people
        hers = ballot(place.digest, 0)
        for _ in range(people + 1):
            assert place.send(seal_ballot(place.digest, hers)) == 202
        place.pool.store.ask_flush(1)  # what is left of them, too few for a pool
        until(lambda: place.pool.totals().waiting + place.pool.totals().leaving == 0)
        assert len(place.sent) == people + 1, "each seal is another message, and the collector had them all"
        assert place.store.total() == place.pool.totals().passed == 1
        assert TAKEN not in judge(place.pool.totals(), people, place.store.total()).alarms
        others = place.pool_of(range(1, 6)) - {hers.token.prefix}
        assert len(others) == 5, "the others leave as ever"
        assert place.pool.totals().passed == 6
