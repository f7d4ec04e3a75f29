"""What tables of places and cycles share: every answer has a place, a vector of integers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from shared.attributes.base import Attribute, Coordinate, within
from shared.attributes.categories import position
from shared.geometry import Ranges, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Attribute):
    """An attribute whose answers lie at places.

    Two answers may share a place; they are then the same answer as far as cells are concerned, and the first
    of them is the canonical one.
    """

    _index: dict[str, int] = field(init=False, repr=False, compare=False)
    _vectors: tuple[Vector, ...] = field(init=False, repr=False, compare=False)
    _places: dict[Vector, str] = field(init=False, repr=False, compare=False)
    _ranges: Ranges = field(init=False, repr=False, compare=False)

    def _set_places(self, values: Sequence[str], vectors: Iterable[Vector]) -> None:
        """Note the place of each answer; at least one, all of the same length."""
        vectors = tuple(vectors)
        places: dict[Vector, str] = {}
        for vector, value in zip(vectors, values, strict=True):
            places.setdefault(vector, value)
        ranges = tuple((min(column), max(column)) for column in zip(*vectors, strict=True))
        object.__setattr__(self, "_index", {v: i for i, v in enumerate(values)})
        object.__setattr__(self, "_vectors", vectors)
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_ranges", ranges)

    @property
    @abstractmethod
    def _nowhere(self) -> Vector:
        """Place of a missing answer, which its mark tells apart from the others."""

    @property
    def coordinate_ranges(self) -> Ranges:
        """Bounds of the places, and with ``own-category`` the mark of a missing value."""
        return (*self._ranges, (0, 1)) if self.takes_missing else self._ranges

    def vector(self, text: str | None) -> Vector:
        """Place of an answer, see :meth:`Attribute.vector`."""
        if text is None or not text.strip():
            if not self.takes_missing:
                raise self._refuse_missing()
            return (*self._nowhere, 1)
        place = self._vectors[position(self._index, text, self.name)]
        return (*place, 0) if self.takes_missing else place

    def text_of(self, vector: Vector) -> str | None:
        """First answer at a place, see :meth:`Attribute.text_of`."""
        place, mark = (vector[:-1], vector[-1:]) if self.takes_missing else (vector, ())
        if mark == (1,) and place == self._nowhere:
            return None
        if place not in self._places or mark not in ((), (0,)):
            raise self._no_such_vector(vector)
        return self._places[place]

    def count_within(self, ranges: Ranges) -> int:
        """See :meth:`Attribute.count_within`: distinct places, not answers."""
        axes = ranges[: len(self._ranges)]
        places = sum(all(map(within, place, axes)) for place in self._places)
        if not self.takes_missing:
            return places
        absent = within(1, ranges[-1]) and all(map(within, self._nowhere, axes))
        return (places if within(0, ranges[-1]) else 0) + int(absent)

    @property
    def counting_steps(self) -> int:
        """An entry takes as long as four comparisons, see :attr:`Attribute.counting_steps`."""
        return 4 * len(self._vectors) * len(self._ranges)

    def _nearest(self, point: Sequence[Coordinate]) -> int:
        """The answer whose place is nearest to a point, the first of several."""
        # In units of the point's common denominator all is whole, which is much faster than fractions.
        exact = [Fraction(value) for value in point]
        unit = lcm(*(value.denominator for value in exact))
        scaled = [int(value * unit) for value in exact]
        apart = [sum((b - a * unit) ** 2 for a, b in zip(v, scaled, strict=True)) for v in self._vectors]
        return apart.index(min(apart))
