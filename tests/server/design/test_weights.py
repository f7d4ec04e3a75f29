"""Integer weights: unit variance, exactness, shared weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.design.weights import PRECISE_WEIGHT, normalizing_weights
from shared.attributes import Entry, Lookup
from shared.errors import DesignError
from shared.geometry import largest_squared_distance
from shared.limits import EXACT_BOUND
from shared.specification import ranges_of
from tests.builders import age, both, sex


def columns(*values: list[int]) -> np.ndarray:
    return np.array(list(zip(*values, strict=True)), dtype=np.int64)


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(1, 5)), min_size=2, max_size=30).filter(
        lambda rows: len({a for a, _ in rows}) > 1
    )
)
def test_weight_times_variance_is_the_same_for_every_attribute(rows: list[tuple[int, int]]) -> None:
    ages = [a for a, _ in rows]
    people = np.array([p for _, p in rows])
    females = [i % 2 for i in range(len(rows))]
    X = columns(ages, females, [1 - f for f in females])
    values = normalizing_weights((age(), sex()), X, people, room=1).values
    total = Fraction(int(people.sum()))

    def variance(column: list[int]) -> Fraction:
        mean = sum(int(p) * v for p, v in zip(people, column, strict=True)) / total
        return sum(int(p) * (v - mean) ** 2 for p, v in zip(people, column, strict=True)) / total

    unit_age = values[0] * variance(ages)
    unit_sex = values[1] * 2 * variance(females)
    assert values[1] == values[2]
    assert min(values) >= PRECISE_WEIGHT
    # Each weight is rounded to the nearest integer: at most half a unit in 1024.
    assert abs(unit_age / unit_sex - 1) < Fraction(1, 1000)


def test_a_map_keeps_its_proportions() -> None:
    town = Lookup(
        name="place",
        label=both("Place"),
        help=both(""),
        missing="own-category",
        axes=("east", "north"),
        entries=tuple(Entry(value=f"p{i}", vector=(i, i % 3)) for i in range(30)),
    )
    X = np.array([(*e.vector, 0) for e in town.entries], dtype=np.int64)
    values = normalizing_weights((town,), X, np.ones(30, dtype=np.int64), room=1).values
    assert values[0] == values[1] > 0
    assert values[2] == 0  # nobody in the model lacks a place


def test_every_distance_stays_exact_when_an_attribute_is_fine() -> None:
    wide = age(maximum="9999999")
    X = columns([0, 1, 2, 9_999_999])
    for room in (1, 2):
        weights = normalizing_weights((wide,), X, np.ones(4, dtype=np.int64), room=room)
        largest = largest_squared_distance(ranges_of((wide,)), weights.values)
        assert 0 < largest * room < EXACT_BOUND


def test_coarse_weights_are_reported_and_impossible_ones_refused() -> None:
    fine = age(maximum="40000000")
    X = columns(list(range(0, 40_000_001, 20_000_000)))
    assert "larger step" in normalizing_weights((fine,), X, np.ones(3, dtype=np.int64), room=1).warnings[0]
    with pytest.raises(DesignError, match="too many steps") as caught:
        normalizing_weights(
            (age(), age(name="income", maximum="200000000000")),
            columns([1, 2, 3], [0, 10**11, 2 * 10**11]),
            np.ones(3, dtype=np.int64),
            room=1,
        )
    assert caught.value.where == "attribute income"


def test_constant_columns_do_not_count() -> None:
    X = columns([5, 5, 5], [0, 1, 1], [1, 0, 0])
    values = normalizing_weights((age(), sex()), X, np.ones(3, dtype=np.int64), room=1).values
    assert values[0] == 0 < values[1]
    assert normalizing_weights((age(),), columns([5, 5]), np.ones(2, dtype=np.int64), room=1).values == (0,)
