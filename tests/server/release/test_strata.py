"""Weights, strata and the mixing of levels, and what a register does not tell."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

from server.release.answers import CollectedAnswers
from server.release.gate import Decision, ReleasedGroup
from server.release.strata import level_mixing
from server.release.tables import cells_table, microdata_table
from server.release.workflow import release_survey
from tests.server.release.survey import N_CELLS, closed_survey, document, specification

COUNTS = (20, 12, 3, 9, 0, 30)
MERGE = {
    "rule": "merge",
    "minimum": 5,
    "distinct_values": 1,
    "t_closeness": None,
    "row": list(range(N_CELLS)),
}
TWO_LEVELS = document()["participation"] | {
    "levels": [{"low": "0.2", "high": "0.2"}, {"low": "0.6", "high": "0.6"}]
}
LEVELLED: dict[str, Any] = {
    "participation": TWO_LEVELS,
    "anonymity": document()["anonymity"] | {"n_min": [24, 24], "n_min_safe": [24, 24]},
    "eligible": [[40, 0], [0, 40], [30, 10], [10, 30], [5, 35], [1, 39]],
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def released(tmp_path: Path, **changes: Any) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    data, survey = closed_survey(tmp_path / "data", COUNTS, **changes)
    with data:
        release_survey(data, survey, tmp_path / "out", list.sort)
    return rows_of(tmp_path / "out" / "microdata.csv"), rows_of(tmp_path / "out" / "cells.csv")


def test_weights_of_a_group_add_up_to_its_people(tmp_path: Path) -> None:
    answers, cells = released(tmp_path, release=MERGE)
    assert {row["cells"]: row["weight"] for row in cells} == {
        "0": "2.000000",
        "1": "3.333333",
        "2 3 4": "10.000000",
        "5": "1.333333",
    }
    for group in cells:
        own = [row for row in answers if row["stratum"] == group["group"]]
        assert {row["stratum_people"] for row in own} == {group["eligible_people"]}
        assert abs(sum(Fraction(row["weight"]) for row in own) - int(group["eligible_people"])) < Fraction(
            1, 10_000
        )
    assert {row["level_mixing"] for row in cells} == {"0.0000"}


def test_a_register_has_neither_weights_nor_sizes() -> None:
    model = document()["model"] | {"kind": "register", "people": 200}
    register = specification(model=model, **LEVELLED)
    assert level_mixing(register, [0, 1]) is None
    decision = Decision(
        groups=(ReleasedGroup(cells=(0, 1, 2, 3, 4, 5), answers=6, diversity=()),),
        reasons=("merged",) * 6,
        total_answers=6,
        released_answers=6,
    )
    given = ({"health": "good"},)
    collected = CollectedAnswers(questions=register.questionnaire.questions, cells=(given,) * 6)
    table = microdata_table(register, decision, collected, list.sort)
    assert {row[:4] for row in table.rows} == {("0", "1", "0", "")}
    groups = cells_table(register, decision)
    assert [groups.rows[0][place] for place in (3, 4, 5, 6)] == ["240", "6", "1", ""]


def test_mixing_is_what_the_levels_make_of_it() -> None:
    survey = specification(**LEVELLED)
    assert level_mixing(survey, [0]) == level_mixing(survey, [1]) == 0
    # 30 people at 0.2 and 10 at 0.6: 6 answers of each expected, where 3 of 4 people are of the first level.
    assert level_mixing(survey, [2]) == Fraction(1, 4)
    # Joined, 40 and 40 people answer 8 and 24 times.
    assert level_mixing(survey, [0, 1]) == Fraction(1, 4)


def test_mixing_bounds_what_a_share_is_off_by() -> None:
    """Whatever people of the two levels answer, the expected share is off by at most the mixing."""
    survey = specification(**LEVELLED)
    for cell in range(N_CELLS):
        low, high = survey.eligible[cell]
        mixing = level_mixing(survey, [cell])
        assert mixing is not None
        worst = Fraction(0)
        for first in (0, 1):
            for second in (0, 1):
                truth = Fraction(low * first + high * second, low + high)
                seen = (low * first + 3 * high * second) / Fraction(low + 3 * high)
                worst = max(worst, abs(seen - truth))
        assert worst == mixing


def test_a_category_that_is_nowhere_the_most_frequent_is_in_the_cells(tmp_path: Path) -> None:
    _, cells = released(tmp_path)
    for row in cells:
        shares = [row[name] for name in ("sex_share_female", "sex_share_male", "sex_missing")]
        assert shares == ["0.500", "0.250", "0.250"]
        assert row["sex"] == "female"
