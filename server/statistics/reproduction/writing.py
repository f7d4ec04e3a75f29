"""The folder of a run: per entry a text, JSON and pictures; one page over all of them; one index in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from server.reports.page import Column, DataTable, Page, Picture, Section, render
from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.drawing import picture, standalone
from server.statistics.reproduction.numerals import shown, worst
from server.statistics.reproduction.result import Comparison, Figure, Reproduction, Table
from server.statistics.reproduction.text import (
    COMPARED,
    comparison_rows,
    curve_rows,
    kept_line,
    numeric_columns,
    report_text,
)

FORMAT = "roomful-reproduction/1"
INDEX = "index.json"
_LONG_TABLE = 18
_NO_FIGURES = "The published values are not at hand: this shows ours alone."


def write_entry(folder: Path, reproduction: Reproduction) -> tuple[str, ...]:
    """Write one entry's files into ``folder / name``, and return their paths below ``folder``."""
    home = folder / reproduction.name
    home.mkdir()
    contents = {
        "report.txt": report_text(reproduction, CATALOGUE[reproduction.name].title),
        "report.json": _json(as_json(reproduction)),
    }
    for figure in reproduction.figures:
        contents[f"{figure.name}.svg"] = standalone(picture(figure, reproduction.name))
    for name, text in contents.items():
        (home / name).write_text(text, encoding="utf-8", newline="\n")
    return tuple(f"{reproduction.name}/{name}" for name in contents)


def write_index(
    folder: Path, reproductions: Sequence[Reproduction], files: Sequence[str], command: str
) -> None:
    """Write ``index.html`` and ``index.json``; the latter names every file, itself included."""
    (folder / "index.html").write_bytes(render(_page(reproductions, command)))
    index = {
        "format": FORMAT,
        "entries": [summary(reproduction) for reproduction in reproductions],
        "files": sorted([*files, "index.html", INDEX]),
    }
    (folder / INDEX).write_text(_json(index), encoding="utf-8", newline="\n")


def summary(reproduction: Reproduction) -> dict[str, Any]:
    """What the index says of an entry."""
    return {
        "name": reproduction.name,
        "title": CATALOGUE[reproduction.name].title,
        "paper": reproduction.paper,
        "source": reproduction.source,
        "compared": len(reproduction.comparisons),
        "promised": len(reproduction.promised),
        "kept": len(reproduction.promised) - len(reproduction.broken),
        "worst": None if reproduction.worst is None else _comparison_json(reproduction.worst),
    }


def as_json(reproduction: Reproduction) -> dict[str, Any]:
    """Everything of an entry as JSON values."""
    return {
        "format": FORMAT,
        **summary(reproduction),
        "explanation": reproduction.explanation,
        "comparisons": [_comparison_json(item) for item in reproduction.comparisons],
        "tables": [_table_json(table) for table in reproduction.tables],
        "figures": [_figure_json(figure) for figure in reproduction.figures],
    }


def _comparison_json(item: Comparison) -> dict[str, Any]:
    return {
        "where": list(item.where),
        "measure": item.measure,
        "unit": item.unit,
        "ours": item.ours,
        "published": item.published,
        "difference": item.difference,
        "relative": item.relative,
        "sense": item.sense,
        "tolerance": item.tolerance,
        "kept": item.kept,
    }


def _table_json(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
        "note": table.note,
    }


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "title": figure.title,
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "log_x": figure.log_x,
        "log_y": figure.log_y,
        "note": figure.note,
        "curves": [
            {
                "label": curve.label,
                "published": curve.published,
                "x": list(curve.x),
                "y": list(curve.y),
            }
            for curve in figure.curves
        ],
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _page(reproductions: Sequence[Reproduction], command: str) -> Page:
    compared = sum(len(r.comparisons) for r in reproductions)
    promises = sum(len(r.promised) for r in reproductions)
    broken = [item for r in reproductions for item in r.broken]
    what = "1 entry" if len(reproductions) == 1 else f"{len(reproductions)} entries"
    lead = (
        f"Published tables and figures, computed again: {what}. {compared} values stand beside "
        f"the published ones; {promises - len(broken)} of {promises} promised bounds are kept."
    )
    warnings = tuple(f"Not kept: {worst(item)}." for item in broken)
    return Page(
        kind="Reproduction report",
        title="Published figures, computed again",
        summary=(lead,),
        warnings=warnings,
        sections=(_overview(reproductions), *(_section(r) for r in reproductions)),
        command=command,
    )


def _overview(reproductions: Sequence[Reproduction]) -> Section:
    rows = tuple(
        (r.name, worst(r.worst) if r.comparisons else "ours alone", str(len(r.comparisons)), _kept(r))
        for r in reproductions
    )
    table = DataTable(
        caption="All entries",
        columns=(
            # The worst difference stands second, where a telephone shows it without scrolling.
            Column(heading="entry", numeric=False),
            Column(heading="worst difference", numeric=False),
            Column(heading="compared"),
            Column(heading="bounds kept"),
        ),
        rows=rows,
        note="A bound is a difference that is promised not to be exceeded.",
    )
    return Section(name="overview", title="Overview", tables=(table,))


def _kept(reproduction: Reproduction) -> str:
    promised = len(reproduction.promised)
    return f"{promised - len(reproduction.broken)} of {promised}" if promised else "-"


def _section(reproduction: Reproduction) -> Section:
    paragraphs = (
        f"{reproduction.paper}. {reproduction.source}.",
        kept_line(reproduction),
        *(" ".join(part.split()) for part in reproduction.explanation.split("\n\n")),
    )
    tables = [_table(table) for table in reproduction.tables]
    if reproduction.comparisons:
        rows = comparison_rows(reproduction.comparisons)
        caption = f"Ours beside the published values: worst {worst(reproduction.worst)}"
        tables.insert(0, _data_table(caption, COMPARED, rows, numeric_columns(COMPARED, rows), ""))
    return Section(
        name=reproduction.name,
        title=CATALOGUE[reproduction.name].title,
        paragraphs=paragraphs,
        pictures=tuple(_picture(figure, reproduction.name) for figure in reproduction.figures),
        contents=_links(reproduction),
        tables=tuple(tables),
    )


def _links(reproduction: Reproduction) -> Markup:
    names = ("report.txt", "report.json", *(f"{figure.name}.svg" for figure in reproduction.figures))
    links = Markup(", ").join(
        Markup('<a href="{0}/{1}">{1}</a>').format(reproduction.name, name) for name in names
    )
    return Markup('<p class="note">Files of <code>{}</code>: {}</p>').format(escape(reproduction.name), links)


def _picture(figure: Figure, prefix: str) -> Picture:
    columns, rows = curve_rows(figure)
    texts = tuple(tuple(shown(value) for value in row) for row in rows)
    data = _data_table(f"Data of: {figure.title}", columns, texts, numeric_columns(columns, rows), "", True)
    caption = figure.title if figure.title.endswith(".") else f"{figure.title}."
    if not any(curve.published for curve in figure.curves):
        caption += f" {_NO_FIGURES}"
    return Picture(svg=picture(figure, prefix), caption=f"{caption} {figure.note}".strip(), data=data)


def _table(table: Table) -> DataTable:
    texts = tuple(tuple(shown(value) for value in row) for row in table.rows)
    numeric = numeric_columns(table.columns, table.rows)
    return _data_table(table.title, table.columns, texts, numeric, table.note)


def _data_table(
    caption: str,
    columns: Sequence[str],
    rows: tuple[tuple[str, ...], ...],
    numeric: Sequence[bool],
    note: str,
    folded: bool | None = None,
) -> DataTable:
    return DataTable(
        caption=caption,
        columns=tuple(
            Column(heading=text, numeric=flag) for text, flag in zip(columns, numeric, strict=True)
        ),
        rows=rows,
        note=note,
        folded=len(rows) > _LONG_TABLE if folded is None else folded,
    )
