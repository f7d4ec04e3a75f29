"""Texts that were probably meant as numbers: one typing error must not turn ages into categories."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from server.arrays import FloatArray
from server.tables.column import DataColumn, is_too_long
from server.tables.csv_file import CsvFile
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.errors import InputError

_DIGITS: Final = "\\d+(?:[.,'’ \u00a0\u2009\u202f\u066b\u066c]\\d+)*"
"""Of any script, with the signs that stand between them somewhere, blanks of typesetters included."""
_NUMBER_LIKE: Final = re.compile(rf"[+\-−–]?{_DIGITS}(?:[eE][+-]?\d+)?|{_DIGITS}[-−]|\({_DIGITS}\)")
"""Also as accountants write what is below zero."""
_WRITTEN: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PADDED: Final = re.compile(r"0[0-9]+")
_ONE_MARK: Final = re.compile(r"[+-]?[0-9]+[.,][0-9]+")
_MAYBE_GROUPED: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_LONG: Final = re.compile(r"[+-]?[0-9]{4,}")
_FEWEST_SUMMED: Final = 5
_FEWEST_WHOLE: Final = 3
"""Whole numbers of a column that say where its others lie."""
_DATE: Final = re.compile(
    r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{2}|[0-9]{4})|[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}(?:[T ].*)?"
)
_WITH_UNIT: Final = re.compile(
    r"(?P<before>[^0-9+-]{0,24})(?P<number>[+-]?[0-9]+(?:[.,][0-9]+)?)(?P<after>[^0-9]{0,24})"
)
_ERROR_CELL: Final = re.compile(r"#[A-Z0-9/]+[!?]?")
"""What spreadsheets show where a formula failed, such as #DIV/0! and #N/A."""
_UNIT: Final = re.compile(r"(?P<number>[+-]?[0-9]+(?:[.,][0-9]+)?)[ -]?(?P<unit>[^\W\d_]{1,12}|[%€$£¥°])")
_FEWEST_WITH_UNIT: Final = 5
"""Different numbers with one unit; categories have fewer, such as "1 room", "2 rooms", "3 rooms"."""
AGE_REMEDY: Final = "Put the age in its place, or the year: a birth date singles people out."


def is_date(text: str | None) -> bool:
    """Whether a text looks like a day, as people and programs write it."""
    return text is not None and _DATE.fullmatch(text.strip()) is not None


def is_written_number(text: str) -> bool:
    """Whether a text is a number as programs write it, with a decimal point: also .5, 5. and 1e5."""
    return _WRITTEN.fullmatch(text.strip()) is not None


def is_padded(text: str | None) -> bool:
    """Whether a text is a code of digits with a leading zero, as postcodes have."""
    return text is not None and _PADDED.fullmatch(text.strip()) is not None


def unit_of(texts: Iterable[str | None]) -> str:
    """The unit that most values name behind a number, as in "45 years"; else nothing."""
    return _with_unit(texts)[0]


def numbers_with_unit(texts: Iterable[str | None]) -> dict[str, str]:
    """The number of each text that has the unit of most; empty where most have none."""
    return _with_unit(texts)[1]


def _with_unit(texts: Iterable[str | None]) -> tuple[str, dict[str, str]]:
    given = [text.strip() for text in texts if text is not None and text.strip()]
    found = {text: match for text in given if (match := _UNIT.fullmatch(text))}
    units = Counter(found[text]["unit"] for text in given if text in found)
    unit, times = units.most_common(1)[0] if units else ("", 0)
    numbers = {text: match["number"] for text, match in found.items() if match["unit"] == unit}
    if 2 * times > len(given) and len(set(numbers.values())) >= _FEWEST_WITH_UNIT:
        return unit, numbers
    return "", {}


def number_in(text: str) -> str:
    """The one number of a text that says something beside it: a unit, or "and more"; else nothing."""
    plain = text.strip()
    found = None if is_date(text) or _ERROR_CELL.fullmatch(plain) else _WITH_UNIT.fullmatch(plain)
    return found["number"] if found and (found["before"].strip() or found["after"].strip()) else ""


def number_alone(text: str) -> str:
    """What remedies a text that is no number, where it can be seen: a unit, a date; else nothing."""
    if is_date(text):
        return AGE_REMEDY
    number = number_in(text)
    return f"Write the number alone: {number}." if number else ""


def numbers_as_texts(column: DataColumn, file: DataFile) -> bool:
    """Whether a format that has numbers holds those of a column as texts, none of them a code."""
    if column.kind != "nominal" or file.form in ("CSV", "Excel") or file.calls_categories(column.name):
        return False
    given = [text for text in column.distinct if text is not None]
    return bool(given) and all(_NUMBER_LIKE.fullmatch(text) and not is_padded(text) for text in given)


def is_total(numbers: FloatArray) -> bool:
    """Whether the last number is the sum of all others, and more than twice as large as each."""
    if len(numbers) < _FEWEST_SUMMED or np.isnan(numbers[-1]):
        return False
    others = numbers[:-1][~np.isnan(numbers[:-1])]
    return bool(numbers[-1] > 2 * others.max(initial=0)) and math.isclose(numbers[-1], math.fsum(others))


def refuse_doubtful(column: DataColumn, file: DataFile) -> None:
    """Raise InputError, naming the row, if it is doubtful what the values of a column are.

    In a nominal column, if most values look like numbers: columns that the file itself calls categories, and
    codes of digits with leading zeros such as postcodes, do not; and where a format has types, nor do texts
    that are numbers all of them; if most look like dates; and if most are numbers with one unit.
    In a numeric column, if the last number is the sum of all others, as in a row of totals; and in one of a
    CSV, if every decimal sign could group thousands and nobody said which it is: unless a longer whole number
    shows otherwise, and not all of them fit among the whole numbers only as thousands.
    """
    if column.numbers is not None and is_total(column.numbers):
        raise InputError(
            f"{quoted(column[-1])} of {quoted(column.name)} is the sum of all others",
            where=file.where(len(column) - 1),
            expected="a row of totals to be no record",
            remedy=f"Remove that row; or say that the values are categories: --nominal with {column.name}.",
        )
    if column.kind == "numeric" and isinstance(file, CsvFile) and not file.decimal_given:
        _refuse_thousands(column, file, column.texts.tolist())
    if column.kind != "nominal" or file.calls_categories(column.name):
        return
    texts = column.texts.tolist()
    given = [(row, text) for row, text in enumerate(texts) if text is not None]
    dates = [(row, text) for row, text in given if is_date(text)]
    other = [(row, text) for row, text in given if not _NUMBER_LIKE.fullmatch(text)]
    categories = f"or say that they are categories: --nominal with {column.name}."
    if 2 * len(dates) > len(given):
        row, text = dates[0]
        message = f"the values of {quoted(column.name)} are dates, such as {quoted(text)}"
        remedy = f"{AGE_REMEDY[:-1]}; {categories}"
    elif unit := unit_of(text for _, text in given):
        row, text = next((row, text) for row, text in given if text.strip().endswith(unit))
        message = f"most values of {quoted(column.name)} are numbers with a unit, such as {quoted(text)}"
        remedy = f"{number_alone(text)[:-1]}, and the unit in the column's name; {categories}"
    elif not given or 2 * len(other) > len(given) or any(is_padded(text) for _, text in given):
        return
    elif other:
        row, text = other[0]
        message = f"most values of {quoted(column.name)} are numbers, and {quoted(text)} is none"
        alone = number_alone(text)
        remedy = (
            f"{alone[:-1]}, {categories}"
            if alone
            else f"Correct it; or declare it missing: --missing-values {column.name}={text}; {categories}"
        )
    elif file.form not in ("CSV", "Excel"):
        return
    else:
        sign = file.understood.decimal
        long = next((text for text in given if is_too_long(text[1])), None)
        plain = re.compile(rf"[+-]?[0-9]+(?:[{sign}][0-9]+)?(?:[eE][+-]?[0-9]+)?")
        odd = [(row, text) for row, text in given if not plain.fullmatch(text)]
        row, text = long or (odd or given)[0]
        message = f"{quoted(column.name)} holds what looks like numbers, such as {quoted(text)}, and is text"
        if long:
            message = f"{quoted(text)} of {quoted(column.name)} has more digits than a number keeps"
        elif odd and len(odd) < len(given):
            message = f"{quoted(text)} of {quoted(column.name)} looks like a number, and is a text"
        remedy = f"{'If they identify, leave the column out' if long else 'Correct them'}, {categories}"
    raise InputError(
        message,
        where=file.where(row),
        expected="numbers of one decimal sign and without thousands separators, or categories",
        remedy=remedy,
    )


def _refuse_thousands(column: DataColumn, file: DataFile, texts: list[str | None]) -> None:
    marked = [(row, text) for row, text in enumerate(texts) if text is not None and _ONE_MARK.fullmatch(text)]
    if not marked or not all(_MAYBE_GROUPED.fullmatch(text) for _, text in marked):
        return
    row, text = marked[0]
    sign = "." if "." in text else ","
    whole = [int(text) for text in texts if text is not None and _WHOLE.fullmatch(text)]
    if any(text is not None and _LONG.fullmatch(text) for text in texts):
        among = range(min(whole), max(whole) + 1)
        if len(whole) < _FEWEST_WHOLE or any(
            int(text.replace(sign, "")) not in among or int(text.partition(sign)[0]) in among
            for _, text in marked
        ):
            return
    grouped = text.replace(sign, "")
    raise InputError(
        f"{quoted(text)} of {quoted(column.name)} can be {grouped} or a number with three decimals",
        where=file.where(row),
        expected="numbers without thousands separators",
        remedy=f"Remove the separators if these are thousands; if they are decimals, add --decimal {sign}",
    )
