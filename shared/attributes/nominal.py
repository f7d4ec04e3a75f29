"""Unordered categories: one-hot, so that two different categories are equally far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, final

from shared.attributes.base import Attribute, Coordinate, within
from shared.attributes.categories import (
    Category,
    categories_to_form,
    categories_to_object,
    check_categories,
    parse_categories,
    position,
)
from shared.attributes.shown import (
    GROUP,
    SHARE_DIGITS,
    Column,
    Described,
    PictureAxis,
    share_column,
)
from shared.decimals import round_decimal
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import MAX_COORDINATES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Nominal(Attribute):
    """Categories without an order; with ``own-category`` a missing value is one more of them, the last."""

    kind: ClassVar[str] = "nominal"
    one_hot: ClassVar[bool] = True

    categories: tuple[Category, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_common()
        check_categories(self.categories, f"attribute {self.name}")
        object.__setattr__(self, "_index", {c.value: i for i, c in enumerate(self.categories)})

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        return cls(**common, categories=parse_categories(fields, languages, MAX_COORDINATES))

    @property
    def coordinate_ranges(self) -> Ranges:
        """0 or 1 for each category."""
        return ((0, 1),) * (len(self.categories) + self.takes_missing)

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
        must = [i for i, bounds in enumerate(ranges) if not within(0, bounds)]
        may = [i for i, bounds in enumerate(ranges) if within(1, bounds)]
        if must:
            return int(len(must) == 1 and must[0] in may)
        return len(may)

    @property
    def counting_steps(self) -> int:
        return self.dimension

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
        """One, with a position for each category."""
        return (PictureAxis(low=0, high=self.dimension - 1, names=tuple(c.label for c in self.categories)),)

    def position(self, axis: PictureAxis, point: Sequence[Coordinate]) -> Coordinate:  # noqa: ARG002
        """The most frequent category, see :meth:`Attribute.position`."""
        return type(point[0])(self._largest(point))

    def moved(self, axis: PictureAxis, vector: Vector, place: int) -> Vector:  # noqa: ARG002
        return tuple(int(i == place) for i in range(self.dimension))

    def middle_of(self, box: Ranges) -> tuple[Fraction, ...]:
        """The mean of the categories that lie in a box, see :meth:`Attribute.middle_of`."""
        required = any(low for low, _ in box)
        inside = [bool(low) if required else bool(high) for low, high in box]
        return tuple(Fraction(int(value), max(1, sum(inside))) for value in inside)

    def columns(self, language: str) -> tuple[Column, ...]:
        """The most frequent category and its share, see :meth:`Attribute.columns`."""
        label = self.label[language]
        most = Column(
            name=self.name,
            type="string",
            title=label,
            description=f"Most frequent category {GROUP}; empty if that is a missing value.",
            categories=tuple((c.value, c.label[language]) for c in self.categories),
            can_be_missing=self.takes_missing,
        )
        about = f"Share of that category among {GROUP[3:]}."
        return (most, share_column(f"{self.name}_share", f"{label}: share", about))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        place = self._largest(mean)
        return (self._value_at(place) or "", round_decimal(mean[place], SHARE_DIGITS))

    def describe(self, mean: Sequence[Fraction]) -> Described:
        """The most frequent category and its share, see :meth:`Attribute.describe`."""
        place = self._largest(mean)
        return Described(
            value=self._value_at(place),
            share=round_decimal(mean[place], 2),
            missing_share=round_decimal(mean[-1], 2) if self.takes_missing else None,
        )

    def share_columns(self, language: str) -> tuple[Column, ...]:
        """One for each category: without them one that is nowhere the most frequent would vanish."""
        label, people = (
            self.label[language],
            "the eligible people of the group; for a register, at a point on its map",
        )
        shares = [
            share_column(
                f"{self.name}_share_{category.value}",
                f"{label}: share of {category.label[language]}",
                f"Share of this category among {people}.",
            )
            for category in self.categories
        ]
        if self.takes_missing:
            about = f"Share without a value among {people}."
            shares.append(share_column(f"{self.name}_missing", f"{label}: missing", about))
        return tuple(shares)

    def share_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        return tuple(round_decimal(share, SHARE_DIGITS) for share in mean)

    def _largest(self, mean: Sequence[Coordinate]) -> int:
        return mean.index(max(mean))

    def _value_at(self, place: int) -> str | None:
        return self.categories[place].value if place < len(self.categories) else None
