"""A defect, or somebody who changed the program, writes what is withheld into a column of its own.

The last look at the written files is an allow-list: it knows which columns a withheld cell may fill.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.collection.storage.states import State
from server.release import workflow
from server.release.columns import TableColumn
from server.release.tables import NOT_RELEASED, ReleasedTable
from server.release.workflow import release_survey
from shared.errors import ReleaseError
from tests.server.release.survey import closed_survey

COUNTS = (20, 12, 3, 4, 30, 5)
Table = Callable[..., ReleasedTable]


def _with_column(at: int, name: str) -> Callable[[Table], Table]:
    """A table of cells with one more column, which tells how many answered from each."""

    def change(make: Table) -> Table:
        def leaking(specification: Any, decision: Any) -> ReleasedTable:
            table = make(specification, decision)
            column = TableColumn(name=name, type="integer", title=name, description=name, can_be_missing=True)
            return replace(
                table,
                columns=(*table.columns[:at], column, *table.columns[at:]),
                rows=tuple((*row[:at], str(COUNTS[int(row[0])]), *row[at:]) for row in table.rows),
            )

        return leaking

    return change


def _with_people(make: Table) -> Table:
    """A table of cells in which withheld cells show their answers as their people."""

    def leaking(specification: Any, decision: Any) -> ReleasedTable:
        table = make(specification, decision)
        rows = (
            (*row[:3], str(COUNTS[int(row[0])]), *row[4:]) if row[1] == NOT_RELEASED else row
            for row in table.rows
        )
        return replace(table, rows=tuple(rows))

    return leaking


@pytest.mark.parametrize(
    "change",
    [
        _with_column(3, "turnout"),
        _with_column(5, "age_turnout"),
        _with_column(7, "turnout"),
        _with_column(14, "turnout"),
        _with_column(15, "turnout"),
        _with_people,
    ],
    ids=["before the people", "among the centroid", "inside", "before the last", "at the end", "as people"],
)
def test_a_column_that_tells_what_is_withheld_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Table], Table]
) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    monkeypatch.setattr(workflow, "cells_table", change(workflow.cells_table))
    with data:
        with pytest.raises(ReleaseError) as caught:
            release_survey(data, survey, tmp_path / "out", list.sort)
        assert caught.value.code == "release.recheck"
        assert data.survey(survey).state is State.CLOSED
    assert not (tmp_path / "out").exists()


def test_a_figure_of_a_withheld_cell_in_the_description_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe = workflow.describe_package

    def leaking(*arguments: Any) -> bytes:
        return describe(*arguments).replace(b'"k": 5,', b'"k": 5, "counts": [20, 12, 3, 4, 30, 5],')

    data, survey = closed_survey(tmp_path / "data", COUNTS)
    monkeypatch.setattr(workflow, "describe_package", leaking)
    with data, pytest.raises(ReleaseError, match="another figure"):
        release_survey(data, survey, tmp_path / "out", list.sort)
