"""PCL on data matrices: better than MDAV, any size rule, exact on its grid."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.pcl import on_grid, pcl
from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.edge_list import (
    adversarial,
    assert_partition,
    check_counts,
    check_edges,
    check_progress,
    load,
    loss,
    same_groups,
)


def test_edge_list() -> None:
    check_edges(pcl, "pcl")
    check_counts(pcl)
    check_progress(pcl)


@pytest.mark.parametrize(("name", "bound"), [("census", 0.93), ("tarragona", 0.98)])
@pytest.mark.parametrize("n_min", [29, 53])
def test_loses_less_than_mdav(reference_data: Path, name: str, bound: float, n_min: int) -> None:
    X = load(reference_data, name)
    rule = SizeRule.of_k(n_min)
    labels = pcl(X, rule)
    assert_partition(labels, len(X), n_min)
    assert loss(X, labels) <= bound * loss(X, mdav_records(X, rule))


@pytest.mark.parametrize("n_min", [29, 53])
def test_loses_less_than_mdav_on_ten_thousand_gaussian_records(n_min: int) -> None:
    X = np.random.default_rng(0).standard_normal((10_000, 5))
    rule = SizeRule.of_k(n_min)
    start = time.process_time()
    labels = pcl(X, rule)
    assert time.process_time() - start < 20  # seconds of both cores; under 10 by the clock
    assert_partition(labels, len(X), n_min)
    assert loss(X, labels) <= 0.88 * loss(X, mdav_records(X, rule))


@settings(max_examples=1000, deadline=None)
@given(
    X=adversarial(),
    k=st.integers(1, 9),
    levels=st.integers(1, 2),
    data=st.data(),
)
def test_every_group_meets_the_rule(X: np.ndarray, k: int, levels: int, data: st.DataObject) -> None:
    n = len(X)
    people = np.array(data.draw(st.lists(st.tuples(*[st.integers(1, 4)] * levels), min_size=n, max_size=n)))
    if levels == 1:
        rule = SizeRule.of_k(k)
    else:
        rule = SizeRule(minimum=(k, 2 * k), predicate=lambda c: 2 * c[0] + c[1] >= 2 * k)
    if not rule.acceptable(people.sum(axis=0)):
        with pytest.raises(ValueError, match=r"do not meet|fewer than"):
            pcl(X, rule, counts=people)
        return
    labels = pcl(X, rule, counts=people)
    assert_partition(labels, n, 1)
    for group in range(labels.max() + 1):
        assert rule.acceptable(people[labels == group].sum(axis=0))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 11), k=st.integers(2, 4))
def test_never_better_than_the_optimum(seed: int, n: int, k: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, 2))
    assert sse(X, pcl(X, SizeRule.of_k(k))) >= least_loss(X, k) - 1e-9


@given(X=adversarial(), exponent=st.integers(-300, 300))
def test_the_grid_keeps_proportions(X: np.ndarray, exponent: int) -> None:
    grid = on_grid(X)
    assert (grid.min(axis=0) == 0).all()
    assert (on_grid(np.ldexp(X, exponent)) == grid).all()
    diagonal = np.sqrt((np.ptp(X, axis=0) ** 2).sum())
    steps = np.sqrt((grid.max(axis=0).astype(float) ** 2).sum())
    if diagonal == 0:
        assert steps == 0
        return
    assert 2**21 - 2 <= steps <= 2**22 + 2
    assert np.abs(grid * (diagonal / steps) - (X - X.min(axis=0))).max() <= 2**-21 * diagonal


def test_enormous_numbers_do_not_overflow() -> None:
    X = np.array([[1.7e308], [-1.7e308], [1.6e308], [-1.6e308]])
    assert same_groups(pcl(X, SizeRule.of_k(2)), np.array([0, 1, 0, 1]))


def test_progress() -> None:
    check_progress(pcl)
