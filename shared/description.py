"""A cell in the words of its attributes: the centroid as a person would say it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.attributes import Attribute, Category
from shared.attributes.shown import Described
from shared.decimals import parse_decimal
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class CentroidValue:
    """Where a cell's centroid lies on one attribute."""

    attribute: Attribute
    described: Described

    def label(self, language: str) -> str | None:
        """The value as people read it."""
        category = self._category
        return self.described.value if category is None else category.label[language]

    def counted_as(self, language: str) -> str | None:
        """The category's value, if its label says something else."""
        category = self._category
        return None if category is None else category.counted_as(language)

    @property
    def _category(self) -> Category | None:
        return next((c for c in self.attribute.labelled if c.value == self.described.value), None)


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
    return tuple(
        CentroidValue(attribute=attribute, described=attribute.describe(part))
        for attribute, part in zip(specification.attributes, parts, strict=True)
    )
