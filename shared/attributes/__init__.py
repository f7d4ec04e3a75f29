"""Quasi-identifiers: from a person's answer to a vector of integers."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any, Final

from shared.attributes.base import MISSING_RULES, Attribute
from shared.attributes.categories import Category
from shared.attributes.cyclic import Cyclic
from shared.attributes.lookup import Entry, Lookup
from shared.attributes.nominal import Nominal
from shared.attributes.numeric import ROUNDING_RULES, Numeric
from shared.attributes.ordinal import Ordinal
from shared.errors import SpecificationError
from shared.fields import Fields

KINDS: Final[dict[str, type[Attribute]]] = {
    kind.kind: kind for kind in (Numeric, Ordinal, Nominal, Cyclic, Lookup)
}
"""Every kind by its word; tests go over them."""

__all__ = [
    "KINDS",
    "MISSING_RULES",
    "ROUNDING_RULES",
    "Attribute",
    "Category",
    "Cyclic",
    "Entry",
    "Lookup",
    "Nominal",
    "Numeric",
    "Ordinal",
    "parse_attribute",
]

_COMMON: Final = ("name", "kind", "label", "help", "missing")
_OWN: Final = {
    name: tuple(
        field.name for field in fields_of(kind) if field.init and field.name not in (*_COMMON, *kind.declared)
    )
    for name, kind in KINDS.items()
}


def parse_attribute(value: Any, where: str, languages: tuple[str, ...]) -> Attribute:
    """Read one attribute of a specification.

    Raises
    ------
    SpecificationError
        With the path of the field that is wrong.
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    known = kind if isinstance(kind, str) and kind in KINDS else None
    fields = Fields(
        value,
        where,
        (*_COMMON, *(_OWN[known] if known else ())),
        error=SpecificationError,
        optional=KINDS[known].declared if known else (),
    )
    kind = fields.choice("kind", KINDS)
    common: dict[str, Any] = {
        "name": fields.name("name"),
        "label": fields.localized("label", languages),
        "help": fields.localized("help", languages, empty=True),
        "missing": fields.choice("missing", MISSING_RULES),
    }
    return KINDS[kind].parse(fields, languages, common)
