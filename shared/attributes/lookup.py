"""Categories with a place: a table from category to integer vector, such as postcode to kilometre grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, final

from shared.attributes.base import middle
from shared.attributes.categories import Category, refuse_alike
from shared.attributes.places import Places
from shared.attributes.shown import GROUP, POSITION_DIGITS, Column, Described, PictureAxis
from shared.characters import looks
from shared.decimals import round_decimal
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Vector
from shared.limits import EXACT_BOUND, MAX_CATEGORIES, MAX_COORDINATES, MAX_REGIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the table.

    Attributes
    ----------
    label : dict or None
        What respondents read instead of the value, per language.
    region : int or None
        Place in the list of regions.
    """

    value: str
    vector: Vector
    label: dict[str, str] | None = None
    region: int | None = None

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        given = {"label": None if self.label is None else dict(self.label), "region": self.region}
        declared = {name: value for name, value in given.items() if value is not None}
        return {"value": self.value, "vector": list(self.vector), **declared}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Places):
    """A table of places.

    Attributes
    ----------
    axes : tuple of str
        Name of each coordinate of the table, such as ``("east km", "north km")``.
    entries : tuple of Entry
        Each with a value of its own; all have a label, or none has.
    axis_labels : tuple of dict
        The name of each axis per language; empty if none is declared.
    regions : tuple of dict
        Names of parts of the map per language, which a picture shows instead of the grid.
    """

    kind: ClassVar[str] = "lookup"
    declared: ClassVar[tuple[str, ...]] = ("axis_labels", "regions")

    axes: tuple[str, ...]
    entries: tuple[Entry, ...]
    axis_labels: tuple[dict[str, str], ...] = ()
    regions: tuple[dict[str, str], ...] = ()
    _labelled: tuple[Category, ...] = field(init=False, repr=False, compare=False)

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
        refuse_alike(values, "the values of the table", where)
        if not self.axes or any(len(entry.vector) != len(self.axes) for entry in self.entries):
            raise SpecificationError(
                "a row of the table has the wrong length", where=where, expected=f"{len(self.axes)} integers"
            )
        if any(abs(c) >= EXACT_BOUND for entry in self.entries for c in entry.vector):
            raise SpecificationError(
                "a coordinate is too large", where=where, expected=f"below {EXACT_BOUND}"
            )
        self._check_words(where)
        labelled = (Category(value=e.value, label=e.label) for e in self.entries if e.label is not None)
        object.__setattr__(self, "_labelled", tuple(labelled))
        self._set_places(values, (entry.vector for entry in self.entries))

    def _check_words(self, where: str) -> None:
        """Refuse names of axes, labels and regions by which two things could be taken for one."""
        if len(self.axis_labels) not in (0, len(self.axes)):
            raise SpecificationError(
                "the names of the axes do not fit", where=where, expected=f"{len(self.axes)} or none"
            )
        labels = [entry.label for entry in self.entries if entry.label is not None]
        if len(labels) not in (0, len(self.entries)):
            raise SpecificationError(
                "a row of the table has no label", where=where, expected="one, as others"
            )
        for language in self.label if labels else ():
            read = {looks(label[language]).casefold(): i for i, label in enumerate(labels)}
            typed = {looks(entry.value).casefold(): i for i, entry in enumerate(self.entries)}
            if len(read) != len(labels) or any(typed.get(text, i) != i for text, i in read.items()):
                raise SpecificationError(
                    "a label stands for two rows of the table",
                    where=where,
                    expected=f"in {language} labels that differ from each other, and from other rows' values",
                )
        used = {entry.region for entry in self.entries if entry.region is not None}
        if used != set(range(len(self.regions))):
            raise SpecificationError(
                "the regions are not those of the rows",
                where=where,
                expected="every region of the list, used",
            )

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        axes = fields.texts("axes", MAX_COORDINATES)
        entries = []
        for i, item in enumerate(fields.items("entries", MAX_CATEGORIES)):
            where = f"{fields.where('entries')}[{i}]"
            inner = Fields(
                item, where, ("value", "vector"), optional=("label", "region"), error=SpecificationError
            )
            entries.append(
                Entry(
                    value=inner.text("value"),
                    vector=inner.integers("vector", -EXACT_BOUND, EXACT_BOUND),
                    label=inner.localized("label", languages) if "label" in inner else None,
                    region=inner.integer("region", 0, MAX_REGIONS - 1) if "region" in inner else None,
                )
            )
        return cls(
            **common,
            axes=axes,
            entries=tuple(entries),
            axis_labels=_names(fields, "axis_labels", languages, MAX_COORDINATES),
            regions=_names(fields, "regions", languages, MAX_REGIONS),
        )

    @property
    def _nowhere(self) -> Vector:
        return tuple(middle(low, high) for low, high in self._ranges)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        given = {name: [dict(texts) for texts in getattr(self, name)] for name in self.declared}
        return (
            self._common_object()
            | {"axes": list(self.axes), "entries": [entry.to_object() for entry in self.entries]}
            | {name: texts for name, texts in given.items() if texts}
        )

    @property
    def labelled(self) -> tuple[Category, ...]:
        """The entries, if they have labels, see :attr:`Attribute.labelled`."""
        return self._labelled

    @property
    def listed(self) -> tuple[str, ...]:
        """The values of the table."""
        return tuple(entry.value for entry in self.entries)

    def form_field(self) -> dict[str, Any]:
        labels = {"labels": [category.label for category in self._labelled]} if self._labelled else {}
        return {"form": "entry", "values": list(self.listed), **labels}

    @property
    def picture_axes(self) -> tuple[PictureAxis, ...]:
        """One for each axis of the table, with the middle of each region's entries along it."""
        members: list[list[Vector]] = [[] for _ in self.regions]
        for entry in self.entries:
            if entry.region is not None:
                members[entry.region].append(entry.vector)
        return tuple(
            PictureAxis(
                name=name,
                label=self.axis_labels[i] if self.axis_labels else None,
                coordinate=i,
                low=low,
                high=high,
                regions=tuple(
                    (Fraction(sum(vector[i] for vector in own), len(own)), text)
                    for own, text in zip(members, self.regions, strict=True)
                ),
            )
            for i, (name, (low, high)) in enumerate(zip(self.axes, self._ranges, strict=True))
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
                title=f"{label}: {self.axis_labels[i][language] if self.axis_labels else axis}",
                description=f"Mean place {GROUP}, along {axis}.",
                unit=f"units of the table's {axis}",
                minimum=str(low),
                maximum=str(high),
                can_be_missing=self.takes_missing,
            )
            for i, (axis, (low, high)) in enumerate(zip(self.axes, self._ranges, strict=True))
        ]
        return (nearest, *along, *self._missing_columns(language))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
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


def _names(fields: Fields, name: str, languages: tuple[str, ...], maximum: int) -> tuple[dict[str, str], ...]:
    """A list of names per language, if it stands there."""
    if name not in fields:
        return ()
    items = fields.items(name, maximum, minimum=1)
    inner = [(f"{name}[{i}]", item) for i, item in enumerate(items)]
    return tuple(
        Fields({place: item}, fields.where("").rstrip("."), (place,), error=SpecificationError).localized(
            place, languages
        )
        for place, item in inner
    )
