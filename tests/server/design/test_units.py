"""Boxes within units: each unit is divided by itself, and has a place of its own in the row."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from server.design.audit import audit_survey
from server.design.mapping import assign_many, units_of
from server.design.plan import DistrictPlan
from server.design.workflow import design_survey
from shared.cells import UnitCells
from shared.errors import DesignError, SoundnessError, SurveyFileError
from shared.joining import row_of
from shared.specification import Specification
from shared.units import units_of as units_of_law
from tests.builders import ORGANIZER_KEY, sign
from tests.server.design.test_boxes_first import TOGETHER, silent, town  # noqa: F401 - a fixture
from tests.unit_cells import unit_cells


def with_units(folder: Path, units: str) -> Path:
    """The town's election with another section of units."""
    file = folder / "election.toml"
    text = file.read_text("utf-8")
    file.write_text(text[: text.index("[units]")] + units, "utf-8")
    return file


def test_boxes_lie_within_units(town: Path, tmp_path: Path) -> None:  # noqa: F811
    survey = with_units(town, f'[units]\nattribute = "district"\ntogether = {TOGETHER}\n')
    made = design_survey(survey, tmp_path / "boxes", silent, boxes_only=True).design.specification
    assert Specification.parse(made.to_bytes()) == made
    units = units_of_law(made)
    assert len(units) == 3
    owner = {box: unit.name["en"].split(", ") for unit in units for box in unit.boxes}
    with (town / "roll.csv").open() as file:
        for person in csv.DictReader(file):
            assert person["district"] in owner[made.cells.assign(made.vector(person))]
    assert all(made.people_in(box) >= min(made.n_min_safe) for box in range(made.cells.count))
    assert len(row_of(made).units) == 3


@pytest.mark.parametrize("kind", ["public", "register"])
def test_an_auditor_makes_units_again(town: Path, tmp_path: Path, kind: str) -> None:  # noqa: F811
    file = town / "election.toml"
    file.write_text(file.read_text("utf-8").replace('kind = "public"', f'kind = "{kind}"'), "utf-8")
    made = design_survey(file, tmp_path / "boxes", silent, boxes_only=True).design.specification
    assert isinstance(made.cells, UnitCells)
    if kind == "register":  # Of a box's place nothing is published but where its unit lies.
        places = [{made.centroids[c][made.cells.first :] for c in boxes} for boxes in made.cells.members]
        assert [len(own) for own in places] == [1, 1, 1]
    signed = tmp_path / "boxes" / "survey.dsse.json"
    signed.write_bytes(sign(made.to_bytes(), ORGANIZER_KEY).to_bytes())
    audit_survey(signed, town / "roll.csv").require_passed()
    other = json.loads(made.to_bytes())
    other["release"]["row"] = other["release"]["row"][::-1]
    signed.write_bytes(sign(json.dumps(other).encode(), ORGANIZER_KEY).to_bytes())
    with pytest.raises(SoundnessError) as caught:
        audit_survey(signed, town / "roll.csv").require_passed()
    assert caught.value.code == "audit.row"


def test_units_are_not_cut_into_districts(town: Path, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(DesignError, match="not cut into districts"):
        design_survey(
            town / "election.toml",
            tmp_path / "boxes",
            silent,
            boxes_only=True,
            district=DistrictPlan(attribute="district"),
        )


def test_a_unit_without_enough_people_is_refused_with_what_to_do(town: Path, tmp_path: Path) -> None:  # noqa: F811
    survey = with_units(town, '[units]\nattribute = "district"\n')
    with pytest.raises(DesignError, match="too few for a box of its own") as caught:
        design_survey(survey, tmp_path / "boxes", silent, boxes_only=True)
    assert "together" in caught.value.remedy


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ('attribute = "age"', "none of the attributes that can make units"),
        ('attribute = "district"\ntogether = [["Market", "Market"]]', "stands twice"),
        ('attribute = "district"\ntogether = [["Markt"]]', "is no answer"),
        ('attribute = "district"\ntogether = ["Market"]', "lists of texts"),
    ],
)
def test_units_are_stated_by_answers(town: Path, tmp_path: Path, units: str, message: str) -> None:  # noqa: F811
    with pytest.raises(SurveyFileError, match=message):
        design_survey(with_units(town, f"[units]\n{units}\n"), tmp_path / "boxes", silent, boxes_only=True)


def test_a_survey_has_no_units(town: Path, tmp_path: Path) -> None:  # noqa: F811
    survey = with_units(town, '[units]\nattribute = "district"\n')
    text = survey.read_text("utf-8")
    start, end = text.index("[invited]"), text.index("[[attributes]]")
    survey.write_text(text[:start] + text[end:], "utf-8")
    with pytest.raises(SurveyFileError, match="belong to an election"):
        design_survey(survey, tmp_path / "out", silent)


def test_many_people_are_mapped_as_one_is() -> None:
    cells: UnitCells = unit_cells()
    X = np.array([(a, f, 1 - f) for a in range(0, 100, 7) for f in (0, 1)])
    assert assign_many(cells, X).tolist() == [cells.assign(tuple(x)) for x in X.tolist()]
    assert units_of(cells, X).tolist() == [cells.part_of(tuple(x)) for x in X.tolist()]
