"""Somebody has the registrar's key and signs tokens for people who stayed away, with and without their codes.

Registrar and collector together put such ballots beside the one of somebody who answered, until her cell is
large enough to be opened; then her answers are the only ones that they did not write. On the board a used
code stands for each token, and for codes that they do not hold they have none to show.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.release.board.creating import create_board
from shared.errors import BoardError, OpeningError, RoomfulError
from shared.hash_list import format_hashes
from shared.roll import roll_hash
from tests.attacks.test_swapped_boxes import HERS, OWN_KEY, known_box
from tests.boards import make_board
from tests.builders import ANSWERS, ORGANIZER_KEY
from tests.invited import issue_token, used_codes
from tests.sealed_surveys import SealedSurvey
from tests.server.collection.storage.ballots import DIGEST, store_of
from tests.server.release.board.survey import closed_survey

FILLED = 2
USED = 9
"""She, five people of cell 1 and three of cell 2 used their codes."""


def minted(survey: SealedSurvey, cell: int, number: int) -> None:
    """One ballot more, with a token that the registrar's key signed for nobody."""
    token = issue_token(survey.digest, b"minted, number %017d" % number, OWN_KEY)
    ballot = replace(survey.ballots[0], cell=cell, token=token, box=known_box(survey, token, cell))
    survey.ballots.append(ballot.signed(OWN_KEY.sign(ballot.to_be_signed(survey.digest))))


@pytest.fixture
def survey(tmp_path: Path) -> SealedSurvey:
    """She answered alone in cell 0, others in two more; two ballots were put beside hers."""
    survey = SealedSurvey(tmp_path)
    survey.ballots.append(survey.ballot(0, HERS))
    for number in range(FILLED):
        minted(survey, 0, number)
    survey.ballots += [survey.ballot(cell, ANSWERS) for cell in (1, 1, 1, 1, 1, 2, 2, 2)]
    return survey


def test_without_codes_nobody_fills_a_cell(survey: SealedSurvey) -> None:
    """Nine people used their codes, and eleven ballots are there."""
    export = survey.write(used=USED)
    with pytest.raises(OpeningError) as caught:
        survey.open(export)
    assert (caught.value.code, "11/9" in caught.value.remedy) == ("opening.discrepancy", True)


def test_trustees_who_accept_it_open_no_group_that_could_be_hers_alone(survey: SealedSurvey) -> None:
    report = survey.open(survey.write(used=USED), accept_discrepancy="11/9")
    assert report.surplus == FILLED
    assert [(group.cells, len(group.answers)) for group in report.answers.groups] == [((1,), 5)]
    assert report.answers.withheld == 6


@pytest.mark.parametrize("accepted", ["11/8", "9/11", "11", "yes"])
def test_trustees_name_the_figures(survey: SealedSurvey, accepted: str) -> None:
    with pytest.raises(OpeningError) as caught:
        survey.open(survey.write(used=USED), accept_discrepancy=accepted)
    assert caught.value.code == "opening.discrepancy"


def test_nobody_accepts_a_discrepancy_that_there_is_not(survey: SealedSurvey) -> None:
    with pytest.raises(OpeningError) as caught:
        survey.open(accept_discrepancy="11/11")
    assert caught.value.code == "opening.discrepancy"


def test_whoever_holds_codes_fills_the_cell(survey: SealedSurvey) -> None:
    """This attack succeeds, and the pages say so: ballots made with codes count towards k."""
    report = survey.open(survey.write(used=USED + FILLED))
    (group,) = [group for group in report.answers.groups if 0 in group.cells]
    unknown = [dict(answers) for answers in group.answers if answers["health"] != ANSWERS["health"]]
    assert [answers["health"] for answers in unknown] == [HERS["health"]]


def test_an_export_without_the_used_codes_is_not_opened(survey: SealedSurvey) -> None:
    export = survey.write()
    (export / "used-codes.txt").unlink()
    with pytest.raises(RoomfulError):
        survey.open(export)


def test_a_proof_that_was_made_up_is_on_no_roll(tmp_path: Path) -> None:
    """The registrar lists used codes that nobody has; the organizer's tool, and everybody else, refuses."""
    invented = tuple(sorted((*used_codes(38), *(hashlib.sha256(bytes([i])).digest() for i in range(2)))))
    store = closed_survey(tmp_path / "survey")
    with pytest.raises(BoardError) as caught:
        create_board(store, used_codes=format_hashes(invented), key=ORGANIZER_KEY)
    assert caught.value.code == "board.used-codes"
    refusal = make_board(used=invented).recount().refusal
    assert refusal is not None
    assert refusal.code == "board.used-codes"


def test_the_hashes_on_the_roll_are_no_proofs(tmp_path: Path) -> None:
    """Everything that the registrar was given: the roll. None of it can be shown as a used code."""
    shown = tuple(sorted(roll_hash(proof) for proof in used_codes(60)))
    refusal = make_board(used=shown).recount().refusal
    assert refusal is not None
    assert refusal.code == "board.used-codes"


def test_a_registrar_that_adds_a_code_after_signing_is_found(tmp_path: Path) -> None:
    """Its own file takes the code, and its own server issues the token; the signed roll does not have it."""
    own = hashlib.sha256(b"a code that nobody was invited with").digest()
    with DataDirectory(tmp_path / "data") as data:
        store = store_of(data)
        registrar = data.registrar(store.id)
        registrar.add([[roll_hash(own)]], people=151)
        registrar.spend(own, b"blinded")
        registrar.spend(used_codes(1)[0], b"another")
        store.close()
        listed = format_hashes(registrar.used_codes())
        with pytest.raises(BoardError) as caught:
            create_board(store, used_codes=listed, key=ORGANIZER_KEY)
        assert caught.value.code == "board.used-codes"
        (store.published.folder / "roll.txt").write_bytes(b"roomful-roll/1 " + b"0" * 64 + b"\n")
        with pytest.raises(RoomfulError):
            create_board(store, used_codes=listed, key=ORGANIZER_KEY)
    assert store.published.digest == DIGEST
