"""The best of all partitions, against a slower program, and never above a heuristic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.exhaustive import MOST_RECORDS, exhaustive
from server.statistics.microaggregation.m_d import m_d
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.mu_approx import mu_approx
from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.edge_list import adversarial, assert_partition, same_groups


@settings(max_examples=60, deadline=None)
@given(X=adversarial(largest=9), k=st.integers(1, 4))
def test_as_the_slow_reference(X: np.ndarray, k: int) -> None:
    if len(X) < k:
        return
    labels = exhaustive(X, SizeRule.of_k(k))
    assert_partition(labels, len(X), k)
    assert np.bincount(labels).max() < 2 * k
    scale = max(1.0, float(((X - X.mean(axis=0)) ** 2).sum()))
    assert sse(X, labels) == pytest.approx(least_loss(X, k), abs=1e-9 * scale)


def test_no_heuristic_is_better_and_rows_may_come_in_any_order() -> None:
    generator = np.random.default_rng(3)
    X = generator.standard_normal((14, 3))
    order = generator.permutation(14)
    for k in (1, 2, 3, 5, 7, 8, 14):
        rule = SizeRule.of_k(k)
        labels = exhaustive(X, rule)
        least = sse(X, labels)
        for algorithm in (mdav_records, m_d, mu_approx):
            assert least <= sse(X, algorithm(X, rule)) + 1e-9
        assert same_groups(exhaustive(X[order], rule), labels[order])
        assert labels[0] == 0
    assert sse(X, exhaustive(X, SizeRule.of_k(1))) == pytest.approx(0, abs=1e-20)


def test_refusals_and_progress() -> None:
    rule = SizeRule.of_k(2)
    with pytest.raises(ValueError, match=f"at most {MOST_RECORDS}"):
        exhaustive(np.zeros((MOST_RECORDS + 1, 1)), rule)
    with pytest.raises(ValueError, match="fewer than k"):
        exhaustive(np.zeros((1, 1)), rule)
    with pytest.raises(ValueError, match="single records"):
        exhaustive(np.zeros((3, 1)), rule, counts=np.array([1, 2, 1]))
    seen: list[tuple[int, int]] = []
    exhaustive(np.zeros((4, 1)), rule, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 4)]
