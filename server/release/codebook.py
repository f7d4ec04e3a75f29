"""codebook.xml: a DDI Codebook 2.5 of the released tables, for data archives.

It holds texts, and no figure but bounds and the totals of the data package: no frequencies, which would be
another place where a small number could stand.

References
----------
DDI Alliance, DDI Codebook 2.5 (2012, namespace ``ddi:codebook:2_5``), codebook.xsd. Elements stand in the
order of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from server.release.coding import NOT_ANSWERED, Coding, codings
from server.release.columns import TableColumn
from server.release.tables import ReleasedTable
from shared.questions import Question
from shared.specification import Specification

NAMESPACE: Final = "ddi:codebook:2_5"
_LANGUAGE: Final = "xml:lang"
_CONTINUOUS: Final = ("number", "integer")


def codebook(specification: Specification, digest: str, tables: Mapping[str, ReleasedTable]) -> bytes:
    """Describe the study, its files and every variable.

    Parameters
    ----------
    specification : Specification
    digest : str
        Its SHA-256, hexadecimal.
    tables : mapping of str to ReleasedTable
        ``microdata`` and ``cells``.

    Returns
    -------
    bytes
        UTF-8 XML without a date, so that the same release gives the same bytes.
    """
    root = Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5", _LANGUAGE: specification.languages[0]})
    _study(root, specification, digest)
    for name, table in tables.items():
        description = SubElement(root, "fileDscr", {"ID": f"file_{name}"})
        text = SubElement(description, "fileTxt")
        _add(text, "fileName", f"{name}.csv")
        _add(text, "fileCont", _FILES[name])
        dimensions = SubElement(text, "dimensns")
        _add(dimensions, "caseQnty", str(len(table.rows)))
        _add(dimensions, "varQnty", str(len(table.columns)))
        _add(text, "fileType", "CSV, UTF-8")
    data = SubElement(root, "dataDscr")
    questions = {question.name: question for question in specification.questionnaire.questions}
    for name, table in tables.items():
        for number, (column, coding) in enumerate(zip(table.columns, codings(table.columns), strict=True)):
            question = questions.get(column.question)
            _variable(data, f"{name}_{number}", name, column, coding, question, specification)
    ElementTree.indent(root, " ")
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


_FILES: Final = {
    "microdata": "The answers, one row per person, in random order.",
    "cells": "The groups of people that the answers came from, and the cells that are not released.",
}


def _study(root: Element, specification: Specification, digest: str) -> None:
    first, *others = specification.languages
    organizer = specification.organizer
    study = SubElement(root, "stdyDscr")
    citation = SubElement(study, "citation")
    title = SubElement(citation, "titlStmt")
    _add(title, "titl", specification.title[first], {_LANGUAGE: first})
    for language in others:
        _add(title, "parTitl", specification.title[language], {_LANGUAGE: language})
    _add(title, "IDNo", digest, {"agency": "SHA-256 of the signed specification"})
    _add(SubElement(citation, "rspStmt"), "AuthEnty", organizer.name)
    distributor = SubElement(citation, "distStmt")
    _add(distributor, "distrbtr", organizer.name)
    _add(distributor, "contact", organizer.contact)
    info = SubElement(study, "stdyInfo")
    for language in specification.languages:
        if specification.description[language]:
            _add(info, "abstract", specification.description[language], {_LANGUAGE: language})
    summary = SubElement(info, "sumDscr")
    _add(summary, "anlyUnit", "Person")
    kind = "a register" if specification.model.kind == "register" else "a public population model"
    at_least = "at least " if specification.model.kind == "register" else ""
    _add(summary, "universe", f"The {at_least}{specification.model.people} people of {kind}")
    _add(summary, "dataKind", "Survey data, k-anonymous by groups")
    method = SubElement(study, "method")
    collection = SubElement(method, "dataColl")
    _add(
        collection,
        "sampProc",
        "Everybody in the population model could answer. Groups of people, made before anybody answered, "
        "are the strata.",
    )
    _add(collection, "collMode", "Self-administered questionnaire in a browser")
    _add(
        collection,
        "weight",
        "People of the group over its answers (variable weight of microdata)."
        if specification.model.kind == "public"
        else "None: the sizes of a register's groups are not published, so each answer counts once.",
    )
    rule = specification.release
    _add(
        method,
        "notes",
        f"Every answer stands in a group of at least {rule.minimum} answers (rule {rule.rule}). Attributes "
        "of people are those of their group as a whole; nobody's own were collected.",
    )
    use = SubElement(SubElement(study, "dataAccs"), "useStmt")
    _add(use, "restrctn", "Do not try to identify anybody, and do not link this table with others.")


def _variable(
    data: Element,
    identifier: str,
    file: str,
    column: TableColumn,
    coding: Coding,
    question: Question | None,
    specification: Specification,
) -> None:
    values = column.categories or column.labels
    settings = {
        "ID": identifier,
        "name": column.name,
        "files": f"file_{file}",
        "intrvl": "contin" if column.type in _CONTINUOUS and not values else "discrete",
    }
    if column.name == "weight":
        settings["wgt"] = "wgt"
    variable = SubElement(data, "var", settings)
    _add(variable, "labl", column.title)
    if question is not None:
        for language in specification.languages:
            asked = SubElement(variable, "qstn")
            _add(asked, "qstnLit", question.title[language] or question.name, {_LANGUAGE: language})
            if question.description[language]:
                _add(asked, "ivuInstr", question.description[language], {_LANGUAGE: language})
    if column.minimum is not None or column.maximum is not None:
        bounds = {"min": column.minimum, "max": column.maximum}
        SubElement(
            SubElement(variable, "valrng"), "range", {k: v for k, v in bounds.items() if v is not None}
        )
    if coding.missing is not None:
        missing = SubElement(variable, "invalrng")
        SubElement(missing, "item", {"VALUE": str(coding.missing)})
        _add(missing, "notes", f"{NOT_ANSWERED}; .a in the Stata file, empty in CSV, Parquet and Excel.")
    _add(variable, "txt", f"{column.description} {_unit(column)}".strip())
    for value, label in values:
        category = SubElement(variable, "catgry")
        _add(category, "catValu", value)
        _add(category, "labl", label)
        _add(category, "txt", f"{coding.codes[value]} in the SPSS and Stata files.")
    if coding.missing is not None:
        category = SubElement(variable, "catgry", {"missing": "Y"})
        _add(category, "catValu", str(coding.missing))
        _add(category, "labl", NOT_ANSWERED)
    SubElement(
        variable,
        "varFormat",
        {
            "type": "character" if column.type in ("string", "boolean", "date") else "numeric",
            "schema": "other",
        },
    )
    if coding.name != column.name:
        _add(variable, "notes", f"Called {coding.name} in the SPSS and Stata files.")


def _unit(column: TableColumn) -> str:
    return f"Unit: {column.unit}." if column.unit else ""


def _add(parent: Element, tag: str, text: str, settings: Mapping[str, str] | None = None) -> None:
    SubElement(parent, tag, dict(settings or {})).text = text
