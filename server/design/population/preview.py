"""What was understood of a population file, and [[attributes]] to begin with.

An organizer looks at this before she designs anything: a wrong separator, a decimal comma or a marker for
missing values is seen here at once, and corrected in [model].
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Final

import numpy as np

from server.design.population.cross_table import find_cross_table
from server.design.survey_file.writing import toml_text
from server.tables.column import DataColumn
from server.tables.data_file import DATED, DataFile
from server.tables.doubts import (
    is_date,
    is_padded,
    is_written_number,
    number_in,
    numbers_as_texts,
    numbers_with_unit,
    refuse_doubtful,
    unit_of,
)
from server.tables.missing import likely_codes
from server.tables.sniffing import SEPARATOR_WORDS
from server.wording import on_one_line, quoted, shortened_list
from shared.decimals import format_decimal, parse_decimal
from shared.errors import InputError

LIKELY_MARKERS: Final = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "-", ".", "-9", "-99", "99999")
MAX_SUGGESTED_CATEGORIES: Final = 40
_FEWEST_ROWS: Final = 10
"""Of a table of counts; a few people can be all different by chance."""
_MOST_DIFFERENT: Final = 0.75
"""Values of one column of several for each row of a table of counts, many of whose rows are left out."""
RARE_PEOPLE: Final = 10
"""A category of fewer people is rare."""
END_OF: Final = {"open_below": "minimum", "open_above": "maximum"}
"""The end that is open on each side."""
_OWN_ENDS: Final = (
    "# Ends are those of the file, so somebody's own: choose round ones, with open_above = true."
)
_WORDS: Final = {"code": "codes with leading zeros", "date": "dates", "unit": "numbers with a unit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPreview:
    """One column in a few words.

    Attributes
    ----------
    kind : str
        ``number``, ``text``, ``code`` (digits with leading zeros), ``date``, ``unit`` (numbers with one) or
        ``empty``; a column of at least nine numbers in ten texts is one of numbers, unless most of them have
        labels.
    distinct, missing : int
        Distinct texts that are not empty; records with an empty text.
    lowest, highest, step : str or None
        Of numbers, as exact decimals; ``step`` divides all differences.
    values : tuple of str
        Distinct texts, most frequent first, at most `MAX_SUGGESTED_CATEGORIES` + 1.
    ends : mapping of str to (str, str)
        Of numbers, for ``open_below`` and ``open_above``: a text that stands for everybody beyond, such as
        "90+", and its number.
    counts : bool
        Whether it looks like the numbers of people in a table of all combinations of the other columns.
    suspects : tuple of str
        Texts that may stand for "no value".
    plausible : tuple of two str, or None
        Lowest and highest number that is no suspect.
    """

    name: str
    kind: str
    distinct: int
    missing: int
    lowest: str | None
    highest: str | None
    step: str | None
    values: tuple[str, ...]
    ends: Mapping[str, tuple[str, str]]
    suspects: tuple[str, ...]
    counts: bool = False
    plausible: tuple[str, str] | None = None


def preview_table(table: DataFile) -> tuple[ColumnPreview, ...]:
    """Return what was understood of each column."""
    return tuple(_preview(table, column) for column in table.columns)


def count_columns(table: DataFile, apart_from: Collection[str]) -> tuple[str, ...]:
    """Columns that look like the numbers of people in a table of all combinations of the others."""
    return tuple(
        column.name
        for column in table.columns
        if column.name not in apart_from and _counts_people(table, column) and _preview(table, column).counts
    )


def _preview(table: DataFile, column: DataColumn) -> ColumnPreview:
    counts = np.bincount(column.codes, minlength=len(column.distinct)).tolist()
    frequency: dict[str, int] = {}
    declared = table.missing.declared(column.name)
    of_none = {number for marker in declared if (number := parse_decimal(marker)) is not None}
    for text, count in zip(column.distinct, counts, strict=True):
        value = (text or "").strip()
        if value in declared or parse_decimal(table.number_text(value)) in of_none:
            value = ""
        frequency[value] = frequency.get(value, 0) + count
    missing = frequency.pop("", 0)
    ordered = sorted(frequency, key=lambda text: (-frequency[text], text))
    numbers = {
        text: number for text in ordered if (number := parse_decimal(table.number_text(text))) is not None
    }
    others = [text for text in ordered if text not in numbers]
    codes = any(is_padded(text) for text in ordered)
    dated = column.reason == DATED or 2 * sum(map(is_date, ordered)) > len(ordered) > 0
    is_number = bool(numbers) and len(others) * 9 <= len(numbers) + 8 and not codes and not dated
    is_number = is_number and not (column.value_labels and column.kind in ("nominal", "ordinal"))
    values = list(numbers.values()) if is_number else []
    low, high = min(values, default=None), max(values, default=None)
    codes_of_none = likely_codes(set(values))
    plausible = [value for value in values if value not in codes_of_none]
    kind = "number" if is_number else _kind(ordered, codes, dated)
    with_unit = numbers_with_unit(ordered) if kind == "unit" else {}
    among = plausible or [Fraction(number.replace(",", ".")) for number in with_unit.values()]
    beyond = [text for text in others if text not in with_unit]
    ends = _open_ends(beyond, frequency, min(among), max(among)) if among else {}
    others = [text for text in others if text not in (end for end, _ in ends.values())]
    suspects = tuple(text for text in ordered if text in LIKELY_MARKERS and (text in others or not is_number))
    if is_number:
        # What is no number among numbers is the likeliest marker of all.
        coded = [text for text, number in numbers.items() if number in codes_of_none]
        odd = [text for text in others if not is_written_number(table.number_text(text))]
        suspects = tuple(dict.fromkeys((*suspects, *odd, *coded)))[:5]
    step = None if low is None else _common_step([value - low for value in values])
    return ColumnPreview(
        name=column.name,
        kind=kind,
        distinct=len(ordered),
        missing=missing,
        lowest=None if low is None else format_decimal(low),
        highest=None if high is None else format_decimal(high),
        step=None if step is None else format_decimal(step),
        values=tuple(ordered[: MAX_SUGGESTED_CATEGORIES + 1]),
        ends=ends,
        counts=is_number and low is not None and low >= 0 and step == 1 and _counts_people(table, column),
        suspects=suspects,
        plausible=(format_decimal(min(plausible)), format_decimal(max(plausible))) if plausible else None,
    )


def _counts_people(table: DataFile, column: DataColumn) -> bool:
    others = [other for other in table.columns if other.name != column.name]
    most = _MOST_DIFFERENT * table.n_records
    if len(others) > 1 and any(len(other.distinct) > most for other in others):
        return False  # people, told apart by a number of theirs
    combinations = prod(len(other.distinct) for other in others)
    if not others or not _FEWEST_ROWS <= table.n_records <= combinations <= 2 * table.n_records:
        return False
    return len(np.unique(np.stack([other.codes for other in others]), axis=1).T) == table.n_records


def _open_ends(
    others: list[str], frequency: Mapping[str, int], low: Fraction, high: Fraction
) -> dict[str, tuple[str, str]]:
    """Of texts among numbers those that say "and beyond" of one number that no other lies beyond.

    One as rare as a typing error is none.
    """
    usual = sorted(frequency.values())[len(frequency) // 2]
    found: dict[str, list[tuple[str, str]]] = {}
    for text in others:
        number = parse_decimal(number_in(text).replace(",", "."))
        if number is not None and not low < number < high and frequency[text] >= min(RARE_PEOPLE, usual):
            side = "open_above" if number >= high else "open_below"
            found.setdefault(side, []).append((text, format_decimal(number)))
    return {side: ends[0] for side, ends in found.items() if len(ends) == 1}


def _kind(texts: list[str], codes: bool, dated: bool) -> str:
    if not texts:
        return "empty"
    return "date" if dated else "code" if codes else "unit" if unit_of(texts) else "text"


def _common_step(differences: list[Fraction]) -> Fraction:
    """Return the largest power of ten that divides all differences, at most one."""
    step = Fraction(1)
    while any((difference / step).denominator != 1 for difference in differences):
        step /= 10
    return step


def describe_table(table: DataFile) -> str:
    """Return the preview as text for a terminal."""
    understood = table.understood
    lines = [f"{table.source}: {table.n_records:,} records, {len(table.columns)} columns"]
    if understood.form == "csv":
        separator = SEPARATOR_WORDS.get(understood.separator, quoted(understood.separator))
        sign = "comma" if understood.decimal == "," else "point"
        sample = table.beyond_ascii()
        seen = f", as in {quoted(sample, 20)}" if sample else ""
        lines.append(f"separator {separator}, decimal {sign}, encoding {understood.encoding}{seen}")
    if table.equal_rows is not None:
        lines.append(f"{table.equal_rows:,} rows equal to an earlier one in every column")
    lines += _about_header(table)
    width = max(len(on_one_line(column.name)) for column in table.columns)
    for column in preview_table(table):
        if column.kind == "number":
            about = f"numbers from {column.lowest} to {column.highest}, step {column.step}"
        elif column.kind != "empty":
            shown = ", ".join(quoted(value, 20) for value in column.values[:3])
            word = _WORDS.get(column.kind, "text")
            about = f"{word}, {column.distinct:,} distinct: {shown}{', …' if column.distinct > 3 else ''}"
        else:
            about = "nothing"
        if column.missing:
            about += f"; {column.missing:,} empty"
        if column.kind == "number" and numbers_as_texts(table.column(column.name), table):
            about += "; `anonymize` takes it as categories, since they are texts"
        if (text := _shortened(table, column)) is not None:
            about += f"; {quoted(text)} is a number to `anonymize`, and to `design` if it is written in full"
        if decided := table.exact(column.name).decided:
            about += f"; `anonymize` takes it {decided}"
        if column.counts:
            about += "; how many people? Then name it as count_column"
        if column.ends:
            about += f"; and beyond: {', '.join(quoted(text) for text, _ in column.ends.values())}"
        if column.suspects:
            about += f"; no value? {', '.join(map(quoted, column.suspects))}"
        elif column.kind in ("number", "text") and (doubt := _doubt(table, column.name)):
            about += f"; `anonymize` refuses it: {doubt}"
        lines.append(f"  {on_one_line(column.name).ljust(width)}  {about}")
    return "\n".join(lines) + "\n"


def _shortened(table: DataFile, column: ColumnPreview) -> str | None:
    """The first number of a column whose spelling is short, such as .5 and 1e5; None if there is none."""
    if column.kind not in ("number", "text") or table.column(column.name).kind != "numeric":
        return None
    given = (text for text in table.column(column.name).distinct if text is not None)
    return next((text for text in given if parse_decimal(table.number_text(text)) is None), None)


def _about_header(table: DataFile) -> list[str]:
    """What makes one doubt that the first line is the header, and that the columns are divided rightly."""
    columns = table.columns
    if 2 * sum(column.name in column.distinct for column in columns) > len(columns):
        return ["the names of the columns look like a record: put a header above it"]
    unnamed = [column for column in columns if column.name.startswith("(column ") and any(column.distinct)]
    cross = find_cross_table(table)
    if 2 * len(unnamed) >= len(columns) > 1:
        return [f"{len(unnamed)} columns have no name: take away titles that stand above the header"]
    if cross is not None and cross.evident:
        return [
            f"the columns {shortened_list(cross.across)} seem to count people: write one row for each"
            " combination, with one column that counts (`roomful desk` does that)"
        ]
    if len(columns) == 1:
        texts = [text for text in columns[0].distinct if text]
        for sign, word in {**SEPARATOR_WORDS, "|": "|"}.items():
            if len(texts) > 1 and min(text.count(sign) for text in texts) > 0:
                return [
                    f"every value holds {word}: if that divides columns, name it with --separator, or take"
                    " away titles that stand above the header"
                ]
    return []


def _doubt(table: DataFile, name: str) -> str:
    """Why it is doubtful what the values of a column are, or nothing."""
    try:
        refuse_doubtful(table.column(name), table)
    except InputError as error:
        return error.message
    return ""


def suggest_attributes(table: DataFile, names: tuple[str, ...]) -> str:
    """Return [[attributes]] for survey.toml, to be checked by the organizer.

    Parameters
    ----------
    table : DataFile
        The population file.
    names : tuple of str
        The columns that are quasi-identifiers.

    Raises
    ------
    ModelFileError
        If the file has no such column.

    Notes
    -----
    Domains are those of the file; people outside them cannot answer, so the organizer widens them or opens
    their ends. Texts of more than `MAX_SUGGESTED_CATEGORIES` values need a lookup table or fewer categories.
    """
    blocks = []
    for name in names:
        column, labels = _preview(table, table.exact(name)), table.exact(name).value_labels
        lines = ["[[attributes]]", f"name = {toml_text(name)}"]
        if column.kind == "date":
            blocks.append(_age_instead(name))
            continue
        if column.kind == "unit":
            lines.append(
                f"# Write the numbers of the file alone, without {toml_text(unit_of(column.values))}."
            )
        if column.kind == "number":
            lowest, highest = column.plausible or (column.lowest, column.highest)
            _, low = column.ends.get("open_below", ("", lowest))
            _, high = column.ends.get("open_above", ("", highest))
            lines += ['kind = "numeric"', f'minimum = "{low}"', f'maximum = "{high}"']
            lines += [] if column.step == "1" else [f'step = "{column.step}"']
            lines += [f"{side} = true" for side in column.ends] + _ends_in_file(column)
            lines += [_OWN_ENDS] if len(column.ends) < 2 else []
        elif column.kind == "unit":
            lines.append('kind = "numeric"')
            for side, (_, end) in column.ends.items():
                lines += [f'{END_OF[side]} = "{end}"', f"{side} = true"]
            lines += _ends_in_file(column)
        elif column.distinct <= MAX_SUGGESTED_CATEGORIES:
            kind, values = suggested_categories(table, column)
            shown = [_category(value, labels.get(value)) for value in values]
            lines += [f'kind = "{kind}"', f"categories = [{', '.join(shown)}]"]
        else:
            lines += [
                f"# {column.distinct:,} distinct values: give each a place in a table with the columns",
                "# value, x, y, or join them to fewer categories in the file.",
                'kind = "lookup"',
                f"table = {toml_text(name + '.csv')}",
            ]
        if column.missing or column.suspects:
            lines.append('missing = "own-category"  # or "refused", with incomplete = "drop" in [model]')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _ends_in_file(column: ColumnPreview) -> list[str]:
    return [f"# In the file, write {end} for {toml_text(text)}." for text, end in column.ends.values()]


def suggested_categories(table: DataFile, column: ColumnPreview) -> tuple[str, list[str]]:
    """Kind and values of a column, suspects left out: ordinal, low to high, if file or spans say so."""
    values = [value for value in column.values if value not in column.suspects]
    if spans := _spans_in_order(values):
        return "ordinal", spans
    typed = table.column(column.name)
    if typed.kind == "ordinal" and set(values) <= set(typed.order):
        return "ordinal", [value for value in typed.order if value in values]
    return "nominal", sorted(values)


def _spans_in_order(values: Sequence[str]) -> list[str]:
    """Spans that follow one another, such as "under 18", "18 to 24", "25+"; nothing if some do not."""
    within: list[tuple[int, int, str]] = []
    single: list[tuple[int, str]] = []
    for value in values:
        numbers = [int(text) for text in re.findall("[0-9]+", value)]
        if len(numbers) == 2 and numbers[0] < numbers[1]:
            within.append((numbers[0], numbers[1], value))
        elif len(numbers) == 1:
            single.append((numbers[0], value))
    within.sort()
    if len(within) < 2 or any(end > start for (_, end, _), (start, _, _) in pairwise(within)):
        return []
    below = [value for number, value in single if number <= within[0][0]]
    above = [value for number, value in single if number >= within[-1][1]]
    found = below + [value for _, _, value in within] + above
    return found if len(below) <= 1 and len(above) <= 1 and len(found) == len(values) else []


def _category(value: str, label: str | None) -> str:
    if label is None:
        return toml_text(value)
    return f"{{ value = {toml_text(value)}, label = {toml_text(label)} }}"


def _age_instead(name: str) -> str:
    """An attribute in the place of a date: a birth date singles nearly everybody out."""
    return (
        f"# {toml_text(name)} holds dates, which single people out. Put the age on one day into the file,\n"
        '# as a column "age" of whole years, and leave the date out.\n'
        '[[attributes]]\nname = "age"\nkind = "numeric"\nminimum = "0"\nmaximum = "90"\nopen_above = true\n'
    )
