"""The whole pool leaves in random order, and nothing is deleted before the collector has answered for it."""

from __future__ import annotations

import hashlib
import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from server.collection.relay import forwarding
from server.collection.relay.collector import Collector, Later, Outcome, Passed, Refused, read_answer
from server.collection.relay.forwarding import LONGEST_PAUSE_SECONDS, SETTLE_MESSAGES, Forwarder
from server.collection.relay.threshold import Threshold
from server.collection.storage.database import CLEAN, DIRTY
from server.collection.storage.relay import POOL_NAME, RelayStore
from shared.errors import StorageError
from tests.server.collection.relay.survey import link_of, relayed, stub_collector, taken
from tests.server.collection.relay.test_threshold import Clock
from tests.waiting import PATIENCE_SECONDS, until

DIGEST = "ab" * 32
THRESHOLD = Threshold(messages=5, seconds=60)


class Line:
    """A collector that answers as it is told."""

    def __init__(self, answer: Callable[[bytes], Outcome] = taken) -> None:
        self.sent: list[bytes] = []
        self.answer = answer

    def pass_on(self, body: bytes) -> Outcome:
        self.sent.append(body)
        return self.answer(body)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RelayStore]:
    RelayStore.create(tmp_path, digest=DIGEST)
    with RelayStore(tmp_path, digest=DIGEST, capacity=1000, people=400, quiet_seconds=60) as found:
        yield found


def fill(store: RelayStore, number: int) -> list[bytes]:
    found = [b"%04d" % i + secrets.token_bytes(100) for i in range(number)]
    with ThreadPoolExecutor(32) as together:
        list(together.map(store.accept, found))
    return found


def test_nothing_leaves_before_both_thresholds(store: RelayStore) -> None:
    clock, line = Clock(), Line()
    forwarder = Forwarder(store, line, THRESHOLD, clock=clock)
    sent = fill(store, 4)
    forwarder.step()
    clock.now += 1e6
    forwarder.step()
    assert line.sent == []
    sent += fill(store, 1)
    forwarder.step()
    assert sorted(line.sent) == sorted(sent)
    sent = fill(store, 9)
    line.sent.clear()
    forwarder.step()
    clock.now += 59
    forwarder.step()
    assert line.sent == []
    clock.now += 1
    forwarder.step()
    assert sorted(line.sent) == sorted(sent)
    assert store.totals().passed == 14


def test_the_order_is_neither_that_of_arrival_nor_that_of_the_file(store: RelayStore) -> None:
    line = Line()
    arrived = fill(store, 120)
    store.ask_flush(1)
    Forwarder(store, line, THRESHOLD, clock=Clock()).step()
    in_file = sorted(arrived, key=lambda body: hashlib.sha256(body).digest())
    for order in (arrived, in_file):
        ranks = [order.index(body) for body in line.sent]
        concordant = sum(a < b for i, a in enumerate(ranks) for b in ranks[i + 1 :])
        tau = 4 * concordant / (120 * 119) - 1
        assert abs(tau) < 0.31  # five standard deviations


def test_what_the_collector_does_not_answer_for_is_sent_again_and_then_deleted(store: RelayStore) -> None:
    seen: set[bytes] = set()

    def forgetful(body: bytes) -> Outcome:
        if body in seen:
            return taken(body)
        seen.add(body)
        return Later(away=False)

    line = Line(forgetful)
    forwarder = Forwarder(store, line, THRESHOLD, clock=Clock())
    sent = fill(store, 6)
    store.ask_flush(1)
    assert forwarder.step() > 0
    assert store.totals().leaving == 6
    assert forwarder.step() == 0
    assert sorted(line.sent) == sorted(sent * 2)
    assert (store.totals().leaving, store.totals().passed) == (0, 6)


def test_one_message_that_always_fails_does_not_hold_up_the_others(store: RelayStore) -> None:
    sent = fill(store, 40)
    line = Line(lambda body: Later(away=False) if body == sent[7] else taken(body))
    forwarder = Forwarder(store, line, THRESHOLD, clock=Clock())
    store.ask_flush(1)
    forwarder.step()
    assert (store.totals().leaving, store.totals().passed) == (1, 39)


def test_an_absent_collector_is_asked_again_after_longer_and_longer_pauses(
    store: RelayStore, caplog: pytest.LogCaptureFixture
) -> None:
    line = Line(lambda _: Later(away=True))
    forwarder = Forwarder(store, line, THRESHOLD, clock=Clock())
    fill(store, 6)
    store.ask_flush(1)
    with caplog.at_level(logging.INFO, "roomful.relay"):
        pauses = [forwarder.step() for _ in range(12)]
    assert pauses[:4] == [1, 2, 4, 8]
    assert pauses[-1] == LONGEST_PAUSE_SECONDS
    assert len(line.sent) == 12  # one try each, not the whole batch
    assert caplog.messages == ["collector-away"]
    line.answer = lambda _: Later(away=True, untrusted=True)
    with caplog.at_level(logging.INFO, "roomful.relay"):
        forwarder.step()
    assert caplog.messages == ["collector-away", "collector-untrusted"]
    line.answer = taken
    assert forwarder.step() == 0
    assert store.totals().passed == 6
    line.answer = lambda _: Later(away=True)
    fill(store, 6)
    store.ask_flush(1)
    assert forwarder.step() == 1


def test_what_is_refused_for_good_is_dropped_and_counted(
    store: RelayStore, caplog: pytest.LogCaptureFixture
) -> None:
    sent = fill(store, 6)
    line = Line(lambda body: Refused("token.spent") if body in sent[:2] else taken(body))
    store.ask_flush(1)
    Forwarder(store, line, THRESHOLD, clock=Clock()).step()
    totals = store.totals()
    assert (totals.leaving, totals.passed, totals.refused) == (0, 4, (("token.spent", 2),))
    assert "messages-refused token.spent" in caplog.messages


def test_an_error_in_the_middle_keeps_what_was_answered(store: RelayStore) -> None:
    def failing(body: bytes) -> Outcome:
        if len(line.sent) == 4:
            raise RuntimeError
        return taken(body)

    line = Line(failing)
    fill(store, 6)
    store.ask_flush(1)
    with pytest.raises(RuntimeError):
        Forwarder(store, line, THRESHOLD, clock=Clock()).step()
    assert (store.totals().leaving, store.totals().passed) == (3, 3)


def test_an_end_stops_between_two_messages(store: RelayStore) -> None:
    def ending(body: bytes) -> Outcome:
        if len(line.sent) == 3:
            forwarder.end()
        return taken(body)

    line = Line(ending)
    forwarder = Forwarder(store, line, THRESHOLD, clock=Clock())
    fill(store, 10)
    store.ask_flush(1)
    forwarder.run()
    assert (store.totals().leaving, store.totals().passed) == (7, 3)


def test_many_messages_are_deleted_in_groups(store: RelayStore) -> None:
    fill(store, 3 * SETTLE_MESSAGES + 1)
    left: list[int] = []
    line = Line(lambda body: (left.append(store.totals().leaving), taken(body))[1])
    store.ask_flush(1)
    Forwarder(store, line, THRESHOLD, clock=Clock()).step()
    assert sorted(set(left), reverse=True) == [193, 129, 65, 1]


def test_a_flush_is_for_as_many_as_were_warned_of(store: RelayStore) -> None:
    """The pool left between the warning and the flush: whoever came since must not leave alone."""
    clock, line = Clock(), Line()
    forwarder = Forwarder(store, line, THRESHOLD, clock=clock)
    fill(store, 1)
    store.ask_flush(4)
    forwarder.step()
    assert line.sent == []
    assert store.flush_asked() == 0  # it is not kept for later either
    fill(store, 3)
    forwarder.step()
    assert line.sent == []
    store.ask_flush(4)
    fill(store, 1)
    forwarder.step()
    assert len(line.sent) == 5
    assert store.flush_asked() == 0


def test_a_flush_does_not_make_those_who_stay_look_older(store: RelayStore) -> None:
    clock = Clock()
    forwarder = Forwarder(store, Line(), THRESHOLD, clock=clock)
    fill(store, 1)
    forwarder.step()
    clock.now += 1
    store.ask_flush(2)
    forwarder.step()
    assert store.waited() == 0


def test_a_message_that_is_never_answered_does_not_hold_up_later_pools(
    store: RelayStore, caplog: pytest.LogCaptureFixture
) -> None:
    """A proxy that finds one ballot too large must not end the survey for all others."""
    clock = Clock()
    (large,) = fill(store, 1)
    line = Line(lambda body: Later(away=False, status=413) if body == large else taken(body))
    forwarder = Forwarder(store, line, THRESHOLD, clock=clock)
    for _ in range(2):
        fill(store, 5)
        forwarder.step()
        clock.now += 60
        forwarder.step()
    totals = store.totals()
    assert (totals.waiting, totals.leaving, totals.passed) == (0, 1, 10)
    assert caplog.messages == ["answer-unexpected 413"]  # once, not at each try


def test_what_a_killed_relay_left_in_order_of_arrival_is_rewritten_at_the_start(
    store: RelayStore, tmp_path: Path
) -> None:
    fill(store, 9)
    version = sqlite3.connect(tmp_path / POOL_NAME)
    assert version.execute("PRAGMA user_version").fetchone() == (DIRTY,)
    forwarder = Forwarder(store, Line(), THRESHOLD)
    forwarder.end()
    forwarder.run()
    assert version.execute("PRAGMA user_version").fetchone() == (CLEAN,)
    version.close()


def test_a_file_that_cannot_be_rewritten_holds_up_nobody(
    store: RelayStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: RelayStore) -> None:
        raise StorageError("the disk is full", code="storage.full")

    monkeypatch.setattr(RelayStore, "sweep", full)
    line = Line()
    forwarder = Forwarder(store, line, THRESHOLD, clock=Clock())
    line.answer = lambda body: (forwarder.end(), taken(body))[1]
    fill(store, 1)
    store.ask_flush(1)
    forwarder.run()
    assert len(line.sent) == 1
    assert caplog.messages == ["sweep-postponed storage.full"] * 2


RECEIPT = b'{"receipt": "%s"}' % (b"0" * 64)


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (201, RECEIPT, Passed(bytes(32))),
        (200, RECEIPT, Later(away=False)),
        (201, b"<html>a hotel's login</html>", Later(away=False)),
        (201, b'{"receipt": "short"}', Later(away=False)),
        (201, b'{"receipt": [1]}', Later(away=False)),
        (400, b'{"code": "ballot.sealed"}', Refused("ballot.sealed")),
        (400, b'{"code": "ballot.cell"}', Refused("ballot.cell")),
        (400, b'{"code": "token.signature"}', Refused("token.signature")),
        (409, b'{"code": "token.spent"}', Refused("token.spent")),
        (409, b'{"code": "state.closed"}', Refused("state.closed")),
        (409, b'{"code": "state.released"}', Refused("state.released")),
        (409, b'{"code": "state.draft"}', Later(away=False)),
        (409, b'{"code": "state.role"}', Later(away=False)),
        (404, b'{"code": "not-found"}', Later(away=False)),
        (404, b"<html>nginx</html>", Later(away=False)),
        (403, b'{"code": "token.Robert\'); DROP TABLE"}', Later(away=False)),
        (400, b'{"code": ["ballot.sealed"]}', Later(away=False)),
        (400, b"[]", Later(away=False)),
        (400, b"\xff", Later(away=False)),
        (408, b"", Later(away=False)),
        (413, b'{"code": "http.413"}', Later(away=False)),
        (429, b"", Later(away=True)),
        (500, b'{"code": "token.spent"}', Later(away=True)),
        (503, b'{"code": "storage.rolled-back"}', Later(away=True)),
    ],
)
def test_what_answers_mean(status: int, body: bytes, outcome: Outcome) -> None:
    """Only the collector's own word ever lets a message be deleted."""
    assert read_answer(status, body) == outcome


def test_one_connection_and_nothing_of_a_visitor_in_its_headers() -> None:
    specification = relayed()
    with stub_collector() as stub:
        collector = Collector(link_of(specification, stub.base))
        outcomes = [collector.pass_on(b"%d" % number) for number in range(5)]
        collector.close()
    assert outcomes == [taken(b"%d" % number) for number in range(5)]
    assert stub.bodies == [b"0", b"1", b"2", b"3", b"4"]
    assert len(stub.connections) == 1
    assert {tuple(sorted(headers)) for headers in stub.headers} == {
        ("Accept-Encoding", "Content-Length", "Content-Type", "Host")
    }
    assert stub.headers[0]["Content-Type"] == "application/vnd.roomful.ballot"


def test_a_connection_that_the_collector_closed_meanwhile_is_made_anew() -> None:
    specification = relayed()
    with stub_collector() as stub:
        collector = Collector(link_of(specification, stub.base))
        assert collector.pass_on(b"1") == taken(b"1")
        assert collector._connection is not None
        assert collector._connection.sock is not None
        collector._connection.sock.shutdown(2)
        assert collector.pass_on(b"2") == taken(b"2")
        collector.close()
    assert collector.pass_on(b"3") == Later(away=True)


def test_a_collector_that_falls_silent_is_not_waited_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relay that is asked to end waits for the ballot that is being sent."""
    spoken = threading.Event()
    with stub_collector() as stub:
        usual = stub.answer

        def once() -> tuple[int, dict[str, Any]]:
            if len(stub.bodies) > 1:
                spoken.wait(PATIENCE_SECONDS)
            return usual()

        monkeypatch.setattr(stub, "answer", once)
        collector = Collector(link_of(relayed(), stub.base))
        assert collector.pass_on(b"1") == taken(b"1")
        assert collector._connection is not None
        assert collector._connection.sock is not None
        collector._connection.sock.settimeout(0.3)
        assert collector.pass_on(b"2") == Later(away=True)
        until(lambda: len(stub.bodies) > 1)
        spoken.set()
    assert stub.bodies == [b"1", b"2"]


def test_an_endless_answer_is_cut_off() -> None:
    with stub_collector() as stub:
        stub.answers = [(201, {"receipt": "0" * 64, "more": "x" * 100_000})]
        collector = Collector(link_of(relayed(), stub.base))
        assert collector.pass_on(b"1") == Later(away=True)
        collector.close()


def test_a_failure_that_nobody_foresaw_does_not_end_the_forwarding(
    store: RelayStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that ended would let the relay accept what nobody passes on."""
    monkeypatch.setattr(forwarding, "FIRST_PAUSE_SECONDS", 0.01)
    forwarder: Forwarder
    calls = []

    def answer(body: bytes) -> Outcome:
        calls.append(body)
        if len(calls) == 1:
            raise OverflowError("what was sent")
        forwarder.end()
        return taken(body)

    forwarder = Forwarder(store, Line(answer), THRESHOLD)
    (sent,) = fill(store, 1)
    store.ask_flush(1)
    with caplog.at_level(logging.ERROR, logger="roomful.relay"):
        forwarder.run()
    assert calls == [sent, sent]
    assert [record.getMessage() for record in caplog.records] == ["relay-failed OverflowError"]
    assert store.totals().passed == 1
