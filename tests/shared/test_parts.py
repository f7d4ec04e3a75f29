"""Specifications in parts: the same document as in one piece, and nothing believed that was not signed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.checks import CELL_FAILURE, DISTANCE, MODEL_SHAPE
from shared.errors import SoundnessError, SpecificationError, StateError
from shared.invitation import Invitation
from shared.parts import Parts, named_parts, no_parts
from shared.soundness import Examination, examine, examine_parts, refused_envelope
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, register_cells, sign, small_specification
from tests.invited import invited_specification
from tests.shared.examining import outcomes
from tests.vectors.generate import FOLDER
from tests.vectors.part_vectors import survey_in_parts
from tests.vectors.surveys import districts_of, fragment_of, register

VECTORS = {vector["name"]: vector for vector in json.loads((FOLDER / "parts.json").read_text("utf-8"))}
WHOLE = register(districts_of(register_cells(), 51))
ROOT, PARTS = survey_in_parts()
FILES = {reference.digest: data for reference, data in zip(ROOT.parts, PARTS, strict=True)}


def examined(root: bytes, parts: Parts, needed: list[int] | None) -> Examination:
    envelope = sign(root, ORGANIZER_KEY)
    return examine(
        envelope, outcomes(envelope), Invitation.parse_fragment(fragment_of(envelope)), None, parts, needed
    )


@pytest.mark.parametrize("name", VECTORS)
def test_committed_vectors(name: str) -> None:
    vector = VECTORS[name]
    parts = {digest: text.encode() for digest, text in vector["parts"].items()}
    refusal = examined(vector["root"].encode(), parts.get, vector["needed"]).refusal
    assert (refusal and refusal.code) == vector["check"]


def test_root_and_parts_are_the_specification_in_one_piece() -> None:
    read = Specification.parse(ROOT.to_bytes(), FILES.get)
    assert replace(read, parts=()) == WHOLE
    assert read.to_bytes() == ROOT.to_bytes()
    assert read.in_parts() == (read, FILES)
    assert (read.is_whole, read.held) == (True, tuple(range(8)))
    assert replace(read, parts=()).to_bytes() == WHOLE.to_bytes()


def test_a_root_has_nothing_that_grows_with_the_cells() -> None:
    document = ROOT.to_object()
    assert (document["eligible"], document["centroids"], document["release"]["row"]) == ([], [], [0, 1])
    assert [set(district) for district in document["cells"]["districts"]] == [
        {"shape", "digest", "bytes", "cells", "people"}
    ] * 2


def test_rows_of_districts_and_of_cells_are_put_together() -> None:
    row = (6, 5, 4, 7, 0, 2, 1, 3)
    specification, parts = replace(WHOLE, row=row).in_parts()
    assert specification.to_object()["release"]["row"] == [1, 0]
    assert Specification.parse(specification.to_bytes(), parts.get).row == row


def test_districts_that_stand_apart_in_the_row_cannot_be_in_parts() -> None:
    with pytest.raises(SpecificationError, match="stand apart"):
        replace(WHOLE, row=(0, 4, 1, 2, 3, 5, 6, 7)).in_parts()


def test_only_districts_can_be_in_parts() -> None:
    with pytest.raises(SpecificationError, match="only districts") as caught:
        small_specification().in_parts()
    assert "--district" in caught.value.remedy


def test_without_its_parts_a_root_is_no_specification() -> None:
    with pytest.raises(SpecificationError, match="is not there") as caught:
        Specification.parse(ROOT.to_bytes())
    assert caught.value.code == "specification.part"
    assert "folder of parts" in caught.value.remedy


def test_an_invited_survey_is_in_one_piece() -> None:
    cells = districts_of(register_cells(), 51)
    with pytest.raises(SpecificationError, match="beside a code"):
        invited_specification(kind="register", cells=cells).in_parts()


def test_a_public_model_is_in_one_piece() -> None:
    with pytest.raises(SpecificationError, match="counts all cells"):
        replace(WHOLE, model=replace(WHOLE.model, kind="public")).in_parts()


def test_a_root_names_its_parts() -> None:
    assert named_parts(ROOT.to_bytes()) == ROOT.parts
    assert named_parts(WHOLE.to_bytes()) == named_parts(b"[]") == named_parts(b'{"cells":[]}') == ()


def test_the_root_alone_leaves_the_checks_of_cells_open() -> None:
    examination = examined(ROOT.to_bytes(), {}.get, [])
    assert examination.must_load
    assert [line.code for line in examination.lines if line.outcome == "not-run"] == [
        DISTANCE,
        CELL_FAILURE,
        MODEL_SHAPE,
    ]
    with pytest.raises(SoundnessError, match="still open"):
        examination.sound()


@pytest.mark.parametrize("district", [0, 1])
def test_a_device_with_its_own_part_places_its_owner_as_everybody_would(district: int) -> None:
    examination = examine_parts(examined(ROOT.to_bytes(), {}.get, []), FILES.get, [district])
    sound = examination.sound()
    specification = sound.specification
    own = range(4 * district, 4 * district + 4)
    assert not examination.must_load
    assert not specification.is_whole
    assert specification.cells.compared == 4
    assert (specification.held, tuple(sound.metrics)) == (tuple(own), tuple(own))
    assert specification.to_bytes() == ROOT.to_bytes()
    assert specification.people_at_levels == (144,)
    assert {examination.line(code).figures["kind"] for code in (CELL_FAILURE, MODEL_SHAPE)} == {"part"}
    assert examination.line(CELL_FAILURE).figures["all"] == "8"
    ages = range(52) if district == 0 else range(52, 100)
    for vector in ((age, sex, 1 - sex) for age in ages for sex in (0, 1)):
        cell = specification.cells.assign(vector)
        assert cell == WHOLE.cells.assign(vector)
        assert specification.cells.leads_to(vector, cell)
        assert not specification.cells.leads_to(vector, cell - 1)
        assert specification.eligible[cell] == WHOLE.eligible[cell]
        assert specification.centroids[cell] == WHOLE.centroids[cell]


def test_nobody_is_placed_in_a_district_whose_part_is_not_here() -> None:
    sound = examine_parts(examined(ROOT.to_bytes(), {}.get, []), FILES.get, [0]).sound()
    with pytest.raises(StateError, match="not here"):
        sound.specification.cells.assign((80, 0, 1))
    assert not sound.specification.cells.leads_to((80, 0, 1), 0)


def test_with_all_parts_every_check_is_that_of_the_whole() -> None:
    whole = examined(WHOLE.to_bytes(), no_parts, None)
    lines = examine_parts(examined(ROOT.to_bytes(), {}.get, []), FILES.get, [0, 1]).lines
    assert [(line.code, line.outcome) for line in lines] == [(x.code, x.outcome) for x in whole.lines]
    assert [line.figures for line in lines[3:]] == [line.figures for line in whole.lines[3:]]


def test_a_part_that_is_not_the_signed_one_is_refused_by_its_digest() -> None:
    wrong = {digest: data + b" " for digest, data in FILES.items()}
    examination = examine_parts(examined(ROOT.to_bytes(), {}.get, []), wrong.get, [1])
    assert examination.refusal is not None
    assert (examination.refusal.code, examination.specification) == ("check.digest", None)
    assert examination.refusal.error is not None
    assert examination.refusal.error.where == "part of district 1"
    assert "words" in examination.refusal.figures


def test_nothing_is_examined_further_that_was_no_envelope() -> None:
    with pytest.raises(SoundnessError, match="nothing was examined"):
        examine_parts(refused_envelope(SpecificationError("no envelope")), FILES.get, [0])


@given(part=st.binary(max_size=60), number=st.integers(0, 1))
def test_no_other_bytes_are_taken_for_a_part(part: bytes, number: int) -> None:
    with pytest.raises(SpecificationError, match="not the one that was signed"):
        Specification.parse(ROOT.to_bytes(), (FILES | {ROOT.parts[number].digest: part}).get)
