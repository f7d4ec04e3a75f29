"""One column: no partition is better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.univariate import univariate
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.matrices import matrices


@settings(deadline=None, max_examples=60)
@given(X=matrices(most=9, columns=1), k=st.integers(1, 4))
def test_no_partition_is_better(X: np.ndarray, k: int) -> None:
    k = min(k, len(X))
    before = X.copy()
    labels = univariate(X, SizeRule.of_k(k))
    np.testing.assert_array_equal(X, before)
    spread = float(X.max() - X.min()) ** 2
    assert sse(X, labels) <= least_loss(X, k) * (1 + 1e-9) + 1e-12 * spread


@settings(deadline=None, max_examples=200)
@given(X=matrices(most=60, columns=1), share=st.floats(0, 1))
def test_groups_are_runs_of_k_to_2k_minus_1(X: np.ndarray, share: float) -> None:
    k = 1 + int(share * (len(X) - 1))
    labels = univariate(X, SizeRule.of_k(k))
    assert np.bincount(labels).min() >= k
    assert np.bincount(labels).max() <= 2 * k - 1
    assert (np.diff(labels[np.argsort(X[:, 0], kind="stable")]) >= 0).all()


@settings(deadline=None, max_examples=60)
@given(values=st.lists(st.integers(-9, 9), min_size=1, max_size=8), data=st.data())
def test_people_behind_records(values: list[int], data: st.DataObject) -> None:
    counts = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values))))
    k = data.draw(st.integers(1, int(counts.sum())))
    X = np.array(values, dtype=float)[:, None]
    labels = univariate(X, SizeRule.of_k(k), counts=counts)
    assert np.bincount(labels, weights=counts).min() >= k
    order = np.argsort(X[:, 0], kind="stable")
    best = np.inf
    for cuts in range(1 << (len(values) - 1)):  # all divisions into runs
        runs = np.cumsum([0, *(cuts >> i & 1 for i in range(len(values) - 1))])
        if np.bincount(runs, weights=counts[order]).min() >= k:
            best = min(best, sse(X[order], runs, counts[order]))
    assert sse(X, labels, counts) <= best + 1e-9


def test_row_order_does_not_matter_without_ties() -> None:
    rng = np.random.default_rng(3)
    X, order = rng.standard_normal((200, 1)), rng.permutation(200)
    np.testing.assert_array_equal(
        univariate(X[order], SizeRule.of_k(4)), univariate(X, SizeRule.of_k(4))[order]
    )


def test_refusals() -> None:
    with pytest.raises(ValueError, match="one column, X has 2"):
        univariate(np.zeros((4, 2)), SizeRule.of_k(2))
    with pytest.raises(ValueError, match="n = 2 records are fewer than k = 3"):
        univariate(np.zeros((2, 1)), SizeRule.of_k(3))
    with pytest.raises(ValueError, match="missing or infinite"):
        univariate(np.array([[np.nan]]), SizeRule.of_k(1))
