"""Axes of charts: every value stands between the ends; the numbers beside them are few, even and exact."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.reports.scales import Scale, linear, logarithmic

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=5e-324, allow_infinity=False)


def texts(scale: Scale) -> list[str]:
    return [text for _, text in scale.ticks]


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.booleans(), st.booleans(), st.sampled_from((0, 46)))
def test_any_numbers_find_a_place(values: list[float], zero: bool, whole: bool, letters: int) -> None:
    scale = linear(values, from_zero=zero, whole_numbers=whole, most_letters=letters)
    assert all(0 <= scale.place(value) <= 1 for value in values)
    assert len(scale.ticks) <= 8
    assert all(0 <= scale.place(tick) <= 1 for tick, _ in scale.ticks)
    steps = {b - a for (a, _), (b, _) in pairwise(scale.ticks)}
    assert len(steps) <= 1
    if whole:
        assert all(tick == int(tick) for tick, _ in scale.ticks)
    if zero:
        assert scale.low <= 0


@given(st.lists(POSITIVE, min_size=1, max_size=9), st.sampled_from((0, 46)))
def test_any_numbers_above_0_find_a_place_by_powers(values: list[float], letters: int) -> None:
    scale = logarithmic(values, most_letters=letters)
    assert all(0 <= scale.place(value) <= 1 for value in values)
    assert all(-1e-9 <= scale.place(tick) <= 1 + 1e-9 for tick, _ in scale.ticks)
    assert len(scale.ticks) <= 8


@given(st.lists(POSITIVE, min_size=2, max_size=9))
def test_order_is_kept(values: list[float]) -> None:
    for scale in (linear(values), logarithmic(values)):
        places = [scale.place(value) for value in sorted(values)]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 100.0], ["0", "20", "40", "60", "80", "100"]),
        ([1930.0, 2008.0], ["1940", "1960", "1980", "2000"]),
        ([0.1, 0.9], ["0.2", "0.4", "0.6", "0.8"]),
        ([-1.0, 1.0], ["-1", "-0.5", "0", "0.5", "1"]),
        ([0.0, 6e-9], ["0", "10⁻⁹", "2 × 10⁻⁹", "3 × 10⁻⁹", "4 × 10⁻⁹", "5 × 10⁻⁹", "6 × 10⁻⁹"]),
        ([5.0], ["4.8", "4.9", "5", "5.1", "5.2"]),
    ],
)
def test_numbers_of_an_axis(values: list[float], expected: list[str]) -> None:
    assert texts(linear(values)) == expected


def test_long_numbers_are_fewer() -> None:
    assert texts(linear([0, 203_000], most_letters=46)) == ["0", "50000", "100000", "150000", "200000"]
    assert sum(len(text) + 2 for text in texts(linear([1e9, 1e9 + 500], most_letters=46))) <= 46


def test_powers() -> None:
    assert texts(logarithmic([1e-9, 1e-3], most_letters=46))[:2] == ["10⁻⁹", "10⁻⁸"]
    assert texts(logarithmic([1e-30, 1e-3])) == ["10⁻³⁰", "10⁻²⁵", "10⁻²⁰", "10⁻¹⁵", "10⁻¹⁰", "10⁻⁵"]
    assert texts(logarithmic([1, 90])) == ["1", "2", "5", "10", "20", "50", "100"]
    assert texts(logarithmic([3, 4])) == ["3", "3.2", "3.4", "3.6", "3.8", "4"]


def test_what_has_no_place() -> None:
    scale = logarithmic([0.0, 1.0, -3.0, math.inf, math.nan])
    assert [scale.holds(value) for value in (0.0, -3.0, math.inf, math.nan, 1.0)] == [False] * 4 + [True]
    assert linear([math.inf, math.nan, 2.0, 4.0]).place(Decimal(3)) == 0.5
    assert linear([0.0]).holds(0.0)
