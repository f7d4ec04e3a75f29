"""Cycles: points on a circle by integers alone."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from shared.attributes import Category, Cyclic
from shared.attributes.cyclic import RADIUS, circle
from shared.errors import SpecificationError
from shared.limits import MAX_CYCLE, MIN_CYCLE
from tests.builders import both


def cycle(n: int, missing: str = "refused") -> Cyclic:
    categories = tuple(Category(value=str(i), label=both(f"step {i}")) for i in range(n))
    return Cyclic(name="c", label=both("C"), help=both(""), missing=missing, categories=categories)


def distance(n: int, a: int, b: int) -> int:
    points = circle(n)
    return sum((x - y) ** 2 for x, y in zip(points[a], points[b], strict=True))


def test_months_have_these_points() -> None:
    """Written down, so that no machine and no later version has others."""
    assert circle(12) == (
        (1000, 0), (866, 500), (500, 866), (0, 1000), (-500, 866), (-866, 500),
        (-1000, 0), (-866, -500), (-500, -866), (0, -1000), (500, -866), (866, -500),
    )  # fmt: skip
    assert circle(3) == ((1000, 0), (-500, 866), (-500, -866))
    assert circle(MAX_CYCLE)[1] == (1000, 17)


@pytest.mark.parametrize("n", range(MIN_CYCLE, MAX_CYCLE + 1))
def test_points_are_distinct_and_those_of_the_circle(n: int) -> None:
    points = circle(n)
    assert len(set(points)) == n
    for k, (x, y) in enumerate(points):
        angle = 2 * math.pi * k / n
        exact = RADIUS * math.cos(angle), RADIUS * math.sin(angle)
        for whole, value in zip((x, y), exact, strict=True):
            # No value is so near to halfway that binary floating point could be mistaken about the rounding.
            assert abs(abs(value - math.floor(value)) - 0.5) > 1e-7
            assert whole == round(value)


@pytest.mark.parametrize("n", [3, 4, 7, 12, 24, 52, 96, 365, 366])
def test_the_last_step_is_next_to_the_first_and_farther_steps_are_farther(n: int) -> None:
    """Up to the rounding to the grid, which moves a point by less than 0.71."""
    assert abs(math.sqrt(distance(n, 0, n - 1)) - math.sqrt(distance(n, 0, 1))) < 1.5
    away = [math.sqrt(distance(n, 0, k)) for k in range(n // 2 + 1)]
    for k, value in enumerate(away):
        assert abs(value - 2 * RADIUS * math.sin(math.pi * k / n)) < 1.5
    if n <= 96:
        assert away == sorted(away)
        assert all(distance(n, 0, k) > distance(n, 0, 1) for k in range(2, n - 1))


def test_december_and_february_meet_in_january() -> None:
    months = cycle(12)
    mean = [Fraction(a + b, 2) for a, b in zip(months.vector("11"), months.vector("1"), strict=True)]
    assert months.describe(mean).value == "0"
    assert months.column_values(mean) == ("0", "0.866", "0.000")
    assert months.position(months.picture_axes[0], mean) == 0


def test_people_without_a_step_are_equally_far_from_all() -> None:
    months = cycle(12, missing="own-category")
    assert months.vector(None) == (0, 0, 1)
    half = [Fraction(a + b, 2) for a, b in zip(months.vector("3"), months.vector(None), strict=True)]
    assert months.column_values(half) == ("3", "0.000", "1.000", "0.500")
    assert months.describe([Fraction(0), Fraction(0), Fraction(1)]).value is None


@pytest.mark.parametrize("n", [2, MAX_CYCLE + 1])
def test_too_short_and_too_long_cycles_are_refused(n: int) -> None:
    with pytest.raises(SpecificationError, match="a cycle of"):
        cycle(n)
