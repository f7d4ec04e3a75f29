"""The released tables in the formats of other programs: the same values, with labels and missing codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.release.coding import codings
from server.release.columns import TableColumn
from server.release.datapackage import describe_package
from server.release.exports import FORMATS, export
from server.release.gate import Decision
from server.release.recheck_exports import says_the_same
from server.release.tables import ReleasedTable
from server.release.workflow import release_survey
from tests.server.release.exported import TEXTS, tables
from tests.server.release.survey import closed_survey, specification

OTHERS = [form for form in FORMATS if form != "csv"]


def fields_of(made: dict[str, ReleasedTable]) -> dict[str, Any]:
    nothing = Decision(groups=(), reasons=(), total_answers=0, released_answers=0)
    described = describe_package(
        specification(), "ab" * 32, nothing, {name: (table, b"") for name, table in made.items()}
    )
    return {item["name"]: item["schema"]["fields"] for item in json.loads(described)["resources"]}


@pytest.mark.parametrize("name", ["microdata", "cells"])
@pytest.mark.parametrize("form", OTHERS)
def test_every_format_says_what_the_csv_file_says(tmp_path: Path, form: str, name: str) -> None:
    made = tables()
    path = tmp_path / f"{name}.{form}"
    path.write_bytes(export(made[name], form))
    assert path.read_bytes() == export(made[name], form)
    assert says_the_same(path, fields_of(made)[name], made[name].rows)
    for at in (0, len(made[name].columns) // 2, -1):
        changed = [list(row) for row in made[name].rows]
        changed[-1][at] = "7" if changed[-1][at] != "7" else "8"
        assert not says_the_same(path, fields_of(made)[name], changed), made[name].columns[at].name


@pytest.mark.parametrize("form", OTHERS)
@pytest.mark.parametrize("text", TEXTS)
def test_nothing_that_somebody_writes_stops_a_release(tmp_path: Path, form: str, text: str) -> None:
    made = tables()
    rows = tuple((*row[:-1], text) for row in made["microdata"].rows[:3])
    path = tmp_path / f"t.{form}"
    path.write_bytes(export(ReleasedTable(columns=made["microdata"].columns, rows=rows), form))
    assert says_the_same(path, fields_of(made)["microdata"], rows)


def test_spss_has_labels_and_missing_codes(tmp_path: Path) -> None:
    import pyreadstat

    path = tmp_path / "t.sav"
    path.write_bytes(export(tables()["microdata"], "sav"))
    frame, meta = pyreadstat.read_sav(str(path), user_missing=True)
    assert meta.variable_value_labels["health"] == {1: "good", 2: "bad"}
    assert meta.variable_value_labels["smokes"] == {0: "no", 1: "yes", -9: "not answered"}
    assert meta.variable_value_labels["wishes_a"] == {0: "not ticked", 1: "ticked", -9: "not answered"}
    assert meta.missing_ranges["mood"] == [{"lo": -9, "hi": -9}]
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert set(frame["mood"]) == {-9, 1, 2, 3, 4, 5}
    assert "health" not in meta.missing_ranges  # nobody can skip it
    assert meta.variable_measure["school"] == "ordinal"
    assert meta.variable_measure["stratum"] == "nominal"
    assert meta.variable_measure["weight"] == "scale"


def test_stata_has_labels_and_missing_codes(tmp_path: Path) -> None:
    import pyreadstat

    path = tmp_path / "t.dta"
    path.write_bytes(export(tables()["microdata"], "dta"))
    assert b"<release>118</release>" in path.read_bytes()[:80]
    frame, meta = pyreadstat.read_dta(str(path), user_missing=True)
    assert meta.variable_value_labels["smokes"] == {0: "no", 1: "yes", "a": "not answered"}
    assert set(frame["mood"]) == {"a", 1, 2, 3, 4, 5}
    assert meta.variable_value_labels["school"] == {1: "none", 2: "some", 3: "much"}


def test_excel_and_parquet_describe_their_columns(tmp_path: Path) -> None:
    import openpyxl
    import pyarrow.parquet

    book, table = tmp_path / "t.xlsx", tmp_path / "t.parquet"
    book.write_bytes(export(tables()["microdata"], "xlsx"))
    table.write_bytes(export(tables()["microdata"], "parquet"))
    sheet = openpyxl.load_workbook(book)["Variables"]
    lines = {row[0]: row for row in sheet.iter_rows(values_only=True)}
    assert lines["health"][4] == "good = good; bad = bad"
    assert lines["mood"][5] == "not answered"
    assert all(
        cell.data_type != "f" for row in openpyxl.load_workbook(book)["Data"].iter_rows() for cell in row
    )
    field = pyarrow.parquet.read_schema(table).field("smokes")
    assert json.loads(field.metadata[b"labels"]) == {"false": "no", "true": "yes"}


def column(name: str, **more: Any) -> TableColumn:
    return TableColumn(name=name, type=more.pop("type", "integer"), title="", description="", **more)


def test_names_fit_every_program() -> None:
    names = ["Größe", "größe", "with", "9 lives", "日本", "a" * 40, "a" * 41, "str12", "wishes_a b/c"]
    found = [coding.name for coding in codings(column(name) for name in names)]
    assert found == [
        "Groe", "groe_2", "v_with", "v_9_lives", "v_", "a" * 32, "a" * 30 + "_2", "v_str12", "wishes_a_b_c",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("minimum", "code"), [("0", -9), ("-8", -9), ("-9", -99), ("-100", -999), ("-99999", -999999), (None, -9)]
)
def test_the_missing_code_is_no_answer(minimum: str | None, code: int) -> None:
    (coding,) = codings([column("q", minimum=minimum, can_be_missing=True, question="q")])
    assert coding.missing == code


def test_release_in_every_format(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", (20, 12, 3, 9, 0, 30))
    with data:
        release_survey(data, survey, tmp_path / "out", list.sort, formats=FORMATS)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"{name}.{form}" for name in ("microdata", "cells") for form in FORMATS} <= names
    package = json.loads((tmp_path / "out" / "datapackage.json").read_bytes())
    assert set(package["roomful"]["files"]) == names - {
        "microdata.csv", "cells.csv", "datapackage.json", "report.html",
    }  # fmt: skip
