"""Categories with a place: a table from category to integer vector, such as postcode to kilometre grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

from shared.attributes.base import middle
from shared.attributes.categories import Category
from shared.attributes.places import Places
from shared.attributes.shown import GROUP, POSITION_DIGITS, Column, Described, PictureAxis
from shared.decimals import round_decimal
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Vector
from shared.limits import EXACT_BOUND, MAX_CATEGORIES, MAX_COORDINATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the table."""

    value: str
    vector: Vector


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Places):
    """A table of places.

    Attributes
    ----------
    axes : tuple of str
        Name of each coordinate of the table, such as ``("east km", "north km")``.
    entries : tuple of Entry
        Each with a value of its own.
    """

    kind: ClassVar[str] = "lookup"

    axes: tuple[str, ...]
    entries: tuple[Entry, ...]

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
        self._set_places(values, (entry.vector for entry in self.entries))

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:  # noqa: ARG003
        """See :meth:`Attribute.parse`."""
        axes = fields.texts("axes", MAX_COORDINATES)
        entries = []
        for i, item in enumerate(fields.items("entries", MAX_CATEGORIES)):
            where = f"{fields.where('entries')}[{i}]"
            inner = Fields(item, where, ("value", "vector"), error=SpecificationError)
            vector = inner.integers("vector", -EXACT_BOUND, EXACT_BOUND)
            entries.append(Entry(value=inner.text("value"), vector=vector))
        return cls(**common, axes=axes, entries=tuple(entries))

    @property
    def _nowhere(self) -> Vector:
        return tuple(middle(low, high) for low, high in self._ranges)

    @property
    def _axis_names(self) -> tuple[str, ...]:
        return self.axes

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        entries = [{"value": entry.value, "vector": list(entry.vector)} for entry in self.entries]
        return self._common_object() | {"axes": list(self.axes), "entries": entries}

    @property
    def labelled(self) -> tuple[Category, ...]:
        """None: the table has values only, see :attr:`Attribute.labelled`."""
        return ()

    @property
    def listed(self) -> tuple[str, ...]:
        """The values of the table."""
        return tuple(entry.value for entry in self.entries)

    def form_field(self) -> dict[str, Any]:
        """See :meth:`Attribute.form_field`."""
        return {"form": "entry", "values": list(self.listed)}

    @property
    def picture_axes(self) -> tuple[PictureAxis, ...]:
        """One for each axis of the table."""
        bounds = zip(self.axes, self._ranges, strict=True)
        return tuple(
            PictureAxis(name=name, coordinate=i, low=low, high=high)
            for i, (name, (low, high)) in enumerate(bounds)
        )

    def columns(self, language: str) -> tuple[Column, ...]:
        """The nearest entry and the mean place, see :meth:`Attribute.columns`."""
        label = self.label[language]
        nearest = Column(
            name=self.name,
            type="string",
            title=label,
            description=f"Entry of the table whose place is nearest to the mean place {GROUP}.",
            can_be_missing=self.takes_missing,
        )
        along = [
            Column(
                name=f"{self.name}_{axis}",
                type="number",
                title=f"{label}: {axis}",
                description=f"Mean place {GROUP}, along {axis}.",
                unit=f"units of the table's {axis}",
                minimum=str(low),
                maximum=str(high),
                can_be_missing=self.takes_missing,
            )
            for axis, (low, high) in zip(self.axes, self._ranges, strict=True)
        ]
        return (nearest, *along, *self._missing_columns(language))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        """See :meth:`Attribute.column_values`."""
        present = self.present(mean)
        own = ("",) * (1 + len(self.axes))
        if present is not None:
            along = (round_decimal(value, POSITION_DIGITS) for value in present)
            own = (self.entries[self._nearest(present)].value, *along)
        return (*own, *self._missing_values(mean))

    def describe(self, mean: Sequence[Fraction]) -> Described:
        """The nearest entry, see :meth:`Attribute.describe`."""
        present = self.present(mean)
        return self._described(None if present is None else self.entries[self._nearest(present)].value, mean)
