"""The last look at the other formats: each is read again and must say what the CSV file says, and no more.

Part of :mod:`server.release.recheck`, and like it written without the code that makes the files.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

Field = dict[str, Any]
"""Of a column, as datapackage.json describes it."""

_CODED: Final = (".sav", ".dta")
"""Formats in which values are numbers with labels, and names are short."""

_SHEETS: Final = ["Data", "Variables"]

_CODEBOOK: Final = {
    "AuthEnty", "IDNo", "abstract", "anlyUnit", "caseQnty", "catValu", "catgry", "citation", "codeBook",
    "collMode", "contact", "dataAccs", "dataColl", "dataDscr", "dataKind", "dimensns", "distStmt",
    "distrbtr", "fileCont", "fileDscr", "fileName", "fileTxt", "fileType", "invalrng", "item",
    "ivuInstr", "labl", "method", "notes", "parTitl", "qstn", "qstnLit", "range", "restrctn", "rspStmt",
    "sampProc", "stdyDscr", "stdyInfo", "sumDscr", "titl", "titlStmt", "txt", "universe", "useStmt",
    "valrng", "var", "varFormat", "varQnty", "weight",
}  # fmt: skip
"""Elements of codebook.xml; those for frequencies and statistics are not among them."""


def says_the_same(path: Path, fields: Sequence[Field], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a file of another format has just these columns and rows."""
    read: Callable[[Path], list[list[Any]]] = {
        ".parquet": _parquet,
        ".xlsx": _excel,
        ".sav": _statistical,
        ".dta": _statistical,
    }[path.suffix]
    columns = read(path)
    if not _describes(path, fields):
        return False
    if path.suffix not in _CODED and [column[0] for column in columns] != [field["name"] for field in fields]:
        return False
    return len(columns) == len(fields) and all(
        [_text(value, field, path.suffix) for value in column[1:]]
        == [_canonical(row[place], field, path.suffix) for row in rows]
        for place, (field, column) in enumerate(zip(fields, columns, strict=True))
    )


def is_codebook_of(path: Path, tables: dict[str, tuple[Sequence[Field], int]]) -> bool:
    """Whether codebook.xml describes just these columns and numbers of rows, and counts nothing else."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 (written by this program a moment ago)
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    described = [
        (element.get("files"), element.get("name")) for element in root.iter() if element.tag.endswith("}var")
    ]
    expected = [(f"file_{name}", field["name"]) for name, (fields, _) in tables.items() for field in fields]
    cases = [element.text for element in root.iter() if element.tag.endswith("}caseQnty")]
    return (
        set(names) <= _CODEBOOK
        and described == expected
        and cases == [str(n_rows) for _, n_rows in tables.values()]
    )


def _describes(path: Path, fields: Sequence[Field]) -> bool:
    """Whether texts about the columns are those of datapackage.json, and there are no others."""
    texts = [(field["title"], field["description"], field.get("unit", "")) for field in fields]
    if path.suffix == ".parquet":
        import pyarrow.parquet

        schema = pyarrow.parquet.read_schema(path)
        found = [field.metadata or {} for field in schema]
        return not schema.metadata and all(
            set(own) <= {b"label", b"description", b"unit", b"labels", b"PARQUET:field_id"}
            and tuple(own.get(key, b"").decode() for key in (b"label", b"description", b"unit")) == text
            for own, text in zip(found, texts, strict=True)
        )
    if path.suffix == ".xlsx":
        described = _sheet(path, "Variables")[1:]
        return [tuple(value or "" for value in row[1:4]) for row in described] == texts
    import pyreadstat

    read: Any = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    labels = read(str(path), metadataonly=True)[1].column_labels
    return len(labels) == len(texts) and all(
        title.startswith((label or "").removesuffix("…"))
        for label, (title, _, _) in zip(labels, texts, strict=True)
    )


def _text(value: Any, field: Field, suffix: str) -> Any:
    """A value as the CSV file writes it, numbers as numbers; in coded formats 1 is the first category."""
    if value is None or value != value or value == "":
        return ""
    if field["type"] == "boolean":
        return value in (1, True)
    if suffix in _CODED and field.get("categories"):
        return field["categories"][int(value) - 1]["value"] if float(value).is_integer() else None
    if field["type"] in ("integer", "number"):
        return float(value)
    return _kept(value, suffix)


def _canonical(text: str, field: Field, suffix: str) -> Any:
    if text == "" or field["type"] in ("string", "date"):
        return _kept(text, suffix)
    return text == "true" if field["type"] == "boolean" else float(text)


def _kept(text: str, suffix: str) -> str:
    """What a format keeps of a text: texts of a fixed width end in blanks, and XML has no U+FFFE."""
    if suffix in _CODED:
        return text.rstrip()
    return text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") if suffix == ".xlsx" else text


def _parquet(path: Path) -> list[list[Any]]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return [[name, *table.column(name).to_pylist()] for name in table.column_names]


def _excel(path: Path) -> list[list[Any]]:
    return [list(column) for column in itertools.zip_longest(*_sheet(path, "Data"))]


def _sheet(path: Path, title: str) -> list[tuple[Any, ...]]:
    """Rows of a sheet; none if the workbook has other sheets than ours."""
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)
    try:
        return list(book[title].iter_rows(values_only=True)) if book.sheetnames == _SHEETS else []
    finally:
        book.close()


def _statistical(path: Path) -> list[list[Any]]:
    """Columns under their own names; declared missing values are gaps."""
    import pyreadstat

    read: Any = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    frame, meta = read(str(path))
    if meta.file_label or meta.notes:
        return []
    return [[name, *frame[name].tolist()] for name in frame.columns]
