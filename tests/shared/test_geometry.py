"""Distances are exact integers."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.geometry import Ranges, largest_squared_distance, squared_distance
from tests.shared.strategies import domains, points


@given(st.data())
def test_distance_is_the_weighted_sum_of_squares(data: st.DataObject) -> None:
    ranges = data.draw(domains())
    resolution = data.draw(st.integers(1, 9))
    weights = data.draw(st.tuples(*(st.integers(0, 10**6) for _ in ranges)))
    x, site = data.draw(points(ranges)), data.draw(points(ranges, resolution))
    expected = sum(w * (a - Fraction(b, resolution)) ** 2 for a, b, w in zip(x, site, weights))
    assert Fraction(squared_distance(x, site, weights, resolution), resolution**2) == expected


@given(domains())
def test_the_bound_is_reached_and_never_exceeded(ranges: Ranges) -> None:
    weights = tuple(range(1, len(ranges) + 1))
    corners = list(itertools.product(*ranges))
    largest = max(squared_distance(a, tuple(3 * c for c in b), weights, 3) for a in corners for b in corners)
    assert largest == largest_squared_distance(ranges, weights, 3)


def test_vectors_of_different_length_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="zip"):
        squared_distance((1, 2), (1,), (1, 1))
    with pytest.raises(ValueError, match="zip"):
        largest_squared_distance(((0, 1),), (1, 1))
