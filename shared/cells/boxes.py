"""Boxes: Cartesian products of ranges and sets of categories, simple enough for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.cells.base import Cells
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import MAX_CELLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes(Cells):
    """The nearest box, at distance 0 when x is inside; ties to the lowest index.

    Attributes
    ----------
    boxes : tuple of ranges, length m
        For each box an inclusive range per coordinate. A set of categories is the box whose one-hot
        coordinates may be 1 for those categories and must be 0 for the others.
    """

    shape: ClassVar[str] = "boxes"

    boxes: tuple[Ranges, ...]

    @property
    def count(self) -> int:
        """One cell a box."""
        return len(self.boxes)

    def assign(self, x: Sequence[int]) -> int:
        best, nearest = -1, 0
        for i, box in enumerate(self.boxes):
            inside, d = True, 0
            for a, (low, high), w in zip(x, box, self.weights, strict=True):
                gap = low - a if a < low else max(a - high, 0)
                if gap:
                    inside, d = False, d + w * gap * gap
            if inside:
                return i
            if best < 0 or d < best:
                best, nearest = d, i
        return nearest

    def largest_value(self, ranges: Ranges) -> int:
        return self._distance_bound(ranges)

    @classmethod
    def parse(cls, fields: Fields, weights: Vector, ranges: Ranges) -> Boxes:
        """Read the geometry of a specification."""
        boxes = []
        for i, item in enumerate(fields.items("boxes", MAX_CELLS, minimum=1)):
            place = f"boxes[{i}]"
            if not isinstance(item, list) or len(item) != len(ranges):
                raise SpecificationError(
                    "a box has the wrong form", where=fields.where(place), expected=f"{len(ranges)} ranges"
                )
            box = []
            for pair, (low, high) in zip(item, ranges, strict=True):
                ends = fields.integers_in(place, pair, low, high)
                if len(ends) != 2 or ends[0] > ends[1]:
                    raise SpecificationError(
                        "a range has the wrong form", where=fields.where(place), expected="[low, high]"
                    )
                box.append((ends[0], ends[1]))
            boxes.append(tuple(box))
        return cls(weights=weights, boxes=tuple(boxes))

    def to_object(self) -> dict[str, Any]:
        return {"shape": self.shape, "boxes": [[list(pair) for pair in box] for box in self.boxes]}
