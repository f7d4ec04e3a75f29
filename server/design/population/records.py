"""From the records of a table to integers: which are complete, what their vectors are, whom they stand for.

Everything is computed once per distinct text and spread over the records by their codes.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.tables.doubts import is_padded, is_total, number_alone, number_in
from server.tables.missing import is_missing, likely_codes
from server.tables.problems import Problems
from server.wording import quoted
from shared.attributes import Attribute
from shared.decimals import format_decimal, parse_decimal
from shared.errors import AnswerError, ModelFileError
from shared.limits import MAX_PEOPLE
from shared.model import ReadingRules

_WHOLE: Final = re.compile(r"[0-9]{1,11}", re.ASCII)
_INCOMPLETE: Final = (
    'Complete the records, or set incomplete = "drop" in [model], or give the attribute'
    ' missing = "own-category"; if a text such as ? stands for a missing value, list it in missing_markers.'
)


def answer_text(
    table: DataFile, attribute: Attribute, text: str | None, markers: tuple[str, ...]
) -> str | None:
    """Return the answer that a cell means, as the attribute expects it."""
    if text is None or is_missing(text, markers):
        return None
    return table.number_text(text.strip()) if attribute.is_number else text.strip()


def complete_rows(
    table: DataFile, attributes: tuple[Attribute, ...], rules: ReadingRules, problems: Problems
) -> tuple[NDArray[np.int64], int]:
    """Return the rows that have every value they need, and how many records of the file were left out.

    Missing values that are to be refused are noted in ``problems``, for one error with all that is wrong.
    """
    needed = [attribute.name for attribute in attributes if not attribute.takes_missing]
    complete = np.ones(table.n_records, bool)
    for attribute in attributes:
        column = table.exact(attribute.name, purpose="an attribute")
        if column.kind == "other":
            raise ModelFileError(
                f"the column {quoted(column.name)} cannot be an attribute: {column.reason}",
                where=table.source,
                expected="numbers or categories",
                remedy="Turn it into a number or a category first (of a date: the year, or the age).",
            )
    for name in dict.fromkeys((*needed, *rules.required_columns)):
        column = table.exact(name, purpose="required_columns")
        absent = np.array([is_missing(text, rules.missing_markers) for text in column.distinct], bool)[
            column.codes
        ]
        if rules.incomplete == "refuse" and absent.any():
            first = int(np.argmax(absent))
            problems.add(
                f"the value is missing ({quoted(column[first])})",
                place=table.place_of(first, name),
                remedy=_INCOMPLETE,
                times=table.behind(absent),
            )
        complete &= ~absent
    if not complete.any():
        problems.raise_if_any()
        raise ModelFileError(
            "every record is incomplete",
            where=table.source,
            expected="records with all values",
            remedy="Check missing_markers and required_columns in [model].",
        )
    rows = np.flatnonzero(complete).astype(np.int64)
    return rows, table.behind(~complete)


def ranked_vectors(
    table: DataFile, attribute: Attribute, rows: NDArray[np.int64], rules: ReadingRules, problems: Problems
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an attribute's distinct vectors in lexicographic order, and each record's place among them."""
    column = table.exact(attribute.name)
    codes = column.codes[rows]
    vectors: dict[int, tuple[int, ...]] = {}
    for code in np.unique(codes).tolist():
        try:
            vectors[code] = attribute.vector(
                answer_text(table, attribute, column.distinct[code], rules.missing_markers)
            )
        except AnswerError as error:
            mask = codes == code
            problems.add(
                error.message,
                place=table.place_of(int(rows[np.argmax(mask)]), column.name),
                expected=error.expected,
                remedy=error.remedy or _remedy(attribute, column, column.distinct[code] or ""),
                times=table.behind(rows[mask]),
            )
    ordered = sorted(set(vectors.values()))
    position = {vector: index for index, vector in enumerate(ordered)}
    places = np.zeros(len(column.distinct), np.int64)
    for code, vector in vectors.items():
        places[code] = position[vector]
    return np.array(ordered, np.int64).reshape(len(ordered), attribute.dimension), places[codes]


def codes_at_open_ends(table: DataFile, attribute: Attribute, rows: NDArray[np.int64]) -> tuple[str, ...]:
    """Warn of numbers that an open end takes in, though they probably mean that there is none."""
    if attribute.open_range is None:
        return ()
    low, high = attribute.open_range
    column = table.exact(attribute.name)
    codes = column.codes[rows]
    texts = [column.distinct[code] for code in np.unique(codes).tolist()]
    numbers = {text: parse_decimal(table.number_text(text.strip())) for text in texts if text is not None}
    likely = likely_codes({number for number in numbers.values() if number is not None})
    found = [
        text
        for text, number in numbers.items()
        if number in likely and not Fraction(low) <= number <= Fraction(high)
    ]
    if not found:
        return ()
    people = table.behind(rows[np.isin(codes, [column.distinct.index(text) for text in found])])
    return (
        f"{people:,} {'record has' if people == 1 else 'records have'} the {attribute.name} "
        f"{' or '.join(map(quoted, found))}, which counts as the nearest end, {low} or "
        f"{high}, since that is open. If there is no value, list it in missing_markers.",
    )


def _remedy(attribute: Attribute, column: DataColumn, text: str) -> str:
    """What to do about a value that an attribute does not take, by what it looks like."""
    labelled = [code for code, label in column.value_labels.items() if code == text.strip()]
    if labelled and not attribute.is_number:
        label = column.value_labels[labelled[0]]
        return f"The file holds codes: declare {{ value = {quoted(labelled[0])}, label = {quoted(label)} }}."
    padded = next((v for v in attribute.listed if is_padded(v) and v.lstrip("0") == text.strip()), None)
    if padded is not None:
        return f"A leading zero was lost, as spreadsheets do: write {quoted(padded)} into the file."
    if attribute.is_number:
        if is_padded(text):
            return 'A code with leading zeros is no number: make it kind = "nominal", or "lookup" for places.'
        if alone := number_alone(text):
            return f"{alone[:-1]}{_beyond(attribute, number_in(text))}."
        decimals = len(text.strip().replace(",", ".").partition(".")[2])
        if decimals and decimals > len(format_decimal(attribute.picture_axes[0].step).partition(".")[2]):
            step = f"0.{'0' * (decimals - 1)}1"
            return f'Set step = "{step}", or rounding = "nearest" or "down", for this attribute.'
    return "Correct the value, or widen the attribute's domain in survey.toml."


def _beyond(attribute: Attribute, text: str) -> str:
    """How to declare the end of a number that "90+" stands for."""
    (axis,) = attribute.picture_axes
    low, high = (axis.origin + axis.step * place for place in (axis.low, axis.high))
    number = parse_decimal(text.replace(",", "."))
    if number is None or low < number < high:
        return ""
    side = "above" if number >= high else "below"
    return f", with open_{side} = true if it stands for everybody beyond"


def head_counts(
    table: DataFile, rows: NDArray[np.int64], name: str | None, problems: Problems
) -> NDArray[np.int64]:
    """Return how many people each row stands for."""
    times = np.ones(len(rows), np.int64) if table.times is None else table.times[rows]
    if name is None:
        return times
    column = table.exact(name, purpose="count_column")
    codes = column.codes[rows]
    values = np.zeros(len(column.distinct), np.int64)
    for code in np.unique(codes).tolist():
        cell = (column.distinct[code] or "").strip()
        if _WHOLE.fullmatch(cell) and int(cell) <= MAX_PEOPLE:
            values[code] = int(cell)
            continue
        mask = codes == code
        problems.add(
            f"{quoted(column.distinct[code])} is not a number of people",
            place=table.place_of(int(rows[np.argmax(mask)]), name),
            expected="a whole number from 0, without thousands separators",
            remedy="Correct the count.",
            times=table.behind(rows[mask]),
        )
    counts = values[codes] * times
    at_end = len(rows) > 0 and rows[-1] == table.n_records - 1
    if at_end and table.times is None and is_total(counts.astype(np.float64)):
        problems.add(
            f"{quoted(column.distinct[int(codes[-1])])} is the sum of all others",
            place=table.place_of(int(rows[-1]), name),
            expected="a row of totals to be no record",
            remedy="Remove that row.",
        )
    return counts


def distinct_tuples(
    ranked: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct tuples in lexicographic order, and each record's place among them.

    Notes
    -----
    One integer key per record, most significant attribute first: the order of keys is the lexicographic order
    of the concatenated vectors. Keys are made dense before they could overflow.
    """
    keys = np.zeros(len(ranked[0][1]), np.int64)
    span = 1
    for vectors, codes in ranked:
        if span * len(vectors) >= 2**62:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * len(vectors) + codes
        span *= len(vectors)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    X = np.concatenate([vectors[codes[first]] for vectors, codes in ranked], axis=1)
    return np.ascontiguousarray(X), inverse.astype(np.int64)
