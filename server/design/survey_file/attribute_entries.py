"""The [[attributes]] of a survey.toml, built into the attributes of the protocol."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from server.design.survey_file.toml_document import Section
from server.tables.files import open_data
from server.tables.problems import Problems
from server.wording import nearest_name, quoted, shortened_list
from shared.attributes import (
    KINDS,
    MISSING_RULES,
    ROUNDING_RULES,
    Attribute,
    Category,
    Entry,
    Lookup,
    Nominal,
    Numeric,
    Ordinal,
)
from shared.decimals import format_decimal, parse_decimal
from shared.errors import ModelFileError, SpecificationError, SurveyFileError
from shared.limits import EXACT_BOUND, MAX_CATEGORIES, MAX_COORDINATES, MAX_NAME_CHARACTERS

_COMMON = ("name", "kind", "label", "help", "missing")
_OWN = {
    "numeric": ("minimum", "maximum", "step", "open_below", "open_above", "rounding"),
    "ordinal": ("categories",),
    "nominal": ("categories",),
    "lookup": ("table",),
}
ATTRIBUTE_KEYS = (*_COMMON, *dict.fromkeys(key for keys in _OWN.values() for key in keys))
RESERVED_NAMES = ("level", "people")  # columns of the canonical model
_WHOLE = re.compile(r"[+-]?[0-9]{1,16}", re.ASCII)


def build_attributes(
    sections: tuple[Section, ...], languages: tuple[str, ...], folder: Path
) -> tuple[Attribute, ...]:
    """Build the attributes in the order of the file.

    Parameters
    ----------
    sections : tuple of Section
        The [[attributes]] entries.
    languages : tuple of str
        Every text is given in each of them; one text alone serves for all.
    folder : Path
        Where the names of lookup tables start.

    Raises
    ------
    SurveyFileError, ModelFileError
        With file, line, attribute and key; the latter for what stands in a lookup table.
    """
    attributes: list[Attribute] = []
    for section in sections:
        attribute = _build(section, languages, folder)
        if any(other.name == attribute.name for other in attributes):
            raise section.fail(
                "name",
                f"two attributes are called {quoted(attribute.name)}",
                expected="distinct names, each that of a column of the model file",
            )
        attributes.append(attribute)
    dimension = sum(attribute.dimension for attribute in attributes)
    if dimension > MAX_COORDINATES:
        raise sections[-1].fail(
            "",
            f"the attributes have {dimension} coordinates together",
            expected=f"at most {MAX_COORDINATES}",
            remedy="A nominal attribute has one for each category: join rare categories, or make it ordinal.",
        )
    return tuple(attributes)


def _build(section: Section, languages: tuple[str, ...], folder: Path) -> Attribute:
    name: str = section.text("name")
    if name != name.strip() or len(name) > MAX_NAME_CHARACTERS or name in RESERVED_NAMES:
        raise section.fail(
            "name",
            f"{quoted(name)} cannot be the name of an attribute",
            expected=f"the name of a column of the model file, without blanks around it, at most"
            f" {MAX_NAME_CHARACTERS} characters, other than {' and '.join(RESERVED_NAMES)}",
            remedy="Rename the column in the file.",
        )
    kind: str = section.choice("kind", KINDS)
    for key in section.value:
        if key not in _COMMON and key not in _OWN[kind]:
            owners = " or ".join(kind for kind, keys in _OWN.items() if key in keys)
            raise section.fail(
                key,
                f"the {kind} attribute {quoted(name)} has no {key}",
                expected=f"only {shortened_list((*_COMMON, *_OWN[kind]))}",
                remedy=f"Remove the key, or make the attribute {owners}.",
            )
    common: dict[str, Any] = {
        "name": name,
        "label": section.localized("label", languages, name),
        "help": section.localized("help", languages, "", empty=True),
        "missing": section.choice("missing", MISSING_RULES, "refused"),
    }
    try:
        if kind == "numeric":
            return Numeric(
                **common,
                minimum=_plain(section.decimal("minimum")),
                maximum=_plain(section.decimal("maximum")),
                step=_plain(section.decimal("step", "1")),
                open_below=section.boolean("open_below", False),
                open_above=section.boolean("open_above", False),
                rounding=section.choice("rounding", ROUNDING_RULES, "exact"),
            )
        if kind == "lookup":
            axes, entries = read_lookup(folder / section.text("table"))
            return Lookup(**common, axes=axes, entries=entries)
        categories = _categories(section, languages, MAX_CATEGORIES if kind == "ordinal" else MAX_COORDINATES)
        return (
            Ordinal(**common, categories=categories)
            if kind == "ordinal"
            else Nominal(**common, categories=categories)
        )
    except SpecificationError as error:
        raise section.fail("", error.message, expected=error.expected, remedy=error.remedy) from None


def _plain(text: str) -> str:
    """Return the one way to write a decimal, so that 1 and 1.0 give the same specification."""
    value = parse_decimal(text)
    return text if value is None else format_decimal(value)


def _categories(section: Section, languages: tuple[str, ...], maximum: int) -> tuple[Category, ...]:
    expected = 'a list such as ["low", "high"] or [{ value = "low", label = "Low" }, …]'
    categories: list[Category] = []
    for item in section.items("categories", expected, maximum):
        if isinstance(item, dict):
            inner = Section(
                section.document, item, (*section.path, "categories", len(categories)), ("value", "label")
            )
            value: str = inner.text("value")
            label = inner.localized("label", languages, value)
        else:
            value = section.text_in("categories", item)
            label = dict.fromkeys(languages, value)
        if any(value == other.value for other in categories):
            raise section.fail(
                "categories", f"the category {quoted(value)} stands twice", expected="distinct ones"
            )
        categories.append(Category(value=value, label=label))
    return tuple(categories)


def read_lookup(path: Path) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    """Read a table of places: a column ``value``, and one column of whole numbers for each axis.

    Returns
    -------
    axes : tuple of str
        Names of the other columns.
    entries : tuple of Entry
        In the order of the file.

    Raises
    ------
    SurveyFileError
        If the table lacks a column.
    ModelFileError
        For rows that cannot be used, all named together.
    """
    table = open_data(path)
    names = table.names
    if "value" not in names or len(names) < 2:
        raise SurveyFileError(
            "the table needs a column called value and at least one column of whole numbers",
            where=f"{table.source}, header {shortened_list(names)}",
            expected="a header such as value,x,y",
            remedy=nearest_name("value", names).strip() if "value" not in names else "",
        )
    axes = tuple(name for name in names if name != "value")
    problems = Problems(table.source)
    entries: list[Entry] = []
    seen: dict[str, int] = {}
    columns = [table.exact(axis) for axis in axes]
    for row, text in enumerate(table.exact("value")):
        value = (text or "").strip()
        if not value:
            problems.add("the value is empty", place=table.place_of(row, "value"))
        elif value in seen:
            problems.add(
                f"{quoted(value)} stands already on {table.place_of(seen[value])}",
                place=table.place_of(row, "value"),
                remedy="Keep one row for each value.",
            )
        seen.setdefault(value, row)
        vector: list[int] = []
        for axis, column in zip(axes, columns, strict=True):
            cell = (column[row] or "").strip()
            if not _WHOLE.fullmatch(cell) or abs(int(cell)) >= EXACT_BOUND:
                problems.add(
                    f"{quoted(cell)} is not a whole number",
                    place=table.place_of(row, axis),
                    remedy="Use whole units, such as kilometres or metres of a grid.",
                )
                continue
            vector.append(int(cell))
        entries.append(Entry(value=value, vector=tuple(vector)))
    problems.raise_if_any(ModelFileError)
    return axes, tuple(entries)
