"""The last look before files are published: read what was written and count again.

Written on purpose without the code that made the files. It knows only the head counts of the store, the
signed rule and the bytes on the disk.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from shared.attributes import Attribute, Lookup, Nominal, Ordinal
from shared.errors import ReleaseError
from shared.specification import Specification

FILES = ("cells.csv", "datapackage.json", "microdata.csv", "report.html")
_SHOWN = ("group", "status", "cells", "eligible_people")
"""Columns of cells.csv that a cell which is not released fills, besides its published centroid."""
_HIDDEN = ("answers", "unanimous_questions")
_FIGURES = {
    "specification_sha256",
    "organizer_contact",
    "k",
    "acceptable_cell_failure",
    "release_rule",
    "release_minimum",
    "distinct_values",
    "t_closeness",
    "total_answers",
    "released_answers",
    "withheld_answers",
    "invalid_answers",
}
"""Of the survey as a whole, in datapackage.json."""


def recheck(folder: Path, specification: Specification, counts: Sequence[int]) -> None:
    """Check the written files of a release against the signed rule.

    Parameters
    ----------
    folder : Path
        Where the files were written.
    specification : Specification
        What was signed.
    counts : sequence of int
        K_c of each cell, counted in the store.

    Raises
    ------
    ReleaseError
        If a group of the files has fewer answers than the minimum or other answers than its cells; if a cell
        appears twice or never; if subtraction would yield too little; if a column is undescribed; if a cell
        that is not released shows anything but what the specification had published; or if the files on the
        disk are not the four that belong there.

    Notes
    -----
    Guarantee: if it returns, every group in ``microdata.csv`` has at least ``minimum`` rows, as many as its
    cells have answers; the answers that are missing from it are none, or at least ``minimum`` from at least
    two non-empty cells, and none under ``merge``, where every group is a stretch of the signed row; and every
    question that a group answered has at least ``distinct_values`` values.
    """
    found = sorted(path.name for path in folder.iterdir())
    _require(tuple(found) == FILES, f"the folder holds {', '.join(found)}", ", ".join(FILES))
    package = json.loads((folder / "datapackage.json").read_bytes())
    columns = {resource["name"]: _checked_resource(folder, resource) for resource in package["resources"]}
    _require(set(package["roomful"]) <= _FIGURES, "datapackage.json holds another figure", "the known ones")
    groups = _check_cells(columns["cells"], specification, counts)
    rows = columns["microdata"]
    minimum = specification.release.minimum
    in_table = Counter(row["group"] for row in rows)
    _require(
        in_table == Counter({group: sum(counts[cell] for cell in cells) for group, cells in groups.items()}),
        "a group has other answers in microdata.csv than its cells have in the store",
        "the same number",
    )
    _require(
        all(count >= minimum for count in in_table.values()), "a group is too small", f"{minimum} answers"
    )
    _check_pool(groups, counts, minimum)
    if specification.release.rule == "merge":
        _check_row(groups, counts, specification)
    _check_distinct(rows, package, specification)


def _check_cells(
    rows: list[dict[str, str]], specification: Specification, counts: Sequence[int]
) -> dict[str, list[int]]:
    """The released groups of cells.csv, after checking that each cell stands in one row."""
    groups: dict[str, list[int]] = {}
    listed: list[int] = []
    for row in rows:
        cells = [int(text) for text in row["cells"].split()]
        listed += cells
        if row["status"] == "released":
            groups[row["group"]] = cells
            _require(
                row["answers"] == str(sum(counts[cell] for cell in cells)),
                "a group of cells.csv has another number of answers than the store",
                "the same number",
            )
        else:
            _check_not_released(row, cells, specification)
    _require(
        sorted(listed) == list(range(specification.cells.count)),
        "a cell is listed twice or not at all",
        f"each of the {specification.cells.count} cells once",
    )
    return groups


def _check_not_released(row: dict[str, str], cells: list[int], specification: Specification) -> None:
    """An allow-list: number and people are those of the specification, and every column but those of the
    centroid is empty. The centroid stands between the two that are; how many columns it has follows from the
    attributes.
    """
    names = list(row)
    centroid = names[len(_SHOWN) + 1 : -1]
    _require(
        (*names[: len(_SHOWN)], names[len(_SHOWN)], names[-1]) == (*_SHOWN, *_HIDDEN)
        and len(centroid) == sum(map(_centroid_columns, specification.attributes)),
        "cells.csv has a column that is not on the list",
        "the known columns",
    )
    _require(
        row["status"] == "not-released"
        and len(cells) == 1
        and row["group"] == str(cells[0])
        and row["eligible_people"] == str(sum(specification.eligible[cells[0]]))
        and not any(row[name] for name in _HIDDEN),
        "a cell that is not released shows more than that",
        "what the specification says of it, and empty fields",
    )


def _centroid_columns(attribute: Attribute) -> int:
    """How many columns show a centroid in one attribute: value, place or share, and share of the missing."""
    if isinstance(attribute, Nominal):
        return 2
    places = len(attribute.axes) if isinstance(attribute, Lookup) else int(isinstance(attribute, Ordinal))
    return 1 + places + attribute.takes_missing


def _check_pool(groups: dict[str, list[int]], counts: Sequence[int], minimum: int) -> None:
    released = {cell for cells in groups.values() for cell in cells}
    pool = [count for cell, count in enumerate(counts) if count and cell not in released]
    _require(
        not pool or (len(pool) > 1 and sum(pool) >= minimum),
        "the answers that are not released follow by subtraction",
        f"none, or at least {minimum} from at least two cells",
    )


def _check_row(groups: dict[str, list[int]], counts: Sequence[int], specification: Specification) -> None:
    place = {cell: index for index, cell in enumerate(specification.row)}
    for cells in groups.values():
        places = [place[cell] for cell in cells]
        _require(
            max(places) - min(places) == len(places) - 1,
            "a group is not a stretch of the signed row",
            "neighbours in the row",
        )
    _require(
        sum(map(len, groups.values())) == len(counts),
        "a cell is in no group, although the signed rule merges",
        "every cell in a group",
    )


def _check_distinct(
    rows: list[dict[str, str]], package: dict[str, Any], specification: Specification
) -> None:
    """Count the values of each question in each group, from the columns that belong to it."""
    required = specification.release.distinct_values
    if required == 1:
        return
    columns: dict[str, list[str]] = defaultdict(list)
    for field in package["resources"][0]["schema"]["fields"]:
        if "question" in field:
            columns[field["question"]].append(field["name"])
    for question in specification.questionnaire.questions:
        if question.kind == "text":
            continue
        values = defaultdict(set)
        for row in rows:
            value = tuple(row[column] for column in columns[question.name])
            if any(value):
                values[row["group"]].add(value)
        _require(
            all(len(different) >= required for different in values.values()),
            f"a group has too few different answers to {question.name}",
            f"at least {required}",
        )


def _checked_resource(folder: Path, resource: dict[str, Any]) -> list[dict[str, str]]:
    """Rows of a file whose bytes and header are those that the data package describes."""
    path = folder / str(resource["path"])
    data = path.read_bytes()
    _require(
        resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}",
        f"{path.name} is not the file that the data package describes",
        "the same bytes",
    )
    reader = csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
    described: Collection[str] = [field["name"] for field in resource["schema"]["fields"]]
    _require(
        reader.fieldnames == described, f"{path.name} has an undescribed column", "the described columns"
    )
    rows = list(reader)
    _require(
        all(None not in row and None not in row.values() for row in rows), f"{path.name} is ragged", "a table"
    )
    return rows


def _require(condition: bool, message: str, expected: str) -> None:
    if not condition:
        raise ReleaseError(
            f"the check of the written files failed: {message}",
            expected=expected,
            remedy="Nothing was published. Please report this as a security problem.",
            code="release.recheck",
        )
