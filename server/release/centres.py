"""Exact distances between the centres of cells, for "nearest cell first"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Centres:
    """Where the cells lie, as integers.

    Parameters
    ----------
    points : tuple of tuple of int
        One point per cell, one integer per coordinate.
    weights : tuple of int
        Non-negative weight per coordinate, as in the specification.
    """

    points: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(weight < 0 for weight in self.weights):
            raise ValueError("weights are not negative")
        if any(len(point) != len(self.weights) for point in self.points):
            raise ValueError("every centre has one coordinate per weight")

    @classmethod
    def from_decimals(cls, centroids: Sequence[Sequence[str]], weights: Sequence[int]) -> Centres:
        """Put centroids given as decimal strings on the coarsest common integer grid that holds them all."""
        digits = max((len(text.partition(".")[2]) for centroid in centroids for text in centroid), default=0)
        factor = 10**digits
        return cls(
            points=tuple(tuple(int(Fraction(text) * factor) for text in row) for row in centroids),
            weights=tuple(weights),
        )

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.points)

    def distance(self, a: int, b: int) -> int:
        """Weighted squared distance between the centres of cells a and b: an exact, unbounded integer."""
        return sum(
            weight * (p - q) * (p - q)
            for weight, p, q in zip(self.weights, self.points[a], self.points[b], strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCentres:
    """Where groups of cells lie: as near as their two nearest cells.

    Parameters
    ----------
    centres : Centres
        Of the cells.
    groups : tuple of tuple of int
        The cells of each group.
    """

    centres: Centres
    groups: tuple[tuple[int, ...], ...]

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.groups)

    def distance(self, a: int, b: int) -> int:
        """Distance between groups a and b."""
        return min(self.centres.distance(p, q) for p in self.groups[a] for q in self.groups[b])
