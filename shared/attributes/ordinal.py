"""Ordered categories: the place in the order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from shared.attributes.categories import Category, categories_to_object, check_categories, position
from shared.attributes.scale import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal(Scale):
    """Categories in ascending order, equally spaced: 0, 1, 2, ..."""

    kind: ClassVar[str] = "ordinal"

    categories: tuple[Category, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_common()
        check_categories(self.categories, f"attribute {self.name}")
        object.__setattr__(self, "_index", {c.value: i for i, c in enumerate(self.categories)})

    @property
    def last(self) -> int:
        """Place of the highest category."""
        return len(self.categories) - 1

    def _place(self, text: str) -> int:
        return position(self._index, text, self.name)

    def _text_at(self, place: int) -> str:
        return self.categories[place].value

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return self._common_object() | {"categories": categories_to_object(self.categories)}
