"""Districts: a large population cut into boxes, each with cells of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.cells.base import Cells, ParseCells, same_length
from shared.cells.composite import CompositeCells
from shared.cells.cut_tree import CutTree
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import MAX_DISTRICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class DistrictCells(CompositeCells):
    """The cells of the district in which a vector lies. Cells are numbered district by district.

    Attributes
    ----------
    tree : CutTree
        Whose leaves are the districts.
    districts : tuple of Cells, length of the leaves
        Of any other shape, over all coordinates.
    """

    shape: ClassVar[str] = "districts"
    part_path: ClassVar[str] = "cells.districts[{}]"

    tree: CutTree
    districts: tuple[Cells, ...]

    def __post_init__(self) -> None:
        same_length(range(self.tree.leaves), self.districts, "leaves and districts")
        CompositeCells.__post_init__(self)

    @property
    def parts(self) -> tuple[Cells, ...]:
        return self.districts

    def part_of(self, x: Sequence[int]) -> int:
        """The district of a vector."""
        return self.tree.leaf_of(x)

    @classmethod
    def parse_districts(
        cls, fields: Fields, weights: Vector, ranges: Ranges, parse: ParseCells
    ) -> DistrictCells:
        """Read the districts of a specification; `parse` reads the geometry of one.

        Raises
        ------
        SpecificationError
            For cuts that make no tree, and for what is wrong inside of a district.
        """
        tree = CutTree.parse(fields, "tree", ranges)
        districts = [
            parse(item, fields.where(f"districts[{number}]"), weights, ranges)
            for number, item in enumerate(fields.items("districts", MAX_DISTRICTS, minimum=2))
        ]
        return cls(weights=weights, tree=tree, districts=tuple(districts))

    def to_object(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "tree": self.tree.to_object(),
            "districts": [cells.to_object() for cells in self.districts],
        }
