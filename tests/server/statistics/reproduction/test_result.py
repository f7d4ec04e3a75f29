"""Results refuse nonsense, and a comparison judges the side that counts."""

from __future__ import annotations

import math

import pytest

from server.statistics.reproduction.result import Comparison, Curve, Figure, Table
from tests.server.statistics.reproduction.examples import comparison, reproduction


def test_difference_and_relative_difference() -> None:
    item = comparison(5.0, 4.0)
    assert (item.difference, item.relative, item.excess) == (1.0, 0.25, 1.0)
    assert comparison(0.0, 0.0).relative == 0
    assert comparison(1.0, 0.0).relative is None


@pytest.mark.parametrize(
    ("ours", "tolerance", "sense", "kept"),
    [
        (4.5, 0.5, "equal", True),
        (3.4, 0.5, "equal", False),
        (9.0, None, "equal", None),
        (1.0, 0.0, "at-most", True),
        (4.1, 0.0, "at-most", False),
        (9.0, 0.0, "at-least", True),
        (3.9, 0.0, "at-least", False),
        (0.1 + 0.2 + 3.7, 0.0, "equal", True),
    ],
)
def test_a_promise_is_judged_on_the_side_that_counts(ours, tolerance, sense, kept) -> None:  # type: ignore[no-untyped-def]
    assert Comparison(("x",), "loss", ours, 4.0, tolerance, "", sense).kept is kept


def test_the_worst_is_the_largest_relative_miss() -> None:
    small_but_worse = comparison(0.2, 0.1, None)
    bound = Comparison(("x",), "ratio", 0.1, 0.9, 0.0, "", "at-most")
    found = reproduction(comparison(110.0, 100.0), small_but_worse, bound)
    assert found.worst == small_but_worse
    assert found.broken == (comparison(110.0, 100.0),)
    assert len(found.promised) == 2
    assert reproduction().worst is None
    from_nothing = comparison(1.0, 0.0)
    assert reproduction(small_but_worse, from_nothing).worst == from_nothing


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_only_finite_numbers(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        comparison(value)
    with pytest.raises(ValueError, match="finite"):
        comparison(tolerance=value)
    with pytest.raises(ValueError, match="finite"):
        Table("t", "T", ("a",), ((value,),))
    with pytest.raises(ValueError, match="finite"):
        Curve("c", (1.0,), (value,))


def test_shapes_names_and_logarithms() -> None:
    with pytest.raises(ValueError, match="wrong length"):
        Table("t", "T", ("a", "b"), ((1,),))
    with pytest.raises(ValueError, match="file name"):
        Table("../t", "T", ("a",), ())
    with pytest.raises(ValueError, match="as many x as y"):
        Curve("c", (1.0,), ())
    with pytest.raises(ValueError, match="logarithm"):
        Figure("f", "F", "x", "y", (Curve("c", (1.0,), (0.0,)),), log_y=True)
    with pytest.raises(ValueError, match="no curve"):
        Figure("f", "F", "x", "y", ())
