"""A defect writes what is withheld, or whose answer a row is, into a column that everybody expects.

The last look knows what every field but an answer must hold: not only which columns there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.collection.storage.states import State
from server.release import workflow
from server.release.tables import NOT_RELEASED, ReleasedTable
from server.release.workflow import release_survey
from shared.errors import ReleaseError
from tests.server.release.survey import N_CELLS, closed_survey

COUNTS = (20, 12, 3, 4, 30, 5)
Change = Callable[[ReleasedTable], ReleasedTable]


def place(table: ReleasedTable, name: str) -> int:
    return next(at for at, column in enumerate(table.columns) if column.name == name)


def changed(table: ReleasedTable, name: str, value: Callable[[tuple[str, ...], int], str]) -> ReleasedTable:
    """The table with another field in one column of each row."""
    at = place(table, name)
    rows = ((*row[:at], value(row, number), *row[at + 1 :]) for number, row in enumerate(table.rows))
    return replace(table, rows=tuple(rows))


def count_as(name: str) -> Change:
    """Rows of cells.csv that are not released say how many answered, in a column that they do fill."""

    def change(table: ReleasedTable) -> ReleasedTable:
        at = place(table, name)
        return changed(
            table, name, lambda row, _: str(COUNTS[int(row[0])]) if row[1] == NOT_RELEASED else row[at]
        )

    return change


def digits_as_count(table: ReleasedTable) -> ReleasedTable:
    """... and by how many digits a true number has."""
    at = place(table, "age")
    return changed(
        table, "age", lambda row, _: row[at] + "0" * (COUNTS[int(row[0])] if row[1] == NOT_RELEASED else 0)
    )


def attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, change: Change, **survey: Any
) -> None:
    """Release with a defect in one table; it must be found, and nothing published."""
    make = getattr(workflow, table)
    monkeypatch.setattr(workflow, table, lambda *arguments: change(make(*arguments)))
    data, identity = closed_survey(tmp_path / "data", COUNTS, **survey)
    with data:
        with pytest.raises(ReleaseError) as caught:
            release_survey(data, identity, tmp_path / "out", list.sort)
        assert caught.value.code == "release.recheck"
        assert data.survey(identity).state is State.CLOSED
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "change",
    [
        count_as("age"),
        count_as("sex_share"),
        count_as("school_missing"),
        count_as("place_north"),
        digits_as_count,
        count_as("weight"),
        count_as("level_mixing"),
        count_as("sex_share_male"),
    ],
    ids=["mean", "share", "missing", "place", "digits", "weight", "mixing", "shares"],
)
def test_what_is_withheld_does_not_hide_in_a_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    attempt(tmp_path, monkeypatch, "cells_table", change)


MERGED = {
    "rule": "merge",
    "minimum": 10,
    "distinct_values": 1,
    "t_closeness": None,
    "row": list(range(N_CELLS)),
}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("age", lambda _row, number: f"{number}.0"),
        ("weight", lambda _row, number: f"{number}.000000"),
        ("stratum", lambda _row, number: str(number)),
        ("stratum_people", lambda _row, number: str(number)),
        ("health", lambda _row, _number: "52.52,13.40"),
        ("hours", lambda _row, _number: "81"),
        ("smokes", lambda _row, _number: "Ann"),
    ],
)
def test_a_row_tells_no_more_than_its_group_and_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, value: Callable[[Any, int], str]
) -> None:
    """For example in which cell of a joined group somebody is, by a stratum of her own."""
    attempt(
        tmp_path,
        monkeypatch,
        "microdata_table",
        lambda table: changed(table, column, value),
        release=MERGED,
    )


def test_unanimity_is_counted_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt(
        tmp_path,
        monkeypatch,
        "cells_table",
        lambda table: changed(table, "unanimous_questions", lambda _row, _number: "smokes"),
        release=MERGED,
    )


def test_a_figure_beside_the_known_ones_in_the_description_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe = workflow.describe_package
    monkeypatch.setattr(
        workflow,
        "describe_package",
        lambda *arguments: describe(*arguments).replace(b'"languages"', b'"counts": [3, 4], "languages"', 1),
    )
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data, pytest.raises(ReleaseError, match="another figure"):
        release_survey(data, survey, tmp_path / "out", list.sort)
