"""The documentation as data: headings, links, tables and code blocks of the Markdown files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PACKAGES = ("shared", "server", "respondent_client")

_FENCE = re.compile(r"^(```+)([^\n`]*)\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced code block; ``comment`` is the HTML comment on the line before it, if there is one."""

    language: str
    text: str
    comment: str


def pages() -> tuple[Path, ...]:
    """Every Markdown page of the project."""
    return (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))


def text_of(name: str) -> str:
    """Text of a page, by its name below the project."""
    return (ROOT / name).read_text("utf-8")


def without_blocks(text: str) -> str:
    """A page's text without its fenced blocks."""
    return _FENCE.sub("", text)


def blocks(text: str) -> tuple[Block, ...]:
    """Fenced code blocks in order."""
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2].strip()
        comment = before[4:-3].strip() if before.startswith("<!--") and before.endswith("-->") else ""
        found.append(Block(language=match[2].strip(), text=match[3], comment=comment))
    return tuple(found)


def links(text: str) -> tuple[str, ...]:
    """Targets of all links outside code blocks."""
    return tuple(_LINK.findall(without_blocks(text)))


def anchors(text: str) -> frozenset[str]:
    """Anchors that a renderer makes of the headings."""
    result = set()
    for _, title in _HEADING.findall(without_blocks(text)):
        plain = re.sub(r"[^\w\- ]", "", title.lower())
        result.add(plain.replace(" ", "-"))
    return frozenset(result)


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next of the same or a higher rank."""
    for match in _HEADING.finditer(text):
        if match[2].strip("`") == title:
            rest = text[match.end() :]
            stop = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
            return rest[: stop.start()] if stop else rest
    raise AssertionError(f"no section {title!r}")


def code_words(text: str) -> frozenset[str]:
    """Everything in backticks, code blocks left out."""
    return frozenset(_CODE.findall(without_blocks(text)))


def first_cells(text: str) -> tuple[str, ...]:
    """First cell of each row of every table, headings and rules left out, as plain text."""
    cells = []
    lines = without_blocks(text).splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        is_rule = re.fullmatch(r"\|[-|: ]+\|", line) is not None
        if not line.startswith("|") or is_rule:
            continue
        following = lines[lines.index(line) + 1] if line in lines[:-1] else ""
        if not before.startswith("|") and re.fullmatch(r"\|[-|: ]+\|", following):
            continue
        cells.append(line.split("|")[1].strip())
    return tuple(cells)


def source_files() -> Iterator[Path]:
    """The project's own Python files, tests left out."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path


def string_arguments(keyword: str) -> dict[str, str]:
    """Every literal text that is passed under a keyword anywhere, and the file where it is."""
    found: dict[str, str] = {}
    for path in source_files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                for argument in node.keywords:
                    if argument.arg == keyword and isinstance(argument.value, ast.Constant):
                        found.setdefault(str(argument.value.value), str(path.relative_to(ROOT)))
    return found


def assert_told(page: str, what: str, told: Iterable[str], actual: Iterable[str]) -> None:
    """A page tells of exactly these; a failure names the page and the lines to add or to remove.

    Parameters
    ----------
    page : str
        Its name below the project.
    what : str
        Where on the page, such as "the table of limits".
    told, actual : iterable of str
        First cells of rows, as the page has them and as they should be.
    """
    told, actual = set(told), set(actual)
    lines = [f"add the line      | `{name}` | ... |" for name in sorted(actual - told)]
    lines += [f"remove the line   | `{name}` | ... |" for name in sorted(told - actual)]
    assert not lines, "\n".join([f"{page}, {what}:", *lines])
