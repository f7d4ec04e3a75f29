"""Unit-variance normalization as integer weights.

Columnwise standardization, the convention of statistical disclosure control, divides each squared difference
by the column's variance. Here that becomes an integer weight, w = round(S / variance), so that every distance
is an exact integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.attributes import Attribute
from shared.errors import DesignError
from shared.geometry import Ranges, largest_squared_distance
from shared.limits import EXACT_BOUND
from shared.register import coarse_weight
from shared.specification import ranges_of

PRECISE_WEIGHT: Final = 1024
"""The smallest weight aimed at: rounding then changes no weight by more than 0.05 %."""
COARSE_WEIGHT: Final = 16
"""Below it (3 %) the organizer is warned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of all coordinates, and what the organizer should know about them."""

    values: tuple[int, ...]
    warnings: tuple[str, ...]


def normalizing_weights(
    attributes: Sequence[Attribute],
    X: NDArray[np.int64],
    people: NDArray[np.int64],
    *,
    room: int,
    coarse: bool = False,
) -> Weights:
    """Weights that give every attribute unit variance over the people of a model.

    Parameters
    ----------
    attributes : sequence of Attribute
        In the order of the coordinates.
    X : ndarray of int64, shape (n_tuples, d)
        Distinct tuples.
    people : ndarray of int64, shape (n_tuples,)
        People of each tuple.
    room : int
        The largest squared distance of the domain times this must stay below 2^53; 2 where offsets are
        added.
    coarse : bool
        Whether they are those of a register, rounded down as :func:`shared.register.coarse_weight` does.

    Raises
    ------
    DesignError
        If no scale S keeps distances exact: some attribute has too many steps for its spread.

    Notes
    -----
    The one-hot coordinates of a nominal attribute, and the axes of a lookup table, share one weight, so that
    different categories stay equally far and a map keeps its proportions. S is a power of two: the smallest
    that gives every weight 1024 or more, or the largest that keeps distances exact. A constant coordinate has
    weight 0. Variances are exact fractions, so the weights are the same on every machine.
    """
    ranges = ranges_of(attributes)
    variances = _shared_variances(attributes, _coordinate_variances(X, people))
    positive = [v for v in variances if v]
    if not positive:
        return Weights(values=(0,) * len(ranges), warnings=())
    exponent = 0
    while min(_weights(1 << exponent, positive)) < PRECISE_WEIGHT:
        exponent += 1
    while exponent >= 0:
        values = _weights(1 << exponent, variances)
        if largest_squared_distance(ranges, values, 1) * room < EXACT_BOUND:
            break
        exponent -= 1
    else:
        raise _too_fine(attributes, ranges, variances)
    if min(w for w, v in zip(values, variances, strict=True) if v) < 1:
        raise _too_fine(attributes, ranges, variances)
    if coarse:
        values = [coarse_weight(value) for value in values]
    return Weights(values=tuple(values), warnings=_warn_coarse(attributes, values, variances))


def _coordinate_variances(X: NDArray[np.int64], people: NDArray[np.int64]) -> list[Fraction]:
    """Exact population variance of each column, weighted by people."""
    total = sum(people.tolist())
    variances = []
    for column in X.T:
        values, place = np.unique(column, return_inverse=True)
        held = np.zeros(len(values), dtype=np.int64)
        np.add.at(held, place, people)
        # Python integers cannot overflow.
        first = sum(n * v for n, v in zip(held.tolist(), values.tolist(), strict=True))
        second = sum(n * v * v for n, v in zip(held.tolist(), values.tolist(), strict=True))
        variances.append(Fraction(total * second - first * first, total * total))
    return variances


def _shared_variances(attributes: Sequence[Attribute], variances: list[Fraction]) -> list[Fraction]:
    """One variance for all coordinates that must share a weight: the sum over them."""
    result: list[Fraction] = []
    for attribute in attributes:
        own = variances[len(result) : len(result) + attribute.dimension]
        together = attribute.dimension
        if attribute.marks_missing:
            together -= 1
        result.extend([sum(own[:together], Fraction(0))] * together + own[together:])
    return result


def _weights(scale: int, variances: Sequence[Fraction]) -> list[int]:
    """round(S / variance), halves up; 0 for a constant coordinate."""
    return [int(scale / v + Fraction(1, 2)) if v else 0 for v in variances]


def _relative_span(ranges: Ranges, variances: Sequence[Fraction], start: int, stop: int) -> Fraction:
    parts = zip(ranges[start:stop], variances[start:stop], strict=True)
    return sum((((high - low) ** 2 / v) for (low, high), v in parts if v), Fraction(0))


def _too_fine(attributes: Sequence[Attribute], ranges: Ranges, variances: Sequence[Fraction]) -> DesignError:
    start, widest, largest = 0, attributes[0], Fraction(-1)
    for attribute in attributes:
        span = _relative_span(ranges, variances, start, start + attribute.dimension)
        steps = max(high - low for low, high in attribute.coordinate_ranges)
        if span * steps > largest:
            widest, largest = attribute, span * steps
        start += attribute.dimension
    return DesignError(
        "distances cannot be kept exact: an attribute has too many steps",
        where=f"attribute {widest.name}",
        expected="every squared distance below 2^53",
        remedy="Choose a larger step for it, or a maximum with open_above = true.",
    )


def _warn_coarse(
    attributes: Sequence[Attribute], values: Sequence[int], variances: Sequence[Fraction]
) -> tuple[str, ...]:
    warnings, start = [], 0
    for attribute in attributes:
        own = range(start, start + attribute.dimension)
        start += attribute.dimension
        if any(variances[j] and values[j] < COARSE_WEIGHT for j in own):
            warnings.append(
                f"The weight of {attribute.name} is rounded coarsely: its steps are fine for its spread; "
                "a larger step makes its influence exact."
            )
    return tuple(warnings)
