"""The size rule: a head count or a predicate, for single records or the people behind them."""

from __future__ import annotations

import numpy as np
import pytest

from server.statistics.microaggregation.size_rule import SizeRule

TWO = SizeRule(minimum=(3, 5), predicate=lambda counts: counts[1] >= 2)


def test_plain_k() -> None:
    rule = SizeRule.of_k(3)
    assert (rule.plain, rule.minimum, rule.floor) == (True, (3,), 3)
    assert [rule.acceptable([2]), rule.acceptable([3]), rule.acceptable([4])] == [False, True, True]
    assert rule.people_of(2).tolist() == [[1], [1]]
    assert rule.people_of(2, np.array([4, 1])).tolist() == [[4], [1]]
    assert rule.single_records("name", 3) == 3
    k, people = rule.head_counts("name", 2, np.array([[3], [2]]))
    assert (k, people.tolist()) == (3, [3, 2])


def test_several_levels_ask_the_predicate() -> None:
    assert not TWO.plain
    assert [TWO.acceptable([9, 1]), TWO.acceptable([1, 1]), TWO.acceptable([1, 2])] == [False, False, True]


def test_people_are_kept_apart_from_the_callers_array() -> None:
    given = np.array([[1, 1], [2, 0]])
    people = TWO.people_of(2, given)
    given[0, 0] = 7
    assert people.tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize("k", [0, -1, 2.5, True, float("inf"), float("nan")])
def test_k_must_be_a_positive_integer(k: int) -> None:
    with pytest.raises(ValueError, match="k must be"):
        SizeRule.of_k(k)


def test_refusals_name_the_reason() -> None:
    with pytest.raises(ValueError, match="need the people"):
        TWO.people_of(3)
    with pytest.raises(ValueError, match="3 x 2 integers"):
        TWO.people_of(3, np.ones((3, 1), dtype=int))
    with pytest.raises(ValueError, match=r"1 x 2 integers.*float64"):
        TWO.people_of(1, np.array([[1.5, 2.7]]))
    with pytest.raises(ValueError, match="at least 1 a record"):
        TWO.people_of(1, np.array([[0, 0]]))
    with pytest.raises(ValueError, match="none negative"):
        TWO.people_of(1, np.array([[3, -1]]))
    with pytest.raises(ValueError, match="2 x 2 integers"):
        TWO.people_of(2, np.array([[3, 3]]))
    with pytest.raises(ValueError, match="Lloyd serves one head count"):
        TWO.head_counts("Lloyd", 1, np.array([[3, 3]]))
    plain = SizeRule.of_k(3)
    with pytest.raises(ValueError, match="2 x 1 integers"):
        plain.people_of(2, np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="2 x 1 integers"):
        plain.people_of(2, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="at least 1"):
        plain.people_of(2, np.array([1, 0]))
    with pytest.raises(ValueError, match="n = 2 records are fewer than k = 3"):
        plain.head_counts("name", 2)
    with pytest.raises(ValueError, match="Lloyd serves single records"):
        plain.single_records("Lloyd", 2, np.array([2, 2]))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_more_people_than_can_be_added_up_are_refused(dtype: type[np.integer]) -> None:
    many = np.array([2**62, 2**62, 5], dtype=dtype)
    with pytest.raises(ValueError, match="counts add up to more than"):
        SizeRule.of_k(3).head_counts("Lloyd", 3, many)
    with pytest.raises(ValueError, match="counts add up to more than"):
        TWO.people_of(3, np.stack([many, many], axis=1))


def test_rows_are_judged_one_by_one() -> None:
    counts = np.array([[3, 0], [1, 1], [0, 3], [0, 0]])
    rule = SizeRule(minimum=(3, 2), predicate=lambda c: 2 * c[0] + 3 * c[1] >= 6)
    assert rule.acceptable_rows(counts).tolist() == [True, False, True, False]
    assert SizeRule(minimum=(2,)).acceptable_rows(counts[:, :1]).tolist() == [True, False, False, False]


def test_what_a_group_needs_in_its_own_proportions() -> None:
    """A head count exactly; else what the predicate accepts, within a 256th and the rounding of people."""
    assert SizeRule(minimum=(7,)).enough(np.array([[3], [90]]), np.array([3, 90])).tolist() == [7, 7]
    # Mixed groups need half as much again.
    rule = SizeRule(
        minimum=(100, 50),
        predicate=lambda c: (c[0] + 2 * c[1]) >= (150 if c[0] and c[1] else 100),
    )
    counts = np.array([[80, 0], [0, 60], [40, 40], [60, 60], [0, 0], [900, 0]])
    mass, unit = rule.mass(counts)
    needed = rule.enough(counts, mass) / unit
    assert needed == pytest.approx([1, 1, 1.5, 1.5, 1, 1], rel=0.03)
