"""An observer of the released files works out which cells were empty, from everything that they could mean.

She knows the signed rule, the row and the centroids, and tries every table of counts: what all tables
that give the same files have in common, she knows. Four cells with 0 to 6 answers each, three to a group.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from server.design.survey_file.survey import read_survey_file
from server.release.gate import Decision, decide
from server.release.policy import Policy
from shared.errors import ReleaseError
from shared.joining import Row

MOST, MINIMUM = 6, 3
LINE = Row(order=(0, 1, 2, 3), points=((0,), (1,), (2,), (3,)), weights=(1,))
CROOKED = Row(order=(2, 0, 3, 1), points=((0, 0), (5, 1), (1, 0), (4, 4)), weights=(1, 3))
ALL_ALIKE = Row(order=(3, 1, 2, 0), points=((0,), (0,), (0,), (0,)), weights=(1,))
Counts = tuple[int, ...]

SURVEY = """
languages = ["en"]
retention_days = 1
title = "T"
[organizer]
name = "O"
contact = "c@example.org"
[model]
kind = "public"
file = "people.csv"
[[attributes]]
name = "age"
kind = "numeric"
label = "Age"
minimum = 0
maximum = 99
[participation]
rate = "0.5"
[anonymity]
k = 3
acceptable_cell_failure = "0.01"
[questionnaire]
file = "questions.json"
"""


def published(decision: Decision) -> object:
    """What the files say of counts: groups with their answers, other cells, and how many answers are left."""
    groups = tuple((group.cells, group.answers) for group in decision.groups)
    return groups, decision.not_released, decision.withheld_answers


def readings(rule: str, row: Row) -> Mapping[object, Sequence[Counts]]:
    """All tables of counts, by what is published of them."""
    found: defaultdict[object, list[Counts]] = defaultdict(list)
    policy = Policy(rule="merge" if rule == "merge" else "withhold", minimum=MINIMUM)
    for counts in itertools.product(range(MOST + 1), repeat=len(row.order)):
        try:
            found[published(decide(counts, policy, row))].append(counts)
        except ReleaseError:
            continue
    return found


def tables_that_tell(
    rule: str, row: Row, cells_of: str, *, empty: bool | None = None, exactly: bool = False
) -> int:
    """Tables of which she learns that some cell is (not) empty, or how many answers it has exactly."""
    told = 0
    for files, tables in readings(rule, row).items():
        groups, outside, _ = files  # type: ignore[misc]
        joined = [cell for cells, _ in groups for cell in cells if len(cells) > 1]
        for cell in outside if cells_of == "outside" else joined:
            values = {counts[cell] for counts in tables}
            if (exactly and len(values) == 1 and 0 not in values) or (
                not exactly and {value == 0 for value in values} == {empty}
            ):
                told += len(tables)
                break
    return told


def test_the_default_rule_withholds_nothing_and_lists_no_empty_cell(tmp_path: Path) -> None:
    """The rule that a survey gets whose organizer says nothing about it."""
    (tmp_path / "survey.toml").write_text(SURVEY, "utf-8")
    questions = {"pages": [{"name": "p", "elements": [{"type": "boolean", "name": "q"}]}]}
    (tmp_path / "questions.json").write_text(json.dumps(questions), "utf-8")
    rule = read_survey_file(tmp_path / "survey.toml").plan.release.rule
    for row in (LINE, CROOKED, ALL_ALIKE):
        for _, outside, withheld in readings(rule, row):  # type: ignore[misc]
            assert outside == ()
            assert withheld == 0
        assert tables_that_tell(rule, row, "joined", empty=True) == 0


def test_a_row_that_tells_an_empty_cell_is_as_rare_as_the_limitations_say() -> None:
    chance = random.Random(5)
    told = 0
    for _ in range(25):
        points = tuple((chance.randrange(20), chance.randrange(20)) for _ in range(4))
        order = list(range(4))
        chance.shuffle(order)
        told += tables_that_tell(
            "merge", Row(order=tuple(order), points=points, weights=(1, 1)), "joined", empty=True
        )
    assert told == 8


def test_what_merged_groups_say_about_counts_is_what_the_limitations_say() -> None:
    """That somebody answered from a cell at the edge of a group, and seldom how many; never what."""
    assert sum(map(len, readings("merge", LINE).values())) == 2386
    assert tables_that_tell("merge", LINE, "joined", empty=False) == 1036
    assert tables_that_tell("merge", LINE, "joined", exactly=True) == 32


def test_withhold_tells_empty_cells_from_withheld_ones_as_often_as_the_limitations_say() -> None:
    """The attack succeeds: so nothing in the documentation says that it does not."""
    assert sum(map(len, readings("withhold", LINE).values())) == 2176
    assert tables_that_tell("withhold", LINE, "outside", empty=False) == 948
    assert tables_that_tell("withhold", LINE, "outside", empty=True) == 380
    assert tables_that_tell("withhold", LINE, "outside", exactly=True) == 84


@pytest.mark.parametrize("row", [LINE, CROOKED, ALL_ALIKE])
@pytest.mark.parametrize("rule", ["merge", "withhold"])
def test_whatever_she_knows_of_counts_no_answers_of_few_are_left_over(rule: str, row: Row) -> None:
    """In every reading, answers outside of groups are none, or three or more from two cells or more."""
    for files, tables in readings(rule, row).items():
        groups, outside, _ = files  # type: ignore[misc]
        assert all(answers >= MINIMUM for _, answers in groups)
        for counts in tables:
            left = [counts[cell] for cell in outside if counts[cell]]
            assert not left or (len(left) > 1 and sum(left) >= MINIMUM)
