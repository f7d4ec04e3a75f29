"""A reproduction as plain text: aligned tables, ours beside theirs and the difference."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from server.statistics.reproduction.numerals import percent, promised, shown, signed, worst
from server.statistics.reproduction.result import Cell, Comparison, Figure, Reproduction, Table

WIDTH = 100
COMPARED = ("of", "measure", "ours", "published", "difference", "relative", "promised")
"""Headings of a table of comparisons."""


def report_text(reproduction: Reproduction, title: str) -> str:
    """Return the whole report of one reproduction; lines of prose have at most 100 characters."""
    parts = [
        _underlined(f"{reproduction.name}: {title}", "="),
        _wrapped(f"Paper: {reproduction.paper}. {reproduction.source}."),
        _wrapped(f"Worst difference: {worst(reproduction.worst)}."),
        _wrapped(kept_line(reproduction)),
        _wrapped(reproduction.explanation),
    ]
    if reproduction.comparisons:
        rows = comparison_rows(reproduction.comparisons)
        parts.append(_underlined("Ours beside the published values", "-") + "\n" + aligned(COMPARED, rows))
    parts += [_table(table) for table in reproduction.tables]
    parts += [_figure(figure) for figure in reproduction.figures]
    return "\n\n".join(parts) + "\n"


def kept_line(reproduction: Reproduction) -> str:
    """How many promises are made and kept, in a sentence."""
    n_compared, n_promised = len(reproduction.comparisons), len(reproduction.promised)
    if not n_compared:
        return "No published values are at hand; ours stand alone."
    kept = n_promised - len(reproduction.broken)
    return f"{n_compared} values compared; {kept} of {n_promised} promised bounds are kept."


def comparison_rows(comparisons: Sequence[Comparison]) -> tuple[tuple[str, ...], ...]:
    """Rows under `COMPARED`."""
    return tuple(
        (
            ", ".join(item.where),
            f"{item.measure} [{item.unit}]" if item.unit else item.measure,
            shown(item.ours),
            shown(item.published),
            signed(item.difference),
            percent(item.relative),
            promised(item),
        )
        for item in comparisons
    )


def aligned(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a text table; columns that hold numbers only are set flush right."""
    texts = [[shown(value) for value in row] for row in rows]
    right = [_numeric([row[j] for row in rows]) for j in range(len(columns))]
    widths = [
        max(len(text) for text in (columns[j], *(row[j] for row in texts))) for j in range(len(columns))
    ]

    def line(cells: Sequence[str]) -> str:
        padded = zip(cells, widths, right, strict=True)
        return "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in padded).rstrip()

    return "\n".join([line(columns), line(["-" * width for width in widths]), *map(line, texts)])


def numeric_columns(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[bool, ...]:
    """Which columns hold numbers only, so that pages set them flush right as well."""
    return tuple(_numeric([row[j] for row in rows]) for j in range(len(columns)))


def curve_rows(figure: Figure) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    """Headings and rows of a figure's data: a column a curve where all share their x, else three."""
    grids = {curve.x for curve in figure.curves}
    if len(grids) == 1:
        columns = (figure.x_label, *(curve.label for curve in figure.curves))
        values = zip(figure.curves[0].x, *(curve.y for curve in figure.curves), strict=True)
        return columns, tuple(tuple(_plain(value) for value in row) for row in values)
    rows = tuple(
        (curve.label, _plain(x), _plain(y))
        for curve in figure.curves
        for x, y in zip(curve.x, curve.y, strict=True)
    )
    return ("curve", figure.x_label, figure.y_label), rows


def _plain(value: float) -> Cell:
    """Whole numbers whole."""
    return int(value) if float(value).is_integer() and abs(value) < 10**9 else float(value)


def _numeric(values: Sequence[Cell]) -> bool:
    def is_number(value: Cell) -> bool:
        return value is None or not isinstance(value, str) or value[:1] in "+−-0123456789"

    return bool(values) and all(is_number(value) for value in values)


def _table(table: Table) -> str:
    parts = [_underlined(table.title, "-"), aligned(table.columns, table.rows)]
    return "\n".join([*parts, "", _wrapped(table.note)] if table.note else parts)


def _figure(figure: Figure) -> str:
    columns, rows = curve_rows(figure)
    head = f"{figure.title} ({figure.name}.svg)"
    across = f"Across: {figure.x_label}. Up: {figure.y_label}."
    parts = [_underlined(head, "-"), _wrapped(across), aligned(columns, rows)]
    return "\n".join([*parts, "", _wrapped(figure.note)] if figure.note else parts)


def _underlined(text: str, mark: str) -> str:
    return f"{text}\n{mark * len(text)}"


def _wrapped(text: str) -> str:
    return "\n\n".join(textwrap.fill(" ".join(part.split()), WIDTH) for part in text.split("\n\n"))
