"""Ordered categories: the place in the order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from shared.attributes.base import Attribute, middle, within
from shared.attributes.categories import Category, categories_to_object, check_categories, position
from shared.geometry import Ranges, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal(Attribute):
    """Categories in ascending order, equally spaced: 0, 1, 2, ..."""

    kind: ClassVar[str] = "ordinal"

    categories: tuple[Category, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_common()
        check_categories(self.categories, f"attribute {self.name}")
        object.__setattr__(self, "_index", {c.value: i for i, c in enumerate(self.categories)})

    @property
    def coordinate_ranges(self) -> Ranges:
        """The place, and with ``own-category`` the mark of a missing value."""
        value = ((0, len(self.categories) - 1),)
        return (*value, (0, 1)) if self.takes_missing else value

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """As :attr:`coordinate_ranges`."""
        return (self.name, f"{self.name}: missing") if self.takes_missing else (self.name,)

    def vector(self, text: str | None) -> Vector:
        """Place in the order, see :meth:`Attribute.vector`."""
        if text is None or not text.strip():
            if not self.takes_missing:
                raise self._refuse_missing()
            return (middle(0, len(self.categories) - 1), 1)
        place = position(self._index, text, self.name)
        return (place, 0) if self.takes_missing else (place,)

    def text_of(self, vector: Vector) -> str | None:
        """Category at a place, see :meth:`Attribute.text_of`."""
        ranges = self.coordinate_ranges
        if len(vector) != len(ranges) or not all(map(within, vector, ranges)):
            raise self._no_such_vector(vector)
        if self.takes_missing and vector[1]:
            if vector[0] != middle(0, len(self.categories) - 1):
                raise self._no_such_vector(vector)
            return None
        return self.categories[vector[0]].value

    def count_within(self, ranges: Ranges) -> int:
        """See :meth:`Attribute.count_within`."""
        last = len(self.categories) - 1
        places = max(0, min(ranges[0][1], last) - max(ranges[0][0], 0) + 1)
        if not self.takes_missing:
            return places
        absent = within(1, ranges[1]) and within(middle(0, last), ranges[0])
        return (places if within(0, ranges[1]) else 0) + int(absent)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return self._common_object() | {"categories": categories_to_object(self.categories)}
