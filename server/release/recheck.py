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

from shared.errors import ReleaseError
from shared.specification import Specification

FILES = ("cells.csv", "datapackage.json", "microdata.csv", "report.html")


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
        appears twice or never; if subtraction would yield too little; if a column is undescribed; or if the
        files on the disk are not the four that belong there.

    Notes
    -----
    Guarantee: if it returns, every group in ``microdata.csv`` has at least ``minimum`` rows, as many as its
    cells have answers; the answers that are missing from it are none, or at least ``minimum`` from at least
    two non-empty cells; and every question that a group answered has at least ``distinct_values`` values.
    """
    found = sorted(path.name for path in folder.iterdir())
    _require(tuple(found) == FILES, f"the folder holds {', '.join(found)}", ", ".join(FILES))
    package = json.loads((folder / "datapackage.json").read_bytes())
    columns = {resource["name"]: _checked_resource(folder, resource) for resource in package["resources"]}
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
            _require(
                row["status"] == "not-released" and not row["answers"] and not row["unanimous_questions"],
                "a cell that is not released shows more than that",
                "empty fields",
            )
    _require(
        sorted(listed) == list(range(specification.cells.count)),
        "a cell is listed twice or not at all",
        f"each of the {specification.cells.count} cells once",
    )
    return groups


def _check_pool(groups: dict[str, list[int]], counts: Sequence[int], minimum: int) -> None:
    released = {cell for cells in groups.values() for cell in cells}
    pool = [count for cell, count in enumerate(counts) if count and cell not in released]
    _require(
        not pool or (len(pool) > 1 and sum(pool) >= minimum),
        "the answers that are not released follow by subtraction",
        f"none, or at least {minimum} from at least two cells",
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
