"""Simulated people take part in a survey that only invited people can answer."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import server.cli.simulate
from server.simulation.workflow import SimulationReport, simulate
from shared.errors import InputError, RemoteError, TokenError
from shared.invitation_code import InvitationCode
from shared.specification import STORED
from tests.invited import invited
from tests.server.simulation.people import N_PEOPLE, FakeRespondent, specification, write_file

CODES = tuple(InvitationCode.create(number.to_bytes(12, "big")) for number in range(N_PEOPLE))
INVITED = replace(specification(), invited=invited(people=N_PEOPLE), stored=STORED["invited"])


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return write_file(tmp_path / "people.csv")


def run(people: Path, respondent: FakeRespondent | None = None, **options: Any) -> SimulationReport:
    settings: dict[str, Any] = {"seed": 1, "codes": CODES} | options
    return simulate(respondent or FakeRespondent(INVITED), people, **settings)


def test_everybody_who_takes_part_spends_a_code_of_her_own(people: Path) -> None:
    respondent = FakeRespondent(INVITED)
    told = Counter[tuple[str, int]]()
    report = run(
        people,
        respondent,
        progress=lambda stage, _done, total: told.update([(stage, total)]),
    )
    assert 200 < report.submissions < 400
    spent = [message.code for message in respondent.sent]
    assert len(set(spent)) == report.submissions == len(respondent.fetched)
    assert set(spent) == set(respondent.fetched) <= set(CODES)
    stages = ("Fetching tokens", "Sending ballots")
    assert told == {(stage, report.submissions): report.submissions for stage in stages}
    assert report.receipts == tuple(sorted(message.receipt for message in respondent.sent))
    assert "receipts" not in report.figures()
    assert sum(report.head_counts) == report.submissions


def test_codes_go_to_people_in_the_order_of_the_file(people: Path) -> None:
    respondent = FakeRespondent(INVITED)
    run(people, respondent, participation=Fraction(1))
    rows = people.read_text().splitlines()[1:]
    ages = {code: row.split(",")[0] for code, row in zip(CODES, rows, strict=True)}
    assert {message.code: message.quasi_identifiers["age"] for message in respondent.sent} == ages


def test_ballots_do_not_arrive_in_the_order_of_the_tokens(people: Path) -> None:
    respondent = FakeRespondent(INVITED)
    run(people, respondent, participation=Fraction(1), threads=1)
    assert [message.code for message in respondent.sent] != respondent.fetched


def test_a_part_of_the_file_needs_as_many_codes(people: Path) -> None:
    report = run(people, invited=120, participation=Fraction(1), codes=CODES[:120])
    assert report.submissions == 120
    with pytest.raises(InputError) as caught:
        run(people, invited=121, codes=CODES[:120])
    assert caught.value.code == "input.codes-too-few"
    assert "120 codes for 121 people" in caught.value.message
    assert "--invited 120" in caught.value.remedy


def test_codes_are_given_exactly_where_they_are_needed(people: Path) -> None:
    for respondent, codes in ((FakeRespondent(INVITED), None), (FakeRespondent(specification()), CODES)):
        with pytest.raises(InputError) as caught:
            run(people, respondent, codes=codes)
        assert caught.value.code == "input.codes"
        assert not respondent.sent
        assert not respondent.fetched


def test_a_lost_connection_is_tried_again_with_the_same_request(people: Path) -> None:
    respondent = FakeRespondent(INVITED, failures=2)
    report = run(people, respondent)
    assert report.submissions == len(respondent.sent)
    assert set(respondent.attempts.values()) == {3}
    with pytest.raises(RemoteError, match=r"0 of \d+ tokens were acknowledged"):
        run(people, FakeRespondent(INVITED, failures=3), threads=1)


def test_a_code_that_was_used_before_ends_it(people: Path) -> None:
    class Used(FakeRespondent):
        def fetch_token(self, request: list[InvitationCode], /) -> object:
            if len(self.fetched) == 7:
                raise TokenError("used", remedy="Look.", code="token.code")
            return super().fetch_token(request)

    respondent = Used(INVITED)
    with pytest.raises(TokenError, match=r"7 of \d+ tokens were acknowledged") as caught:
        run(people, respondent, threads=1)
    assert caught.value.code == "token.code"
    assert not respondent.sent


class TestCommand:
    """The options of the command line."""

    @pytest.fixture
    def respondent(self, monkeypatch: pytest.MonkeyPatch) -> FakeRespondent:
        fake = FakeRespondent(INVITED)
        monkeypatch.setattr(server.cli.simulate, "respondent_for", lambda _url: fake)
        return fake

    def command(self, *options: str) -> dict[str, Any]:
        arguments = ["http://localhost/s/0#0", "--seed", "1", "--json", *options]
        done = CliRunner().invoke(
            server.cli.simulate.simulate, arguments, catch_exceptions=False, standalone_mode=False
        )
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures

    def test_codes_in_receipts_out(self, respondent: FakeRespondent, people: Path, tmp_path: Path) -> None:
        codes, receipts = tmp_path / "mail-merge.csv", tmp_path / "receipts.txt"
        codes.write_text("code,link\n" + "".join(f"{code.text},http://x\n" for code in CODES))
        options = ["--model", str(people), "--codes", str(codes), "--receipts", str(receipts)]
        figures = self.command(*options)
        lines = receipts.read_text().splitlines()
        assert lines == sorted(message.receipt for message in respondent.sent)
        assert figures["submissions"] == len(lines)
        with pytest.raises(InputError, match="exists already"):
            self.command(*options)
        assert len(respondent.sent) == len(lines)

    def test_receipts_of_an_open_survey_are_on_no_board(self, people: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="receipts on a board"):
            self.command("--model", str(people), "--receipts", str(tmp_path / "receipts.txt"))
