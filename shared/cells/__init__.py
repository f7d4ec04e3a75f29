"""Cell shapes, each with one total function ``assign`` from a vector to a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from shared.attributes import Attribute
from shared.cells.balls import REMAINDER_RULES, Balls
from shared.cells.base import Cells
from shared.cells.boxes import Boxes
from shared.cells.composite import CompositeCells
from shared.cells.cut_tree import CutTree
from shared.cells.districts import DistrictCells
from shared.cells.power_diagram import PowerDiagram
from shared.cells.prototypes import Prototypes
from shared.cells.referenced import ReferencedCells
from shared.cells.units import Unit, UnitCells
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector

SHAPES: Final = ("balls", "power-diagram", "boxes", "prototypes", "units", "districts")

__all__ = [
    "REMAINDER_RULES",
    "SHAPES",
    "Balls",
    "Boxes",
    "Cells",
    "CompositeCells",
    "CutTree",
    "DistrictCells",
    "PowerDiagram",
    "Prototypes",
    "ReferencedCells",
    "Unit",
    "UnitCells",
    "parse_cells",
]

_SHAPES: Final[dict[str, tuple[type[Balls | PowerDiagram | Boxes | Prototypes], tuple[str, ...]]]] = {
    "balls": (Balls, ("references", "radii", "remainder")),
    "power-diagram": (PowerDiagram, ("resolution", "sites", "offsets")),
    "boxes": (Boxes, ("boxes",)),
    "prototypes": (Prototypes, ("points", "cells")),
}


def parse_cells(
    value: Any, where: str, weights: Vector, ranges: Ranges, attributes: Sequence[Attribute] = ()
) -> Cells:
    """Read the geometry of a specification.

    Parameters
    ----------
    attributes : sequence of Attribute, optional
        Those to whose answers units may belong.

    Raises
    ------
    SpecificationError
        With the path of the field that is wrong.
    """
    shape = value.get("shape") if isinstance(value, dict) else None
    if shape == UnitCells.shape and attributes:
        fields = Fields(value, where, ("shape", "attribute", "units"), error=SpecificationError)
        return UnitCells.parse_units(fields, weights, ranges, attributes, _parse_plain)
    if shape == DistrictCells.shape:
        fields = Fields(value, where, ("shape", "tree", "districts"), error=SpecificationError)
        return DistrictCells.parse_districts(fields, weights, ranges, _parse_district)
    return _parse_plain(value, where, weights, ranges)


def _parse_district(value: Any, where: str, weights: Vector, ranges: Ranges) -> Cells:
    """Geometry of a district, or the reference to its part."""
    if isinstance(value, dict) and value.get("shape") == ReferencedCells.shape:
        return ReferencedCells.parse(value, where, weights)
    return _parse_plain(value, where, weights, ranges)


def _parse_plain(value: Any, where: str, weights: Vector, ranges: Ranges) -> Cells:
    """Geometry that is not put together."""
    shape = value.get("shape") if isinstance(value, dict) else None
    known = isinstance(shape, str) and shape in _SHAPES
    own = _SHAPES[shape][1] if known and isinstance(shape, str) else ()
    fields = Fields(value, where, ("shape", *own), error=SpecificationError)
    return _SHAPES[fields.choice("shape", tuple(_SHAPES))][0].parse(fields, weights, ranges)
