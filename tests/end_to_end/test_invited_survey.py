"""An invited survey as its users do it, from keys to a board that an outsider counts: every count agrees.

Few take part, so that many groups are too small, and some who do are hostile: they seal what is no answer.
Once with the rule ``withhold``, once with ``merge`` and over a relay.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from respondent_client.composing import Message
from respondent_client.headless.respondent import HeadlessRespondent
from respondent_client.headless.sealing import seal
from respondent_client.session import Placement
from server.simulation.codes import read_codes
from server.simulation.workflow import SimulationReport, simulate
from shared import submission
from shared.ballot import Ballot, UnsignedBallot, require_invited
from shared.errors import SubmissionError, TokenError
from shared.invitation_code import InvitationCode
from shared.sealing import ballot_info, box_info
from shared.token import HeldToken
from tests.builders import ANSWERS
from tests.end_to_end.office import Office
from tests.programs import free_port
from tests.towns import EVEN, write_town

PEOPLE, K = 700, 5
MORE = """
[release]
rule = "{rule}"
[invited]
people = {people}
roll = "codes/roll.txt"
token_key = "key/tokens.pub"
collector_key = "key/collector.pub"
opening_key = "trustees/opening-key.json"
spare_keys = ["key/spare.pub"]
"""
RELAY = """
[invited.relay]
url = "http://127.0.0.1:{port}/"
messages = 20
seconds = 1
"""
SHARES = [f"trustees/share-{number}-of-3.txt" for number in (1, 2, 3)]


ANYBODY = {"age": "40", "sex": "female", "schooling": "high"}


class Recording(HeadlessRespondent):
    """The real client; remembers what the people it answers for had in their heads."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.answered: list[tuple[int, Mapping[str, Any]]] = []

    def compose(
        self, placement: Placement, answers: Mapping[str, Any], token: HeldToken | None = None
    ) -> Message:
        message = super().compose(placement, answers, token)
        self.answered.append((message.cell, message.answers))
        return message


class Hostile:
    """Somebody who was invited, and spends her token on something that is no answer."""

    def __init__(self, link: str) -> None:
        self.respondent = HeadlessRespondent(link)
        self.sound = self.respondent.prepare()
        self.survey = require_invited(self.sound.specification)
        self.held: HeldToken | None = None
        self.length = self.sound.specification.message_bytes

    def box(self, cell: int, plaintext: bytes, key: bytes | None = None) -> bytes:
        """Whatever bytes, sealed."""
        token = self.hers.token
        info = box_info(self.sound.digest, token.prefix, token.device_key, cell)
        return seal(self.survey.suite.name, key or self.survey.opening_key, info, plaintext)

    def content(self, cell: int, answers: Mapping[str, Any] = ANSWERS, digest: str = "") -> bytes:
        """A message as it stands inside a box."""
        entropy = os.urandom(self.length)
        return submission.encode(digest or self.sound.digest, cell, answers, entropy, self.length)

    @property
    def hers(self) -> HeldToken:
        """The token that she holds now."""
        assert self.held is not None
        return self.held

    def fetch(self, code: InvitationCode) -> None:
        """Get a token; the boxes that follow are bound to it."""
        self.held = self.respondent.fetch_token(
            self.respondent.prepare_token(code, self.respondent.place(ANYBODY))
        )

    def ballot(self, cell: int, box: bytes) -> Ballot:
        """Whatever box, signed as the owner of the token can."""
        unsigned = UnsignedBallot(cell=cell, token=self.hers.token, box=box)
        key = Ed25519PrivateKey.from_private_bytes(self.hers.secret)
        return unsigned.signed(key.sign(unsigned.to_be_signed(self.sound.digest)))

    def message(self, ballot: Ballot) -> Message:
        """A ballot as an honest device sends it."""
        honest = self.respondent.compose(self.respondent.place(ANYBODY), ANSWERS, self.hers)
        info = ballot_info(self.sound.digest)
        body = seal(self.survey.suite.name, self.survey.collector_key, info, ballot.to_bytes())
        return replace(honest, cell=ballot.cell, body=body, receipt=ballot.receipt)


BOXES: dict[str, Callable[[Hostile, int], bytes]] = {
    "noise": lambda who, cell: who.box(cell, os.urandom(who.length)),
    "noise instead of a box": lambda who, cell: os.urandom(len(who.box(cell, bytes(who.length)))),
    "sealed to nobody": lambda who, cell: who.box(
        cell, who.content(cell), X25519PrivateKey.generate().public_key().public_bytes_raw()
    ),
    "sealed for another group": lambda who, cell: who.box(cell + 1, who.content(cell + 1)),
    "another group inside": lambda who, cell: who.box(cell, who.content(cell + 1)),
    "of another survey": lambda who, cell: who.box(cell, who.content(cell, digest="0" * 64)),
    "no such answer": lambda who, cell: who.box(cell, who.content(cell, ANSWERS | {"health": "splendid"})),
    "no such question": lambda who, cell: who.box(cell, who.content(cell, ANSWERS | {"salary": "7"})),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A survey that was held from beginning to end, and what only its people know."""

    office: Office
    rule: str
    survey: str
    link: str
    report: SimulationReport
    codes: Sequence[InvitationCode]
    answered: Sequence[tuple[int, Mapping[str, Any]]]
    hostile: Sequence[Ballot]
    opened: dict[str, Any]

    @property
    def folder(self) -> Path:
        """Of the survey, at the server."""
        return self.office.folder / "data" / "surveys" / self.survey

    def released(self, name: str) -> list[dict[str, str]]:
        """A released table."""
        with (self.office.folder / "release" / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def verify(self, *options: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """What an outsider finds on the board, by the code of each line."""
        words = ["board", "verify", str(self.folder), "--invitation", self.link, "--json", *options]
        text = self.office.run(*words, code=code)
        lines = json.JSONDecoder().raw_decode(text)[0]
        return {line["code"]: line for line in lines}


def draft(office: Office, rule: str, relay_port: int | None) -> str:
    """Keys, ceremony, design, signature, publication; the survey's id."""
    relay = "" if relay_port is None else RELAY.format(port=relay_port)
    more = MORE.format(rule=rule, people=PEOPLE) + relay
    write_town(office.folder, people=PEOPLE, participation=EVEN, k=K, more=more)
    office.run("codes", "town.csv", "--out", "codes")
    (office.folder / "key").mkdir()
    office.run("keygen", "--out", "key/key.pem")
    office.run("keygen", "--out", "key/spare.pem")
    office.run("keygen", "--purpose", "tokens", "--out", "key/tokens.pem")
    office.run("keygen", "--purpose", "collector", "--out", "key/collector.pem")
    office.run("trustees", "create", "--shares", "2-of-3", "--out", "trustees")
    office.run("design", "survey.toml", "--out", "out")
    office.run("sign", "out", "--key", "key/spare.pem", code=3)  # it could not stand in for itself
    office.run("sign", "out", "--key", "key/key.pem")
    keys = ["--token-key", "key/tokens.pem", "--collector-key", "key/collector.pem"]
    survey: str = json.loads(office.run("publish", "out", "--data", "data", *keys, "--json"))["id"]
    return survey


def invite(office: Office) -> tuple[InvitationCode, ...]:
    """A code for everybody, in the order of the town's file, which is the list."""
    words = ["--codes", "codes/codes.csv", "--public-url", "https://survey.example.org/"]
    office.run("invite", "out", *words, "--out", "invitations", "--no-letters")
    return read_codes(office.folder / "invitations" / "mail-merge.csv")


def rehearse(office: Office, survey: str) -> None:
    """The trustees' rehearsal; without it the survey does not open."""
    office.run("open", survey, "--data", "data", "--yes", code=6)
    office.run("trustees", "challenge", survey, "--data", "data", "--out", "rehearsal")
    shares = [word for share in SHARES for word in ("--share", share)]
    words = ["--organizer-key", "key/key.pub", "--out", "rehearsal.json"]
    office.run("trustees", "rehearse", "rehearsal", *shares, *words)
    office.run("open", survey, "--data", "data", "--rehearsal", "rehearsal.json", "--yes")


def attack(link: str, codes: Sequence[InvitationCode], cell: int) -> list[Ballot]:
    """Every kind of hostile box is sent for one cell, and taken, because nobody can see what is in it."""
    who = Hostile(link)
    ballots = []
    for code, box in zip(codes, BOXES.values(), strict=True):
        who.fetch(code)
        ballot = who.ballot(cell, box(who, cell))
        receipt = who.respondent.send(who.message(ballot))
        assert receipt.digest == ballot.receipt
        ballots.append(ballot)
    # Nothing of this counts: the same ballot in a new seal, and a code that was used.
    assert who.respondent.send(who.message(ballots[-1])).digest == ballots[-1].receipt
    with pytest.raises(TokenError) as caught:
        who.fetch(codes[0])
    assert caught.value.code == "token.code"
    if who.survey.relay is None:  # a relay cannot see it; the collector refuses it later
        other = who.ballot(cell, os.urandom(len(ballots[0].box)))
        with pytest.raises(TokenError) as caught:
            who.respondent.send(who.message(other))
        assert caught.value.code == "token.spent"
        with pytest.raises(SubmissionError, match="not signed by the key of its token"):
            who.respondent.send(who.message(replace(other, box=ballots[0].box)))  # another's box
        with pytest.raises(SubmissionError):  # a length that no sealed answer has
            who.respondent.send(who.message(replace(other, box=os.urandom(77))))
    who.respondent.close()
    return ballots


def close_and_release(office: Office, survey: str, link: str) -> dict[str, Any]:
    """From closing to the finished board; the figures of the opening."""
    office.run("close", survey, "--data", "data", "--yes")
    office.run("trustees", "export", survey, "--data", "data", "--out", "export", code=6)
    # Half of the surveys lose their signing key before anything is signed for the trustees, half afterwards.
    lost_early = (
        json.loads((office.folder / "out" / "design.json").read_bytes())["release"]["rule"] == "merge"
    )
    board = ["--data", "data", "--key"]
    if lost_early:
        (office.folder / "key" / "key.pem").unlink()
    office.run("board", "create", survey, *board, "key/tokens.pem", code=3)
    office.run("board", "create", survey, *board, "key/spare.pem" if lost_early else "key/key.pem")
    office.run("trustees", "export", survey, "--data", "data", "--out", "export")
    seen = json.loads(office.run("board", "verify", link, "--json"))
    root = next(line["figures"]["root"] for line in seen if line["code"] == "board.root")
    words = ["--invitation", link, "--root", root, "--json"]
    statements = []
    for number, share in enumerate(SHARES, 1):
        shutil.copy(office.folder / "trustees" / "ledger.jsonl", office.folder / f"ledger-{number}.jsonl")
        own = ["--share", share, "--ledger", f"ledger-{number}.jsonl", "--out", f"statement-{number}.json"]
        office.run("trustees", "state", "export", *own, *words)
        statements += ["--statement", f"statement-{number}.json"]
    words += ["--share", SHARES[0], "--share", SHARES[2]]
    office.run("trustees", "open", "export", *words, *statements[:4], "--out", "early.json", code=7)
    words += statements
    opened = json.loads(office.run("trustees", "open", "export", *words, "--out", "opened.json"))
    again = json.loads(office.run("trustees", "open", "export", *words, "--out", "again.json"))
    assert opened == again
    assert (office.folder / "opened.json").read_bytes() == (office.folder / "again.json").read_bytes()
    office.run("release", survey, "--data", "data", "--out", "release", code=3)
    office.run("release", survey, "--data", "data", "--out", "release", "--opened", "opened.json")
    (office.folder / "key" / "key.pem").unlink(missing_ok=True)
    office.run("board", "finish", survey, *board, "key/spare.pem")
    figures: dict[str, Any] = opened
    return figures


@pytest.fixture(scope="module", params=["withhold", "merge"])
def held(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Held:
    rule = request.param
    office = Office(tmp_path_factory.mktemp(rule))
    relay_port = free_port() if rule == "merge" else None
    survey = draft(office, rule, relay_port)
    codes = invite(office)
    rehearse(office, survey)
    with office.serve() as server:
        link = server.found
        with ExitStack() as stack:
            if relay_port is not None:
                relay = ["relay", link, "--data", "relay", "--port", str(relay_port)]
                stack.enter_context(office.start("http://", *relay))
            respondent = Recording(link)
            report = simulate(
                respondent,
                office.folder / "town.csv",
                seed=7,
                invited=PEOPLE - len(BOXES),
                participation=Fraction(1, 5),
                codes=codes,
                into_real_survey=True,
            )
            respondent.close()
            fullest = max(range(len(report.head_counts)), key=lambda cell: report.head_counts[cell])
            hostile = attack(link, codes[-len(BOXES) :], fullest)
            if relay_port is not None:
                office.run("relay", link, "--data", "relay", "--flush", "--yes")
        opened = close_and_release(office, survey, link)
    return Held(
        office=office,
        rule=rule,
        survey=survey,
        link=link,
        report=report,
        codes=codes,
        answered=respondent.answered,
        hostile=hostile,
        opened=opened,
    )


def test_every_submission_is_released_withheld_or_invalid(held: Held) -> None:
    submissions = held.report.submissions + len(held.hostile)
    assert held.opened["ballots"] == submissions
    assert sum(held.opened["invalid"].values()) == len(held.hostile)
    released = sum(int(row["answers"]) for row in held.released("cells.csv") if row["status"] == "released")
    assert released == len(held.released("microdata.csv"))
    lines = held.verify()
    assert {name for name, line in lines.items() if line["outcome"] != "passed"} == {"board.complaints"}
    assert lines["board.complaints"]["outcome"] == "not-run"  # only elections have a time for complaints
    figures = {
        name: int(value)
        for line in lines.values()
        for name, value in line["figures"].items()
        if value.isdecimal()
    }
    assert figures["submissions"] == figures["tokens_issued"] == figures["receipts"] == submissions
    assert (figures["released"], figures["invalid"]) == (released, len(held.hostile))
    assert figures["released"] + figures["withheld"] + figures["invalid"] == submissions
    # The test is about groups that are too small.
    assert any(0 < count < K for count in held.report.head_counts)
    assert (figures["withheld"] == 0) == (held.rule == "merge")


def test_each_group_has_exactly_the_answers_of_its_people_and_at_least_the_minimum(held: Held) -> None:
    true: dict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for cell, answers in held.answered:
        true[cell][tuple(str(answers.get(name, "")) for name in ("health", "wellbeing", "wage"))] += 1
    published: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for row in held.released("microdata.csv"):
        published[row["group"]][(row["health"], row["wellbeing"], row["wage"])] += 1
    groups = {row["group"]: row for row in held.released("cells.csv") if row["status"] == "released"}
    assert published.keys() == groups.keys()
    cells_of_all = Counter[int]()
    for name, row in groups.items():
        cells = [int(number) for number in row["cells"].split()]
        cells_of_all.update(cells)
        assert published[name] == sum((true[cell] for cell in cells), Counter())
        assert published[name].total() == int(row["answers"]) >= K
    assert set(cells_of_all.values()) == {1}


def test_what_is_withheld_is_opened_by_nobody(held: Held) -> None:
    """The trustees' file holds the groups of the release and nothing else."""
    opened = json.loads((held.office.folder / "opened.json").read_bytes())
    groups = {row["cells"] for row in held.released("cells.csv") if row["status"] == "released"}
    assert {" ".join(map(str, group["cells"])) for group in opened["groups"]} == groups
    assert min(len(group["answers"]) for group in opened["groups"]) >= K
    answers = sum(len(group["answers"]) for group in opened["groups"])
    assert answers + opened["withheld"] + opened["invalid"] == held.opened["ballots"]


def test_everybody_finds_her_receipt_and_nobody_an_invented_one(held: Held) -> None:
    listed = set((held.folder / "board" / "receipts.txt").read_text().split())
    assert held.report.receipts is not None
    assert listed == {*held.report.receipts, *(ballot.receipt for ballot in held.hostile)}
    for receipt in (held.report.receipts[0], held.hostile[0].receipt):
        assert held.verify("--receipt", receipt)["board.receipt"]["outcome"] == "passed"
    invented = os.urandom(32).hex()
    assert held.verify("--receipt", invented, code=5)["board.receipt"]["outcome"] == "refused"


def test_no_file_of_server_or_relay_holds_a_code_or_an_answer(held: Held) -> None:
    """The tables that were released, the questions and the public model are another matter."""
    words = [b"asthma", b"wellbeing", b"schooling"]
    words += [text.encode() for code in held.codes for text in (code.symbols, code.text)]
    looked_at = set()
    for folder in ("data", "data.anchors", "relay"):
        for path in (held.office.folder / folder).rglob("*"):
            known = path.name in ("specification.dsse.json", "model.csv") or path.parent.name == "release"
            if path.is_file() and not known:
                looked_at.add(path.name)
                raw = path.read_bytes()
                assert not [word for word in words if word in raw], path
    assert {"answers.sqlite", "registrar.sqlite", "board.json"} <= looked_at
