"""Diversity against hand-computed values, the exact distances, and linear programming."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from server.statistics.measures.closeness import earth_movers_distance
from server.statistics.measures.diversity import (
    Contingency,
    average_kl_risk,
    average_l,
    coded,
    delta_disclosure,
    delta_disclosure_of_occurring_values,
    distinct_l_diversity,
    entropy_l_diversity,
    in_intervals,
    p_sensitivity,
    t_closeness,
)
from tests.reference.hierarchical_distance import hierarchical_distance

GROUPS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
ILL = coded(["flu", "cold", "ache", "flu", "flu", "cold", "ache", "ache", "cold", "flu"])[0]
INCOME = coded([3, 4, 5, 6, 6, 11, 8, 7, 9, 10])[0]
PATHS = (("lungs", "flu"), ("lungs", "asthma"), ("skin", "rash"), ("skin", "burn"), ("heart", "murmur"))


def test_a_group_without_values_says_nothing_and_a_missing_one_protects_nobody() -> None:
    codes, _ = coded([1.0, 2.0, np.nan, 1.0])
    assert distinct_l_diversity(Contingency.of(np.array([1, 1, 2, 2]), codes)).value == 1


def test_figures_by_hand() -> None:
    """Group 1 has shares 1/2, 1/4, 1/4 of the illnesses; no group has every income."""
    ill, income = Contingency.of(GROUPS, ILL), Contingency.of(GROUPS, INCOME)
    assert entropy_l_diversity(ill).value == pytest.approx(2 * 2**0.5)
    assert delta_disclosure(ill).value == pytest.approx(np.log(5 / 4))
    assert delta_disclosure(income).value == float("inf")
    assert delta_disclosure_of_occurring_values(income).value == pytest.approx(np.log(10 / 3))


def test_entropy_of_equal_shares_is_their_number_and_of_one_value_is_one() -> None:
    even = Contingency.of(np.zeros(4, dtype=int), np.arange(4))
    assert entropy_l_diversity(even).value == pytest.approx(4)
    assert entropy_l_diversity(Contingency.of(np.zeros(4, dtype=int), np.zeros(4, dtype=int))).value == 1


def test_p_sensitivity_takes_the_worst_attribute() -> None:
    labels = np.array([0, 0, 0])
    pair = [Contingency.of(labels, np.array([0, 1, 2])), Contingency.of(labels, np.array([0, 0, 1]))]
    assert p_sensitivity(pair).value == 2
    with pytest.raises(ValueError, match="confidential"):
        p_sensitivity([])


def test_mutual_information_by_hand() -> None:
    """Group tells the value for sure: one bit. Independent: none."""
    labels = np.array([0, 0, 1, 1])
    assert average_kl_risk(Contingency.of(labels, labels)).value == pytest.approx(1)
    assert average_kl_risk(Contingency.of(labels, np.array([0, 1, 0, 1]))).value == 0


def test_average_l_counts_intervals() -> None:
    labels = np.array([0, 0, 0, 1, 1])
    income = np.array([10.0, 10.4, 12.0, 10.0, 30.0])
    assert average_l(labels, income).value == pytest.approx((3 + 2) / 2)
    # Distances to the mean, 14.48: -4.48, -4.08, -2.48, -4.48, 15.52; rounded, -4, -4, -2, -4, 16.
    assert average_l(labels, income, interval=1).value == pytest.approx((2 + 2) / 2)
    assert average_l(labels, income, interval=0.5).value == pytest.approx((3 + 2) / 2)
    assert average_l(labels, income, interval=100).value == 1
    # Of several attributes the one with the fewest counts, group by group.
    assert average_l(labels, np.column_stack([income, [1, 1, 1, 2, 3]])).value == pytest.approx((1 + 2) / 2)
    with pytest.raises(ValueError, match="missing"):
        average_l(labels, np.array([1, 2, np.nan, 1, 1]))
    with pytest.raises(ValueError, match="interval"):
        average_l(labels, income, interval=-1)


records = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 4)), min_size=1, max_size=30).filter(
    lambda pairs: any(value >= 0 for _, value in pairs)
)


@settings(max_examples=80, deadline=None)
@given(records)
def test_closeness_of_all_groups_is_the_largest_exact_distance(pairs: list[tuple[int, int]]) -> None:
    labels, values = (np.array(column) for column in zip(*pairs, strict=True))
    contingency = Contingency.of(labels, values, 5)
    table = Counter(v for _, v in pairs if v >= 0)
    groups = [Counter(v for g, v in pairs if g == group and v >= 0) for group in range(4)]
    for ordered in (False, True):
        exact = max(earth_movers_distance(g, table, ordered=ordered, domain_size=5) for g in groups)
        found = t_closeness(contingency, "ordered" if ordered else "equal").value
        assert found == pytest.approx(float(exact), abs=1e-12)
    exact = max(hierarchical_distance(g, table, PATHS) for g in groups)
    assert t_closeness(contingency, "hierarchical", PATHS).value == pytest.approx(float(exact), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.integers(0, 4), st.integers(1, 9), min_size=1),
    st.dictionaries(st.integers(0, 4), st.integers(1, 9), min_size=1),
)
def test_hierarchical_distance_solves_the_transport_problem(
    group: dict[int, int], table: dict[int, int]
) -> None:
    cost = np.array(
        [[0 if i == j else (1 / 2 if PATHS[i][0] == PATHS[j][0] else 1) for j in range(5)] for i in range(5)]
    )
    p = np.array([group.get(v, 0) for v in range(5)]) / sum(group.values())
    q = np.array([table.get(v, 0) for v in range(5)]) / sum(table.values())
    rows, columns = np.kron(np.eye(5), np.ones((1, 5))), np.kron(np.ones((1, 5)), np.eye(5))
    solved = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    assert float(hierarchical_distance(group, table, PATHS)) == pytest.approx(solved.fun, abs=1e-9)


def test_a_flat_hierarchy_is_the_equal_distance() -> None:
    flat = [(str(value),) for value in range(4)]
    group, table = {0: 2, 1: 1}, {0: 1, 1: 1, 2: 1, 3: 1}
    assert hierarchical_distance(group, table, flat) == earth_movers_distance(group, table, ordered=False)
    assert hierarchical_distance({}, table, flat) == Fraction(0)


@pytest.mark.parametrize("paths", [(), ((),), (("a",), ("a", "b")), (("a",), ("a",))])
def test_a_broken_hierarchy_is_refused(paths) -> None:
    with pytest.raises(ValueError, match="path"):
        hierarchical_distance({0: 1}, {0: 1}, paths)


@pytest.mark.parametrize(
    ("labels", "values", "words"),
    [([0, 0], [0], "one entry"), ([0, 0], [-1, -1], "no value"), ([0, 0], [0, -2], "outside")],
)
def test_nonsense_is_refused(labels, values, words) -> None:
    with pytest.raises(ValueError, match=words):
        Contingency.of(np.array(labels), np.array(values))


def test_hierarchy_arguments_are_checked() -> None:
    contingency = Contingency.of(GROUPS, ILL)
    with pytest.raises(ValueError, match="hierarchical"):
        t_closeness(contingency, "equal", PATHS)
    with pytest.raises(ValueError, match="hierarchical"):
        t_closeness(contingency, "hierarchical")
    with pytest.raises(ValueError, match="one path"):
        t_closeness(contingency, "hierarchical", PATHS)
    with pytest.raises(ValueError, match="no path"):
        hierarchical_distance({9: 1}, {0: 1}, PATHS)


def test_codes_of_mixed_and_missing_columns() -> None:
    assert coded(["b", None, "a"])[0].tolist() == [1, -1, 0]
    assert coded([2.0, np.nan, 1.0])[0].tolist() == [1, -1, 0]
    assert coded(np.array(["2024-02-29", "NaT"], dtype="M8[D]"))[0].tolist() == [0, -1]
    assert coded(np.array([1, "1x", 2], dtype=object))[0].tolist() == [0, 1, 2]


def test_order_of_records_and_names_of_groups_do_not_matter() -> None:
    random = np.random.default_rng(1)
    order = random.permutation(len(GROUPS))
    renamed = np.array([7, 3, 5])[GROUPS]
    one, other = Contingency.of(GROUPS, ILL), Contingency.of(renamed[order], ILL[order])
    for measure in (distinct_l_diversity, entropy_l_diversity, average_kl_risk, delta_disclosure):
        assert measure(one).value == pytest.approx(measure(other).value)


def test_values_in_intervals() -> None:
    """Distances to the mean of each column, rounded; 0 leaves them alone."""
    values = np.array([[1.0, -2.0], [1.4, 0.0], [1.5, 2.0]])
    assert in_intervals(values, 0.5).tolist() == [[-1, -4], [0, 0], [0, 4]]
    assert in_intervals(values[:, 0], 10).tolist() == [0, 0, 0]
    assert in_intervals(values, 0).tolist() == values.tolist()
    with pytest.raises(ValueError, match="at least 0"):
        in_intervals(values, -1)
    with pytest.raises(ValueError, match="missing"):
        in_intervals([1.0, np.nan], 1)
