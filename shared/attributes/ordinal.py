"""Ordered categories: the place in the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, final

from shared.attributes.categories import (
    Category,
    categories_to_form,
    categories_to_object,
    check_categories,
    parse_categories,
    position,
)
from shared.attributes.scale import Scale
from shared.attributes.shown import GROUP, POSITION_DIGITS, Column, Described, PictureAxis
from shared.decimals import round_decimal
from shared.fields import Fields
from shared.limits import MAX_CATEGORIES


@final
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

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        return cls(**common, categories=parse_categories(fields, languages, MAX_CATEGORIES))

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

    @property
    def labelled(self) -> tuple[Category, ...]:
        """The categories."""
        return self.categories

    def form_field(self) -> dict[str, Any]:
        return categories_to_form(self.categories)

    @property
    def picture_axes(self) -> tuple[PictureAxis, ...]:
        return (PictureAxis(low=0, high=self.last, names=tuple(c.label for c in self.categories)),)

    def columns(self, language: str) -> tuple[Column, ...]:
        """The nearest category and the mean position, see :meth:`Attribute.columns`."""
        label = self.label[language]
        nearest = Column(
            name=self.name,
            type="string",
            title=label,
            description=f"Category nearest to the mean position {GROUP}.",
            categories=tuple((c.value, c.label[language]) for c in self.categories),
            ordered=True,
            can_be_missing=self.takes_missing,
        )
        position = Column(
            name=f"{self.name}_position",
            type="number",
            title=f"{label}: mean position",
            description=f"Mean position {GROUP}; 0 is the first category.",
            unit="position in the order of the categories",
            minimum="0",
            maximum=str(self.last),
            can_be_missing=self.takes_missing,
        )
        return (nearest, position, *self._missing_columns(language))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        present = self.present(mean)
        own = ("", "")
        if present is not None:
            own = (self._nearest(present[0]), round_decimal(present[0], POSITION_DIGITS))
        return (*own, *self._missing_values(mean))

    def describe(self, mean: Sequence[Fraction]) -> Described:
        """The nearest category, see :meth:`Attribute.describe`."""
        present = self.present(mean)
        return self._described(None if present is None else self._nearest(present[0]), mean)

    def _nearest(self, place: Fraction) -> str:
        return self.categories[min(int(place + Fraction(1, 2)), self.last)].value
