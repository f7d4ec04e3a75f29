"""A cell in the words of its attributes: the centroid as a person would say it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.attributes import Attribute, Lookup, Nominal, Numeric, Ordinal
from shared.decimals import parse_decimal, round_decimal
from shared.specification import Specification

_NUMBER_DIGITS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CentroidValue:
    """Where a cell's centroid lies on one attribute.

    Attributes
    ----------
    attribute : Attribute
        Which.
    value : str or None
        A decimal for a number, else the value of the nearest or most frequent category; None if most people
        of the cell have no value.
    share : str or None
        Share of the most frequent category of a nominal attribute, two decimals in 0..1.
    missing_share : str or None
        Share of people without a value, where the attribute takes them.
    """

    attribute: Attribute
    value: str | None
    share: str | None = None
    missing_share: str | None = None

    def label(self, language: str) -> str | None:
        """The value as people read it."""
        if isinstance(self.attribute, Ordinal | Nominal):
            return next((c.label[language] for c in self.attribute.categories if c.value == self.value), None)
        return self.value

    def counted_as(self, language: str) -> str | None:
        """The category's value, if its label says something else."""
        if isinstance(self.attribute, Ordinal | Nominal):
            found = (c.counted_as(language) for c in self.attribute.categories if c.value == self.value)
            return next(found, None)
        return None


def describe_centroid(specification: Specification, cell: int) -> tuple[CentroidValue, ...]:
    """The centroid of a cell, attribute by attribute."""
    return describe_mean(
        specification, [parse_decimal(t) or Fraction(0) for t in specification.centroids[cell]]
    )


def describe_mean(specification: Specification, mean: list[Fraction]) -> tuple[CentroidValue, ...]:
    """A mean of coordinates, attribute by attribute.

    Parameters
    ----------
    mean : list of Fraction, length d
        Mean of each coordinate, such as that of several merged cells.
    """
    parts, start = [], 0
    for attribute in specification.attributes:
        parts.append(mean[start : start + attribute.dimension])
        start += attribute.dimension
    return tuple(_describe(a, part) for a, part in zip(specification.attributes, parts, strict=True))


def _describe(attribute: Attribute, mean: list[Fraction]) -> CentroidValue:
    if isinstance(attribute, Nominal):
        largest = mean.index(max(mean))
        known = largest < len(attribute.categories)
        return CentroidValue(
            attribute=attribute,
            value=attribute.categories[largest].value if known else None,
            share=round_decimal(mean[largest], 2),
            missing_share=round_decimal(mean[-1], 2) if attribute.takes_missing else None,
        )
    present, missing = mean, None
    if attribute.takes_missing:
        present, missing = _without_missing(attribute, mean)
    value: str | None = None
    if present and isinstance(attribute, Numeric):
        value = round_decimal(attribute.value_at(present[0]), _NUMBER_DIGITS)
    elif present and isinstance(attribute, Ordinal):
        place = int(
            min(max(present[0], Fraction(0)), Fraction(len(attribute.categories) - 1)) + Fraction(1, 2)
        )
        value = attribute.categories[place].value
    elif present and isinstance(attribute, Lookup):
        value = min(
            attribute.entries,
            key=lambda e: sum((a - b) ** 2 for a, b in zip(e.vector, present, strict=True)),
        ).value
    return CentroidValue(attribute=attribute, value=value, missing_share=missing)


def _without_missing(attribute: Attribute, mean: list[Fraction]) -> tuple[list[Fraction], str]:
    """Mean over the people who have a value, and the share of the others.

    People without one count in the middle of the domain; their part is taken out again.
    """
    share = mean[-1]
    nowhere = attribute.vector(None)
    if share >= 1:
        return [], round_decimal(share, 2)
    present = [(m - share * c) / (1 - share) for m, c in zip(mean[:-1], nowhere[:-1], strict=True)]
    return present, round_decimal(share, 2)
