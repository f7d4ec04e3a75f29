"""``roomful relay``: what it verifies before it serves, totals, and emptying the pool."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from server.cli.relay import relay
from server.collection.relay.collector import Collector, Said
from server.collection.relay.link import RelayLink
from server.collection.relay.pool import common_address, open_store, prepare
from server.collection.storage.holding import holding
from shared.errors import InputError, RemoteError, RoomfulError, SetupError, StorageError, VerificationError
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from tests.builders import AUDITOR_KEY, sign
from tests.invited import digest_of, invited_specification
from tests.programs import free_port
from tests.server.collection.relay.process import RelayProcess, post, run
from tests.server.collection.relay.survey import (
    RELAY_URL,
    envelope_of,
    link_of,
    link_text,
    published,
    relayed,
    sealed,
    stub_collector,
    take_all,
)
from tests.waiting import PATIENCE_SECONDS, until

BASE = "https://collector.example/sub/"
SPECIFICATION = relayed()
DIGEST = digest_of(SPECIFICATION)
LINK = link_text(SPECIFICATION, BASE)


def test_a_link_says_where_the_collector_is_and_what_to_expect() -> None:
    link = RelayLink.parse(LINK)
    assert (link.base, link.survey, link.digest) == (BASE, DIGEST[:16], DIGEST)
    assert link.api("submissions") == f"{BASE}api/v1/surveys/{DIGEST[:16]}/submissions"


def _with_code() -> str:
    own = Invitation.parse_fragment(LINK.partition("#")[2])
    code = InvitationCode.create(bytes(range(12)))
    coded = Invitation(digest=own.digest, organizer_key=own.organizer_key, code=code)
    return LINK.partition("#")[0] + "#" + coded.fragment()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", VerificationError),
        ("https://collector.example/", VerificationError),
        (LINK.partition("#")[0], VerificationError),
        (LINK.rpartition(".")[0], VerificationError),
        (LINK.replace("https", "ftp"), VerificationError),
        (LINK.replace("/s/" + DIGEST[:16], "/s/0123456789abcdef"), VerificationError),
        (LINK[:-2], VerificationError),
        (LINK.replace("collector.example", "[collector"), VerificationError),
        (LINK.replace("collector.example", "collector.example:99999"), VerificationError),
        (LINK.replace("collector.example", "collector..example"), VerificationError),
        (LINK.replace("collector.example", "c" * 64 + ".example"), VerificationError),
        (LINK.replace("/sub/", "/s\u00fcb/"), VerificationError),
        (LINK.replace("collector.example", "name:password@collector.example"), VerificationError),
        (_with_code(), InputError),
    ],
)
def test_a_link_that_says_too_little_or_too_much_is_refused(text: str, kind: type[RoomfulError]) -> None:
    with pytest.raises(kind) as caught:
        RelayLink.parse(text)
    assert caught.value.code in ("verification.invitation", "input.relay-link")


def test_the_specification_is_fetched_once_verified_and_kept(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        link = link_of(SPECIFICATION, stub.base)
        survey = prepare(tmp_path, link)
    assert survey.specification == SPECIFICATION
    assert prepare(tmp_path, link).envelope == survey.envelope  # the collector is away now
    with pytest.raises(RemoteError):
        prepare(tmp_path / "other", link)


@pytest.mark.parametrize(
    ("envelope", "kind"),
    [
        (sign(SPECIFICATION.to_bytes(), AUDITOR_KEY).to_bytes(), VerificationError),
        (envelope_of(relayed(messages=6)), VerificationError),
        (envelope_of(SPECIFICATION)[:-3], VerificationError),
        (b"<html>", VerificationError),
        (b"", RemoteError),
    ],
    ids=["other-key", "other-survey", "damaged", "no-envelope", "missing"],
)
def test_a_specification_that_is_not_the_one_in_the_link_is_refused(
    tmp_path: Path, envelope: bytes, kind: type[RoomfulError]
) -> None:
    with stub_collector(envelope) as stub, pytest.raises(kind):
        prepare(tmp_path, link_of(SPECIFICATION, stub.base))
    assert not (tmp_path / "surveys").exists()


def test_a_survey_without_relay_is_refused(tmp_path: Path) -> None:
    specification = invited_specification()
    with stub_collector(envelope_of(specification)) as stub, pytest.raises(SetupError) as caught:
        prepare(tmp_path, link_of(specification, stub.base))
    assert caught.value.code == "setup.relay"


def test_two_links_of_one_survey_are_refused(tmp_path: Path) -> None:
    """Two pools would work on one file, and count each ballot that they pass on twice."""
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        links = [link_text(SPECIFICATION, base) for base in (stub.base, stub.base + "sub/")]
        assert _run(links[0], links[0], "--data", tmp_path, "--status").exit_code == 0
        done = _run(*links, "--data", tmp_path, "--status")
    assert isinstance(done.exception, InputError)
    assert done.exception.code == "input.relay-link"


def test_only_its_owner_may_look_into_a_relays_directory(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        prepare(tmp_path / "relay", link_of(SPECIFICATION, stub.base))
    for path in [tmp_path / "relay", *(tmp_path / "relay").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_directory_that_others_can_write_in_is_no_relays(tmp_path: Path) -> None:
    """They could exchange its pool and what it remembers, so that a ballot leaves twice."""
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        text = link_text(SPECIFICATION, stub.base)
        assert _run(text, "--data", tmp_path, "--status").exit_code == 0
        tmp_path.chmod(0o777)
        refused = _run(text, "--data", tmp_path, "--status")
    assert isinstance(refused.exception, StorageError)
    assert refused.exception.code == "storage.foreign"


def test_all_surveys_must_name_this_relay(tmp_path: Path) -> None:
    one = published(SPECIFICATION, tmp_path)
    other = published(relayed("https://relay.example/"), tmp_path)
    assert common_address((one, one), None) == RELAY_URL
    assert common_address((one,), RELAY_URL.rstrip("/")) == RELAY_URL
    for surveys, url in (((one, other), None), ((one,), "https://relay.example/")):
        with pytest.raises(SetupError) as caught:
            common_address(surveys, url)
        assert caught.value.code == "setup.relay-url"


def _run(*words: object, answer: str = "") -> Result:
    return CliRunner().invoke(relay, [str(word) for word in words], input=answer)


def test_totals_and_an_empty_pool(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        link, folder = link_of(SPECIFICATION, stub.base), tmp_path / "relay"
        text = link_text(SPECIFICATION, stub.base)
        with open_store(prepare(folder, link)) as store:
            for number in range(3):
                store.accept(sealed(DIGEST, number))
        shown = _run(text, "--data", folder, "--status").output
        assert [line.split()[-1] for line in shown.splitlines()[1:]] == ["150", "3", "0", "0"]
        asked = _run(text, "--data", folder, "--flush", answer="n\n")
        assert asked.exit_code == 1
        assert "3 waiting instead of 5" in asked.output
        assert "one of 3 people" in asked.output
        assert stub.bodies == []
        stub.answers = [(201, {"receipt": "0" * 64}), (400, {"code": "ballot.sealed"})]
        flushed = _run(text, "--data", folder, "--flush", "--yes")
        assert flushed.exit_code == 0, flushed.output
        assert "2 passed on, 1 refused" in flushed.output
        assert len(stub.bodies) == 3
        totals = json.loads(_run(text, "--data", folder, "--status", "--json").output)
        assert totals == [
            {
                "survey": link.survey,
                "invited": 150,
                "waiting": 0,
                "leaving": 0,
                "passed": 2,
                "refused": {"ballot.sealed": 1},
                "alarms": [],
            }
        ]
        assert "nothing waits" in _run(text, "--data", folder, "--flush").output


def test_a_single_message_is_warned_of_plainly(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        with open_store(prepare(tmp_path, link_of(SPECIFICATION, stub.base))) as store:
            store.accept(sealed(DIGEST, 1))
        asked = _run(link_text(SPECIFICATION, stub.base), "--data", tmp_path, "--flush", answer="n\n")
    assert "by this one person" in asked.output


def test_flushing_to_an_absent_collector_loses_nothing(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
        with open_store(survey) as store:
            store.accept(sealed(DIGEST, 1))
    done = _run(link_text(SPECIFICATION, stub.base), "--data", tmp_path, "--flush", "--yes")
    assert isinstance(done.exception, RemoteError)
    assert done.exception.code == "remote.unreachable"
    with open_store(survey) as store:
        assert store.totals().leaving == 1


def test_a_running_relay_is_asked_to_flush_and_another_one_is_refused(tmp_path: Path) -> None:
    port = free_port()
    specification = relayed(f"http://127.0.0.1:{port}/", messages=50, seconds=500)
    with stub_collector(envelope_of(specification)) as stub:
        text, folder = link_text(specification, stub.base), tmp_path / "relay"
        with RelayProcess(text, folder, port):
            for number in range(4):
                assert (
                    post(port, digest_of(specification)[:16], sealed(digest_of(specification), number)) == 202
                )
            with holding(folder, alone=True) as alone:
                assert not alone
            second = run(text, "--data", folder, "--port", free_port())
            assert second.returncode == 10
            assert "setup.relay-running" in second.stderr
            flushed = run(text, "--data", folder, "--flush", "--yes")
            assert flushed.returncode == 0, flushed.stderr
            assert "4 passed on, 0 refused" in flushed.stdout
        assert len(stub.bodies) == 4


def test_a_damaged_pool_ends_with_a_sentence(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
    (survey.folder / "pool.sqlite").write_bytes(b"not a database" * 400)
    done = _run(link_text(SPECIFICATION, stub.base), "--data", tmp_path, "--status")
    assert isinstance(done.exception, StorageError)


def test_the_status_of_a_relay_that_stands_says_that_what_waits_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Collector, "said", lambda _: Said(state="closed", total=4))
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
        text = link_text(SPECIFICATION, stub.base)
        assert "lost" not in _run(text, "--data", tmp_path, "--status").output
        with open_store(survey) as store:
            store.accept(sealed(DIGEST, 1))
        assert "The survey is closed: what waits is lost" in _run(text, "--data", tmp_path, "--status").output


def test_flushing_what_is_on_its_way_does_not_push_out_who_comes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing waited, so nobody was warned: whoever arrives now must not leave alone."""
    waits = Event()

    def sleep(seconds: float) -> None:
        waits.set()
        time.sleep(seconds)

    monkeypatch.setattr("server.cli.relay.time", SimpleNamespace(sleep=sleep))
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
        text = link_text(SPECIFICATION, stub.base)
        with open_store(survey) as store, holding(tmp_path, alone=True), ThreadPoolExecutor() as aside:
            store.accept(sealed(DIGEST, 1))
            store.take()
            flushing = aside.submit(_run, text, "--data", tmp_path, "--flush")
            try:
                assert waits.wait(PATIENCE_SECONDS)
                assert not store.flush_asked()
            finally:
                store.settle(take_all(store.leaving()), {})
                store.ask_flush(0)
            assert "1 passed on, 0 refused" in flushing.result().output


def test_a_pool_that_left_while_the_operator_read_is_not_flushed_with_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """She was warned of three. Whoever came after those had left must neither go alone nor look older."""
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
        text = link_text(SPECIFICATION, stub.base)
        with open_store(survey) as store:
            for number in range(3):
                store.accept(sealed(DIGEST, number))

            def read_slowly(*_: object, **__: object) -> bool:
                store.take()
                store.settle(take_all(store.leaving()), {})
                store.accept(sealed(DIGEST, 3))
                return True

            monkeypatch.setattr("server.cli.relay.click.confirm", read_slowly)
            flushed = _run(text, "--data", tmp_path, "--flush")
            assert flushed.exit_code == 0
            assert "3 passed on, 0 refused" in flushed.output
            assert "1 came meanwhile" in flushed.output
            assert stub.bodies == []
            assert (store.waited(), store.flush_asked()) == (0, 0)


def test_a_flush_is_finished_if_the_relay_ends_before_it(tmp_path: Path) -> None:
    with stub_collector(envelope_of(SPECIFICATION)) as stub, ThreadPoolExecutor() as aside:
        survey = prepare(tmp_path, link_of(SPECIFICATION, stub.base))
        text = link_text(SPECIFICATION, stub.base)
        with open_store(survey) as store:
            store.accept(sealed(DIGEST, 1))
            with holding(tmp_path, alone=True):
                flushing = aside.submit(_run, text, "--data", tmp_path, "--flush", "--yes")
                until(store.flush_asked)
            output = flushing.result(timeout=PATIENCE_SECONDS).output
        assert "The relay is running" in output
        assert "1 passed on, 0 refused" in output
        assert len(stub.bodies) == 1
