"""TOML read strictly, exactly and with the line of every key for messages."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from server.wording import nearest_name, quoted, shortened_list
from shared.characters import clean_text
from shared.decimals import parse_decimal, parse_probability
from shared.errors import SurveyFileError
from shared.limits import MAX_TEXT_CHARACTERS

KeyPath = tuple[str | int, ...]

_HEADER: Final = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY: Final = re.compile(
    r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*="""
)
_PART: Final = re.compile(r""""[^"]*"|'[^']*'|[A-Za-z0-9_-]+""")
_MISSING: Final[Any] = object()


class _Number(str):
    """Source text of a TOML float, so that 0.1 stays one tenth."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed file and where its keys stand."""

    source: str
    value: dict[str, Any]
    lines: dict[KeyPath, int] = field(repr=False)

    def where(self, path: KeyPath) -> str:
        """File, line and key for a message; the line of the nearest enclosing key if it has none itself."""
        line = next(
            (self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), 0
        )
        return ", ".join(filter(None, (self.source, f"line {line}" if line else "", _spelled(path))))


def _spelled(path: KeyPath) -> str:
    words = ""
    for part in path:
        words += f" number {part + 1}" if isinstance(part, int) else f", {part}" if words else part
    return words


def parse_toml(data: bytes, *, source: str) -> Document:
    """Parse TOML.

    Raises
    ------
    SurveyFileError
        If it is not UTF-8 or not TOML; with the line.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SurveyFileError(
            "this is not UTF-8 text",
            where=f"{source}, line {data.count(bytes([10]), 0, error.start) + 1}",
            remedy="Save the file as UTF-8.",
        ) from None
    try:
        value = tomllib.loads(text, parse_float=_Number)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at ")
        place = place.rstrip(")")
        raise SurveyFileError(
            f"this is not TOML: {message[:1].lower()}{message[1:]}",
            where=f"{source}, {place}" if place else source,
            expected='lines such as  name = "text",  number = 3  or  [section]',
            remedy="Texts stand in double quotes; see the organizer's guide for an example.",
        ) from None
    except RecursionError:
        raise SurveyFileError("the file is nested too deeply", where=source) from None
    return Document(source=source, value=value, lines=_lines(text))


def _lines(text: str) -> dict[KeyPath, int]:
    """Return the line of each key that stands at the beginning of a line (good enough for messages)."""
    lines: dict[KeyPath, int] = {}
    arrays: dict[tuple[str, ...], int] = {}
    table: KeyPath = ()
    quote = ""
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        if header := _HEADER.fullmatch(line):
            names = tuple(part.strip("\"'") for part in _PART.findall(header[2]))
            if header[1]:
                arrays[names] = arrays.get(names, -1) + 1
            table = ()
            for end in range(1, len(names) + 1):
                table += (names[end - 1],)
                if names[:end] in arrays:
                    table += (arrays[names[:end]],)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault(table + tuple(part.strip("\"'") for part in _PART.findall(key[1])), number)
        for marks in ('"""', "'''"):
            if line.count(marks) % 2:
                quote = marks
    return lines


class Section:
    """One table of the document, read key by key; unknown keys are refused with the nearest known one.

    Parameters
    ----------
    document : Document
        The file.
    value : object
        What stands at ``path``.
    path : tuple of (str or int)
        Keys from the root.
    keys : tuple of str
        All keys that may stand here.
    """

    def __init__(self, document: Document, value: Any, path: KeyPath, keys: tuple[str, ...]) -> None:
        self.document, self.path, self.keys = document, path, keys
        if not isinstance(value, dict):
            raise SurveyFileError(
                f"{_kind(value)} stands here",
                where=document.where(path),
                expected=f"a section with the keys {shortened_list(keys)}",
            )
        self.value: dict[str, Any] = value
        for key in value:
            if key not in keys:
                elsewhere = path and key in TOP_LEVEL
                raise SurveyFileError(
                    f"unknown key {quoted(key)}",
                    where=document.where((*path, key)),
                    expected=f"one of {shortened_list(keys)}",
                    remedy=f"Move {key} to the top of the file, before the first [section]."
                    if elsewhere
                    else nearest_name(key, keys).strip(),
                )

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def fail(self, key: str, message: str, *, expected: str = "", remedy: str = "") -> SurveyFileError:
        """An error at a key (or at the section itself if it is empty), to be raised by the caller."""
        path = (*self.path, key) if key else self.path
        return SurveyFileError(message, where=self.document.where(path), expected=expected, remedy=remedy)

    def raw(self, key: str, expected: str, default: Any = _MISSING) -> Any:
        """The value as it stands, or the default; without one the key is required."""
        if key in self.value:
            return self.value[key]
        if default is _MISSING:
            raise self.fail(key, f"the key {quoted(key)} is missing", expected=expected)
        return default

    def text(self, key: str, default: Any = _MISSING, *, empty: bool = False) -> Any:
        """A text without control characters."""
        value = self.raw(key, "a text in double quotes", default)
        return value if key not in self.value else self.text_in(key, value, empty=empty)

    def text_in(self, key: str, value: Any, *, empty: bool = False) -> str:
        """As `text`, for a value inside a key."""
        if not isinstance(value, str) or isinstance(value, _Number):
            raise self.fail(key, f"{_kind(value)} stands here", expected="a text in double quotes")
        if not value and not empty:
            raise self.fail(key, "the text is empty", expected="a text")
        if len(value) > MAX_TEXT_CHARACTERS:
            raise self.fail(
                key, f"{len(value)} characters are too many", expected=f"at most {MAX_TEXT_CHARACTERS}"
            )
        if not clean_text(value):
            raise self.fail(
                key,
                "the text holds a character that is not seen, or that turns the direction of writing",
                expected="characters that are seen",
            )
        return value

    def moment(self, key: str) -> str | None:
        """A date and time with its zone, as :func:`shared.days.is_moment` writes it; None without the key."""
        if key not in self.value:
            return None
        value = self.value[key]
        if not isinstance(value, datetime) or value.tzinfo is None or value.microsecond:
            raise self.fail(
                key,
                f"{_kind(value)} stands here"
                if not isinstance(value, datetime)
                else "its zone is missing"
                if value.tzinfo is None
                else "it has fractions of a second",
                expected="a date and time with its zone, without quotes, such as 2030-12-01T08:00:00+01:00",
            )
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def decimal(self, key: str, default: Any = _MISSING, *, probability: bool = False) -> Any:
        """An exact decimal as text, from a text, an integer or a TOML float (by its source text)."""
        expected = (
            'a probability above 0 and up to 1, such as "0.5" or "1e-6"'
            if probability
            else 'a decimal such as "23.4"'
        )
        value = self.raw(key, expected, default)
        if key not in self.value:
            return value
        text = str(value).replace("_", "") if isinstance(value, _Number) else value
        if type(text) is int:
            text = str(text)
        if not isinstance(text, str) or (parse_probability if probability else parse_decimal)(text) is None:
            shown = (
                quoted(str(value))
                if isinstance(value, str)
                else str(value)
                if type(value) is int
                else _kind(value)
            )
            raise self.fail(key, f"{shown} stands here", expected=expected)
        return str(text)

    def integer(self, key: str, low: int, high: int, default: Any = _MISSING) -> Any:
        """An integer within inclusive bounds."""
        expected = f"a whole number from {low} to {high}"
        value = self.raw(key, expected, default)
        if key in self.value and (type(value) is not int or not low <= value <= high):
            raise self.fail(
                key, f"{value if type(value) is int else _kind(value)} stands here", expected=expected
            )
        return value

    def boolean(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.raw(key, "true or false", default)
        if not isinstance(value, bool):
            raise self.fail(key, f"{_kind(value)} stands here", expected="true or false")
        return value

    def choice(self, key: str, allowed: tuple[str, ...], default: Any = _MISSING) -> Any:
        """One of a few words."""
        value = self.raw(key, f"one of {shortened_list(allowed)}", default)
        if key in self.value and value not in allowed:
            shown = quoted(value) if isinstance(value, str) else _kind(value)
            raise self.fail(
                key,
                f"{shown} stands here",
                expected=f"one of {shortened_list(allowed)}",
                remedy=nearest_name(value, allowed).strip() if isinstance(value, str) else "",
            )
        return value

    def items(self, key: str, expected: str, maximum: int, default: Any = _MISSING) -> list[Any]:
        """A list of bounded length."""
        value = self.raw(key, expected, default)
        if not isinstance(value, list):
            raise self.fail(key, f"{_kind(value)} stands here", expected=expected)
        if len(value) > maximum:
            raise self.fail(key, f"{len(value)} entries are too many", expected=f"at most {maximum}")
        return value

    def texts(
        self, key: str, maximum: int, default: Any = _MISSING, *, empty: bool = False
    ) -> tuple[str, ...]:
        """A list of distinct texts."""
        items = self.items(key, "a list of texts", maximum, default)
        texts = tuple(self.text_in(key, item, empty=empty) for item in items)
        repeated = (
            next((text for text in texts if texts.count(text) > 1), None)
            if len(set(texts)) < len(texts)
            else None
        )
        if repeated is not None:
            raise self.fail(key, f"{quoted(repeated)} stands twice", expected="distinct entries")
        return texts

    def text_lists(self, key: str, maximum: int, default: Any = _MISSING) -> tuple[tuple[str, ...], ...]:
        """A list of lists of texts, none of them empty."""
        expected = 'a list of lists of texts, such as [["a", "b"]]'
        lists = self.items(key, expected, maximum, default)
        if not all(isinstance(items, list) and 0 < len(items) <= maximum for items in lists):
            raise self.fail(key, "something else than lists of texts stands here", expected=expected)
        return tuple(tuple(self.text_in(key, item) for item in items) for items in lists)

    def localized(
        self, key: str, languages: tuple[str, ...], default: Any = _MISSING, *, empty: bool = False
    ) -> dict[str, str]:
        """A text for each language: one text for all of them, or a table language -> text."""
        expected = f"a text, or a table with a text for {shortened_list(languages)}"
        return self.localized_in(key, self.raw(key, expected, default), languages, empty=empty)

    def localized_in(
        self, key: str, value: Any, languages: tuple[str, ...], *, empty: bool = False
    ) -> dict[str, str]:
        """As `localized`, for a value inside a key."""
        if isinstance(value, dict):
            inner = Section(self.document, value, (*self.path, key), languages)
            return {language: inner.text(language, empty=empty) for language in languages}
        text = self.text_in(key, value, empty=empty)
        return dict.fromkeys(languages, text)

    def section(self, key: str, keys: tuple[str, ...], default: Any = _MISSING) -> Section:
        """A table inside this one."""
        value = self.raw(key, f"a section [{'.'.join(map(str, (*self.path, key)))}]", default)
        return Section(self.document, value, (*self.path, key), keys)

    def sections(self, key: str, keys: tuple[str, ...], maximum: int) -> tuple[Section, ...]:
        """An array of tables, at least one."""
        name = f"[[{'.'.join(map(str, (*self.path, key)))}]]"
        items = self.items(key, f"one or more sections {name}", maximum)
        if not items:
            raise self.fail(key, "the list is empty", expected=f"one or more sections {name}")
        return tuple(
            Section(self.document, item, (*self.path, key, index), keys) for index, item in enumerate(items)
        )


TOP_LEVEL: Final = (
    "title",
    "description",
    "languages",
    "organizer",
    "model",
    "attributes",
    "participation",
    "anonymity",
    "design",
    "release",
    "retention_days",
    "questionnaire",
    "invited",
    "period",
    "logo",
    "units",
)


def _kind(value: Any) -> str:
    if isinstance(value, _Number):
        return f"the number {value}"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return f"the number {value}"
    words = ((dict, "a section"), (list, "a list"), (str, "a text"))
    return next((word for kind, word in words if isinstance(value, kind)), "a date or time")


def read_survey_bytes(path: Path) -> bytes:
    """Return the bytes of a file that belongs to a survey's definition.

    Raises
    ------
    SurveyFileError
        If it cannot be opened.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        reason = "it is a directory" if path.is_dir() else (error.strerror or str(error)).lower()
        raise SurveyFileError(
            f"the file cannot be read: {reason}",
            where=path.name,
            remedy=f"Check the name and permissions of {path}.",
        ) from None
