"""Prototypes: any other partition, tabulated. A person belongs where the nearest tabulated tuple belongs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.cells.base import Cells, parse_points, same_length
from shared.cells.distances import Distances
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector, squared_distance
from shared.limits import MAX_CELLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Prototypes(Cells):
    """Cell of the nearest tabulated tuple, ties to the lowest row.

    Attributes
    ----------
    points : tuple of vectors
        Tabulated tuples.
    cells : tuple of int
        Cell of each; together they are 0..m-1.
    """

    shape: ClassVar[str] = "prototypes"

    points: tuple[Vector, ...]
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        same_length(self.points, self.cells, "points and cells")
        if set(self.cells) != set(range(self.count)):
            raise SpecificationError(
                "a cell has no point", where="cells", expected="every cell from 0 to the last"
            )

    @property
    def count(self) -> int:
        """One more than the largest cell."""
        return max(self.cells, default=-1) + 1

    @property
    def compared(self) -> int:
        """Every tabulated tuple."""
        return len(self.points)

    def assign(self, x: Sequence[int]) -> int:
        distances = [squared_distance(x, point, self.weights) for point in self.points]
        return self.cells[distances.index(min(distances))]

    def assigner(self) -> Callable[[Sequence[int]], int]:
        distances = Distances(self.points, self.weights)

        def assign(x: Sequence[int]) -> int:
            found = distances.of(x)
            return self.cells[found.index(min(found))]

        return assign

    def largest_value(self, ranges: Ranges) -> int:
        return self._distance_bound(ranges)

    @classmethod
    def parse(cls, fields: Fields, weights: Vector, ranges: Ranges) -> Prototypes:
        """Read the geometry of a specification."""
        return cls(
            weights=weights,
            points=parse_points(fields, "points", ranges),
            cells=fields.integers("cells", 0, MAX_CELLS),
        )

    def to_object(self) -> dict[str, Any]:
        return {"shape": self.shape, "points": [list(p) for p in self.points], "cells": list(self.cells)}
