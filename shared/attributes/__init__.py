"""Quasi-identifiers: from a person's answer to a vector of integers."""

from __future__ import annotations

from typing import Any

from shared.attributes.base import MISSING_RULES, Attribute
from shared.attributes.categories import Category, parse_categories
from shared.attributes.lookup import Entry, Lookup
from shared.attributes.nominal import Nominal
from shared.attributes.numeric import ROUNDING_RULES, Numeric
from shared.attributes.ordinal import Ordinal
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import EXACT_BOUND, MAX_CATEGORIES, MAX_COORDINATES

KINDS = ("numeric", "ordinal", "nominal", "lookup")

__all__ = [
    "KINDS",
    "MISSING_RULES",
    "ROUNDING_RULES",
    "Attribute",
    "Category",
    "Entry",
    "Lookup",
    "Nominal",
    "Numeric",
    "Ordinal",
    "parse_attribute",
]

_COMMON = ("name", "kind", "label", "help", "missing")
_OWN = {
    "numeric": ("minimum", "maximum", "step", "open_below", "open_above", "rounding"),
    "ordinal": ("categories",),
    "nominal": ("categories",),
    "lookup": ("axes", "entries"),
}


def parse_attribute(value: Any, where: str, languages: tuple[str, ...]) -> Attribute:
    """Read one attribute of a specification.

    Raises
    ------
    SpecificationError
        With the path of the field that is wrong.
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    own = _OWN.get(kind, ()) if isinstance(kind, str) else ()
    fields = Fields(value, where, (*_COMMON, *own), error=SpecificationError)
    kind = fields.choice("kind", KINDS)
    common: dict[str, Any] = {
        "name": fields.name("name"),
        "label": fields.localized("label", languages),
        "help": fields.localized("help", languages, empty=True),
        "missing": fields.choice("missing", MISSING_RULES),
    }
    if kind == "numeric":
        return Numeric(
            **common,
            minimum=fields.text("minimum", maximum=64),
            maximum=fields.text("maximum", maximum=64),
            step=fields.text("step", maximum=64),
            open_below=fields.boolean("open_below"),
            open_above=fields.boolean("open_above"),
            rounding=fields.choice("rounding", ROUNDING_RULES),
        )
    if kind == "ordinal":
        return Ordinal(**common, categories=parse_categories(fields, languages, MAX_CATEGORIES))
    if kind == "nominal":
        return Nominal(**common, categories=parse_categories(fields, languages, MAX_COORDINATES))
    return Lookup(**common, axes=fields.texts("axes", MAX_COORDINATES), entries=_parse_entries(fields))


def _parse_entries(fields: Fields) -> tuple[Entry, ...]:
    entries = []
    for i, item in enumerate(fields.items("entries", MAX_CATEGORIES)):
        inner = Fields(item, f"{fields.where('entries')}[{i}]", ("value", "vector"), error=SpecificationError)
        vector = inner.integers("vector", -EXACT_BOUND, EXACT_BOUND)
        entries.append(Entry(value=inner.text("value"), vector=vector))
    return tuple(entries)
