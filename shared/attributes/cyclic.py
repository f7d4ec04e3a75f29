"""Steps of a cycle, such as months or hours: points on a circle, so that the last is next to the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Self, final

from shared.attributes.base import Coordinate
from shared.attributes.categories import (
    Category,
    categories_to_form,
    categories_to_object,
    check_categories,
    parse_categories,
)
from shared.attributes.places import Places
from shared.attributes.shown import GROUP, SHARE_DIGITS, Column, Described, PictureAxis
from shared.decimals import round_decimal
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Vector
from shared.limits import MAX_CYCLE, MIN_CYCLE

RADIUS: Final = 1000
"""Of the circle, in steps of the grid to which its points are rounded."""
_ONE: Final = 2**160
_PI: Final = int(Fraction("3.14159265358979323846264338327950288419716939937510582097494459") * _ONE)


def circle(n: int) -> tuple[Vector, ...]:
    """Points k = 0 ... n - 1: (1000 cos 2 pi k/n, 1000 sin 2 pi k/n), rounded to whole numbers.

    Integers only, so that every device finds the same points: cosine and sine of one step by their Taylor
    series in units of 2^-160, the others by turning on. The error is far below 2^-140. No point lies halfway
    between two whole numbers: that would need a rational cosine other than 0, 1/2 and 1, and there is none
    at a rational part of a turn (Niven 1956, Irrational Numbers, corollary 3.12).
    """
    angle = 2 * _PI // n
    step = [0, 0]  # cosine, sine
    term, power = _ONE, 0
    while term:
        step[power % 2] += term if power % 4 < 2 else -term
        power += 1
        term = term * angle // (_ONE * power)
    x, y, points = _ONE, 0, []
    for _ in range(n):
        points.append((_rounded(x), _rounded(y)))
        x, y = (x * step[0] - y * step[1]) // _ONE, (x * step[1] + y * step[0]) // _ONE
    return tuple(points)


def _rounded(value: int) -> int:
    return (2 * RADIUS * value + _ONE) // (2 * _ONE)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Cyclic(Places):
    """Categories in a cycle, equally spaced on a circle; a missing value lies in its middle."""

    kind: ClassVar[str] = "cyclic"

    categories: tuple[Category, ...]

    def __post_init__(self) -> None:
        self._check_common()
        check_categories(self.categories, f"attribute {self.name}")
        if not MIN_CYCLE <= len(self.categories) <= MAX_CYCLE:
            raise SpecificationError(
                f"a cycle of {len(self.categories)} steps",
                where=f"attribute {self.name}",
                expected=f"{MIN_CYCLE} to {MAX_CYCLE} steps",
            )
        self._set_places([c.value for c in self.categories], circle(len(self.categories)))

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        return cls(**common, categories=parse_categories(fields, languages, MAX_CYCLE))

    @property
    def _nowhere(self) -> Vector:
        return (0, 0)

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
        """The cycle, cut open before its first category."""
        names = tuple(c.label for c in self.categories)
        return (PictureAxis(low=0, high=len(names) - 1, names=names),)

    def position(self, axis: PictureAxis, point: Sequence[Coordinate]) -> Coordinate:  # noqa: ARG002
        """The nearest category, see :meth:`Attribute.position`."""
        return type(point[0])(self._nearest(point[:2]))

    def moved(self, axis: PictureAxis, vector: Vector, place: int) -> Vector:  # noqa: ARG002
        return (*self._vectors[place], 0) if self.takes_missing else self._vectors[place]

    def columns(self, language: str) -> tuple[Column, ...]:
        """The nearest category, and mean cosine and sine, see :meth:`Attribute.columns`."""
        label = self.label[language]
        nearest = Column(
            name=self.name,
            type="string",
            title=label,
            description=f"Step of the cycle that is nearest to the mean place {GROUP}.",
            categories=tuple((c.value, c.label[language]) for c in self.categories),
            can_be_missing=self.takes_missing,
        )
        along = [
            Column(
                name=f"{self.name}_{axis}",
                type="number",
                title=f"{label}: mean {axis}",
                description=f"Mean {axis} of the angle {GROUP}; the first category is at 0.",
                unit=axis,
                minimum="-1",
                maximum="1",
                can_be_missing=self.takes_missing,
            )
            for axis in ("cosine", "sine")
        ]
        return (nearest, *along, *self._missing_columns(language))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        present = self.present(mean)
        own: tuple[str, ...] = ("", "", "")
        if present is not None:
            along = (round_decimal(value / RADIUS, SHARE_DIGITS) for value in present)
            own = (self.categories[self._nearest(present)].value, *along)
        return (*own, *self._missing_values(mean))

    def describe(self, mean: Sequence[Fraction]) -> Described:
        """The nearest category, see :meth:`Attribute.describe`."""
        present = self.present(mean)
        value = None if present is None else self.categories[self._nearest(present)].value
        return self._described(value, mean)
