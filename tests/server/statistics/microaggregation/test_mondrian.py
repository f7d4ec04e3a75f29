"""Mondrian: boxes tile the domain, nothing that may be cut stays whole, relaxed groups are small."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.mondrian import BoxCells, mondrian, mondrian_boxes
from server.statistics.microaggregation.preparation import encode, sse
from server.statistics.microaggregation.size_rule import SizeRule
from shared.cells import Boxes
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.edge_list import (
    adversarial,
    assert_partition,
    check_counts,
    check_edges,
    check_progress,
    same_groups,
)


def relaxed(X: np.ndarray, rule: SizeRule, **options: object) -> np.ndarray:
    return mondrian(X, rule, strict=False, **options)  # type: ignore[arg-type]


def test_edge_list() -> None:
    for algorithm in (mondrian, relaxed):
        check_edges(algorithm, "mondrian")
        check_counts(algorithm)
        check_progress(algorithm)


@settings(max_examples=1000, deadline=None)
@given(X=adversarial(), k=st.integers(1, 7))
def test_strict_groups_hold_whole_values_and_cannot_be_cut(X: np.ndarray, k: int) -> None:
    if len(X) < k:
        return
    labels = mondrian(X, SizeRule.of_k(k))
    assert_partition(labels, len(X), k)
    for g in range(labels.max() + 1):
        members = X[labels == g]
        others = X[labels != g]
        assert not (members[:, None] == others[None]).all(axis=2).any()  # a function of the values
        for column in members.T:
            for value in np.unique(column)[:-1]:
                below = (column <= value).sum()
                assert min(below, len(members) - below) < k


@settings(max_examples=1000, deadline=None)
@given(X=adversarial(), k=st.integers(1, 7))
def test_relaxed_groups_have_fewer_than_twice_k(X: np.ndarray, k: int) -> None:
    if len(X) >= k:
        labels = mondrian(X, SizeRule.of_k(k), strict=False)
        assert_partition(labels, len(X), k)
        assert np.bincount(labels).max() <= 2 * k - 1


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 11), k=st.integers(2, 4), strict=st.booleans())
def test_never_better_than_the_optimum(seed: int, n: int, k: int, strict: bool) -> None:
    X = np.random.default_rng(seed).standard_normal((n, 2))
    labels = mondrian(X, SizeRule.of_k(k), strict=strict)
    assert sse(X, labels) >= least_loss(X, k) - 1e-9


def test_the_widest_attribute_is_cut_at_the_median() -> None:
    X = np.array([[float(i), 100.0 * (i % 2)] for i in range(8)])
    assert same_groups(mondrian(X, SizeRule.of_k(4)), np.arange(8) % 2)
    X[:, 1] /= 100
    assert same_groups(mondrian(X, SizeRule.of_k(4)), np.arange(8) // 4)
    # Five of nine values are equal: the border nearest to the median is below or above them.
    tied = np.array([[0.0], [1.0], [2.0], [2.0], [2.0], [2.0], [2.0], [3.0], [4.0]])
    assert mondrian(tied, SizeRule.of_k(2)).tolist() == [0, 0, 1, 1, 1, 1, 1, 2, 2]
    assert np.bincount(relaxed(tied, SizeRule.of_k(2))).tolist() == [2, 2, 2, 3]


def test_categories_are_cut_into_sets() -> None:
    colour = np.repeat(["blue", "green", "red", "white"], [3, 40, 3, 2])
    X = encode({"colour": colour})
    labels = mondrian(X, SizeRule.of_k(3), nominal=[(0, 4)])
    assert same_groups(labels, np.repeat([0, 1, 2, 2], [3, 40, 3, 2]))
    # In order, no set but all of them has 6 on both sides; by number of people, green parts from the rest.
    labels = mondrian(X, SizeRule.of_k(6), nominal=[(0, 4)])
    assert same_groups(labels, np.repeat([0, 1, 0, 0], [3, 40, 3, 2]))
    for blocks in ([(0, 5)], [(2, 2)], [(0, 3), (2, 4)]):
        with pytest.raises(ValueError, match="no block of columns"):
            mondrian(X, SizeRule.of_k(3), nominal=blocks)


Case = tuple[np.ndarray, np.ndarray, tuple[int, ...], tuple[tuple[int, int], ...], list[tuple[int, int]]]


@st.composite
def populations(draw: st.DrawFn, levels: int) -> Case:
    """Distinct tuples of up to two numbers and a nominal attribute in the middle, in a small domain."""
    n, categories = draw(st.integers(1, 40)), draw(st.integers(2, 4))
    low = draw(st.integers(-5, 5))
    number = draw(arrays(np.int64, n, elements=st.integers(low, low + 9)))
    code = draw(arrays(np.int64, n, elements=st.integers(0, categories - 1)))
    other = draw(arrays(np.int64, n, elements=st.integers(0, 1)))
    values = np.column_stack([number, np.eye(categories, dtype=np.int64)[code], other])
    people = draw(arrays(np.int64, (n, levels), elements=st.integers(1, 3)))
    X, people, _ = canonical(values, people)
    weights = tuple(draw(st.lists(st.integers(0, 4), min_size=2, max_size=2)))
    ranges = ((low - 1, low + 9), *((0, 1),) * categories, (0, 1))
    return (
        X,
        people,
        (weights[0], *(3,) * categories, weights[1]),
        ranges,
        [(1, 1 + categories)],
    )


@settings(max_examples=150, deadline=None)
@given(data=st.data(), levels=st.integers(1, 2), minimum=st.integers(1, 9))
def test_boxes_tile_the_domain_and_meet_the_need(data: st.DataObject, levels: int, minimum: int) -> None:
    X, people, weights, ranges, nominal = data.draw(populations(levels))
    if levels == 1:
        rule = SizeRule(minimum=(minimum,))
    else:
        rule = SizeRule(minimum=(minimum, 2 * minimum), predicate=lambda c: 2 * c[0] + c[1] >= 2 * minimum)
    if not rule.acceptable(people.sum(axis=0)):
        with pytest.raises(ValueError, match="do not meet the need"):
            mondrian_boxes(X, people, weights, rule, ranges=ranges, nominal=nominal)
        return
    cells = mondrian_boxes(X, people, weights, rule, ranges=ranges, nominal=nominal)
    shape = Boxes(weights=weights, boxes=cells.boxes)
    assert [shape.assign(x) for x in X.tolist()] == cells.labels.tolist()
    counts = np.zeros_like(cells.counts)
    np.add.at(counts, cells.labels, people)
    assert (counts == cells.counts).all()
    assert all(rule.acceptable(row) for row in counts)
    categories = nominal[0][1] - nominal[0][0]
    for number in range(ranges[0][0], ranges[0][1] + 1):
        for code, other in itertools.product(range(categories), (0, 1)):
            x = (number, *(int(c == code) for c in range(categories)), other)
            inside = [all(a <= v <= b for v, (a, b) in zip(x, box, strict=True)) for box in cells.boxes]
            assert sum(inside) == 1


def _boxes(values: list[int], rule: int) -> BoxCells:
    X, people, _ = canonical(np.array(values)[:, None], np.ones((len(values), 1), dtype=np.int64))
    return mondrian_boxes(X, people, (1,), SizeRule(minimum=(rule,)), ranges=((0, 100),))


def test_borders_are_round_numbers_between_values() -> None:
    assert _boxes([3, 5, 70, 99], 2).boxes == (((0, 64),), ((65, 100),))
    assert _boxes([3, 5, 6, 99], 2).boxes == (((0, 5),), ((6, 100),))


def test_a_tuple_outside_the_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="outside the domain"):
        _boxes([3, 101], 1)


def test_the_fullest_groups_are_cut_first() -> None:
    X = np.random.default_rng(6).standard_normal((1000, 2))
    for most in (1, 2, 7, 16):
        sizes = np.bincount(mondrian(X, SizeRule.of_k(5), most=most))
        assert len(sizes) == most
        assert sizes.max() <= 2 * sizes.min() + 1
