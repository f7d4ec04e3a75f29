"""Exact squared distances of one vector after another to the same points."""

from __future__ import annotations

from collections.abc import Sequence

from shared.geometry import Vector


class Distances:
    """``offset + sum w_j (R x_j - point_j)^2`` for every point; what two vectors share is not computed twice.

    Parameters
    ----------
    points : sequence of vectors, length m
    weights : vector
    resolution : int
        R: points lie on the grid refined so many times.
    offsets : sequence of int, length m, optional
        Added to each; zero otherwise.

    Notes
    -----
    O(m) for each coordinate from the first that differs: one or two where the vectors ascend.
    """

    def __init__(
        self,
        points: Sequence[Vector],
        weights: Vector,
        resolution: int = 1,
        offsets: Sequence[int] | None = None,
    ) -> None:
        self._columns = list(zip(*points, strict=True))
        self._weights = weights
        self._resolution = resolution
        self._sums = [[0] * len(points) if offsets is None else list(offsets)]
        self._before: tuple[int, ...] = ()

    def of(self, x: Sequence[int]) -> list[int]:
        """The distance of each point from a vector; the list is used again."""
        same = 0
        while same < len(self._before) and self._before[same] == x[same]:
            same += 1
        del self._sums[same + 1 :]
        for value, weight, column in zip(x[same:], self._weights[same:], self._columns[same:], strict=True):
            a = self._resolution * value
            self._sums.append(
                [d + weight * (a - b) * (a - b) for d, b in zip(self._sums[-1], column, strict=True)]
            )
        self._before = tuple(x)
        return self._sums[-1]
