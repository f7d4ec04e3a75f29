"""Which sign stands before the decimals of a file's numbers.

Guessing wrong is worse than asking: where two readings are possible and differ, this raises and names the
setting that decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.errors import ModelFileError

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_ONE_MARK: Final = re.compile(r"[+-]?[0-9]*([.,])[0-9]+")
_GROUPED: Final = re.compile(
    r"[+-]?[0-9]{1,3}(?:"
    r"([.,])[0-9]{3}(?:\1[0-9]{3})+(?:[.,][0-9]+)?"  # 1.234.567 and 1,234,567.8
    r"|\.[0-9]{3},[0-9]+|,[0-9]{3}\.[0-9]+"  # 1.234,5 and 1,234.5
    r"|(?:['’ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?)"  # 1 234 and 1'234
)
_MAYBE_GROUPED: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_OTHER: Final = {".": ",", ",": "."}


def decimal_sign(
    file: DataFile, *, numeric_columns: Iterable[str] | None = None, decimal: str | None = None
) -> str:
    """Return the decimal sign of the numbers that stand in a file as texts.

    Parameters
    ----------
    file : DataFile
        Columns whose numbers are stored as such are passed over.
    numeric_columns : iterable of str, optional
        Columns that must hold numbers: doubtful texts in them raise. Names that the file lacks are passed
        over. By default columns that look numeric vote, and nothing raises.
    decimal : str, optional
        "." or ",": the sign the organizer named; texts in the numeric columns that contradict it raise.

    Raises
    ------
    ModelFileError
        For thousands separators, for both signs in one file, and for columns like 1.234 that could be either.
    """
    if decimal not in (None, ".", ","):
        raise ModelFileError(
            f"the decimal sign cannot be {quoted(decimal)}", where=file.source, expected='"." or ","'
        )
    columns = [column for column in file.columns if column.values is None]
    if numeric_columns is None:
        return decimal or _voted(columns)
    names = frozenset(numeric_columns)
    return _judged(file, [column for column in columns if column.name in names], decimal)


def _voted(columns: Iterable[DataColumn]) -> str:
    counts = {".": 0, ",": 0}
    for column in columns:
        for sign in _signs_if_numeric(column):
            counts[sign] += 1
    return "," if counts[","] > counts["."] else "."


def _judged(file: DataFile, columns: list[DataColumn], decimal: str | None) -> str:
    votes: dict[str, tuple[DataColumn, int]] = {}
    for column in columns:
        found = _signs(file, column)
        for sign, code in found.items():
            votes.setdefault(sign, (column, code))
        if decimal is None and found:
            _refuse_doubtful(file, column)
    if decimal is not None and _OTHER[decimal] in votes:
        column, code = votes[_OTHER[decimal]]
        raise ModelFileError(
            f"{quoted(column.distinct[code])} does not have the decimal sign {quoted(decimal)}",
            where=file.where(column.first_row(code), column.name),
            expected=f"digits, with {quoted(decimal)} before the decimals and nothing between thousands",
            remedy="Remove thousands separators, or correct the sign (--decimal, or decimal in [model]).",
        )
    if len(votes) == 2:
        (one, one_code), (two, two_code) = votes["."], votes[","]
        there = file.place_of(two.first_row(two_code), two.name)
        raise ModelFileError(
            f"{quoted(one.distinct[one_code])} has a decimal point, but {quoted(two.distinct[two_code])}"
            f" ({there}) has a comma",
            where=file.where(one.first_row(one_code), one.name),
            expected="one decimal sign in the whole file and nothing between thousands",
            remedy="Remove thousands separators and write all numbers alike.",
        )
    return decimal or next(iter(votes), ".")


def _signs(file: DataFile, column: DataColumn) -> dict[str, int]:
    """Return each decimal sign in a column of numbers with the code of its first text."""
    found: dict[str, int] = {}
    for code, text in enumerate(column.distinct):
        cell = (text or "").strip()
        if _GROUPED.fullmatch(cell):
            raise ModelFileError(
                f"{quoted(text)} has thousands separators",
                where=file.where(column.first_row(code), column.name),
                expected="digits, with at most one decimal sign",
                remedy="Remove the thousands separators (in a spreadsheet: the number format of the column).",
            )
        if match := _ONE_MARK.fullmatch(cell):
            found.setdefault(match[1], code)
    return found


def _signs_if_numeric(column: DataColumn) -> frozenset[str]:
    """Return the decimal signs of a column in which at least nine in ten distinct texts are numbers."""
    found: set[str] = set()
    numeric = other = 0
    for text in column.distinct:
        cell = (text or "").strip()
        if match := _ONE_MARK.fullmatch(cell):
            found.add(match[1])
            numeric += 1
        elif _INTEGER.fullmatch(cell):
            numeric += 1
        elif cell:
            other += 1
    return frozenset(found) if other * 9 <= numeric else frozenset()


def _refuse_doubtful(file: DataFile, column: DataColumn) -> None:
    """Refuse a column in which every marked number reads as thousands and nothing says otherwise."""
    marked: int | None = None
    for code, text in enumerate(column.distinct):
        cell = (text or "").strip()
        if _ONE_MARK.fullmatch(cell):
            if not _MAYBE_GROUPED.fullmatch(cell):
                return
            marked = code if marked is None else marked
        elif _INTEGER.fullmatch(cell) and len(cell.lstrip("+-")) > 3:
            return
    if marked is None:
        return
    text = (column.distinct[marked] or "").strip()
    sign = "." if "." in text else ","
    raise ModelFileError(
        f"{quoted(text)} can be read as {text.replace(sign, '')} or as a number with three decimals",
        where=file.where(column.first_row(marked), column.name),
        expected="numbers without thousands separators",
        remedy="Remove the separators if these are thousands; if they are decimals, say"
        f" --decimal {sign}, or decimal = {quoted(sign)} in [model].",
    )
