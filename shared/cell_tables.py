"""What a specification says of each cell beside its shape: its people, its centroid, its place in the row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from shared.cells import Cells, DistrictCells, ReferencedCells, UnitCells
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import MAX_ALL_CELLS, MAX_PEOPLE

CENTROID_DIGITS: Final = 4
_CENTROID: Final = re.compile(r"-?[0-9]{1,17}\.[0-9]{4}", re.ASCII)


def parse_eligible(fields: Fields, cells: Cells, n_levels: int) -> tuple[tuple[int, ...], ...]:
    """People of each cell at each level, m x L; a row of a cell whose part is not here may be empty.

    Raises
    ------
    SpecificationError
        If a row is missing or has not its form, or a cell that is here has nobody.
    """
    rows, absent = _rows(fields, "eligible", cells), _absent(cells)
    result = tuple(fields.integers_in(f"eligible[{i}]", row, 0, MAX_PEOPLE) for i, row in enumerate(rows))
    for i, counts in enumerate(result):
        if i not in absent and (len(counts) != n_levels or not sum(counts)):
            raise fields.fail(f"eligible[{i}]", "an empty cell, or a wrong length", f"{n_levels} counts")
    return result


def parse_centroids(fields: Fields, cells: Cells, dimension: int) -> tuple[tuple[str, ...], ...]:
    """Centroid of each cell, m x d decimals; rows of cells whose part is not here are as they stand.

    Raises
    ------
    SpecificationError
        If a row is missing or has not its form.
    """
    rows, absent = _rows(fields, "centroids", cells), _absent(cells)
    for i, row in enumerate(rows):
        if i in absent:
            continue
        if not isinstance(row, list) or len(row) != dimension:
            raise fields.fail(f"centroids[{i}]", "a centroid has the wrong form", f"{dimension} decimals")
        for value in row:
            if not isinstance(value, str) or _CENTROID.fullmatch(value) is None:
                raise fields.fail(f"centroids[{i}]", "not a decimal", f"{CENTROID_DIGITS} decimal places")
    return tuple(map(tuple, rows))


def parse_row(release: Fields, cells: Cells) -> tuple[int, ...]:
    """The cells side by side, from the object ``release``.

    Raises
    ------
    SpecificationError
        If it is no permutation of the cells, or cells of a unit stand apart.
    """
    row = release.integers("row", 0, MAX_ALL_CELLS)
    if sorted(row) != list(range(cells.count)):
        raise release.fail(
            "row", "not every cell stands in it once", f"a permutation of 0 to {cells.count - 1}"
        )
    if isinstance(cells, UnitCells) and cells.stretches(row) is None:
        raise release.fail(
            "row", "cells of a unit stand apart in it", "the cells of each unit beside one another"
        )
    return row


def require_sums(
    parts: Sequence[ReferencedCells], cells: DistrictCells, eligible: Sequence[tuple[int, ...]], n_levels: int
) -> None:
    """What the root says of the people of a part is what the part says; else SpecificationError."""
    for number, (part, own, members) in enumerate(zip(parts, cells.districts, cells.members, strict=True)):
        sums = tuple(map(sum, zip(*(eligible[cell] for cell in members), strict=True)))
        known = not isinstance(own, ReferencedCells)
        if len(part.people) != n_levels or (known and sums != part.people):
            raise SpecificationError(
                "the people of a part are not those that the root says",
                where=f"cells.districts[{number}].people",
                expected=str(list(sums)) if known else f"{n_levels} numbers, one per level",
            )


def _rows(fields: Fields, name: str, cells: Cells) -> list[Any]:
    rows = fields.items(name, MAX_ALL_CELLS + 1)
    if len(rows) != cells.count:
        raise fields.fail(name, f"{len(rows)} rows stand here", f"{cells.count}, one per cell")
    return rows


def _absent(cells: Cells) -> frozenset[int]:
    """Cells whose part is not here."""
    if not isinstance(cells, DistrictCells):
        return frozenset()
    pairs = zip(cells.districts, cells.members, strict=True)
    return frozenset(c for part, own in pairs if isinstance(part, ReferencedCells) for c in own)
