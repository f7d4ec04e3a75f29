"""Cell shapes, each with one total function ``assign`` from a vector to a cell."""

from __future__ import annotations

from typing import Any, Final

from shared.cells.balls import REMAINDER_RULES, Balls
from shared.cells.base import Cells
from shared.cells.boxes import Boxes
from shared.cells.power_diagram import PowerDiagram
from shared.cells.prototypes import Prototypes
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector

SHAPES: Final = ("balls", "power-diagram", "boxes", "prototypes")

__all__ = [
    "REMAINDER_RULES",
    "SHAPES",
    "Balls",
    "Boxes",
    "Cells",
    "PowerDiagram",
    "Prototypes",
    "parse_cells",
]

_SHAPES: Final[dict[str, tuple[type[Balls | PowerDiagram | Boxes | Prototypes], tuple[str, ...]]]] = {
    "balls": (Balls, ("references", "radii", "remainder")),
    "power-diagram": (PowerDiagram, ("resolution", "sites", "offsets")),
    "boxes": (Boxes, ("boxes",)),
    "prototypes": (Prototypes, ("points", "cells")),
}


def parse_cells(value: Any, where: str, weights: Vector, ranges: Ranges) -> Cells:
    """Read the geometry of a specification.

    Raises
    ------
    SpecificationError
        With the path of the field that is wrong.
    """
    shape = value.get("shape") if isinstance(value, dict) else None
    known = isinstance(shape, str) and shape in _SHAPES
    own = _SHAPES[shape][1] if known and isinstance(shape, str) else ()
    fields = Fields(value, where, ("shape", *own), error=SpecificationError)
    return _SHAPES[fields.choice("shape", SHAPES)][0].parse(fields, weights, ranges)
