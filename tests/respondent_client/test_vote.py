"""``roomful vote`` against a real server: words first, then Cast or Test."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from respondent_client.browser.bridge import Bridge
from respondent_client.composing import attempt, cast
from respondent_client.headless.commands import TESTING, vote
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import HeadlessRespondent, run
from server.cli.main import roomful
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.release.board.creating import create_board, finish_board
from shared.complaint import sealed_text
from shared.election.tested import BallotTest
from shared.errors import ElectionError, InputError, RemoteError, StateError, SubmissionError
from shared.hash_list import format_hashes
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.receipt import BallotReceipt
from shared.token import HeldToken
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.elections import code_in, election_specification, proofs_of
from tests.invited import digest_of
from tests.served import no_client, serving
from tests.server.collection.relay.survey import open_collector

CHOICES = {"board": "ben", "statutes": True}
PERSON = {"age": "43", "sex": "male"}


def code_of(number: int) -> InvitationCode:
    """The n-th code of her box."""
    specification = election_specification()
    return code_in(specification.cells.assign(specification.vector(PERSON)), number)


@dataclass
class Polls:
    store: SurveyStore
    url: str
    folder: Path

    def link(self, code: InvitationCode | None) -> str:
        digest = digest_of(self.store.specification)
        return survey_link(self.url, digest, public_bytes(ORGANIZER_KEY), code=code)

    def vote(self, *options: str, typed: str = "", number: int = 0) -> tuple[Result, dict[str, Any]]:
        arguments = [
            *(self.link(code_of(number)), "--choices", str(self.folder / "c.json"), "--json"),
            *("--test-file", str(self.folder / "test.json"), *options),
            *("--token-file", str(self.folder / f"token-{number}.json")),
        ]
        done = CliRunner().invoke(vote, arguments, input=typed, catch_exceptions=False, standalone_mode=False)
        return done, json.loads(done.stdout)

    def check(self, *options: str) -> Result:
        arguments = ["election", "check-ballot", str(self.folder / "test.json"), *options]
        return CliRunner().invoke(roomful, arguments, catch_exceptions=False, standalone_mode=False)

    def stored(self) -> tuple[str, ...]:
        self.store.close()
        return self.store.ballot_receipts()


@pytest.fixture
def polls(tmp_path: Path) -> Iterator[Polls]:
    (tmp_path / "c.json").write_text(json.dumps({"quasi_identifiers": PERSON, "answers": CHOICES}))
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = open_collector(data, election_specification(), voting=False)
        with serving(create_app(Config(), data, client=no_client)) as port:
            polls = Polls(store=store, url=f"http://127.0.0.1:{port}/", folder=tmp_path)
            for number in (0, 1):
                _, kept = polls.vote("--cast", number=number)
                assert (kept["sent"], Path(kept["token_file"]).exists()) == (False, True)
            store.open()
            yield polls


def words_shown(text: str) -> list[str]:
    """Words of each ballot, in order."""
    begin = "Your ballot, encrypted: "
    return [line.removeprefix(begin) for line in text.splitlines() if line.startswith(begin)]


def test_tested_then_cast(polls: Polls) -> None:
    done, found = polls.vote(typed="test\ncast\n")
    tested, sent = words_shown(done.stderr)
    assert tested != sent
    assert TESTING in done.stderr
    assert f"--invitation '{polls.link(None)}'" in done.stderr
    assert code_in(0, found["cell"]).symbols not in done.stderr
    told = json.loads(polls.check("--invitation", polls.link(None), "--json").stdout)
    assert told == {"words": tested, "group": found["cell"], "choices": CHOICES, "genuine": True}
    lines = polls.check("--invitation", polls.link(None)).stdout
    assert "your device knows your vote" in lines
    assert "board: ben\nstatutes: true" in lines
    assert polls.stored() == (found["receipt"],)


def test_what_is_tested_is_written_once(polls: Polls) -> None:
    polls.vote(typed="test\ntest\ncast\n")
    first, second = (polls.folder / name for name in ("test.json", "test-2.json"))
    assert BallotTest.parse(first.read_bytes()).seed != BallotTest.parse(second.read_bytes()).seed
    with pytest.raises(InputError, match="exists already"):
        polls.vote(typed="test\n", number=1)
    assert polls.store.total() == 1


def test_cast_without_a_question(polls: Polls) -> None:
    done, found = polls.vote("--cast")
    assert len(words_shown(done.stderr)) == 1
    assert polls.stored() == (found["receipt"],)


def test_a_device_that_says_another_choice_than_it_encrypts_has_other_words(polls: Polls) -> None:
    done, _ = polls.vote(typed="test\ncast\n")
    path = polls.folder / "test.json"
    path.write_bytes(path.read_bytes().replace(b'"chosen":[1,0]', b'"chosen":[0,0]'))
    told = json.loads(polls.check("--invitation", polls.link(None), "--json").stdout)
    assert told["choices"]["board"] == "ada"
    assert told["words"] not in words_shown(done.stderr)


def test_a_token_that_nobody_signed_is_told(polls: Polls) -> None:
    polls.vote(typed="test\ncast\n")
    path = polls.folder / "test.json"
    value = json.loads(path.read_bytes())
    value["token"] = value["token"][:-4] + "AAAA"
    path.write_bytes(json.dumps(value, separators=(",", ":")).encode())
    with pytest.raises(ElectionError, match="not the registrar's"):
        polls.check("--invitation", polls.link(None))


def test_a_tested_ballot_is_never_cast(polls: Polls) -> None:
    platform, respondent = HeadlessPlatform(), HeadlessRespondent(polls.link(code_of(0)))
    respondent.prepare()
    placement = respondent.place(PERSON)
    token = respondent.restore((polls.folder / "token-0.json").read_text())
    assert isinstance(token, HeldToken)
    tested = attempt(platform, respondent.link, placement, CHOICES, token)
    tested.test()
    for again in (tested.test, lambda: run(cast(platform, tested))):
        with pytest.raises(StateError) as refused:
            again()
        assert refused.value.code == "state.attempt"
    sent = attempt(platform, respondent.link, placement, CHOICES, token)
    assert repr(sent) == "Attempt(...)"
    message = run(cast(platform, sent))
    with pytest.raises(StateError):
        sent.test()
    assert respondent.send(message).digest == message.receipt
    assert polls.stored() == (message.receipt,)


class Unsealed(HeadlessPlatform):
    """The program that seals is lost on its way once."""

    lost = 1

    async def seal(self, **given: Any) -> bytes:
        if self.lost:
            self.lost -= 1
            raise RemoteError("a part of the program could not be loaded", code="remote.unreachable")
        return await super().seal(**given)


def test_a_ballot_that_could_not_be_sealed_is_followed_by_another(polls: Polls) -> None:
    """It was dead, and shown again and again: nobody could vote without loading the page anew."""
    bridge = Bridge(Unsealed())

    def reply(method: str, **arguments: Any) -> dict[str, Any]:
        text = json.dumps({"method": method, "arguments": arguments})
        found: dict[str, Any] = json.loads(run(bridge.handle(text)))
        return found

    base, _, rest = polls.link(None).partition("s/")
    survey, _, fragment = rest.partition("#")
    assert reply("open", base=base, survey=survey, fragment=fragment)["result"]["survey"]
    assert reply("recount")["result"]["sound"]
    reply("begin_invitation", kept=(polls.folder / "token-0.json").read_text())
    assert "room" in reply("place", quasi_identifiers=PERSON)["result"]
    words = reply("compose", answers=CHOICES)["result"]["words"]
    assert reply("cast")["error"]["code"] == "remote.unreachable"
    assert reply("compose", answers=CHOICES)["result"]["words"] not in (words, "")
    assert reply("cast")["result"]["sealed"]
    assert len(reply("send")["result"]["receipt"]) == 64
    assert polls.store.total() == 1


def test_a_ballot_that_is_missing_comes_back(polls: Polls) -> None:
    polls.vote("--cast")
    saved = polls.folder / "token-0.json.receipt"
    receipt = BallotReceipt.parse(saved.read_text("ascii"))
    polls.store.close()
    with sqlite3.connect(polls.store.published.folder / "answers.sqlite") as connection:
        connection.execute("DELETE FROM ballot")  # the collector's fault
    connection.close()
    box = polls.store.specification.cells.assign(polls.store.specification.vector(PERSON))
    create_board(polls.store, used_codes=format_hashes(proofs_of(box)), key=ORGANIZER_KEY)

    def complain(*options: str, path: Path = saved) -> Result:
        arguments = [polls.link(None), "--complain", str(path), *options]
        return CliRunner().invoke(vote, arguments, catch_exceptions=False, standalone_mode=False)

    assert "Admitted." in complain().stdout
    finish_board(polls.store, key=ORGANIZER_KEY)
    assert json.loads(complain("--json").stdout) == {"receipt": receipt.digest.hex(), "listed": True}
    assert "It is there" in complain().stdout
    alone = polls.folder / "receipt.txt"
    alone.write_text(receipt.to_text(), "ascii")
    with pytest.raises(InputError, match="sealed ballot"):
        complain(path=alone)
    other = BallotReceipt(survey="0" * 16, digest=receipt.digest, acceptance=receipt.acceptance)
    alone.write_text(f"{other.to_text()}\n{sealed_text(b'x')}", "ascii")
    with pytest.raises(InputError, match="another election"):
        complain(path=alone)
    alone.write_text(f"{receipt.to_text()}\n{sealed_text(b'x')}", "ascii")
    with pytest.raises(SubmissionError):
        complain(path=alone)
    with pytest.raises(click.UsageError):
        CliRunner().invoke(vote, [polls.link(None)], catch_exceptions=False, standalone_mode=False)
