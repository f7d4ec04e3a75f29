"""A reproduction as plain text: verdicts, aligned tables, ours beside theirs and the difference."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from server.reports.numbers import significant
from server.statistics.reproduction.result import Record, Reproduction
from server.statistics.reproduction.views import Cell, Figure, Table, curve_rows, figures, tables

WIDTH: Final = 100
NONE: Final = "-"
"""Stands where there is no value."""
COMPARED: Final = ("of", "measure", "ours", "published", "difference", "relative", "promised")
_DIGITS: Final = 5


def shown(value: Cell) -> str:
    """A value of a table: texts and whole numbers as they are, others with five significant digits."""
    if value is None:
        return NONE
    return str(value) if isinstance(value, str | int) else significant(Decimal(repr(float(value))), _DIGITS)


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign."""
    text = significant(Decimal(repr(float(value))), digits)
    return text.replace("-", "−", 1) if text.startswith("-") else text if text == "0" else f"+{text}"


def percent(share: float | None) -> str:
    """A relative difference in percent, with its sign."""
    return NONE if share is None else f"{signed(100 * share)} %"


def promised(record: Record) -> str:
    """What is promised about a record, and whether it is kept."""
    if record.tolerance is None:
        return NONE
    bound = significant(Decimal(repr(float(record.tolerance))), 3)
    words = {"equal": f"± {bound}", "at-most": "at most that", "at-least": "at least that"}[record.sense]
    words += f" ± {bound}" if record.sense != "equal" and record.tolerance else ""
    return words + ("" if record.kept else ", not kept")


def worst(record: Record | None) -> str:
    """The worst record in a line, for summaries."""
    if record is None:
        return "nothing to compare with"
    place = f"({', '.join(filter(None, (record.where, record.measure)))})"
    if record.sense != "equal":
        bound = record.sense.replace("-", " ")
        return f"{shown(record.ours)} where {bound} {shown(record.published)} is asked {place}"
    return f"{percent(record.relative)}: {shown(record.ours)} beside {shown(record.published)} {place}"


def report_text(reproduction: Reproduction) -> str:
    """Return the whole report of one reproduction; lines of prose have at most 100 characters."""
    parts = [
        _underlined(f"{reproduction.name}: {reproduction.title}", "="),
        _wrapped(f"Paper: {reproduction.paper}. {reproduction.source}."),
        "\n".join(_wrapped(f"{part}: {verdict}.") for part, verdict in reproduction.verdicts().items()),
        _wrapped(f"Worst difference: {worst(reproduction.worst)}."),
        kept_line(reproduction),
        _wrapped(reproduction.explanation),
    ]
    if reproduction.compared:
        parts.append(
            _underlined("Ours beside the published values", "-") + "\n" + aligned(compared(reproduction))
        )
    parts += [
        _underlined(", ".join(t.columns), "-") + "\n" + aligned(t) for t in tables(reproduction.records)
    ]
    parts += [_figure(figure) for figure in figures(reproduction.plots, reproduction.records)]
    return "\n\n".join(parts) + "\n"


def kept_line(reproduction: Reproduction) -> str:
    """How many promises are made and kept, in a sentence."""
    n_compared, n_promised = len(reproduction.compared), len(reproduction.promised)
    if not n_compared:
        return "No published values are at hand; ours stand alone."
    kept = n_promised - len(reproduction.broken)
    return f"{n_compared} values compared; {kept} of {n_promised} promised bounds are kept."


def compared(reproduction: Reproduction) -> Table:
    """Every published value with ours and the difference, under `COMPARED`."""
    return Table(
        columns=COMPARED,
        rows=tuple(
            (
                record.where,
                record.measure,
                shown(record.ours),
                shown(record.published),
                signed(record.difference),
                percent(record.relative),
                promised(record),
            )
            for record in reproduction.compared
        ),
    )


def aligned(table: Table) -> str:
    """Return a text table; columns that hold numbers only are set flush right."""
    texts = [[shown(value) for value in row] for row in table.rows]
    right = numeric(table)
    widths = [max(map(len, (head, *(row[j] for row in texts)))) for j, head in enumerate(table.columns)]

    def line(cells: Sequence[str]) -> str:
        padded = zip(cells, widths, right, strict=True)
        return "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in padded).rstrip()

    return "\n".join([line(table.columns), line(["-" * width for width in widths]), *map(line, texts)])


def numeric(table: Table) -> tuple[bool, ...]:
    """Which columns hold numbers only, so that they are set flush right."""

    def is_number(value: Cell) -> bool:
        return not isinstance(value, str) or value[:1] in "+−-0123456789"

    return tuple(
        bool(table.rows) and all(is_number(row[j]) for row in table.rows) for j in range(len(table.columns))
    )


def _figure(figure: Figure) -> str:
    head = _underlined(f"{figure.title} ({figure.name}.svg)", "-")
    across = _wrapped(f"Across: {figure.x_label}. Up: {figure.y_label}. {figure.note}".strip())
    return "\n".join([head, across, aligned(curve_rows(figure))])


def _underlined(text: str, mark: str) -> str:
    return f"{text}\n{mark * len(text)}"


def _wrapped(text: str) -> str:
    return "\n\n".join(textwrap.fill(" ".join(part.split()), WIDTH) for part in text.split("\n\n"))
