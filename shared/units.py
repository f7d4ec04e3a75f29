"""Units of law, such as the counting circles of an election: their names, their boxes, and who joins whom.

Boxes of one unit are joined with each other; only a unit with too few answers in all is joined with the units
beside it in the signed row (:func:`shared.joining.join_within`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from shared.cells import UnitCells
from shared.specification import Specification

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOfLaw:
    """A unit as people name it.

    Attributes
    ----------
    name : dict
        Per language: the labels of its answers, with commas between.
    boxes : tuple of int
        Its cells, ascending.
    """

    name: dict[str, str]
    boxes: tuple[int, ...]


def units_of(specification: Specification) -> tuple[UnitOfLaw, ...]:
    """The units in the order of the row; empty if there are none."""
    cells = specification.cells
    if not isinstance(cells, UnitCells):
        return ()
    (attribute,) = (a for a in specification.attributes if a.name == cells.attribute)
    labels = {category.value: category.label for category in attribute.labelled}
    named = [
        UnitOfLaw(
            name={
                language: ", ".join(labels[v][language] if v in labels else v for v in unit.values)
                for language in specification.languages
            },
            boxes=tuple(boxes),
        )
        for unit, boxes in zip(cells.units, cells.members, strict=True)
    ]
    place = {cell: i for i, cell in enumerate(specification.row)}
    return tuple(sorted(named, key=lambda unit: place[unit.boxes[0]]))


def names_of_units(specification: Specification, cells: Sequence[int], language: str) -> tuple[str, ...]:
    """Names of the units that a group of cells has boxes of, in the order of the row."""
    return tuple(
        unit.name[language] for unit in units_of(specification) if not set(unit.boxes).isdisjoint(cells)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """With whom a box may be joined first.

    Attributes
    ----------
    boxes : tuple of int
        The one or two boxes beside it in the row, those of its own unit where there are units.
    unit : UnitOfLaw or None
        Its own.
    units : tuple of UnitOfLaw
        The one or two beside its own in the row.
    """

    boxes: tuple[int, ...]
    unit: UnitOfLaw | None
    units: tuple[UnitOfLaw, ...]


def neighbourhood(specification: Specification, cell: int) -> Neighbourhood:
    """The neighbours of a box, and those of its unit."""
    units = units_of(specification)
    number = next((i for i, unit in enumerate(units) if cell in unit.boxes), None)
    unit = None if number is None else units[number]
    boxes = [c for c in specification.row if unit is None or c in unit.boxes]
    return Neighbourhood(
        boxes=_beside(boxes, boxes.index(cell)),
        unit=unit,
        units=() if number is None else _beside(units, number),
    )


def units_joined(
    specification: Specification, groups: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], ...]:
    """Which units were joined by groups over their borders.

    Parameters
    ----------
    groups : sequence of sequence of int
        Cells of each group; together they are all.

    Returns
    -------
    tuple of tuple of int
        Places in :func:`units_of`, a tuple for each unit alone or each stretch of joined units. Each is a
        union of whole groups.
    """
    units = units_of(specification)
    owner = {cell: i for i, unit in enumerate(units) for cell in unit.boxes}
    crossed: set[int] = set()
    for group in groups:
        inside = [owner[cell] for cell in group]
        crossed.update(range(min(inside) + 1, max(inside) + 1))
    borders = [i for i in range(len(units) + 1) if i not in crossed]
    return tuple(tuple(range(first, end)) for first, end in itertools.pairwise(borders))


def _beside(items: Sequence[Item], place: int) -> tuple[Item, ...]:
    return (*items[max(place - 1, 0) : place], *items[place + 1 : place + 2])
