"""Counting the released files as an outsider does, without the code that made them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from server.release.written_table import written_table
from shared.board import BoardGroup
from shared.board_counts import ReleasedTable
from shared.errors import BoardError
from shared.specification import Specification

PACKAGE_FILE: Final = "datapackage.json"
Reader = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRelease:
    """The groups of the tables, and what the data package says about the rest.

    Attributes
    ----------
    table : ReleasedTable
        Groups and rows.
    withheld, invalid : int
        Answers of cells that are not released, and opened ballots without valid answers, as the data package
        says.
    """

    table: ReleasedTable
    withheld: int
    invalid: int


def count_release(read: Reader, specification: Specification) -> CountedRelease:
    """Count the rows of the released tables.

    Parameters
    ----------
    read : callable
        Contents of a released file by its name, or None.
    specification : Specification
        For the people of each group.

    Raises
    ------
    BoardError
        With the code ``board.release`` if a file is missing, is not the one that the data package describes,
        or has rows of no group.
    """
    package_bytes = read(PACKAGE_FILE)
    if package_bytes is None:
        raise _refused(f"{PACKAGE_FILE} is missing", "the released files")
    try:
        package = json.loads(package_bytes)
        hashes = {str(item["name"]): str(item["hash"]) for item in package["resources"]}
        withheld = int(package["roomful"]["withheld_answers"])
        invalid = int(package["roomful"]["invalid_answers"])
        tables = {name: _rows(read, name, hashes[name]) for name in ("cells", "microdata")}
        groups = _groups(tables["cells"], tables["microdata"])
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        csv.Error,
        RecursionError,
    ) as problem:
        raise _refused(
            f"the released files cannot be read ({type(problem).__name__})", "those of roomful release"
        ) from None
    if any(cell >= specification.cells.count for group in groups for cell in group.cells):
        raise _refused("a group has a cell that does not exist", f"{specification.cells.count} cells")
    digest = hashlib.sha256(package_bytes).hexdigest()
    table = ReleasedTable(data_package=digest, groups=groups)
    return CountedRelease(table=table, withheld=withheld, invalid=invalid)


def _rows(read: Reader, name: str, digest: str) -> list[dict[str, Any]]:
    data = read(f"{name}.csv")
    if data is None or digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise _refused(f"{name}.csv is not the file that the data package describes", digest)
    return written_table(data)[1]


def _groups(cells: list[dict[str, Any]], microdata: list[dict[str, Any]]) -> tuple[BoardGroup, ...]:
    counted = Counter(row["group"] for row in microdata)
    groups = []
    for row in cells:
        if row["status"] != "released":
            continue
        group = BoardGroup(
            cells=tuple(map(int, row["cells"].split())),
            people=int(row["eligible_people"]),
            answers=counted.pop(row["group"], 0),
        )
        if int(row["answers"]) != group.answers:
            raise _refused(f"group {row['group']} has {group.answers} rows", f"{row['answers']}")
        groups.append(group)
    if counted:
        raise _refused("a row of microdata.csv is of no group", "groups of cells.csv")
    return tuple(sorted(groups, key=lambda group: group.cells))


def _refused(message: str, expected: str) -> BoardError:
    return BoardError(message, where="release", expected=expected, code="board.release")
