"""Balls: MDAV in specifiable form. A cell is a closed ball minus the earlier balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from shared.cells.base import Cells, parse_points, same_length
from shared.cells.distances import Distances
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import EXACT_BOUND

REMAINDER_RULES: Final = ("last", "nearest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Balls(Cells):
    """The first ball that contains x; else the remainder rule.

    Attributes
    ----------
    references : tuple of vectors, length m
        Centres, in the order in which they were chosen.
    radii : tuple of int, length m
        Squared distance to the last record adjoined; everything at exactly the radius belongs to the ball.
    remainder : str
        ``last``: what no ball contains is one more cell, the last; ``nearest``: it goes to the nearest
        reference, ties to the lowest index.
    """

    shape: ClassVar[str] = "balls"

    references: tuple[Vector, ...]
    radii: tuple[int, ...]
    remainder: str

    def __post_init__(self) -> None:
        same_length(self.references, self.radii, "references and radii")

    @property
    def count(self) -> int:
        """One cell a ball, and one more for the remainder rule ``last``."""
        return len(self.references) + (self.remainder == "last")

    def assign(self, x: Sequence[int]) -> int:
        best, nearest = -1, 0
        weights = self.weights
        for i, (reference, radius) in enumerate(zip(self.references, self.radii, strict=True)):
            d = 0
            for a, b, w in zip(x, reference, weights, strict=True):
                d += w * (a - b) * (a - b)
            if d <= radius:
                return i
            if best < 0 or d < best:
                best, nearest = d, i
        return len(self.references) if self.remainder == "last" else nearest

    def assigner(self) -> Callable[[Sequence[int]], int]:
        distances = Distances(self.references, self.weights)

        def assign(x: Sequence[int]) -> int:
            found = distances.of(x)
            for i, (d, radius) in enumerate(zip(found, self.radii, strict=True)):
                if d <= radius:
                    return i
            return len(found) if self.remainder == "last" else found.index(min(found))

        return assign

    def largest_value(self, ranges: Ranges) -> int:
        return max(self._distance_bound(ranges), *self.radii)

    @classmethod
    def parse(cls, fields: Fields, weights: Vector, ranges: Ranges) -> Balls:
        """Read the geometry of a specification."""
        return cls(
            weights=weights,
            references=parse_points(fields, "references", ranges),
            radii=fields.integers("radii", 0, EXACT_BOUND),
            remainder=fields.choice("remainder", REMAINDER_RULES),
        )

    def to_object(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "references": [list(r) for r in self.references],
            "radii": list(self.radii),
            "remainder": self.remainder,
        }
