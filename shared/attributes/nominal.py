"""Unordered categories: one-hot, so that two different categories are equally far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from shared.attributes.base import Attribute, within
from shared.attributes.categories import Category, categories_to_object, check_categories, position
from shared.geometry import Ranges, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominal(Attribute):
    """Categories without an order; with ``own-category`` a missing value is one more of them, the last."""

    kind: ClassVar[str] = "nominal"

    categories: tuple[Category, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_common()
        check_categories(self.categories, f"attribute {self.name}")
        object.__setattr__(self, "_index", {c.value: i for i, c in enumerate(self.categories)})

    @property
    def coordinate_ranges(self) -> Ranges:
        """0 or 1 for each category."""
        return ((0, 1),) * (len(self.categories) + self.takes_missing)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """As :attr:`coordinate_ranges`."""
        names = [f"{self.name}: {c.value}" for c in self.categories]
        return (*names, f"{self.name}: missing") if self.takes_missing else tuple(names)

    def vector(self, text: str | None) -> Vector:
        """One-hot vector, see :meth:`Attribute.vector`."""
        if text is None or not text.strip():
            if not self.takes_missing:
                raise self._refuse_missing()
            place = len(self.categories)
        else:
            place = position(self._index, text, self.name)
        return tuple(int(i == place) for i in range(self.dimension))

    def text_of(self, vector: Vector) -> str | None:
        """Category of a one-hot vector, see :meth:`Attribute.text_of`."""
        if len(vector) != self.dimension or sorted(vector) != [0] * (self.dimension - 1) + [1]:
            raise self._no_such_vector(vector)
        place = vector.index(1)
        return self.categories[place].value if place < len(self.categories) else None

    def count_within(self, ranges: Ranges) -> int:
        """See :meth:`Attribute.count_within`."""
        must = [i for i, bounds in enumerate(ranges) if not within(0, bounds)]
        may = [i for i, bounds in enumerate(ranges) if within(1, bounds)]
        if must:
            return int(len(must) == 1 and must[0] in may)
        return len(may)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return self._common_object() | {"categories": categories_to_object(self.categories)}
