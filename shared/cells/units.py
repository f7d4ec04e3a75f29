"""Units: each has cells of its own, so that no cell has people of two units."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from shared.attributes import Attribute
from shared.cells.base import Cells, ParseCells
from shared.cells.composite import CompositeCells
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import MAX_CELLS

_KEYS: Final = ("values", "cells")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Some answers to the attribute, and the cells of the people who give them.

    Attributes
    ----------
    values : tuple of str
        At least one.
    places : tuple of Vector
        The coordinates of each.
    cells : Cells
        Of any other shape, over all coordinates.
    """

    values: tuple[str, ...]
    places: tuple[Vector, ...]
    cells: Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCells(CompositeCells):
    """The cells of the unit that a person belongs to by one of her answers.

    Cells are numbered unit by unit. A vector that no answer has belongs to the first unit.

    Attributes
    ----------
    attribute : str
        Name of the attribute whose answers make the units.
    first : int
        Its first coordinate.
    units : tuple of Unit, length u
        Every answer to the attribute is in one of them.
    """

    shape: ClassVar[str] = "units"
    part_path: ClassVar[str] = "cells.units[{}].cells"

    attribute: str
    first: int
    units: tuple[Unit, ...]
    _unit_of: dict[Vector, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        unit_of: dict[Vector, int] = {}
        for number, unit in enumerate(self.units):
            if any(unit_of.setdefault(place, number) != number for place in unit.places):
                raise SpecificationError(
                    "two units have the same place, so that no device can tell them apart",
                    where=f"cells.units[{number}].values",
                    expected="answers at one place in one unit",
                )
        object.__setattr__(self, "_unit_of", unit_of)
        CompositeCells.__post_init__(self)

    @property
    def parts(self) -> tuple[Cells, ...]:
        return tuple(unit.cells for unit in self.units)

    def part_of(self, x: Sequence[int]) -> int:
        """The unit of a vector."""
        return self._unit_of.get(tuple(x[self.first : self.first + len(self.units[0].places[0])]), 0)

    def stretches(self, row: Sequence[int]) -> tuple[tuple[int, int], ...] | None:
        """Where the cells of each unit stand in a row, from its beginning; None if some stand apart."""
        owner = [unit for unit, cells in enumerate(self.members) for _ in cells]
        runs = [len(list(run)) for _, run in itertools.groupby(owner[cell] for cell in row)]
        if len(runs) != len(self.units):
            return None
        return tuple(itertools.pairwise(itertools.accumulate(runs, initial=0)))

    @classmethod
    def of(
        cls,
        weights: Vector,
        attributes: Sequence[Attribute],
        name: str,
        units: Sequence[tuple[Sequence[str], Cells]],
    ) -> UnitCells:
        """Units by the answers to one attribute.

        Raises
        ------
        SpecificationError
            If there is no such attribute, its answers are not listed or may be missing, an answer is in no
            unit or in two, or there are fewer than two units.
        """
        where, first = "cells.attribute", 0
        for attribute in attributes:
            if attribute.name == name:
                break
            first += attribute.dimension
        else:
            raise SpecificationError("no such attribute", where=where, expected="one of attributes")
        if not attribute.listed or attribute.takes_missing:
            raise SpecificationError(
                f"the answers to {name!r} are not listed, or may be missing",
                where=where,
                expected="an attribute with a list of answers, of which everybody has one",
            )
        values = [value for own, _ in units for value in own]
        if sorted(values) != sorted(attribute.listed) or len(units) < 2 or not all(own for own, _ in units):
            raise SpecificationError(
                f"an answer to {name!r} is in no unit or in two, or a unit has none",
                where="cells.units",
                expected="two units or more, and each answer in one of them",
            )
        return cls(
            weights=weights,
            attribute=name,
            first=first,
            units=tuple(
                Unit(values=tuple(own), places=tuple(map(attribute.vector, own)), cells=cells)
                for own, cells in units
            ),
        )

    @classmethod
    def parse_units(
        cls,
        fields: Fields,
        weights: Vector,
        ranges: Ranges,
        attributes: Sequence[Attribute],
        parse: ParseCells,
    ) -> UnitCells:
        """Read the units of a specification; `parse` reads the geometry of one.

        Raises
        ------
        SpecificationError
            As :meth:`of`, and for what is wrong inside of a unit.
        """
        units = []
        for number, item in enumerate(fields.items("units", MAX_CELLS, minimum=2)):
            where = fields.where(f"units[{number}]")
            unit = Fields(item, where, _KEYS, error=SpecificationError)
            cells = parse(unit.raw("cells"), unit.where("cells"), weights, ranges)
            units.append((unit.texts("values", MAX_CELLS), cells))
        return cls.of(weights, attributes, fields.text("attribute"), units)

    def to_object(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "attribute": self.attribute,
            "units": [{"values": list(unit.values), "cells": unit.cells.to_object()} for unit in self.units],
        }
