"""The [[attributes]] of a survey.toml, built into the attributes of the protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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
    Cyclic,
    Entry,
    Lookup,
    Nominal,
    Numeric,
    Ordinal,
)
from shared.decimals import format_decimal, parse_decimal
from shared.errors import ModelFileError, SpecificationError, SurveyFileError
from shared.limits import EXACT_BOUND, MAX_CATEGORIES, MAX_COORDINATES, MAX_CYCLE, MAX_NAME_CHARACTERS

_COMMON: Final = ("name", "kind", "label", "help", "missing")
RESERVED_NAMES: Final = ("level", "people")  # columns of the canonical model
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,16}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An [[attributes]] entry: what all kinds have, already read, and where the rest is read from."""

    section: Section
    common: dict[str, Any]
    languages: tuple[str, ...]
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeEntry:
    """One kind in a survey.toml: the keys of its own, and what builds the attribute from them."""

    keys: tuple[str, ...]
    build: Callable[[Given], Attribute]


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
    kind: str = section.choice("kind", tuple(KINDS))
    for key in section.value:
        if key not in _COMMON and key not in ENTRIES[kind].keys:
            owners = " or ".join(kind for kind, entry in ENTRIES.items() if key in entry.keys)
            raise section.fail(
                key,
                f"the {kind} attribute {quoted(name)} has no {key}",
                expected=f"only {shortened_list((*_COMMON, *ENTRIES[kind].keys))}",
                remedy=f"Remove the key, or make the attribute {owners}.",
            )
    common: dict[str, Any] = {
        "name": name,
        "label": section.localized("label", languages, name),
        "help": section.localized("help", languages, "", empty=True),
        "missing": section.choice("missing", MISSING_RULES, "refused"),
    }
    try:
        return ENTRIES[kind].build(Given(section=section, common=common, languages=languages, folder=folder))
    except SpecificationError as error:
        raise section.fail("", error.message, expected=error.expected, remedy=error.remedy) from None


def _numeric(given: Given) -> Numeric:
    return Numeric(
        **given.common,
        minimum=_plain(given.section.decimal("minimum")),
        maximum=_plain(given.section.decimal("maximum")),
        step=_plain(given.section.decimal("step", "1")),
        open_below=given.section.boolean("open_below", False),
        open_above=given.section.boolean("open_above", False),
        rounding=given.section.choice("rounding", ROUNDING_RULES, "exact"),
    )


def _ordinal(given: Given) -> Ordinal:
    return Ordinal(**given.common, categories=_categories(given, MAX_CATEGORIES))


def _nominal(given: Given) -> Nominal:
    return Nominal(**given.common, categories=_categories(given, MAX_COORDINATES))


def _cyclic(given: Given) -> Cyclic:
    return Cyclic(**given.common, categories=_categories(given, MAX_CYCLE))


def _lookup(given: Given) -> Lookup:
    section, languages = given.section, given.languages
    named = {key: section.localized(key, languages) for key in ("labels", "regions") if key in section}
    table = read_lookup(given.folder / section.text("table"), **named)
    if "axes" not in section:
        return Lookup(**given.common, axes=table.axes, entries=table.entries, regions=table.regions)
    axes = section.section("axes", table.axes)
    labels = tuple(axes.localized(axis, languages, axis) for axis in table.axes)
    return Lookup(
        **given.common, axes=table.axes, entries=table.entries, axis_labels=labels, regions=table.regions
    )


ENTRIES: Final = {
    "numeric": AttributeEntry(
        keys=("minimum", "maximum", "step", "open_below", "open_above", "rounding"), build=_numeric
    ),
    "ordinal": AttributeEntry(keys=("categories",), build=_ordinal),
    "nominal": AttributeEntry(keys=("categories",), build=_nominal),
    "cyclic": AttributeEntry(keys=("categories",), build=_cyclic),
    "lookup": AttributeEntry(keys=("table", "axes", "labels", "regions"), build=_lookup),
}
"""How each kind stands in a survey.toml."""
ATTRIBUTE_KEYS: Final = (*_COMMON, *dict.fromkeys(key for entry in ENTRIES.values() for key in entry.keys))


def _plain(text: str) -> str:
    """Return the one way to write a decimal, so that 1 and 1.0 give the same specification."""
    value = parse_decimal(text)
    return text if value is None else format_decimal(value)


def _categories(given: Given, maximum: int) -> tuple[Category, ...]:
    section, languages = given.section, given.languages
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceTable:
    """A table of places as it stands in a file.

    Attributes
    ----------
    axes : tuple of str
        Names of the columns of whole numbers.
    entries : tuple of Entry
        In the order of the file.
    regions : tuple of dict
        Names per language, in the order in which they first occur.
    """

    axes: tuple[str, ...]
    entries: tuple[Entry, ...]
    regions: tuple[dict[str, str], ...] = ()


def read_lookup(
    path: Path, labels: Mapping[str, str] | None = None, regions: Mapping[str, str] | None = None
) -> PlaceTable:
    """Read a table of places: a column ``value``, and one column of whole numbers for each axis.

    Parameters
    ----------
    labels, regions : mapping of str to str, optional
        Language -> the column with what respondents read of a place, or with the name of its region; these
        columns are no axes.

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
    told = [*(labels or {}).values(), *(regions or {}).values()]
    absent = next((name for name in told if name not in names), None)
    axes = tuple(name for name in names if name not in ("value", *told))
    if absent is not None or not axes:
        raise SurveyFileError(
            "the table has no axis" if absent is None else f"the table has no column {quoted(absent)}",
            where=f"{table.source}, header {shortened_list(names)}",
            expected="a column of whole numbers" if absent is None else "the columns of labels and regions",
            remedy="" if absent is None else nearest_name(absent, names).strip(),
        )
    words = {name: table.exact(name) for name in told}
    found: dict[tuple[str, ...], int] = {}
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
        read = {name: (column[row] or "").strip() for name, column in words.items()}
        label = {code: read[name] for code, name in (labels or {}).items()}
        region = tuple(read[name] for name in (regions or {}).values())
        for name in told:
            if not read[name] and (name in (labels or {}).values() or any(region)):
                problems.add("the text is empty", place=table.place_of(row, name))
        entries.append(
            Entry(
                value=value,
                vector=tuple(vector),
                label=label or None,
                region=found.setdefault(region, len(found)) if any(region) else None,
            )
        )
    problems.raise_if_any(ModelFileError)
    texts = tuple(dict(zip(regions or (), region, strict=True)) for region in found)
    return PlaceTable(axes=axes, entries=tuple(entries), regions=texts)
