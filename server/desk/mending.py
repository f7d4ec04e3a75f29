"""Mends of a population file that the desk offers as buttons: a new file, the old one untouched.

Each makes a CSV beside the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from server.design.population.cross_table import find_cross_table, header_below
from server.design.population.preview import RARE_PEOPLE
from server.files import PRIVATE, write_file
from server.tables.data_file import DataFile
from server.tables.doubts import number_alone
from server.wording import shortened_list
from shared.errors import InputError, ModelFileError

_PREFIX: Final = 2
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})[-./]([0-9]{1,2})[-./]([0-9]{1,2})(?:[T ].*)?")
_DAY_FIRST: Final = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})[./-]([0-9]{4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """What stands in the mended file.

    Attributes
    ----------
    names : tuple of str
        Of its columns.
    columns : tuple of sequences of str or None
        The text of every record, column by column; None where there is no value.
    count_column : str
        The column that counts people, if the mend made one.
    """

    names: tuple[str, ...]
    columns: tuple[Sequence[str | None], ...]
    count_column: str = ""


def _replaced(table: DataFile, column: str, values: Sequence[str | None], name: str = "") -> Mend:
    """A column in place of another, under another name if one is given."""
    return Mend(
        names=tuple(name or column if old == column else old for old in table.names),
        columns=tuple(values if old == column else table.exact(old).texts.tolist() for old in table.names),
    )


def _of_rows(table: DataFile, rows: Sequence[int], names: tuple[str, ...] = ()) -> Mend:
    """Some of the records."""
    columns = [table.exact(name).texts.tolist() for name in table.names]
    return Mend(
        names=names or table.names, columns=tuple([column[row] for row in rows] for column in columns)
    )


def age_on(table: DataFile, column: str, day: date, age: str) -> Mend:
    """Completed years on a day in the place of birth dates, in a column that is called ``age``.

    Raises
    ------
    ModelFileError
        For a date that cannot be read, with its row; or after the day.
    """
    texts = table.exact(column).texts.tolist()
    month_first = _months_first([text for text in texts if text])
    values: list[str | None] = []
    for row, text in enumerate(texts):
        if text is None or not text.strip():
            values.append(None)
            continue
        born = _day(text.strip(), month_first=month_first)
        if born is None or born > day:
            raise ModelFileError(
                f"{text!r} is no date of birth before {day.isoformat()}",
                where=table.where(row, column),
                expected="such as 1984-03-31 or 31.3.1984",
            )
        years = day.year - born.year - ((day.month, day.day) < (born.month, born.day))
        values.append(str(years))
    return _replaced(table, column, values, age if age not in table.names else f"{column} {age}")


def numbers_alone(table: DataFile, column: str) -> Mend:
    """``45 years`` becomes ``45``; what holds no number stays."""

    def mended(text: str | None) -> str | None:
        if text is None or not number_alone(text):
            return text
        found = _NUMBER.search(text)
        return found[0] if found else text

    return _replaced(table, column, [mended(text) for text in table.exact(column).texts])


def prefixes(table: DataFile, column: str) -> Mend:
    """Codes joined by their first digits: postcodes to regions."""
    texts = table.exact(column).texts.tolist()
    return _replaced(table, column, [t if t is None else t.strip()[:_PREFIX] for t in texts])


def rare_joined(table: DataFile, column: str, people: Mapping[str, int], other: str) -> Mend:
    """Categories of few people become the one called ``other``."""
    texts = [None if text is None else text.strip() for text in table.exact(column).texts]
    return _replaced(table, column, [other if t and people[t] < RARE_PEOPLE else t for t in texts])


def without_repeats(table: DataFile) -> Mend:
    """Of rows that are equal in every column, the first."""
    columns = [table.exact(name) for name in table.names]
    seen: set[tuple[str | None, ...]] = set()
    rows = []
    for row, record in enumerate(zip(*columns, strict=True)):
        if record not in seen:
            seen.add(record)
            rows.append(row)
    return _of_rows(table, rows)


def without_titles(table: DataFile) -> Mend:
    """The header is the first record that fills every column; what has one text alone below it is a note."""
    header = header_below(table)
    if header is None:
        raise InputError("no titles stand above the header", where=table.source)
    columns = [table.exact(name).texts.tolist() for name in table.names]
    given = [sum(bool((text or "").strip()) for text in record) for record in zip(*columns, strict=True)]
    rows = [row for row in range(header + 1, table.n_records) if given[row] > 1]
    return _of_rows(table, rows, tuple(str(column[header]).strip() for column in columns))


def one_row_each(table: DataFile, across: str, people: str) -> Mend:
    """A cross table as one row for each combination of categories that somebody has.

    Parameters
    ----------
    across : str
        What the columns are categories of.
    people : str
        The name of the column that counts.
    """
    found = find_cross_table(table)
    name = across.strip()
    if found is None:
        raise InputError("this is no cross table", where=table.source)
    if not name or name in (*found.keys, people):
        raise InputError(
            "the columns need a name of their own",
            where="what the columns say",
            expected=f"a word other than {shortened_list((*found.keys, people))}",
        )
    columns = [table.exact(key).texts.tolist() for key in found.keys]
    records = [
        (*(column[row] for column in columns), category, str(count))
        for row, counts in zip(found.rows, found.people.tolist(), strict=True)
        for category, count in zip(found.across, counts, strict=True)
        if count
    ]
    return Mend(
        names=(*found.keys, name, people), columns=tuple(zip(*records, strict=True)), count_column=people
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What mends are told beside the table and the column.

    Attributes
    ----------
    day : date
        On which people have the age that is put in.
    word : callable
        What the organizer's language calls something.
    people : callable
        People of each value of the column.
    across : str
        What the columns of a cross table are categories of.
    """

    day: date
    word: Callable[[str], str]
    people: Callable[[], Mapping[str, int]]
    across: str


MENDS: Final[dict[str, Callable[[DataFile, str, Given], Mend]]] = {
    "age": lambda table, column, given: age_on(table, column, given.day, given.word("mended.age")),
    "units": lambda table, column, _: numbers_alone(table, column),
    "ends": lambda table, column, _: numbers_alone(table, column),
    "prefix": lambda table, column, _: prefixes(table, column),
    "join": lambda table, column, given: rare_joined(
        table, column, given.people(), given.word("mended.other")
    ),
    "repeats": lambda table, *_: without_repeats(table),
    "titles": lambda table, *_: without_titles(table),
    "cross": lambda table, _, given: one_row_each(table, given.across, given.word("mended.people")),
}
"""Those that make a new file, by the name of a button; ``id`` and ``count`` are lines of survey.toml."""
OF_ALL: Final = ("repeats", "titles", "cross")
"""Those that mend the whole table, and not one column."""


def write_mended(mend: Mend, folder: Path, source: str) -> str:
    """Write the mended file beside the old one, for its owner alone; return its name.

    Raises
    ------
    InputError
        If it cannot be written, or a hundred such files are there.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(mend.names)
    writer.writerows(zip(*mend.columns, strict=True))
    stem = re.sub(r"-mended(-[0-9]+)?$", "", Path(source).stem)
    for number in range(1, 100):
        name = f"{stem}-mended{'' if number == 1 else f'-{number}'}.csv"
        if not (folder / name).exists():
            write_file(folder / name, out.getvalue().encode("utf-8"), mode=PRIVATE)
            return name
    raise InputError("there are too many mended files", where=str(folder), remedy="Remove the older ones.")


def _months_first(texts: list[str]) -> bool:
    """Whether 3/31/1984 is how the file writes its days: some second number is above 12, no first is."""
    found = [match for text in texts if (match := _DAY_FIRST.fullmatch(text.strip()))]
    return any(int(m[3]) > 12 for m in found) and not any(int(m[1]) > 12 for m in found)


def _day(text: str, *, month_first: bool) -> date | None:
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = match[1], match[2], match[3]
    elif match := _DAY_FIRST.fullmatch(text):
        first, second, year = match[1], match[3], match[4]
        day, month = (second, first) if month_first else (first, second)
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
