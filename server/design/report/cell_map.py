"""The map of the cells over any two quasi-identifiers: integers for the script that draws it.

A cell stands at its centroid, which is a mean over many people; nothing here belongs to one person. Distinct
tuples of people are drawn only of a public model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from shared.attributes import Attribute, Lookup, Nominal, Numeric, Ordinal
from shared.decimals import format_decimal, multiples, parse_decimal, round_step

SCALE = 1000
"""Positions on the map are whole thousandths of a coordinate."""
MAX_PEOPLE_NUMBERS = 100_000
"""Distinct tuples are drawn only if they take at most this many numbers; beyond, the page would be slow."""
_TICKS: Final = 6
"""At most one more of them on an axis."""
STEPS = (
    "far below the limit (less than 1/10,000 of it)",
    "well below (up to 1/100)",
    "below (up to 1/10)",
    "near the limit",
    "above the limit",
)
"""What the colours say about a cell's failure; the last one must never occur."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapAxis:
    """One way to look at the cells.

    ``bands`` axes have one band per category, others are continuous from ``low`` to ``high``. ``part`` is the
    position of the attribute, ``coordinate`` of its coordinate.
    """

    label: str
    bands: bool
    low: int
    high: int
    ticks: tuple[tuple[int, str], ...]
    part: int
    coordinate: int


def map_axes(attributes: Sequence[Attribute], language: str) -> tuple[MapAxis, ...]:
    """Return an axis for each attribute, and one for each coordinate of a lookup table."""
    axes: list[MapAxis] = []
    for part, attribute in enumerate(attributes):
        label = attribute.label[language]
        if isinstance(attribute, Nominal):
            names = [category.label[language] for category in attribute.categories]
            names += ["no answer"] if attribute.takes_missing else []
            ticks = tuple((index * SCALE, name) for index, name in enumerate(names))
            axes.append(
                MapAxis(label=label, bands=True, low=-SCALE // 2, high=len(names) * SCALE - SCALE // 2,
                        ticks=ticks, part=part, coordinate=0)
            )  # fmt: skip
            continue
        n_axes = len(attribute.axes) if isinstance(attribute, Lookup) else 1
        for coordinate in range(n_axes):
            low, high = attribute.coordinate_ranges[coordinate]
            name = f"{label}: {attribute.axes[coordinate]}" if isinstance(attribute, Lookup) else label
            axes.append(
                MapAxis(label=name, bands=False, low=low * SCALE, high=high * SCALE,
                        ticks=_ticks(attribute, low, high, language), part=part, coordinate=coordinate)
            )  # fmt: skip
    return tuple(axes)


def _ticks(attribute: Attribute, low: int, high: int, language: str) -> tuple[tuple[int, str], ...]:
    if isinstance(attribute, Ordinal):
        every = -(-len(attribute.categories) // 8)
        names = [category.label[language] for category in attribute.categories]
        return tuple((index * SCALE, names[index]) for index in range(0, len(names), every))
    if isinstance(attribute, Numeric):
        minimum, step = Fraction(attribute.minimum), Fraction(attribute.step)
    else:
        minimum, step = Fraction(0), Fraction(1)
    first, last = minimum + low * step, minimum + high * step
    values = multiples(first, last, round_step(max(step, (last - first) / _TICKS))) or [first, last]
    return tuple((int((value - minimum) / step * SCALE), format_decimal(value)) for value in values)


def map_data(
    *,
    attributes: Sequence[Attribute],
    language: str,
    people: Sequence[int],
    centroids: Sequence[Sequence[str]],
    failures: Sequence[Decimal],
    acceptable: Decimal,
    tuples: Sequence[Sequence[int]] = (),
) -> dict[str, Any]:
    """Return what the script draws from: integers and labels.

    Parameters
    ----------
    attributes, language
        Of the specification.
    people : sequence of int, length m
        Eligible people of each cell.
    centroids : sequence of m sequences of d decimal texts
        Means of the coordinates.
    failures : sequence of Decimal, length m
        qbar of each cell, with the ``acceptable`` one.
    tuples : sequence of sequences of d ints
        Distinct tuples of a public model; left out if they are too many to draw.
    """
    axes = map_axes(attributes, language)
    cells = []
    for count, centroid, failure in zip(people, centroids, failures, strict=True):
        means = [parse_decimal(text) or Fraction(0) for text in centroid]
        cells.append([count, failure_step(failure, acceptable), *_positions(attributes, axes, means)])
    shown = tuples if len(tuples) * len(axes) <= MAX_PEOPLE_NUMBERS else ()
    points = sorted({tuple(_positions(attributes, axes, list(map(Fraction, vector)))) for vector in shown})
    return {
        "axes": [
            {"label": axis.label, "bands": axis.bands, "low": axis.low, "high": axis.high,
             "ticks": [list(tick) for tick in axis.ticks]}
            for axis in axes
        ],
        "cells": cells,
        "people": [list(point) for point in points],
    }  # fmt: skip


def failure_step(failure: Decimal, acceptable: Decimal) -> int:
    """Return which of `STEPS` a cell's failure falls into."""
    bounds = (Decimal("1e-4"), Decimal("1e-2"), Decimal("1e-1"), Decimal(1))
    return sum(failure > acceptable * bound for bound in bounds)


def _positions(
    attributes: Sequence[Attribute], axes: Sequence[MapAxis], means: Sequence[Fraction]
) -> list[int]:
    """Return a centroid's (or a tuple's) place on each axis; -1 times a large number if it has none."""
    parts: list[list[Fraction]] = []
    start = 0
    for attribute in attributes:
        parts.append(list(means[start : start + attribute.dimension]))
        start += attribute.dimension
    places: list[int] = []
    for axis in axes:
        attribute, part = attributes[axis.part], parts[axis.part]
        if axis.bands:
            places.append(part.index(max(part)) * SCALE)
            continue
        value = part[axis.coordinate]
        if attribute.takes_missing:
            share = part[-1]
            if share >= 1:
                places.append(NOWHERE)
                continue
            # People without a value count in the middle of the domain; their part is taken out again.
            value = (value - share * attribute.vector(None)[axis.coordinate]) / (1 - share)
        places.append(int(value * SCALE))
    return places


NOWHERE = -(2**53 - 1)
"""Place of a cell on an axis on which none of its people has a value; it is not drawn there."""
