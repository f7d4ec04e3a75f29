"""Exact weighted squared distance.

Everything is an integer below 2^53, so Python, numpy and JavaScript agree on every comparison and nobody is
put into the wrong cell by a rounding (design: geometry is exact).
"""

from __future__ import annotations

from collections.abc import Sequence

Vector = tuple[int, ...]
Ranges = tuple[tuple[int, int], ...]


def squared_distance(
    x: Sequence[int], site: Sequence[int], weights: Sequence[int], resolution: int = 1
) -> int:
    """Sum over j of w_j (R x_j - s_j)^2.

    Parameters
    ----------
    x, site, weights : sequence of int, length d
        A person's vector, a site on the grid refined by ``resolution``, the weight of each coordinate.
    resolution : int
        R >= 1; sites are multiples of 1/R of a coordinate's step.
    """
    total = 0
    for a, b, w in zip(x, site, weights, strict=True):
        difference = resolution * a - b
        total += w * difference * difference
    return total


def largest_squared_distance(ranges: Ranges, weights: Sequence[int], resolution: int = 1) -> int:
    """Upper bound on the squared distance between any two points of the domain, in the units of the sites."""
    return sum(w * (resolution * (high - low)) ** 2 for (low, high), w in zip(ranges, weights, strict=True))
