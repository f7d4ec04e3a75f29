"""Cells put together: every part of the domain has cells of its own, numbered part by part."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shared.cells.base import Cells
from shared.geometry import Ranges


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeCells(Cells):
    """The cells of the part that a vector belongs to; no cell has vectors of two parts.

    Notes
    -----
    Whoever makes one calls ``CompositeCells.__post_init__`` once its parts are there.
    """

    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = itertools.accumulate((part.count for part in self.parts), initial=0)
        object.__setattr__(self, "_starts", tuple(starts))

    @abstractmethod
    def part_of(self, x: Sequence[int]) -> int:
        """Index of the part of a vector.

        Guarantee: for every integer vector of length d exactly one index in ``range(len(parts))``.
        """

    @property
    def count(self) -> int:
        """Those of all parts."""
        return self._starts[-1]

    @property
    def compared(self) -> int:
        """Of the part in which most are."""
        return max(part.compared for part in self.parts)

    @property
    def members(self) -> tuple[range, ...]:
        """The cells of each part."""
        return tuple(itertools.starmap(range, itertools.pairwise(self._starts)))

    def assign(self, x: Sequence[int]) -> int:
        part = self.part_of(x)
        return self._starts[part] + self.parts[part].assign(x)

    def leads_to(self, x: Sequence[int], cell: int) -> bool:
        part = self.part_of(x)
        inside = cell - self._starts[part]
        return 0 <= inside < self.parts[part].count and self.parts[part].leads_to(x, inside)

    def assigner(self) -> Callable[[Sequence[int]], int]:
        inner = [part.assigner() for part in self.parts]

        def assign(x: Sequence[int]) -> int:
            part = self.part_of(x)
            return self._starts[part] + inner[part](x)

        return assign

    def largest_value(self, ranges: Ranges) -> int:
        return max(part.largest_value(ranges) for part in self.parts)
