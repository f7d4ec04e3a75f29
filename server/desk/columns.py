"""The columns of a population file for a page: what they hold, what is odd, and what to make of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from server.design.population.preview import (
    END_OF,
    MAX_SUGGESTED_CATEGORIES,
    RARE_PEOPLE,
    ColumnPreview,
    preview_table,
    suggested_categories,
)
from server.desk.texts import number
from server.reports.charts import distribution
from server.tables.data_file import DataFile
from shared.decimals import format_decimal, parse_decimal

_BARS: Final = 24
_MOST_STEPS: Final = 1000
"""Of a numeric attribute before a coarser step is suggested."""
_LIKE_IDS: Final = Fraction(9, 10)
"""Share of the records with a value of their own from which a column of texts names people."""
_MANY: Final = 50
_UNIT_WORDS: Final = 5
Bars = list[tuple[str, float]]
_YEAR: Final = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnView:
    """One column.

    Attributes
    ----------
    preview : ColumnPreview
    picture : Markup
        Its distribution as SVG; empty for a column of nothing.
    rare : tuple of (str, int)
        Categories of fewer than :data:`RARE_PEOPLE` people, the rarest first.
    advice : str
        Key of a text: what to make of it, and why.
    mends : tuple of str
        Names of :data:`server.desk.mending.MENDS` that would help.
    entry : dict or None
        The declaration that is suggested; None if it is better left out.
    """

    preview: ColumnPreview
    picture: Markup
    rare: tuple[tuple[str, int], ...]
    advice: str
    mends: tuple[str, ...]
    entry: dict[str, Any] | None


def column_views(table: DataFile, language: str, count_column: str | None = None) -> tuple[ColumnView, ...]:
    """Look at every column."""
    return tuple(_view(table, preview, language, count_column) for preview in preview_table(table))


def _view(table: DataFile, preview: ColumnPreview, language: str, count_column: str | None) -> ColumnView:
    counted = people_by_value(table, preview.name, count_column)
    rare: tuple[tuple[str, int], ...] = ()
    if preview.kind == "text" and preview.distinct <= MAX_SUGGESTED_CATEGORIES:
        rare = tuple(
            sorted(
                ((v, n) for v, n in counted.items() if n < RARE_PEOPLE), key=lambda pair: (pair[1], pair[0])
            )
        )
    advice, mends = _advice(table, preview, rare)
    return ColumnView(
        preview=preview,
        picture=_picture(table, preview, counted, language),
        rare=rare,
        advice=advice,
        mends=mends,
        entry=suggested_entry(table, preview, counted)
        if advice.startswith("use") and "ends" not in mends
        else None,
    )


def people_by_value(table: DataFile, name: str, count_column: str | None) -> dict[str, int]:
    """People of each value: records, or what a column says that each of them stands for."""
    column, people = table.exact(name), None
    if count_column in table.names:
        counts = table.exact(count_column)
        numbers = [parse_decimal(table.number_text(text or "")) or 0 for text in counts.distinct]
        people = np.array([int(number) for number in numbers], float)[counts.codes]
    totals = np.bincount(column.codes, weights=people, minlength=len(column.distinct)).tolist()
    found: dict[str, int] = {}
    for text, total in zip(column.distinct, totals, strict=True):
        key = (text or "").strip()
        if key:
            found[key] = found.get(key, 0) + int(total)
    return found


def _advice(
    table: DataFile, preview: ColumnPreview, rare: tuple[tuple[str, int], ...]
) -> tuple[str, tuple[str, ...]]:
    if preview.kind == "empty":
        return "leave-empty", ()
    if preview.kind == "date":
        return "leave-dates", ("age",)
    if preview.counts:
        return "leave-counts", ("count",)
    if preview.distinct == 1:
        return "leave-constant", ()
    if preview.kind == "unit":
        return ("use-ends", ("ends",)) if preview.ends else ("leave-units", ("units",))
    with_value = table.n_records - preview.missing
    own = preview.distinct >= _MANY and preview.distinct >= with_value * _LIKE_IDS
    if own and (preview.kind != "number" or (preview.step == "1" and preview.distinct == with_value)):
        # Postcodes of a short list are nearly all different too.
        return "leave-ids", ("id", "prefix") if preview.kind == "code" else ("id",)
    if preview.kind == "code":
        if preview.distinct <= MAX_SUGGESTED_CATEGORIES:
            return "use-codes", ()
        return "leave-codes", ("prefix",)
    if preview.kind == "number":
        if preview.ends:
            return "use-ends", ("ends",)
        odd = [text for text in preview.suspects if parse_decimal(table.number_text(text)) is None]
        units = [text for text in odd if any(c.isdigit() for c in text)]
        return "use-number", ("units",) if units else ()
    if preview.distinct > MAX_SUGGESTED_CATEGORIES:
        return "leave-many", ()
    if len(rare) == 1:  # joined to nothing it would only have another name
        return "use-rare-one", ()
    return ("use-rare", ("join",)) if rare else ("use-categories", ())


def suggested_entry(
    table: DataFile,
    preview: ColumnPreview,
    counted: Mapping[str, int],
    ends: Mapping[str, tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """The entry of ``[[attributes]]`` to begin with, by people of each value.

    ``ends`` are open ones that were texts in the file of before.

    Notes
    -----
    The ends of a number are round, and open where people lie beyond: an end taken from the file would be
    somebody's own value.
    """
    missing = {"missing": "own-category"} if preview.missing or preview.suspects else {}
    if preview.kind != "number":
        kind, values = suggested_categories(table, preview)
        labels = table.exact(preview.name).value_labels
        shown = [{"value": v, "label": labels[v]} if v in labels else v for v in values]
        return {"name": preview.name, "kind": kind, "categories": shown, **missing}
    numbers = sorted(
        (number, count)
        for text, count in counted.items()
        if text not in preview.suspects and (number := parse_decimal(table.number_text(text))) is not None
    )
    step = parse_decimal(preview.step or "1") or Fraction(1)
    low, high = numbers[0][0], numbers[-1][0]
    coarse = step
    while (high - low) / coarse > _MOST_STEPS:
        coarse *= 10
    grid = coarse * (5 if (high - low) / coarse >= 4 * _UNIT_WORDS else 1)
    total = sum(count for _, count in numbers)
    lower = floor(_quantile(numbers, total, Fraction(1, 100)) / grid) * grid
    upper = ceil(_quantile(numbers, total, Fraction(99, 100)) / grid) * grid
    if upper == lower:
        lower, upper = floor(low / grid) * grid, ceil(high / grid) * grid
    entry: dict[str, Any] = {
        "name": preview.name,
        "kind": "numeric",
        "minimum": format_decimal(Fraction(lower)),
        "maximum": format_decimal(Fraction(upper)),
    }
    if coarse != 1:
        entry["step"] = format_decimal(coarse)
    if low < lower:
        entry["open_below"] = True
    if high > upper:
        entry["open_above"] = True
    for side, (_, end) in (ends or {}).items():
        entry |= {side: True, END_OF[side]: end}
    if coarse != step:
        entry["rounding"] = "nearest"
    return entry | missing


def _quantile(numbers: list[tuple[Fraction, int]], total: int, share: Fraction) -> Fraction:
    seen = 0
    for value, count in numbers:
        seen += count
        if seen >= total * share:
            return value
    return numbers[-1][0]


def _picture(table: DataFile, preview: ColumnPreview, counted: dict[str, int], language: str) -> Markup:
    if not counted:
        return Markup("")
    if preview.kind == "number":
        shown = _bars_of_numbers(table, preview, counted, language)
    elif preview.kind == "date":
        shown = _bars_of_years(counted) or _most_frequent(counted)
    else:
        shown = _most_frequent(counted)
    most = max(counted, key=lambda text: (counted[text], text))
    alt = f"{preview.name}: {number(language, preview.distinct)}, {most}: {number(language, counted[most])}"
    return distribution(shown, alt=alt)


def _most_frequent(counted: dict[str, int]) -> Bars:
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(text, float(count)) for text, count in ordered[:_BARS]]


def _bars_of_numbers(table: DataFile, preview: ColumnPreview, counted: dict[str, int], language: str) -> Bars:
    """How often numbers occur, with open ends beside them."""
    lowest, highest = preview.lowest or "0", preview.highest or "0"
    low, high, step = Fraction(lowest), Fraction(highest), Fraction(preview.step or "1")
    steps: dict[int, int] = {}
    for text, count in counted.items():
        value = parse_decimal(table.number_text(text))
        if value is not None:
            place = int((value - low) / step)
            steps[place] = steps.get(place, 0) + count
    ends = number(language, lowest), number(language, highest)
    bars = _bars(steps, int((high - low) / step) + 1, ends)
    for side, (text, _) in preview.ends.items():
        end = [(text, float(counted[text]))]
        bars = bars + end if side == "open_above" else end + bars
    return bars


def _bars_of_years(counted: dict[str, int]) -> Bars:
    """How many dates lie in each stretch of years; none where years are not written out."""
    years: dict[int, int] = {}
    for text, count in counted.items():
        if found := _YEAR.search(text):
            years[int(found[0])] = years.get(int(found[0]), 0) + count
    if not years:
        return []
    first, last = min(years), max(years)
    return _bars({year - first: n for year, n in years.items()}, last - first + 1, (str(first), str(last)))


def _bars(counts: dict[int, int], n_places: int, ends: tuple[str, str]) -> Bars:
    """At most :data:`_BARS` stretches of places, each as high as if all held equally many places."""
    n_bars = min(_BARS, n_places)
    heights = [0.0] * n_bars
    for place, count in counts.items():
        bar = place * n_bars // n_places
        size = ceil(Fraction((bar + 1) * n_places, n_bars)) - ceil(Fraction(bar * n_places, n_bars))
        heights[bar] += count / size
    return [
        (ends[0] if bar == 0 else ends[1] if bar == n_bars - 1 else "", height)
        for bar, height in enumerate(heights)
    ]
