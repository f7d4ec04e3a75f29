"""A defect hides withheld counts in a file for another program, or in what that keeps besides values."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pyarrow.parquet
import pyreadstat
import pytest

from server.collection.storage.states import State
from server.release import workflow
from server.release.tables import ReleasedTable
from server.release.workflow import release_survey
from shared.errors import ReleaseError
from tests.server.release.survey import closed_survey

COUNTS = (20, 12, 3, 9, 0, 30)
Export = Callable[[ReleasedTable, str], bytes]


def with_a_row(export: Export) -> Export:
    """One more answer than the CSV file has."""

    def leaking(table: ReleasedTable, form: str) -> bytes:
        return export(replace(table, rows=(*table.rows, table.rows[0])), form)

    return leaking


def with_a_value(export: Export) -> Export:
    """Another value in a field."""

    def leaking(table: ReleasedTable, form: str) -> bytes:
        first = table.rows[0]
        place = next(at for at, column in enumerate(table.columns) if column.name == "age")
        changed = (*first[:place], "3.0", *first[place + 1 :])
        return export(replace(table, rows=(changed, *table.rows[1:])), form)

    return leaking


def with_a_title(export: Export) -> Export:
    """What is withheld, in the label of a variable."""

    def leaking(table: ReleasedTable, form: str) -> bytes:
        first = replace(table.columns[0], title="Group (3 9 0)")
        return export(replace(table, columns=(first, *table.columns[1:])), form)

    return leaking


def with_a_sheet(export: Export) -> Export:
    def leaking(table: ReleasedTable, form: str) -> bytes:
        data = export(table, form)
        if form != "xlsx":
            return data
        book = openpyxl.load_workbook(io.BytesIO(data))
        book.create_sheet("Counts")["A1"] = str(COUNTS)
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    return leaking


def with_metadata(export: Export) -> Export:
    def leaking(table: ReleasedTable, form: str) -> bytes:
        data = export(table, form)
        if form != "parquet":
            return data
        read = pyarrow.parquet.read_table(io.BytesIO(data))
        out = io.BytesIO()
        pyarrow.parquet.write_table(read.replace_schema_metadata({"counts": str(COUNTS)}), out)
        return out.getvalue()

    return leaking


def with_a_note(export: Export) -> Export:
    def leaking(table: ReleasedTable, form: str) -> bytes:
        data = export(table, form)
        if form != "sav":
            return data
        return _noted(data)

    return leaking


def _noted(data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.sav"
        path.write_bytes(data)
        frame, meta = pyreadstat.read_sav(str(path), user_missing=True)
        pyreadstat.write_sav(
            frame,
            str(path),
            note=str(COUNTS),
            column_labels=meta.column_labels,
            variable_value_labels=meta.variable_value_labels,
        )
        return path.read_bytes()


@pytest.mark.parametrize(
    ("change", "forms"),
    [
        (with_a_row, ("parquet", "sav", "dta", "xlsx")),
        (with_a_value, ("parquet", "sav", "dta", "xlsx")),
        (with_a_title, ("parquet", "sav", "dta", "xlsx")),
        (with_a_sheet, ("xlsx",)),
        (with_metadata, ("parquet",)),
        (with_a_note, ("sav",)),
    ],
)
def test_an_export_says_no_more_than_the_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Export], Export],
    forms: tuple[str, ...],
) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    monkeypatch.setattr(workflow, "export", change(workflow.export))
    with data:
        for form in forms:
            with pytest.raises(ReleaseError) as caught:
                release_survey(data, survey, tmp_path / "out", list.sort, formats=(form,))
            assert caught.value.code == "release.recheck"
            assert data.survey(survey).state is State.CLOSED
            assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"<catValu>good</catValu>", b"<catValu>good</catValu><catStat>3</catStat>"),
        lambda data: data.replace(b"</caseQnty>", b"1</caseQnty>"),
        lambda data: data.replace(b'name="age"', b'name="age 3"'),
    ],
    ids=["frequencies", "cases", "variables"],
)
def test_the_codebook_counts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[bytes], bytes]
) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    make = workflow.codebook

    def leaking(*arguments: Any) -> bytes:
        written = make(*arguments)
        assert change(written) != written
        return change(written)

    monkeypatch.setattr(workflow, "codebook", leaking)
    with data, pytest.raises(ReleaseError, match=r"codebook\.xml describes"):
        release_survey(data, survey, tmp_path / "out", list.sort)
