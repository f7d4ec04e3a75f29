"""Power diagram: the nearest site, where a site with a smaller offset reaches further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.cells.base import Cells, parse_points, same_length
from shared.cells.distances import Distances
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import EXACT_BOUND, MAX_RESOLUTION


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerDiagram(Cells):
    """argmin over i of d(x, site_i) + offset_i, ties to the lowest index.

    Attributes
    ----------
    resolution : int
        R >= 1: sites are multiples of 1/R of a coordinate's step, so d = sum w_j (R x_j - s_j)^2.
    sites : tuple of vectors, length m
        Rounded centroids.
    offsets : tuple of int, length m
        The additive weights of the power diagram, in the units of d; may be negative.
    """

    shape: ClassVar[str] = "power-diagram"

    resolution: int
    sites: tuple[Vector, ...]
    offsets: tuple[int, ...]

    def __post_init__(self) -> None:
        same_length(self.sites, self.offsets, "sites and offsets")

    @property
    def count(self) -> int:
        """One cell a site."""
        return len(self.sites)

    def assign(self, x: Sequence[int]) -> int:
        scaled = [self.resolution * a for a in x]
        weights = self.weights
        best, nearest = 0, -1
        for i, (site, value) in enumerate(zip(self.sites, self.offsets, strict=True)):
            d = value
            for a, b, w in zip(scaled, site, weights, strict=True):
                d += w * (a - b) * (a - b)
            if nearest < 0 or d < best:
                best, nearest = d, i
        return nearest

    def assigner(self) -> Callable[[Sequence[int]], int]:
        distances = Distances(self.sites, self.weights, self.resolution, self.offsets)

        def assign(x: Sequence[int]) -> int:
            found = distances.of(x)
            return found.index(min(found))

        return assign

    def largest_value(self, ranges: Ranges) -> int:
        return self._distance_bound(ranges, self.resolution) + max(map(abs, self.offsets))

    @classmethod
    def parse(cls, fields: Fields, weights: Vector, ranges: Ranges) -> PowerDiagram:
        """Read the geometry of a specification."""
        resolution = fields.integer("resolution", 1, MAX_RESOLUTION)
        return cls(
            weights=weights,
            resolution=resolution,
            sites=parse_points(fields, "sites", ranges, resolution),
            offsets=fields.integers("offsets", -EXACT_BOUND, EXACT_BOUND),
        )

    def to_object(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "resolution": self.resolution,
            "sites": [list(s) for s in self.sites],
            "offsets": list(self.offsets),
        }
