"""The columns of a population file for a page: what they hold, what is odd, and what to make of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from server.design.population.preview import MAX_SUGGESTED_CATEGORIES, ColumnPreview, preview_table
from server.desk.texts import number
from server.reports.charts import distribution
from server.tables.data_file import DataFile
from shared.decimals import format_decimal, parse_decimal

RARE_PEOPLE: Final = 10
"""A category of fewer people is rare."""
_BARS: Final = 24
_MOST_STEPS: Final = 1000
"""Of a numeric attribute before a coarser step is suggested."""
_LIKE_IDS: Final = Fraction(9, 10)
"""Share of the records with a value of their own from which a column of texts names people."""
_MANY: Final = 50
_UNIT_WORDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnView:
    """One column.

    Attributes
    ----------
    preview : ColumnPreview
    picture : Markup
        Its distribution as SVG; empty for a column of nothing.
    rare : tuple of (str, int)
        Categories of fewer than :data:`RARE_PEOPLE` records, the rarest first.
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


def column_views(table: DataFile, language: str) -> tuple[ColumnView, ...]:
    """Look at every column."""
    return tuple(_view(table, preview, language) for preview in preview_table(table))


def _view(table: DataFile, preview: ColumnPreview, language: str) -> ColumnView:
    counted = _counted(table, preview.name)
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
        entry=suggested_entry(table, preview) if advice.startswith("use") else None,
    )


def _counted(table: DataFile, name: str) -> dict[str, int]:
    column = table.exact(name)
    counts = np.bincount(column.codes, minlength=len(column.distinct)).tolist()
    found: dict[str, int] = {}
    for text, count in zip(column.distinct, counts, strict=True):
        key = (text or "").strip()
        if key:
            found[key] = found.get(key, 0) + count
    return found


def _advice(
    table: DataFile, preview: ColumnPreview, rare: tuple[tuple[str, int], ...]
) -> tuple[str, tuple[str, ...]]:
    if preview.kind == "empty":
        return "leave-empty", ()
    if preview.kind == "date":
        return "leave-dates", ("age",)
    if preview.distinct == 1:
        return "leave-constant", ()
    if preview.kind == "unit":
        return "leave-units", ("units",)
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
        units = [text for text in preview.suspects if any(c.isdigit() for c in text)]
        return "use-number", ("units",) if units else ()
    if preview.distinct > MAX_SUGGESTED_CATEGORIES:
        return "leave-many", ()
    return ("use-rare", ("join",)) if rare else ("use-categories", ())


def suggested_entry(table: DataFile, preview: ColumnPreview) -> dict[str, Any]:
    """The entry of ``[[attributes]]`` to begin with.

    Notes
    -----
    The ends of a number are round, and open where people lie beyond: an end taken from the file would be
    somebody's own value.
    """
    missing = {"missing": "own-category"} if preview.missing or preview.suspects else {}
    if preview.kind != "number":
        values = sorted(value for value in preview.values if value not in preview.suspects)
        labels = table.exact(preview.name).value_labels
        shown = [{"value": v, "label": labels[v]} if v in labels else v for v in values]
        return {"name": preview.name, "kind": "nominal", "categories": shown, **missing}
    numbers = sorted(
        (number, count)
        for text, count in _counted(table, preview.name).items()
        if (number := parse_decimal(table.number_text(text))) is not None
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
    if preview.kind == "number" and preview.lowest is not None and preview.highest is not None:
        low, high = float(preview.lowest), float(preview.highest)
        bars = min(_BARS, preview.distinct) or 1
        width = (high - low) / bars or 1.0
        heights = [0] * bars
        for text, count in counted.items():
            value = parse_decimal(table.number_text(text))
            if value is not None:
                heights[min(bars - 1, int((float(value) - low) / width))] += count
        shown = [("", height) for height in heights]
        shown[0] = (number(language, preview.lowest), heights[0])
        shown[-1] = (number(language, preview.highest), heights[-1])
    else:
        shown = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:_BARS]
    most = max(counted, key=lambda text: (counted[text], text))
    alt = f"{preview.name}: {number(language, preview.distinct)}, {most}: {number(language, counted[most])}"
    return distribution(shown, alt=alt)
