"""Tables and figures of records: one generic form of each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from server.reports.charts import Line
from server.statistics.reproduction.result import Key, Plot, Record, labelled

Cell: TypeAlias = Key | None
"""A value in a table; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: ``rows`` have as many values as there are ``columns``."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure: its curves, in the order of the legend, and its axes."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = False
    note: str = ""


def tables(records: Sequence[Record]) -> tuple[Table, ...]:
    """One table for each set of keys: a row for each combination of values, a column or two a measure."""
    shapes: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        shapes.setdefault(tuple(record.at), []).append(record)
    return tuple(_table(keys, some) for keys, some in shapes.items())


def _table(keys: tuple[str, ...], records: Sequence[Record]) -> Table:
    rows: dict[tuple[Key, ...], dict[str, Cell]] = {}
    columns: dict[str, None] = {}
    beside = {record.measure for record in records if record.published is not None}
    for record in records:
        row = rows.setdefault(tuple(record.at.values()), {})
        row[record.measure] = record.ours
        columns[record.measure] = None
        if record.measure in beside:
            name = f"{record.measure}; {'published' if record.sense == 'equal' else record.sense}"
            row[name] = record.published
            columns[name] = None
    return Table(
        columns=(*keys, *columns),
        rows=tuple((*at, *(row.get(column) for column in columns)) for at, row in rows.items()),
    )


def figures(plots: Sequence[Plot], records: Sequence[Record]) -> tuple[Figure, ...]:
    """Draw every plot; one whose measures do not occur gives no figure."""
    return tuple(figure for plot in plots for figure in _figures(plot, records))


def _figures(plot: Plot, records: Sequence[Record]) -> list[Figure]:
    across = {_at(r): r.ours for r in records if r.measure == plot.x} if plot.along else None
    panels: dict[tuple[Key, ...], list[Record]] = {}
    for record in records:
        at = {**record.at, "measure": record.measure}
        key = tuple(at[name] for name in plot.panels if name in at)
        if record.measure in plot.y and (plot.along or plot.x) in at and len(key) == len(plot.panels):
            panels.setdefault(key, []).append(record)
    return [
        Figure(
            name="-".join([plot.name, *(_slug(str(value)) for value in key)]),
            title=": ".join([plot.title, *filter(None, [", ".join(map(str, key))])]),
            x_label=plot.x_label or plot.x,
            y_label=plot.y_label or " or ".join(dict.fromkeys(r.measure for r in some)),
            curves=curves,
            log_x=plot.log_x,
            log_y=plot.log_y,
            note=plot.note,
        )
        for key, some in panels.items()
        if (curves := _curves(plot, some, across))
    ]


def _curves(
    plot: Plot, records: Sequence[Record], across: dict[tuple[tuple[str, Key], ...], float] | None
) -> tuple[Line, ...]:
    apart = [key for key in dict.fromkeys(k for r in records for k in r.at) if key not in plot.panels]
    apart = [key for key in apart if key != (plot.along or plot.x)]
    several = [key for key in apart if len({record.at.get(key) for record in records}) > 1]
    measures = len({record.measure for record in records}) > 1
    lines: dict[str, list[Record]] = {}
    if across is not None:  # what has no such measure, such as a baseline, has no place
        records = [record for record in records if _at(record) in across]
    for record in records:
        words = [record.measure] if measures else []
        words += [labelled(key, record.at[key]) for key in several if key in record.at]
        lines.setdefault(", ".join(words) or record.measure, []).append(record)
    found: list[Line] = []
    for label, some in lines.items():
        for name, published in ((label, False), (f"{label}, published", True)):
            points = [
                (float(across[_at(r)] if across is not None else r.at[plot.x]), float(y))
                for r in some
                if (y := r.published if published else r.ours) is not None
            ]
            points = [p for p in points if _drawable(plot, *p)]
            if points:
                xs, ys = tuple(x for x, _ in points), tuple(y for _, y in points)
                found.append(Line(label=name, x=xs, y=ys, published=published))
    return tuple(found)


def _drawable(plot: Plot, x: float, y: float) -> bool:
    return (x > 0 or not plot.log_x) and (y > 0 or not plot.log_y)


def _at(record: Record) -> tuple[tuple[str, Key], ...]:
    return tuple(record.at.items())


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def curve_rows(figure: Figure) -> Table:
    """A figure's data: a column a curve where all share their x, else three columns."""
    if len({curve.x for curve in figure.curves}) == 1:
        values = zip(figure.curves[0].x, *(curve.y for curve in figure.curves), strict=True)
        return Table(
            columns=(figure.x_label, *(curve.label for curve in figure.curves)),
            rows=tuple(tuple(map(_plain, row)) for row in values),
        )
    return Table(
        columns=("curve", figure.x_label, figure.y_label),
        rows=tuple(
            (curve.label, _plain(x), _plain(y))
            for curve in figure.curves
            for x, y in zip(curve.x, curve.y, strict=True)
        ),
    )


def _plain(value: float) -> Cell:
    """Whole numbers whole."""
    return int(value) if math.isclose(value, round(value), abs_tol=0) and abs(value) < 1e9 else float(value)
