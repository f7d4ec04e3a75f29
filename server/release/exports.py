"""The released tables in the formats of other programs, with question texts, value labels and missing codes.

Nothing is in them but what the CSV files have, and no clock: the same table gives the same bytes.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from server.release.coding import NOT_ANSWERED, Coding, codings
from server.release.columns import TableColumn
from server.release.tables import ReleasedTable
from server.tables.excel_file import save_timeless
from server.tables.statistical_file import without_clock

FORMATS: Final = ("csv", "parquet", "sav", "dta", "xlsx")
"""What `roomful release --format` takes; CSV is always written."""
_LABEL_BYTES: Final = {"sav": 255, "dta": 80}
"""Of a variable's label; longer question texts stand whole in codebook.xml."""
_VALUE_LABEL_BYTES: Final = {"sav": 120, "dta": 320}
_NO_CHARACTER: Final = re.compile("[\ufffe\uffff]")
"""What people may write, and XML cannot hold."""
_STATA_VERSION: Final = 14
"""Format 118: the newest that Stata 14 and later read alike."""


def export(table: ReleasedTable, form: str) -> bytes:
    """The table in another format.

    Parameters
    ----------
    table : ReleasedTable
    form : {"parquet", "sav", "dta", "xlsx"}
    """
    write = {"parquet": _parquet, "xlsx": _excel, "sav": _spss, "dta": _stata}[form]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        write(table, path)
        return path.read_bytes()


def _value(column: TableColumn, text: str) -> Any:
    """A field as a number, a truth value or a text; None if it is empty."""
    if text == "":
        return None
    converters: dict[str, Callable[[str], Any]] = {
        "integer": int,
        "number": float,
        "boolean": lambda value: value == "true",
    }
    return converters.get(column.type, str)(text)


def _parquet(table: ReleasedTable, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    types = {
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "string": pyarrow.string(),
        "date": pyarrow.string(),
    }
    arrays, fields = [], []
    for place, column in enumerate(table.columns):
        array = pyarrow.array([_value(column, row[place]) for row in table.rows], type=types[column.type])
        labels = dict(column.categories or column.labels)
        described = {"label": column.title, "description": column.description, "unit": column.unit} | (
            {"labels": json.dumps(labels, ensure_ascii=False)} if labels else {}
        )
        arrays.append(array)
        fields.append(
            pyarrow.field(column.name, array.type, metadata={k: v for k, v in described.items() if v})
        )
    pyarrow.parquet.write_table(pyarrow.table(arrays, schema=pyarrow.schema(fields)), path)


def _excel(table: ReleasedTable, path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    data = book.active
    data.title = "Data"
    values = [[_value(column, row[at]) for at, column in enumerate(table.columns)] for row in table.rows]
    _fill(data, [[column.name for column in table.columns], *values])
    described = [["Name", "Text", "Description", "Unit", "Values", "Empty"]]
    for column in table.columns:
        labels = column.categories or column.labels
        described.append(
            [
                column.name,
                column.title,
                column.description,
                column.unit,
                "; ".join(f"{value} = {label}" for value, label in labels),
                (NOT_ANSWERED if column.question else "no value") if column.can_be_missing else "never",
            ]
        )
    _fill(book.create_sheet("Variables"), described)
    save_timeless(book, path)


def _fill(sheet: Any, rows: list[list[Any]]) -> None:
    for line, row in enumerate(rows, 1):
        for at, value in enumerate(row, 1):
            text = isinstance(value, str)
            cell = sheet.cell(line, at, _NO_CHARACTER.sub("\ufffd", value) if text else value)
            if text:
                cell.data_type = "s"  # a text that begins with = is no formula
    sheet.freeze_panes = "A2"


def _spss(table: ReleasedTable, path: Path) -> None:
    import pyreadstat

    coded = codings(table.columns)
    missing = {coding.name: coding.missing for coding in coded if coding.missing is not None}
    pyreadstat.write_sav(
        _frame(table, coded, missing),
        str(path),
        column_labels=_labels(table, "sav"),
        variable_value_labels=_value_labels(coded, "sav", missing),
        variable_format={
            coding.name: "F8.0"
            for column, coding in zip(table.columns, coded, strict=True)
            if not coding.is_text and column.type != "number"
        },
        missing_ranges={name: [code] for name, code in missing.items()},
        variable_measure={
            coding.name: _measure(column) for column, coding in zip(table.columns, coded, strict=True)
        },
    )
    without_clock(path, "SPSS")


def _stata(table: ReleasedTable, path: Path) -> None:
    import pyreadstat

    coded = codings(table.columns)
    missing = {coding.name: "a" for coding in coded if coding.missing is not None}
    frame = _frame(table, coded, missing)
    occurring = [name for name in missing if "a" in set(frame[name].tolist())]
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels=_labels(table, "dta"),
        variable_value_labels=_value_labels(coded, "dta", dict.fromkeys(occurring, "a")),
        missing_user_values={name: ["a"] for name in occurring},
        version=_STATA_VERSION,
    )
    without_clock(path, "Stata")


def _frame(table: ReleasedTable, coded: tuple[Coding, ...], missing: Mapping[str, Any]) -> Any:
    """Coded values; whoever did not answer has the code of it, and other gaps are gaps."""
    import pandas

    series = {}
    for place, (column, coding) in enumerate(zip(table.columns, coded, strict=True)):
        absent = "" if coding.is_text else missing.get(coding.name, float("nan"))
        values = [
            absent if row[place] == "" else coding.codes.get(row[place], _value(column, row[place]))
            for row in table.rows
        ]
        kind: Any = None
        if coding.is_text or absent == "a":
            kind = object
        elif any(value != value for value in values):
            kind = float
        series[coding.name] = pandas.Series(values, dtype=kind)
    return pandas.DataFrame(series)


def _labels(table: ReleasedTable, form: str) -> Any:  # pyreadstat takes a list of texts
    return [_cut(column.title, _LABEL_BYTES[form]) for column in table.columns]


def _value_labels(coded: tuple[Coding, ...], form: str, missing: dict[str, Any]) -> dict[str, dict[Any, str]]:
    labels: dict[str, dict[Any, str]] = {}
    for coding in coded:
        own: dict[Any, str] = {
            code: _cut(label, _VALUE_LABEL_BYTES[form]) for code, label in coding.labels.items()
        }
        if coding.name in missing:
            own[missing[coding.name]] = NOT_ANSWERED
        if own:
            labels[coding.name] = own
    return labels


def _measure(column: TableColumn) -> str:
    if column.type in ("string", "boolean", "date") or column.name in ("group", "stratum"):
        return "ordinal" if column.ordered else "nominal"
    return "scale"


def _cut(text: str, n_bytes: int) -> str:
    """The text, at most so long in UTF-8, with an ellipsis if it was longer."""
    data = text.encode("utf-8")
    if len(data) <= n_bytes:
        return text
    return data[: n_bytes - 3].decode("utf-8", "ignore") + "…"
