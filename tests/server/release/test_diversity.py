"""Diversity measures against hand-computed and linear-programming values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from server.release.diversity import ConfidentialAttribute, measure_group
from server.statistics.measures.closeness import earth_movers_distance

histograms = st.dictionaries(st.integers(0, 4), st.integers(1, 9), min_size=1)


def by_linear_programming(group: dict[int, int], table: dict[int, int], *, ordered: bool, m: int) -> float:
    """The transport problem in full, as in Li et al., section 5."""
    p = np.array([group.get(v, 0) for v in range(m)], dtype=float)
    q = np.array([table.get(v, 0) for v in range(m)], dtype=float)
    cost = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / max(m - 1, 1)
    if not ordered:
        cost = 1.0 - np.eye(m)
    rows = np.kron(np.eye(m), np.ones((1, m)))
    columns = np.kron(np.ones((1, m)), np.eye(m))
    result = linprog(
        cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p / p.sum(), q / q.sum()])
    )
    return float(result.fun)


@pytest.mark.parametrize("ordered", [False, True])
@settings(max_examples=40, deadline=None)
@given(group=histograms, table=histograms)
def test_distance_solves_the_transport_problem(
    ordered: bool, group: dict[int, int], table: dict[int, int]
) -> None:
    found = earth_movers_distance(group, table, ordered=ordered, domain_size=5)
    assert float(found) == pytest.approx(by_linear_programming(group, table, ordered=ordered, m=5), abs=1e-9)
    assert 0 <= found <= 1


def test_salaries_of_li_et_al() -> None:
    """Li, Li, Venkatasubramanian 2007, section 5.1: {3k, 4k, 5k} against nine salaries has distance 0.375,
    {6k, 8k, 11k} has 0.167."""
    table = dict.fromkeys(range(9), 1)  # 3k, 4k, ..., 11k
    assert earth_movers_distance({0: 1, 1: 1, 2: 1}, table, ordered=True) == Fraction(3, 8)
    assert earth_movers_distance({3: 1, 5: 1, 8: 1}, table, ordered=True) == Fraction(1, 6)


def test_equal_distance_is_half_the_sum_of_differences() -> None:
    assert earth_movers_distance({0: 1}, {0: 1, 1: 3}, ordered=False) == Fraction(3, 4)


def test_without_a_declared_domain_values_are_ranked() -> None:
    assert earth_movers_distance({10: 1}, {10: 1, 5000: 1}, ordered=True) == Fraction(1, 2)


def test_an_empty_group_says_nothing() -> None:
    assert earth_movers_distance({}, {0: 3}, ordered=True) == 0
    assert earth_movers_distance({0: 1}, {0: 9}, ordered=True) == 0


def test_missing_answers_are_not_values() -> None:
    attribute = ConfidentialAttribute(
        name="q", measure="nominal", domain_size=2, values=((0, None, 0), (None, None), (0, 1))
    )
    table = attribute.histogram(range(3))
    assert table == {0: 3, 1: 1}
    first, second, third = (measure_group(attribute, (cell,), table) for cell in range(3))
    assert (first.given, first.distinct_values, first.unanimous) == (2, 1, True)
    assert (second.given, second.distinct_values, second.unanimous) == (0, 0, False)
    assert (third.given, third.distinct_values, third.unanimous) == (2, 2, False)
    assert third.closeness == Fraction(1, 4)


def test_a_mark_is_unanimous_only_if_all_ticked_it() -> None:
    ticked = ((1, 1), (0, 0), (0, 1))
    attribute = ConfidentialAttribute(name="q", measure="mark", domain_size=2, values=ticked)
    assert [measure_group(attribute, (cell,), {}).unanimous for cell in range(3)] == [True, False, False]
    assert not attribute.judged


@pytest.mark.parametrize(
    ("measure", "domain_size", "value"),
    [("cardinal", 2, 0), ("nominal", 0, 0), ("nominal", 2, 2), ("nominal", None, -1)],
)
def test_impossible_attributes_are_refused(measure: str, domain_size: int | None, value: int) -> None:
    with pytest.raises(ValueError):
        ConfidentialAttribute(name="q", measure=measure, domain_size=domain_size, values=((value,),))  # type: ignore
