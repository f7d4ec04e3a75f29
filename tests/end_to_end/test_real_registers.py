"""Real data: for every record, the design's own cell is the cell that a device finds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from server.design.design import Design
from shared.specification import Specification
from tests.registers import EVEN, RATES_BY_AGE, assert_counts_are_kept, designed, write_adult, write_numeric


def made(survey: Path) -> Design:
    return designed(survey)


def check_every_record(survey: Path, result: Design) -> None:
    """From the text of each record, through the signed bytes, to the design's own label."""
    specification = Specification.parse(result.specification.to_bytes())
    names = [attribute.name for attribute in specification.attributes]
    counts = [0] * specification.cells.count
    known: dict[tuple[str, ...], int] = {}
    with (survey.parent / "records.csv").open(newline="", encoding="utf-8") as file:
        for i, record in enumerate(csv.DictReader(file)):
            answers = {name: record[name] for name in names}
            key = tuple(answers.values())
            if key not in known:
                known[key] = specification.cells.assign(specification.vector(answers))
            cell = known[key]
            assert cell == result.labels[result.model.tuple_of_record[i]], (i, answers)
            counts[cell] += 1
    assert counts == result.people_of_cells
    assert_counts_are_kept(result)


CELLS = {
    ("census", "public"): 77,
    ("tarragona", "public"): 59,
    ("census", "register"): 37,
    ("tarragona", "register"): 6,  # nobody is like another; docs/limitations.md, section 6
}


@pytest.mark.parametrize("kind", ["public", "register"])
@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_every_record_of_a_casc_file(tmp_path: Path, reference_data: Path, name: str, kind: str) -> None:
    survey = write_numeric(tmp_path, reference_data, name, kind=kind)
    result = made(survey)
    assert result.specification.cells.count == CELLS[name, kind]
    check_every_record(survey, result)


@pytest.mark.parametrize(
    ("participation", "people"), [(EVEN, 12_000), (RATES_BY_AGE, 45_222)], ids=["even", "rates by age"]
)
def test_every_record_of_adult(tmp_path: Path, reference_data: Path, participation: str, people: int) -> None:
    survey = write_adult(tmp_path, reference_data, participation=participation, limit=people)
    result = made(survey)
    assert result.model.n_people == people
    assert people * 3 // 4 <= result.specification.model.people < people
    check_every_record(survey, result)
