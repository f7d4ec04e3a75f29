"""The size rule: a head count or a need, for single records or the people behind them."""

from __future__ import annotations

import numpy as np
import pytest

from server.statistics.microaggregation.need import Need
from server.statistics.microaggregation.size_rule import SizeRule

TWO = Need(minimum=(3, 5), predicate=lambda counts: counts[1] >= 2)


def test_plain_k() -> None:
    rule = SizeRule.of_k(3)
    assert (rule.plain, rule.minimum, rule.floor) == (True, 3, 3)
    assert [rule.enough(2), rule.enough(3), rule.enough([4])] == [False, True, True]
    assert rule.people_of(2).tolist() == [[1], [1]]
    assert rule.people_of(2, np.array([4, 1])).tolist() == [[4], [1]]
    assert rule.single_records("name", 3) == 3


def test_need_of_one_level_is_plain_and_counts_its_people() -> None:
    rule = SizeRule.of_need(Need(minimum=(4,)), np.array([3, 2]))
    assert (rule.plain, rule.minimum) == (True, 4)
    k, people = rule.head_counts("name", 2)
    assert (k, people.tolist()) == (4, [3, 2])


def test_need_of_several_levels_asks_its_predicate() -> None:
    rule = SizeRule.of_need(TWO, np.array([[3, 0], [0, 2]]))
    assert not rule.plain
    assert [rule.enough([9, 1]), rule.enough([1, 1]), rule.enough([1, 2])] == [False, False, True]
    with pytest.raises(ValueError, match="no single head count"):
        _ = rule.minimum


def test_people_are_kept_apart_from_the_callers_array() -> None:
    given = np.array([[1, 1], [2, 0]])
    rule = SizeRule.of_need(TWO, given)
    given[0, 0] = 7
    assert rule.people_of(2).tolist() == [[1, 1], [2, 0]]
    assert not rule.people_of(2).flags.writeable


@pytest.mark.parametrize("k", [0, -1, 2.5, True, float("inf"), float("nan")])
def test_k_must_be_a_positive_integer(k: int) -> None:
    with pytest.raises(ValueError, match="k must be"):
        SizeRule.of_k(k)


def test_refusals_name_the_reason() -> None:
    with pytest.raises(ValueError, match="need the people"):
        SizeRule.of_need(TWO)
    with pytest.raises(ValueError, match="n x 2"):
        SizeRule.of_need(TWO, np.ones((3, 1), dtype=int))
    with pytest.raises(ValueError, match="people must be integers, not float64"):
        SizeRule.of_need(TWO, np.array([[1.5, 2.7]]))
    with pytest.raises(ValueError, match="at least one person"):
        SizeRule.of_need(TWO, np.array([[0, 0]]))
    with pytest.raises(ValueError, match="no count may be negative"):
        SizeRule.of_need(TWO, np.array([[3, -1]]))
    rule = SizeRule.of_need(TWO, np.array([[3, 3]]))
    with pytest.raises(ValueError, match="leave `counts` out"):
        rule.people_of(1, np.array([1]))
    with pytest.raises(ValueError, match="knows 1 records, the data have 2"):
        rule.people_of(2)
    with pytest.raises(ValueError, match="Lloyd serves one head count"):
        rule.head_counts("Lloyd", 1)
    plain = SizeRule.of_k(3)
    with pytest.raises(ValueError, match="2 integers"):
        plain.people_of(2, np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="2 integers"):
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
    with pytest.raises(ValueError, match="people add up to more than"):
        SizeRule.of_need(Need(minimum=(3,)), many[:, None])
