"""datapackage.json: a Frictionless description of the released files, column by column.

References
----------
Frictionless Data, Data Package and Table Schema, version 1 (specs.frictionlessdata.io); ``categories`` and
``categoriesOrdered`` as in version 2 (datapackage.org), which older readers ignore.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from server.release.columns import TableColumn
from server.release.gate import Decision
from server.release.tables import LINE_END, ReleasedTable
from shared.specification import Specification


def describe_package(
    specification: Specification,
    digest: str,
    decision: Decision,
    tables: Mapping[str, tuple[ReleasedTable, bytes]],
    invalid: int | None = None,
    files: Mapping[str, bytes] | None = None,
) -> bytes:
    """Describe the released tables.

    Parameters
    ----------
    specification : Specification
        What was signed.
    digest : str
        Its SHA-256, hexadecimal: the survey's identity.
    decision : Decision
        What the gate let through; only its totals are published.
    tables : mapping of str to (ReleasedTable, bytes)
        ``microdata`` and ``cells``, each with the bytes of its file.
    invalid : int or None
        Sealed answers that were opened and not valid; None for an open survey.
    files : mapping of str to bytes, optional
        The codebook and the same tables in other formats, by name; their hashes are given.

    Returns
    -------
    bytes
        Indented UTF-8 JSON without a date, so that the same release gives the same bytes.
    """
    language = specification.languages[0]
    rule = specification.release
    package = {
        "profile": "tabular-data-package",
        "name": f"roomful-{digest[:16]}",
        "id": f"sha256:{digest}",
        "title": specification.title[language],
        "description": _description(specification, language),
        "languages": list(specification.languages),
        "contributors": [{"title": specification.organizer.name, "role": "publisher"}],
        "keywords": ["k-anonymity", "microaggregation", "survey"],
        "roomful": {
            "specification_sha256": digest,
            "organizer_contact": specification.organizer.contact,
            "k": specification.k,
            "acceptable_cell_failure": specification.acceptable_cell_failure,
            "release_rule": rule.rule,
            "release_minimum": rule.minimum,
            "distinct_values": rule.distinct_values,
            "t_closeness": rule.t_closeness,
            "total_answers": decision.total_answers,
            "released_answers": decision.released_answers,
            "withheld_answers": decision.withheld_answers,
            **({} if invalid is None else {"invalid_answers": invalid}),
            "files": {
                name: f"sha256:{hashlib.sha256(data).hexdigest()}" for name, data in (files or {}).items()
            },
        },
        "resources": [
            _resource(
                "microdata",
                "The answers, one row per person, in random order.",
                *tables["microdata"],
                {
                    "foreignKeys": [
                        {"fields": ["group"], "reference": {"resource": "cells", "fields": ["group"]}}
                    ],
                },
            ),
            _resource(
                "cells",
                "The groups of people that the answers came from, and the cells that are not released.",
                *tables["cells"],
                {"primaryKey": ["group"]},
            ),
        ],
    }
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _description(specification: Specification, language: str) -> str:
    return (
        f"{specification.description[language]}\n\nEvery answer stands in a group of at least "
        f"{specification.release.minimum} people. The attributes of the people are those of their group as a "
        "whole; nobody's own were ever collected. Rows stand in random order."
    ).strip()


def _resource(
    name: str, title: str, table: ReleasedTable, data: bytes, keys: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": name,
        "path": f"{name}.csv",
        "title": title,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(data),
        "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
        "dialect": {"delimiter": ",", "lineTerminator": LINE_END, "quoteChar": '"', "doubleQuote": True},
        "schema": {
            "fields": [_field(column) for column in table.columns],
            "missingValues": [""],
            **keys,
        },
    }


def _number(bound: str) -> int | float:
    return int(bound) if Fraction(bound).denominator == 1 else float(bound)


def _field(column: TableColumn) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": column.name,
        "type": column.type,
        "title": column.title,
        "description": column.description,
    }
    if column.unit:
        field["unit"] = column.unit
    if column.question:
        field["question"] = column.question
    constraints: dict[str, Any] = {}
    if not column.can_be_missing:
        constraints["required"] = True
    if column.categories:
        constraints["enum"] = [value for value, _ in column.categories]
        field["categories"] = [{"value": value, "label": label} for value, label in column.categories]
        field["categoriesOrdered"] = column.ordered
    for name, bound in (("minimum", column.minimum), ("maximum", column.maximum)):
        if bound is not None:
            constraints[name] = bound if column.type == "date" else _number(bound)
    if constraints:
        field["constraints"] = constraints
    return field
