"""Somebody subtracts figures of the report from one another, to get at fewer people than may be shown.

An age band in which two people answered a question would show both; left out, it would follow from the other
bands and the whole. So bands are joined, of whole groups.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from server.release.answers import collect, confidential_attributes
from server.release.bands import Banding, bandings
from server.release.estimates_section import answers_section
from server.release.gate import decide
from server.release.policy import policy_of
from server.release.tables import ReleasedTable, cells_table, microdata_table
from server.release.workflow import release_survey
from shared.joining import row_of
from shared.specification import Specification
from tests.server.release.survey import N_CELLS, answers, closed_survey, specification

MINIMUM = 5
COUNTS = (20, 12, 6, 9, 5, 30)
SMOKERS = (10, 2, 0, 4, 1, 9)
"""How many of each cell say whether they smoke; the others skip the question."""
MERGE = {
    "rule": "merge",
    "minimum": MINIMUM,
    "distinct_values": 1,
    "t_closeness": None,
    "row": list(range(N_CELLS)),
}


def answer(cell: int, person: int, chance: random.Random) -> dict[str, Any]:
    return answers(chance, smokes=person % 2 == 0 if person < SMOKERS[cell] else None)


def released() -> tuple[Specification, ReleasedTable, ReleasedTable]:
    survey = specification(release=MERGE)
    chance = random.Random(7)
    rows = [(cell, answer(cell, i, chance)) for cell, count in enumerate(COUNTS) for i in range(count)]
    collected = collect(rows, survey.questionnaire, N_CELLS)
    decision = decide(collected.counts, policy_of(survey), row_of(survey), confidential_attributes(collected))
    return (
        survey,
        microdata_table(survey, decision, collected, list.sort),
        cells_table(survey, decision),
    )


def given(microdata: ReleasedTable) -> dict[str, int]:
    at = next(place for place, column in enumerate(microdata.columns) if column.question == "smokes")
    counts: dict[str, int] = {}
    for row in microdata.rows:
        counts[row[0]] = counts.get(row[0], 0) + bool(row[at])
    return counts


def differences(sets: Iterable[frozenset[str]]) -> set[frozenset[str]]:
    """Every set whose total could follow from the totals of some, and more: intersections too."""
    found = set(sets)
    while True:
        more = {made for a, b in itertools.combinations(found, 2) for made in (a & b, a - b, b - a)} - found
        if not more - {frozenset()}:
            return found - {frozenset()}
        found |= more


def by_age(survey: Specification, cells: ReleasedTable) -> Banding:
    return next(banding for banding in bandings(survey, cells) if banding.title == "Age in years")


def test_without_joining_a_band_shows_one_person() -> None:
    """What would be: the band of the cell whose mean age is 66 has one answer, and would be printed."""
    survey, microdata, cells = released()
    counts = given(microdata)
    smallest = min(sum(counts[group] for group in groups) for _, groups in by_age(survey, cells).bands)
    assert smallest <= 1


def test_joined_bands_and_what_follows_from_them_hold_enough_people() -> None:
    survey, microdata, cells = released()
    counts = given(microdata)
    everybody = frozenset(row[0] for row in microdata.rows)
    sizes = {group: sum(row[0] == group for row in microdata.rows) for group in everybody}
    for banding in bandings(survey, cells):
        bands = banding.joined(counts, MINIMUM)
        assert all(sum(counts[group] for group in groups) >= MINIMUM for _, groups in bands)
        # Nobody is left out, to be found by subtraction from the whole.
        assert not bands or frozenset().union(*(groups for _, groups in bands)) == everybody
        for made in differences([everybody, *(groups for _, groups in bands)]):
            assert sum(counts[group] for group in made) >= MINIMUM
    # All figures of all attributes and questions together: still whole groups.
    every = [
        groups
        for banding in bandings(survey, cells)
        for minimum in (1, MINIMUM, 2 * MINIMUM)
        for _, groups in banding.joined(counts, minimum)
    ]
    for made in differences([everybody, *every]):
        assert sum(sizes[group] for group in made) >= MINIMUM


def test_every_line_of_the_report_is_of_enough_people(tmp_path: Path) -> None:
    survey, microdata, cells = released()
    section = answers_section(survey, microdata, cells)
    lines = [row for table in section.tables for row in table.rows]
    assert lines
    assert all(int(line[2].replace(",", "")) >= MINIMUM for line in lines)
    data, identity = closed_survey(tmp_path / "data", COUNTS, answer, release=MERGE)
    with data:
        release_survey(data, identity, tmp_path / "out", list.sort)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "By Age in years: smokes" in page
    assert not re.search(r"<td class=\"number\">[0-4]</td>\n<td class=\"number\">[0-9.]+ %</td>\n<td", page)


def test_a_question_that_too_few_answered_has_no_figure(tmp_path: Path) -> None:
    def silent(cell: int, person: int, chance: random.Random) -> dict[str, Any]:
        return answers(chance, smokes=True if (cell, person) == (0, 0) else None)

    data, identity = closed_survey(tmp_path / "data", COUNTS, silent, release=MERGE)
    with data:
        release_survey(data, identity, tmp_path / "out", list.sort)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "smokes: fewer than 5 answered. Too few for an estimate." in page
    assert ": smokes" not in page
