"""What all cell shapes share: one total function from a vector to a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector, largest_squared_distance
from shared.limits import MAX_CELLS

ParseCells = Callable[[Any, str, Vector, Ranges], "Cells"]
"""Reads the geometry at a place, for some weights and ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells(ABC):
    """A partition of the domain.

    Attributes
    ----------
    weights : tuple of int, length d
        Weight of each coordinate in the squared distance, >= 0.
    """

    shape: ClassVar[str]
    part_path: ClassVar[str] = "cells"
    """Where each of :attr:`parts` stands in a specification, by its number."""

    weights: Vector

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of cells."""

    @property
    def compared(self) -> int:
        """How many points or boxes :meth:`assign` looks at, at most."""
        return self.count

    @property
    def parts(self) -> tuple[Cells, ...]:
        """The geometries that it is put together from, of which each maps some people; most have one."""
        return (self,)

    @abstractmethod
    def assign(self, x: Sequence[int]) -> int:
        """Index of the cell of a vector.

        Guarantee: for every integer vector of length d exactly one index in ``range(count)``, the same on
        every machine.

        Notes
        -----
        O(compared * d).
        """

    def leads_to(self, x: Sequence[int], cell: int) -> bool:
        """Whether :meth:`assign` gives this cell, for cells of which the vector's need not be here."""
        return self.assign(x) == cell

    def assigner(self) -> Callable[[Sequence[int]], int]:
        """As :meth:`assign`, and quicker for one vector after another in ascending order."""
        return self.assign

    @abstractmethod
    def largest_value(self, ranges: Ranges) -> int:
        """Upper bound on every number compared in :meth:`assign` for vectors within the ranges."""

    @abstractmethod
    def to_object(self) -> dict[str, Any]:
        """Geometry as it stands in a specification, without the weights."""

    def _distance_bound(self, ranges: Ranges, resolution: int = 1) -> int:
        return largest_squared_distance(ranges, self.weights, resolution)


def parse_points(fields: Fields, name: str, ranges: Ranges, resolution: int = 1) -> tuple[Vector, ...]:
    """A list of points, each within the domain on the refined grid.

    Raises
    ------
    SpecificationError
        For a point of the wrong length or outside the domain.
    """
    bounds = tuple((resolution * low, resolution * high) for low, high in ranges)
    points = []
    for i, item in enumerate(fields.items(name, MAX_CELLS, minimum=1)):
        place = f"{fields.where(name)}[{i}]"
        if not isinstance(item, list) or len(item) != len(bounds):
            raise SpecificationError(
                "a point has the wrong form", where=place, expected=f"{len(bounds)} integers"
            )
        for value, (low, high) in zip(item, bounds, strict=True):
            if type(value) is not int or not low <= value <= high:
                raise SpecificationError(
                    "a point lies outside the domain",
                    where=place,
                    expected=f"an integer from {low} to {high}",
                )
        points.append(tuple(item))
    return tuple(points)


def same_length(first: Sequence[object], second: Sequence[object], what: str) -> None:
    """Refuse two lists of different length."""
    if len(first) != len(second):
        raise SpecificationError(
            f"{len(first)} and {len(second)} {what}", where="cells", expected="lists of the same length"
        )
