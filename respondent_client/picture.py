"""Data for the picture of a respondent's cell among the others, over two axes that she chooses.

Nothing here is sent: it goes from the worker to the page on the same device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from shared.attributes import Attribute
from shared.attributes.shown import PictureAxis
from shared.decimals import format_decimal, round_step
from shared.geometry import Vector
from shared.specification import Specification

MAX_GROUPS: Final = 300
"""Dots beside her own: more could not be told apart on a telephone."""
MAX_WORK: Final = 2_400_000
"""Coordinates compared to shade her cell: about a second in a browser."""
MAX_GRID: Final = 24
SMALLEST_GRID: Final = 6
MAX_TICKS: Final = 7
_GOLDEN: Final = 0.6180339887498949


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A direction of the picture.

    Attributes
    ----------
    start : int
        First coordinate of the attribute within the vector.
    """

    label: dict[str, str]
    attribute: Attribute
    start: int
    of: PictureAxis

    @property
    def categorical(self) -> bool:
        """Whether its positions are categories without an order."""
        return self.attribute.one_hot

    @property
    def stop(self) -> int:
        """The coordinate after the attribute's last."""
        return self.start + self.attribute.dimension

    def position(self, point: Sequence[float], spread: int | None = None) -> float:
        """Where a vector or centroid lies; ``spread`` pulls dots of one category apart."""
        place = float(self.attribute.position(self.of, point[self.start : self.stop]))
        if not self.categorical or spread is None:
            return place
        return place + 0.5 * ((spread * _GOLDEN) % 1 - 0.5)

    def moved(self, vector: Vector, value: int) -> Vector:
        """The vector of a person who differs in this attribute only."""
        part = self.attribute.moved(self.of, vector[self.start : self.stop], value)
        return (*vector[: self.start], *part, *vector[self.stop :])

    def grid(self, limit: int) -> list[int]:
        """At most ``limit`` positions over the whole axis."""
        span = self.of.high - self.of.low
        if span < limit:
            return list(range(self.of.low, self.of.high + 1))
        return sorted({self.of.low + span * i // (limit - 1) for i in range(limit)})

    def ticks(self) -> list[dict[str, Any]]:
        """Positions with a text, a decimal or a text per language; regions where there are any."""
        if self.of.regions:
            return _apart(self.of)
        span = self.of.high - self.of.low
        every = int(round_step(max(Fraction(1), Fraction(span, MAX_TICKS - 1))))
        places = range(self.of.low, self.of.high + 1, every)
        return [{"at": place, "text": self._tick(place)} for place in places]

    def _tick(self, place: int) -> str | dict[str, str]:
        names = self.of.names
        if not names:
            return format_decimal(self.of.origin + place * self.of.step)
        return names[place] if place < len(names) else dict.fromkeys(self.label, "–")


def _apart(axis: PictureAxis) -> list[dict[str, Any]]:
    """Regions along one axis, those that would stand on another left out."""
    gap = Fraction(axis.high - axis.low, MAX_TICKS)
    ticks: list[dict[str, Any]] = []
    last: Fraction | None = None
    for place, text in sorted(axis.regions, key=lambda region: region[0]):
        if last is None or place - last >= gap:
            ticks.append({"at": float(place), "text": text})
            last = place
    return ticks


def axes_of(specification: Specification) -> tuple[Axis, ...]:
    """Every axis that a person can choose, in the order of the attributes."""
    result: list[Axis] = []
    start = 0
    for attribute in specification.attributes:
        for axis in attribute.picture_axes:
            label = {
                lang: f"{text}: {axis.called(lang)}" if axis.name else text
                for lang, text in attribute.label.items()
            }
            result.append(Axis(label=label, attribute=attribute, start=start, of=axis))
        start += attribute.dimension
    return tuple(result)


def best_axes(axes: Sequence[Axis]) -> list[int]:
    """The two axes shown first: the two of a map if there is one, else the two with the most positions."""
    for i, axis in enumerate(axes[:-1]):
        if axes[i + 1].attribute is axis.attribute:
            return [i, i + 1]
    order = sorted(range(len(axes)), key=lambda i: (axes[i].categorical, axes[i].of.low - axes[i].of.high, i))
    return order[:2]


def draw(specification: Specification, vector: Vector, cell: int, across: Axis, up: Axis) -> dict[str, Any]:
    """Everything that the page needs to draw the picture."""
    centroids = {cell: [float(text) for text in specification.centroids[cell]] for cell in specification.held}
    weights = specification.weights
    own = centroids[cell]

    def distance(i: int) -> float:
        return sum(w * (a - b) ** 2 for w, a, b in zip(weights, centroids[i], own, strict=True))

    is_map = across.attribute is up.attribute and bool(across.of.regions)
    others = [i for i in centroids if i != cell]
    if len(others) > MAX_GROUPS:
        others = sorted(others, key=distance)[:MAX_GROUPS]
    return {
        "across": _axis_object(across) | ({"ticks": []} if is_map else {}),
        "up": _axis_object(up) | ({"ticks": []} if is_map else {}),
        "places": [
            {"x": float(x), "y": float(y), "text": text}
            for (x, text), (y, _) in zip(across.of.regions, up.of.regions, strict=True)
        ]
        if is_map
        else [],
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
    return {"label": axis.label, "low": axis.of.low - pad, "high": axis.of.high + pad, "ticks": axis.ticks()}


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
        if specification.cells.leads_to(up.moved(across.moved(vector, column), row), cell)
    ]
    return {"columns": columns, "rows": rows, "inside": inside}
