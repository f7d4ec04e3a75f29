"""The n-1 attack at the relay: bytes that somebody makes up stand in for the others who would hide her.

The relay can read nothing, so random bytes of the right length look like ballots to it. What it can know is
counted: the invitations that were signed, and what the collector claims.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.relay import relay
from server.collection.relay.forwarding import Forwarder
from server.collection.relay.judging import judge
from server.collection.relay.pool import open_store, prepare, relay_of
from server.collection.relay.threshold import Threshold
from server.collection.relay.watching import Watch
from server.collection.storage.published import PublishedSurvey
from server.collection.storage.relay import RelayStore
from shared.errors import StorageError
from tests.invited import digest_of
from tests.server.collection.relay.survey import (
    StubCollector,
    envelope_of,
    link_of,
    link_text,
    relayed,
    sealed,
    stub_collector,
    take_all,
)
from tests.server.collection.relay.test_forwarding import Line
from tests.server.collection.relay.test_threshold import Clock

MESSAGES = 20
SPECIFICATION = relayed(messages=MESSAGES, seconds=600)
DIGEST = digest_of(SPECIFICATION)
HERS = sealed(DIGEST, 0)
PEOPLE = 150


def made_up(number: int) -> list[bytes]:
    """Bytes of the length of a ballot."""
    return [secrets.token_bytes(len(HERS)) for _ in range(number)]


def survey_in(folder: Path, stub: StubCollector) -> PublishedSurvey:
    return prepare(folder, link_of(SPECIFICATION, stub.base))


def run(folder: Path, stub: StubCollector, *options: str, answer: str = "") -> Result:
    words = [link_text(SPECIFICATION, stub.base), "--data", str(folder), *options]
    return CliRunner().invoke(relay, words, input=answer)


@pytest.mark.parametrize("flood", [0, MESSAGES - 1, 3 * MESSAGES])
def test_a_flush_before_the_time_is_over_always_warns(tmp_path: Path, flood: int) -> None:
    """The operator was warned of one ballot, and not of the same one among nineteen that are none."""
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        with open_store(survey_in(tmp_path, stub)) as store:
            for body in (HERS, *made_up(flood)):
                store.accept(body)
        asked = run(tmp_path, stub, "--flush", answer="n\n")
        assert asked.exit_code == 1
        assert "WARNING" in asked.output
        assert "Pass them on?" in asked.output
        if flood:
            assert "perhaps a single one" in asked.output
        assert stub.bodies == []
        forced = run(tmp_path, stub, "--flush", "--yes")
        assert "WARNING" in forced.output
        assert len(stub.bodies) == flood + 1


def test_a_burst_that_fills_the_room_keeps_nobody_out_until_the_pool_leaves(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = survey_in(tmp_path, stub)
    with open_store(survey) as store:
        clock = Clock()
        forwarder = Forwarder(store, Line(), Threshold.of(relay_of(survey)[1]), clock=clock)
        store.accept(HERS)
        forwarder.step()
        fill(store)
        served = 0
        for number in range(1, 16):  # others, one in each sixteenth of the time
            clock.now += 600 / 16
            forwarder.step()
            with contextlib.suppress(StorageError):
                store.accept(sealed(DIGEST, number))
                served += 1
        assert served == 15


def fill(store: RelayStore) -> int:
    """Send until the relay takes no more; how many it took."""
    before = store.totals().waiting
    with pytest.raises(StorageError) as caught:
        list(map(store.accept, made_up(5000)))
    assert caught.value.code == "storage.pool-full"
    return store.totals().waiting - before


def test_the_room_is_bounded_by_the_invitations(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = survey_in(tmp_path, stub)
    with open_store(survey) as store:
        assert fill(store) == 250
        judged = judge(store.totals(), PEOPLE)
        assert judged.alarms == ("pool-exceeds-invited",)
        assert judged.most_ballots == PEOPLE


def test_a_collector_that_calls_everything_a_ballot_is_caught(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It hides a flood by saying of random bytes that it took them: more than are invited."""
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = survey_in(tmp_path, stub)
        with open_store(survey) as store:
            clock, line = Clock(), Line()
            watch = Watch(store, Silent(), PEOPLE, clock)
            rule = Threshold.of(relay_of(survey)[1])
            forwarder = Forwarder(store, line, rule, clock=clock, watch=watch)
            for _ in range(3):
                for body in made_up(PEOPLE // 2 + 1):
                    store.accept(body)
                watch.look()
                forwarder.step()
                clock.now += 600
                forwarder.step()
            watch.look()
            # Two pools were enough to know; the third one stays.
            assert (store.totals().passed, store.totals().waiting) == (PEOPLE + 2, PEOPLE // 2 + 1)
        assert "alarm taken-exceeds-invited" in caplog.messages
        shown = run(tmp_path, stub, "--status")
        assert "ALARM: the collector says that it took more ballots than people are invited" in shown.output
        (told,) = json.loads(run(tmp_path, stub, "--status", "--json").output)
        assert told["alarms"] == ["taken-exceeds-invited", "pool-exceeds-invited"]
        flushed = run(tmp_path, stub, "--flush", answer="n\n")
        assert "ALARM" in flushed.output


def test_a_collector_that_says_less_in_public_is_caught(tmp_path: Path) -> None:
    """To hide the flood from the board as well, it has to tell the relay more than everybody else.

    It shows at closing: until then the public number is old and wrong on purpose, of an honest collector too.
    """
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        with open_store(survey_in(tmp_path, stub)) as store:
            for body in made_up(30):
                store.accept(body)
            store.take()
            store.settle(take_all(store.leaving()), {})
        stub.envelope = json.dumps({"state": "closed", "total": 29}).encode()
        shown = run(tmp_path, stub, "--status")
        assert "taken-exceeds-public" in shown.output
        for honest in ({"state": "closed", "total": 30}, {"state": "open", "total": 10}):
            stub.envelope = json.dumps(honest).encode()
            assert "ALARM" not in run(tmp_path, stub, "--status").output


class Silent:
    """A collector that does not say how many it has."""

    def said(self) -> None:
        """Nothing."""
