"""The opening: what is permitted is opened, everything else is refused or stays sealed."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.cli.opening import figures, tell
from server.keys.sealing import OpeningKey, SealingKey
from server.release.opened import OpenedAnswers
from server.release.trustees import opening
from server.release.trustees.ledger import Ledger
from shared.ballot import Ballot, UnsignedBallot
from shared.declarations import ReleaseRule
from shared.errors import OpeningError, ReleaseError, TokenError
from shared.sealing import SUITES, box_info
from shared.submission import encode
from tests.builders import ANSWERS, MESSAGE_BYTES
from tests.invited import invited, sign_ballot
from tests.sealed_surveys import (
    SECRET,
    WORDS,
    SealedSurvey,
    sealed_specification,
    shares,
    statement_keys_of,
    token,
)

MERGE = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)


def groups(answers: OpenedAnswers) -> dict[tuple[int, ...], int]:
    return {group.cells: len(group.answers) for group in answers.groups}


def box_of(survey: SealedSurvey, cell: int, plaintext: bytes) -> Ballot:
    """A valid token on a box that holds anything."""
    ballot = survey.ballot(cell)
    assert survey.specification.invited is not None
    keys = survey.specification.invited
    info = box_info(survey.digest, ballot.token.prefix, ballot.token.device_key, cell)
    box = SealingKey(keys.suite, keys.opening_key).seal(info, plaintext)
    return sign_ballot(survey.digest, UnsignedBallot(cell=cell, token=ballot.token, box=box))


def test_withhold_opens_full_cells_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = SealedSurvey(tmp_path).fill(3, 4, 5, 2, 2, 0, 6, 7).open()
    assert groups(report.answers) == {(0,): 3, (1,): 4, (2,): 5, (6,): 6, (7,): 7}
    assert (report.answers.ballots, report.answers.withheld, report.answers.invalid) == (29, 4, 0)
    assert not report.invalid
    assert report.withdrawn_groups == 0
    tell(report, tmp_path / "opened.json")
    assert "all the same" not in capsys.readouterr().out


def test_merge_opens_groups_as_groups(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path, specification=sealed_specification(release=MERGE))
    report = survey.fill(3, 1, 5, 2, 2, 0, 6, 7).open()
    assert sum(groups(report.answers).values()) == 26
    assert report.answers.withheld == 0
    assert sorted(cell for cells in groups(report.answers) for cell in cells) == list(range(8))
    assert min(groups(report.answers).values()) >= 3


def test_a_lonely_small_cell_takes_the_nearest_with_it_into_the_dark(tmp_path: Path) -> None:
    report = SealedSurvey(tmp_path).fill(3, 4, 2, 4, 4, 4, 4, 4).open()
    assert report.answers.withheld >= 3


def test_a_box_outside_the_permitted_groups_is_never_decrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    real = OpeningKey.open

    def watched(key: OpeningKey, info: bytes, sealed: bytes) -> bytes:
        opened.append(int.from_bytes(info[-4:], "big"))
        return real(key, info, sealed)

    monkeypatch.setattr(opening.OpeningKey, "open", watched)
    SealedSurvey(tmp_path).fill(3, 4, 5, 2, 2, 0, 6, 7).open()
    assert {cell: opened.count(cell) for cell in set(opened)} == {0: 3, 1: 4, 2: 5, 6: 6, 7: 7}


def _change_during(
    survey: SealedSurvey, export: Path, change: Callable[[str, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open while somebody changes the export after each ballot; it is refused, and nothing is decrypted."""
    opened: list[bytes] = []
    monkeypatch.setattr(opening.OpeningKey, "open", lambda _key, info, _sealed: opened.append(info))
    with pytest.raises(OpeningError) as caught:
        opening.open_answers(
            survey.received(export),
            statements=(),
            shares=shares(1, 3),
            progress=lambda stage, done, _total: change(stage, done),
        )
    assert caught.value.code == "opening.export"
    assert opened == []


@pytest.mark.parametrize("left", [0, 5_000])
@pytest.mark.parametrize("pass_", ["receipts", "tokens"])
def test_a_file_that_is_shortened_while_it_is_read_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pass_: str, left: int
) -> None:
    survey = SealedSurvey(tmp_path).fill(*[4] * 8)
    export = survey.write()

    def shorten(stage: str, _done: int) -> None:
        if stage == pass_:
            os.truncate(export / "ballots.bin", left)

    _change_during(survey, export, shorten, monkeypatch)


def test_other_ballots_cannot_be_counted_than_were_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else somebody could count a cell of one person as a full one, and put her ballot back for opening."""
    survey = SealedSurvey(tmp_path).fill(1, 9)
    export = survey.write()
    forged = [replace(ballot, cell=0) for ballot in survey.ballots]
    real, false = export / "ballots.bin", survey.write("forged", ballots=forged) / "ballots.bin"
    files = {"tokens": real.read_bytes(), "receipts": false.read_bytes()}
    size = real.stat().st_size

    def swap(stage: str, done: int) -> None:
        if done == size and stage in files:
            with real.open("r+b") as stream:
                stream.write(files[stage])

    _change_during(survey, export, swap, monkeypatch)


def test_too_few_answers_in_all(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path).fill(1, 1)
    with pytest.raises(ReleaseError):
        survey.open()
    assert len(Ledger.read(survey.ledger(), survey.specification.invited.opening_key).lines) == 0


HOSTILE: dict[str, bytes] = {
    "not JSON": b"\x00" * MESSAGE_BYTES,
    "deep": b"[" * MESSAGE_BYTES,
    "huge number": (b'{"cell":' + b"9" * 200 + b"}").ljust(MESSAGE_BYTES),
    "twice": b'{"cell":1,"cell":1}'.ljust(MESSAGE_BYTES),
    "half a surrogate": b'{"protocol":"\\ud800"}'.ljust(MESSAGE_BYTES),
    "not UTF-8": (b"\xff\xfe" * 512)[:MESSAGE_BYTES],
    "float": b'{"cell":1.5}'.ljust(MESSAGE_BYTES),
    "list": b"[]".ljust(MESSAGE_BYTES),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_plaintext_is_counted_and_excluded(tmp_path: Path, name: str) -> None:
    survey = SealedSurvey(tmp_path).fill(4, 4)
    survey.ballots.append(box_of(survey, 0, HOSTILE[name]))
    report = survey.open()
    assert groups(report.answers) == {(0,): 4, (1,): 4}
    assert report.answers.invalid == 1
    assert sum(report.invalid.values()) == 1


@pytest.mark.parametrize(
    "answers",
    [{"health": "excellent"}, {"unknown": 1}, {}, ANSWERS | {"wage": "1e9"}, ANSWERS | {"wellbeing": 11}],
    ids=str,
)
def test_answers_outside_the_questionnaire_are_excluded(tmp_path: Path, answers: dict[str, Any]) -> None:
    survey = SealedSurvey(tmp_path).fill(4, 4)
    entropy = random.Random(1).randbytes(70000)
    survey.ballots.append(box_of(survey, 1, encode(survey.digest, 1, answers, entropy, MESSAGE_BYTES)))
    report = survey.open()
    assert report.invalid == {"submission.answers": 1}
    assert groups(report.answers) == {(0,): 4, (1,): 4}


@pytest.mark.parametrize(
    ("cell", "digest", "code"), [(2, "", "submission.cell"), (1, "0" * 64, "submission.specification")]
)
def test_an_inner_cell_or_survey_that_differs_is_excluded(
    tmp_path: Path, cell: int, digest: str, code: str
) -> None:
    survey = SealedSurvey(tmp_path).fill(4, 4)
    entropy = random.Random(1).randbytes(70000)
    survey.ballots.append(
        box_of(survey, 1, encode(digest or survey.digest, cell, ANSWERS, entropy, MESSAGE_BYTES))
    )
    assert survey.open().invalid == {code: 1}


def test_a_group_that_invalid_ballots_make_too_small_is_withheld_with_company(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three ballots, one of them invalid: two answers are left, and no group follows by subtraction."""
    survey = SealedSurvey(tmp_path).fill(2, 4, 5, 6)
    survey.ballots.append(box_of(survey, 0, b"\x00" * MESSAGE_BYTES))
    report = survey.open()
    assert (0,) not in groups(report.answers)
    assert len(groups(report.answers)) == 2
    assert report.withdrawn_groups == figures(report)["withdrawn_groups"] == 2
    tell(report, tmp_path / "opened.json")
    assert "Opened and withheld all the same: 2 groups" in capsys.readouterr().out
    assert report.answers.withheld >= 3 + 4
    assert report.answers.invalid == 0
    assert sum(report.invalid.values()) == 1


def test_under_merge_such_a_group_is_merged(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path, specification=sealed_specification(release=MERGE)).fill(
        2, 4, 5, 6, 3, 3, 3, 3
    )
    survey.ballots.append(box_of(survey, 0, b"\x00" * MESSAGE_BYTES))
    report = survey.open()
    assert report.answers.withheld == 0
    assert report.answers.invalid == 1
    assert min(groups(report.answers).values()) >= 3


def test_nothing_is_left_when_all_are_invalid(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path)
    survey.ballots += [box_of(survey, 0, b"\x00" * MESSAGE_BYTES) for _ in range(5)]
    with pytest.raises(ReleaseError):
        survey.open()


def test_opening_again_gives_the_same_file(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path).fill(3, 4, 5)
    first = survey.open()
    export = tmp_path / "export"
    second = survey.open(export)
    assert survey.state(export).repeated
    assert first.answers.to_bytes() == second.answers.to_bytes()
    assert len(survey.ledger().read_bytes().splitlines()) == 2


def test_the_order_of_answers_tells_nothing_of_the_ballots(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path).fill(9)
    answers = survey.open().answers.groups[0].answers
    assert list(answers) == sorted(answers, key=lambda a: json.dumps(a, separators=(",", ":")))


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite(tmp_path: Path, suite: str) -> None:
    key = OpeningKey(SUITES[suite], SECRET)
    collector = OpeningKey(SUITES[suite], bytes(32)).public_key
    keys = invited(
        suite=SUITES[suite],
        opening_key=key.public_key,
        collector_key=collector,
        statement_keys=statement_keys_of(WORDS),
    )
    survey = SealedSurvey(tmp_path, specification=sealed_specification(invited=keys))
    for number in range(4):
        plaintext = encode(survey.digest, 1, ANSWERS, random.Random(number).randbytes(70000), MESSAGE_BYTES)
        ballot = box_of_suite(survey, number, key, plaintext)
        survey.ballots.append(ballot)
    assert groups(survey.open().answers) == {(1,): 4}


def box_of_suite(survey: SealedSurvey, number: int, key: OpeningKey, plaintext: bytes) -> Ballot:
    own = token(survey.digest, number)
    info = box_info(survey.digest, own.prefix, own.device_key, 1)
    box = SealingKey(key.suite, key.public_key).seal(info, plaintext)
    return sign_ballot(survey.digest, UnsignedBallot(cell=1, token=own, box=box))


@settings(max_examples=15, deadline=None)
@given(counts=st.lists(st.integers(0, 6), min_size=8, max_size=8), merge=st.booleans())
def test_no_group_below_the_minimum_and_no_cell_by_subtraction(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int], merge: bool
) -> None:
    specification = sealed_specification(release=MERGE) if merge else sealed_specification()
    survey = SealedSurvey(tmp_path_factory.mktemp("survey"), specification=specification).fill(*counts)
    try:
        report = survey.open()
    except ReleaseError:
        return
    answers = report.answers
    assert min(groups(answers).values()) >= 3
    outside = [
        count for cell, count in enumerate(counts) if not any(cell in cells for cells in groups(answers))
    ]
    assert sum(outside) == answers.withheld
    assert answers.withheld == 0 or (answers.withheld >= 3 and sum(map(bool, outside)) > 1)


def test_the_fast_verification_of_tokens_agrees_with_the_reference(tmp_path: Path) -> None:
    """Genuine, flipped, of another survey, and the signature plus the modulus."""
    survey = SealedSurvey(tmp_path).fill(3)
    keys = survey.specification.invited
    genuine = survey.ballots[0].token
    flipped = bytearray(genuine.signature)
    flipped[100] ^= 1
    large = int.from_bytes(genuine.signature, "big") + keys.token_key(0)
    cases = [genuine, replace(genuine, signature=bytes(flipped)), replace(genuine, prefix=bytes(32))]
    cases += [replace(genuine, signature=bytes(384)), replace(genuine, signature=b"\xff" * 384)]
    if large < 1 << 3072:
        cases.append(replace(genuine, signature=large.to_bytes(384, "big")))
    for number, case in enumerate(cases):
        ballots = [replace(survey.ballots[0], token=case), *survey.ballots[1:]]
        export = survey.write(f"export-{number}", ballots=ballots, signed=ballots)
        try:
            case.verify(keys.token_key(0), survey.digest)
        except TokenError:
            with pytest.raises(OpeningError) as caught:
                survey.open(export)
            assert caught.value.code == "opening.token"
        else:
            survey.open(export)
