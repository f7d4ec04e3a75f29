"""One self-contained HTML page: the shared look of every report.

Nothing is loaded from elsewhere: style, script, data and pictures stand in the file, and a content security
policy in its head allows exactly these, by their hashes. So a report can be mailed, archived, opened from a
disk, and read in ten years.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_FOLDER: Final = Path(__file__).parent / "templates"
_NOTHING: Final = Markup("")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFigure:
    """One number with its meaning; ``safe`` says which direction is safe, such as "smaller is safer"."""

    label: str
    value: str
    meaning: str
    safe: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Heading of a table's column; ``hint`` stands under it, numbers are set flush right."""

    heading: str
    hint: str = ""
    numeric: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DataTable:
    """A table with a caption; the first cell of each row is its heading; ``folded`` hides it at first."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    folded: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row of the table has the wrong length")


def data_table(
    caption: str,
    headings: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    *,
    texts: int = 0,
    note: str = "",
    folded: bool = False,
) -> DataTable:
    """A table whose first ``texts`` columns hold texts and all others numbers, without hints."""
    columns = tuple(Column(heading=heading, numeric=i >= texts) for i, heading in enumerate(headings))
    return DataTable(caption=caption, columns=columns, rows=tuple(rows), note=note, folded=folded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as inline SVG (`charts`), its caption, and its data for those who cannot see it."""

    svg: Markup
    caption: str
    data: DataTable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Part of a page: text, then figures, pictures, other contents and tables, in this order."""

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[KeyFigure, ...] = ()
    pictures: tuple[Picture, ...] = ()
    contents: Markup = _NOTHING
    tables: tuple[DataTable, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError("a section's name becomes an anchor: lower-case letters, digits and hyphens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A report.

    Attributes
    ----------
    kind : str
        What it is, above the title: "Design report".
    title : str
        Title of the survey, in ``title_language``.
    language, title_language : str
        Language tags of the page and of the title.
    summary : tuple of str
        Paragraphs under the title.
    warnings : tuple of str
        Stand first, before any figure.
    sections : tuple of Section
        In order; with links to them at the top.
    script : str
        Name of a script in this room's templates, or empty.
    data : object, optional
        For the script: integers, texts, lists and tables only.
    command : str
        The command that makes this page, shown at its end.
    """

    kind: str
    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    language: str = "en"
    title_language: str = "en"
    script: str = ""
    data: Any = None
    command: str = ""


def colours() -> str:
    """Return the rules that name the page's colours, light and dark, for pictures that stand alone."""
    style = (_FOLDER / "page.css").read_text(encoding="utf-8")
    return style[: style.index("* {")].strip()


@cache
def environment() -> Environment:
    """Jinja environment of this room: everything is escaped, undefined names are errors."""
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(page: Page) -> bytes:
    """Return a page as UTF-8 HTML; the same page gives the same bytes.

    Guarantee: for every text in ``page``, the document holds no element, script or address that does not
    come from this room's templates and pictures.
    """
    style, script = _text("page.css"), _text(page.script)
    data = "" if page.data is None else _embedded(page.data)
    # These come from this room's own files, or are escaped just above.
    own = {"style": style, "script": script, "data": data, "policy": policy(page.script)}
    safe = {name: Markup(value) for name, value in own.items()}  # noqa: S704
    text = environment().get_template("page.html.j2").render(page=page, **safe)
    return text.encode("utf-8")


def policy(script: str = "") -> str:
    """Return the content security policy of a page with this script of the room's templates, or with none."""
    script_source = f"script-src {_source(_text(script))}; " if script else ""
    return (
        f"default-src 'none'; {script_source}style-src {_source(_text('page.css'))}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8") if name else ""


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _embedded(value: Any) -> str:
    """Return JSON that cannot end its script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
