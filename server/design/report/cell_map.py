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

from shared.attributes import Attribute
from shared.attributes.shown import PictureAxis
from shared.decimals import format_decimal, multiples, parse_decimal, round_step

SCALE: Final = 1000
"""Positions on the map are whole thousandths of a coordinate."""
MAX_PEOPLE_NUMBERS: Final = 100_000
"""Distinct tuples are drawn only if they take at most this many numbers; beyond, the page would be slow."""
_TICKS: Final = 6
"""At most one more of them on an axis."""
STEPS: Final = (
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
    position of the attribute.
    """

    label: str
    bands: bool
    low: int
    high: int
    ticks: tuple[tuple[int, str], ...]
    part: int
    of: PictureAxis


def map_axes(attributes: Sequence[Attribute], language: str) -> tuple[MapAxis, ...]:
    """Return the axes of each attribute, such as one for each coordinate of a lookup table."""
    axes: list[MapAxis] = []
    for part, attribute in enumerate(attributes):
        label, bands = attribute.label[language], attribute.one_hot
        around = SCALE // 2 if bands else 0
        for axis in attribute.picture_axes:
            axes.append(
                MapAxis(label=f"{label}: {axis.called(language)}" if axis.name else label, bands=bands,
                        low=axis.low * SCALE - around, high=axis.high * SCALE + around,
                        ticks=_ticks(axis, language, bands), part=part, of=axis)
            )  # fmt: skip
    return tuple(axes)


def _ticks(axis: PictureAxis, language: str, every_one: bool) -> tuple[tuple[int, str], ...]:
    if axis.names:
        names = [name[language] for name in axis.names]
        names += ["no answer"] * (axis.high + 1 - len(names))
        every = 1 if every_one else -(-len(names) // 8)
        return tuple((index * SCALE, names[index]) for index in range(0, len(names), every))
    first, last = axis.origin + axis.low * axis.step, axis.origin + axis.high * axis.step
    values = multiples(first, last, round_step(max(axis.step, (last - first) / _TICKS))) or [first, last]
    return tuple((int((value - axis.origin) / axis.step * SCALE), format_decimal(value)) for value in values)


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
    parts = _parts(attributes)
    cells = []
    for count, centroid, failure in zip(people, centroids, failures, strict=True):
        means = [parse_decimal(text) or Fraction(0) for text in centroid]
        cells.append([count, failure_step(failure, acceptable), *_positions(parts, axes, means)])
    shown = tuples if len(tuples) * len(axes) <= MAX_PEOPLE_NUMBERS else ()
    points = sorted({tuple(_positions(parts, axes, list(map(Fraction, vector)))) for vector in shown})
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


def _parts(attributes: Sequence[Attribute]) -> tuple[tuple[Attribute, slice, bool], ...]:
    """Each attribute, its coordinates, and whether it marks missing values: asked once, not by person."""
    parts, start = [], 0
    for attribute in attributes:
        end = start + attribute.dimension
        parts.append((attribute, slice(start, end), attribute.marks_missing))
        start = end
    return tuple(parts)


def _positions(
    parts: Sequence[tuple[Attribute, slice, bool]], axes: Sequence[MapAxis], means: Sequence[Fraction]
) -> list[int]:
    """Return a centroid's (or a tuple's) place on each axis; -1 times a large number if it has none."""
    places: list[int] = []
    for axis in axes:
        attribute, part, marks_missing = parts[axis.part]
        own = list(means[part])
        present = attribute.present(own) if marks_missing else own
        places.append(NOWHERE if present is None else int(attribute.position(axis.of, present) * SCALE))
    return places


NOWHERE: Final = -(2**53 - 1)
"""Place of a cell on an axis on which none of its people has a value; it is not drawn there."""
