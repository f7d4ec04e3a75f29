"""Data for the picture of a respondent's cell among the others, over two axes that she chooses.

Nothing here is sent: it goes from the worker to the page on the same device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shared.attributes import Attribute, Lookup, Nominal, Numeric, Ordinal
from shared.decimals import format_decimal, round_step
from shared.geometry import Vector
from shared.specification import Specification

MAX_GROUPS = 300
"""Dots beside her own: more could not be told apart on a telephone."""
MAX_WORK = 2_400_000
"""Coordinates compared to shade her cell: about a second in a browser."""
MAX_GRID = 24
SMALLEST_GRID = 6
MAX_TICKS = 7
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A direction of the picture: one coordinate, or all one-hot coordinates of an attribute.

    Attributes
    ----------
    start, stop : int
        Coordinates of the axis within the vector.
    mark : int or None
        Coordinate that marks a missing value.
    """

    label: dict[str, str]
    attribute: Attribute
    start: int
    stop: int
    low: int
    high: int
    mark: int | None

    @property
    def categorical(self) -> bool:
        """Whether its positions are categories without an order."""
        return isinstance(self.attribute, Nominal)

    def position(self, point: Sequence[float], spread: int | None = None) -> float:
        """Where a vector or centroid lies; ``spread`` pulls dots of one category apart."""
        if not self.categorical:
            return float(point[self.start])
        part = list(point[self.start : self.stop])
        place = float(part.index(max(part)))
        return place if spread is None else place + 0.5 * ((spread * _GOLDEN) % 1 - 0.5)

    def moved(self, vector: Vector, value: int) -> Vector:
        """The vector of a person who differs in this attribute only."""
        result = list(vector)
        if self.categorical:
            result[self.start : self.stop] = [int(i == value) for i in range(self.stop - self.start)]
        else:
            result[self.start] = value
            if self.mark is not None:
                result[self.mark] = 0
        return tuple(result)

    def grid(self, limit: int) -> list[int]:
        """At most ``limit`` positions over the whole axis."""
        span = self.high - self.low
        if span < limit:
            return list(range(self.low, self.high + 1))
        return sorted({self.low + span * i // (limit - 1) for i in range(limit)})

    def ticks(self) -> list[dict[str, Any]]:
        """Positions with a text, either a decimal or a text per language."""
        span = self.high - self.low
        every = int(round_step(max(Fraction(1), Fraction(span, MAX_TICKS - 1))))
        places = range(self.low, self.high + 1, every)
        return [{"at": place, "text": self._tick(place)} for place in places]

    def _tick(self, place: int) -> str | dict[str, str]:
        attribute = self.attribute
        if isinstance(attribute, Numeric):
            return format_decimal(attribute.value_at(Fraction(place)))
        if isinstance(attribute, Ordinal):
            return attribute.categories[place].label
        if isinstance(attribute, Nominal):
            known = place < len(attribute.categories)
            return attribute.categories[place].label if known else dict.fromkeys(attribute.label, "–")
        return str(place)


def axes_of(specification: Specification) -> tuple[Axis, ...]:
    """Every axis that a person can choose, in the order of the attributes."""
    result: list[Axis] = []
    start = 0
    for attribute in specification.attributes:
        ranges = attribute.coordinate_ranges
        if isinstance(attribute, Nominal):
            bounds = [(start, start + len(ranges), 0, len(ranges) - 1, "")]
        else:
            names = attribute.axes if isinstance(attribute, Lookup) else ("",)
            bounds = [(start + j, start + j + 1, *ranges[j], name) for j, name in enumerate(names)]
        marked = attribute.takes_missing and not isinstance(attribute, Nominal)
        mark = start + len(ranges) - 1 if marked else None
        for first, last, low, high, name in bounds:
            label = {lang: f"{text}: {name}" if name else text for lang, text in attribute.label.items()}
            result.append(
                Axis(label=label, attribute=attribute, start=first, stop=last, low=low, high=high, mark=mark)
            )
        start += len(ranges)
    return tuple(result)


def best_axes(axes: Sequence[Axis]) -> list[int]:
    """The two axes shown first: the two of a map if there is one, else the two with the most positions."""
    for i, axis in enumerate(axes[:-1]):
        if isinstance(axis.attribute, Lookup) and axes[i + 1].attribute is axis.attribute:
            return [i, i + 1]
    order = sorted(range(len(axes)), key=lambda i: (axes[i].categorical, axes[i].low - axes[i].high, i))
    return order[:2]


def draw(specification: Specification, vector: Vector, cell: int, across: Axis, up: Axis) -> dict[str, Any]:
    """Everything that the page needs to draw the picture."""
    centroids = [[float(text) for text in row] for row in specification.centroids]
    weights = specification.weights
    own = centroids[cell]

    def distance(i: int) -> float:
        return sum(w * (a - b) ** 2 for w, a, b in zip(weights, centroids[i], own, strict=True))

    others = [i for i in range(len(centroids)) if i != cell]
    if len(others) > MAX_GROUPS:
        others = sorted(others, key=distance)[:MAX_GROUPS]
    return {
        "across": _axis_object(across),
        "up": _axis_object(up),
        "groups": [
            [across.position(centroids[i], i), up.position(centroids[i], i), specification.people_in(i)]
            for i in others
        ],
        "shown": len(others),
        "total": len(centroids),
        "own": {
            "x": across.position(own, cell),
            "y": up.position(own, cell),
            "people": specification.people_in(cell),
            "at_least": specification.counts_are_bounds,
        },
        "me": {"x": across.position(vector), "y": up.position(vector)},
        "region": _region(specification, vector, cell, across, up),
    }


def _axis_object(axis: Axis) -> dict[str, Any]:
    pad = 0.5 if axis.categorical else 0
    return {"label": axis.label, "low": axis.low - pad, "high": axis.high + pad, "ticks": axis.ticks()}


def _region(
    specification: Specification, vector: Vector, cell: int, across: Axis, up: Axis
) -> dict[str, Any] | None:
    """Which answers on the two axes lead to the same cell; None if that would take too long."""
    work = specification.cells.compared * len(vector)
    limit = min(MAX_GRID, math.isqrt(MAX_WORK // work)) if work else 0
    if limit < SMALLEST_GRID:
        return None
    columns, rows = across.grid(limit), up.grid(limit)
    inside = [
        [i, j]
        for i, column in enumerate(columns)
        for j, row in enumerate(rows)
        if specification.cells.assign(up.moved(across.moved(vector, column), row)) == cell
    ]
    return {"columns": columns, "rows": rows, "inside": inside}
