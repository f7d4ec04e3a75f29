"""Categories with a place: a table from category to integer vector, such as postcode to kilometre grid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from shared.attributes.base import Attribute, middle, within
from shared.attributes.categories import position
from shared.errors import SpecificationError
from shared.geometry import Ranges, Vector
from shared.limits import EXACT_BOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the table."""

    value: str
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Attribute):
    """A table of places.

    Attributes
    ----------
    axes : tuple of str
        Name of each coordinate of the table, such as ``("east km", "north km")``.
    entries : tuple of Entry
        Two categories may share a place; they are then the same answer as far as cells are concerned, and the
        first of them in the table is the canonical one.
    """

    kind: ClassVar[str] = "lookup"

    axes: tuple[str, ...]
    entries: tuple[Entry, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)
    _places: dict[Vector, str] = field(init=False, repr=False, compare=False)
    _ranges: Ranges = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_common()
        where = f"attribute {self.name}"
        values = [entry.value for entry in self.entries]
        if len(values) < 2 or len(set(values)) != len(values) or any(v != v.strip() or not v for v in values):
            raise SpecificationError(
                "too few, repeated or unusable values in the table",
                where=where,
                expected="two or more, distinct",
            )
        if not self.axes or any(len(entry.vector) != len(self.axes) for entry in self.entries):
            raise SpecificationError(
                "a row of the table has the wrong length", where=where, expected=f"{len(self.axes)} integers"
            )
        if any(abs(c) >= EXACT_BOUND for entry in self.entries for c in entry.vector):
            raise SpecificationError(
                "a coordinate is too large", where=where, expected=f"below {EXACT_BOUND}"
            )
        places: dict[Vector, str] = {}
        for entry in self.entries:
            places.setdefault(entry.vector, entry.value)
        columns = list(zip(*(entry.vector for entry in self.entries), strict=True))
        ranges = tuple((min(column), max(column)) for column in columns)
        object.__setattr__(self, "_index", {v: i for i, v in enumerate(values)})
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_ranges", ranges)

    @property
    def coordinate_ranges(self) -> Ranges:
        """Bounds of the table, and with ``own-category`` the mark of a missing value."""
        return (*self._ranges, (0, 1)) if self.takes_missing else self._ranges

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """As :attr:`coordinate_ranges`."""
        names = tuple(f"{self.name}: {axis}" for axis in self.axes)
        return (*names, f"{self.name}: missing") if self.takes_missing else names

    def vector(self, text: str | None) -> Vector:
        """Place of a category, see :meth:`Attribute.vector`."""
        if text is None or not text.strip():
            if not self.takes_missing:
                raise self._refuse_missing()
            return (*self._nowhere, 1)
        place = self.entries[position(self._index, text, self.name)].vector
        return (*place, 0) if self.takes_missing else place

    @property
    def _nowhere(self) -> Vector:
        return tuple(middle(low, high) for low, high in self._ranges)

    def text_of(self, vector: Vector) -> str | None:
        """First category at a place, see :meth:`Attribute.text_of`."""
        place, mark = (vector[:-1], vector[-1:]) if self.takes_missing else (vector, ())
        if mark == (1,) and place == self._nowhere:
            return None
        if place not in self._places or mark not in ((), (0,)):
            raise self._no_such_vector(vector)
        return self._places[place]

    def count_within(self, ranges: Ranges) -> int:
        """See :meth:`Attribute.count_within`: distinct places, not categories."""
        axes = ranges[: len(self.axes)]
        places = sum(all(map(within, place, axes)) for place in self._places)
        if not self.takes_missing:
            return places
        absent = within(1, ranges[-1]) and all(map(within, self._nowhere, axes))
        return (places if within(0, ranges[-1]) else 0) + int(absent)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        entries = [{"value": entry.value, "vector": list(entry.vector)} for entry in self.entries]
        return self._common_object() | {"axes": list(self.axes), "entries": entries}
