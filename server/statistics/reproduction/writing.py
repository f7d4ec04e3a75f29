"""The folder of a run: per entry a text, JSON and pictures; one page over all of them; one index in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup, escape

from server.reports.charts import standalone
from server.reports.page import Column, DataTable, Page, Picture, Section, render
from server.statistics.reproduction.drawing import picture
from server.statistics.reproduction.result import Record, Reproduction
from server.statistics.reproduction.text import compared, kept_line, numeric, report_text, shown, worst
from server.statistics.reproduction.views import Figure, Table, curve_rows, figures, tables

FORMAT: Final = "roomful-reproduction/2"
INDEX: Final = "index.json"
_LONG_TABLE: Final = 18
_OURS_ALONE: Final = "The published values are not at hand: this shows ours alone."


def write_entry(folder: Path, reproduction: Reproduction) -> tuple[str, ...]:
    """Write one entry's files into ``folder / name``, and return their paths below ``folder``."""
    home = folder / reproduction.name
    home.mkdir()
    contents = {"report.txt": report_text(reproduction), "report.json": _json(as_json(reproduction))}
    for figure in figures(reproduction.plots, reproduction.records):
        contents[f"{figure.name}.svg"] = standalone(picture(figure))
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
        "title": reproduction.title,
        "paper": reproduction.paper,
        "source": reproduction.source,
        "verdicts": reproduction.verdicts(),
        "compared": len(reproduction.compared),
        "promised": len(reproduction.promised),
        "kept": len(reproduction.promised) - len(reproduction.broken),
        "worst": None if reproduction.worst is None else _record(reproduction.worst),
    }


def as_json(reproduction: Reproduction) -> dict[str, Any]:
    """Everything of an entry as JSON values."""
    return {
        "format": FORMAT,
        **summary(reproduction),
        "explanation": reproduction.explanation,
        "records": [_record(record) for record in reproduction.records],
    }


def _record(record: Record) -> dict[str, Any]:
    value: dict[str, Any] = {"at": dict(record.at), "measure": record.measure, "ours": record.ours}
    if record.published is None:
        return value
    return value | {
        "published": record.published,
        "difference": record.difference,
        "relative": record.relative,
        "sense": record.sense,
        "equal": record.equal,
        "tolerance": record.tolerance,
        "kept": record.kept,
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _page(reproductions: Sequence[Reproduction], command: str) -> Page:
    n_compared = sum(len(r.compared) for r in reproductions)
    promises = sum(len(r.promised) for r in reproductions)
    broken = [item for r in reproductions for item in r.broken]
    what = "1 entry" if len(reproductions) == 1 else f"{len(reproductions)} entries"
    return Page(
        kind="Reproduction report",
        title="Published figures, computed again",
        summary=(
            f"Published tables and figures, computed again: {what}. {n_compared} values stand beside the "
            f"published ones; {promises - len(broken)} of {promises} promised bounds are kept.",
        ),
        warnings=tuple(f"Not kept: {worst(item)}." for item in broken),
        sections=(_overview(reproductions), *(_section(r) for r in reproductions)),
        command=command,
    )


def _overview(reproductions: Sequence[Reproduction]) -> Section:
    verdicts = Table(
        columns=("figure or table", "verdict", "entry"),
        rows=tuple((part, verdict, r.name) for r in reproductions for part, verdict in r.verdicts().items()),
    )
    caption = "Each published figure and table: equal, within what, or not reproduced and why"
    return Section(name="overview", title="Overview", tables=(_data_table(caption, verdicts, folded=False),))


def _section(reproduction: Reproduction) -> Section:
    shown_tables = [_data_table(", ".join(t.columns), t) for t in tables(reproduction.records)]
    if reproduction.compared:
        caption = f"Ours beside the published values: worst {worst(reproduction.worst)}"
        shown_tables.insert(0, _data_table(caption, compared(reproduction)))
    drawn = figures(reproduction.plots, reproduction.records)
    names = ("report.txt", "report.json", *(f"{figure.name}.svg" for figure in drawn))
    links = Markup(", ").join(
        Markup('<a href="{0}/{1}">{1}</a>').format(reproduction.name, name) for name in names
    )
    return Section(
        name=reproduction.name,
        title=reproduction.title,
        paragraphs=(
            f"{reproduction.paper}. {reproduction.source}.",
            *(f"{part}: {verdict}." for part, verdict in reproduction.verdicts().items()),
            kept_line(reproduction),
            *(" ".join(part.split()) for part in reproduction.explanation.split("\n\n")),
        ),
        pictures=tuple(_picture(figure) for figure in drawn),
        contents=Markup('<p class="note">Files of <code>{}</code>: {}</p>').format(
            escape(reproduction.name), links
        ),
        tables=tuple(shown_tables),
    )


def _picture(figure: Figure) -> Picture:
    said = [f"{figure.title}.", figure.note]
    if not any(curve.published for curve in figure.curves):
        said.append(_OURS_ALONE)
    return Picture(
        svg=picture(figure),
        caption=" ".join(filter(None, said)),
        data=_data_table(f"Data of: {figure.title}", curve_rows(figure), folded=True),
    )


def _data_table(caption: str, table: Table, folded: bool | None = None) -> DataTable:
    columns = zip(table.columns, numeric(table), strict=True)
    return DataTable(
        caption=caption,
        columns=tuple(Column(heading=text, numeric=flag) for text, flag in columns),
        rows=tuple(tuple(shown(value) for value in row) for row in table.rows),
        folded=len(table.rows) > _LONG_TABLE if folded is None else folded,
    )
