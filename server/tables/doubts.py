"""Texts that were probably meant as numbers: one typing error must not turn ages into categories."""

from __future__ import annotations

import re

from server.tables.column import DataColumn
from server.tables.csv_file import CsvFile
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.errors import InputError

_NUMBER_LIKE = re.compile(r"[+-]?[0-9]+(?:[.,' ][0-9]+)*(?:[eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"0[0-9]+")


_ONE_MARK = re.compile(r"[+-]?[0-9]+[.,][0-9]+")
_MAYBE_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_LONG = re.compile(r"[+-]?[0-9]{4,}")


def refuse_doubtful(column: DataColumn, file: DataFile) -> None:
    """Raise InputError if it is doubtful what the numbers of a CSV or workbook are.

    In a nominal column, if most values look like numbers: columns with value labels, and codes of digits with
    leading zeros such as postcodes, do not. In a numeric column of a CSV, if every decimal sign could group
    thousands, no longer whole number shows otherwise, and nobody said which it is.
    """
    texts = column.texts.tolist()
    if column.kind == "numeric" and isinstance(file, CsvFile) and not file.decimal_given:
        _refuse_thousands(column, file, texts)
    if column.kind != "nominal" or column.value_labels or file.form not in ("CSV", "Excel"):
        return
    given = [(row, text) for row, text in enumerate(texts) if text is not None]
    other = [(row, text) for row, text in given if not _NUMBER_LIKE.fullmatch(text)]
    if not given or 2 * len(other) > len(given) or any(_PADDED.fullmatch(text) for _, text in given):
        return
    if other:
        row, text = other[0]
        message = f"most values of {quoted(column.name)} are numbers, and {quoted(text)} is none"
    else:
        row, text = given[0]
        message = (
            f"the values of {quoted(column.name)} look like numbers, such as {quoted(text)}, and are texts"
        )
    raise InputError(
        message,
        where=file.where(row),
        expected="numbers of one decimal sign and without thousands separators, or categories",
        remedy=f"Correct them, or say that they are categories: --nominal with {column.name}.",
    )


def _refuse_thousands(column: DataColumn, file: DataFile, texts: list[str | None]) -> None:
    marked = [(row, text) for row, text in enumerate(texts) if text is not None and _ONE_MARK.fullmatch(text)]
    if not marked or not all(_MAYBE_GROUPED.fullmatch(text) for _, text in marked):
        return
    if any(text is not None and _LONG.fullmatch(text) for text in texts):
        return
    row, text = marked[0]
    sign = "." if "." in text else ","
    whole = text.replace(sign, "")
    raise InputError(
        f"{quoted(text)} of {quoted(column.name)} can be {whole} or a number with three decimals",
        where=file.where(row),
        expected="numbers without thousands separators",
        remedy=f"Remove the separators if these are thousands; if they are decimals, add --decimal {sign}",
    )
