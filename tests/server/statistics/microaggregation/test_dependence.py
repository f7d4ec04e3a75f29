"""The weight of the confidential attributes trades the two losses, and never the size of a group."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.dependence import (
    beta,
    joined,
    preserving_dependence,
)
from server.statistics.microaggregation.m_d import m_d
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.mu_approx import mu_approx
from server.statistics.microaggregation.partitioner import Partitioner
from server.statistics.microaggregation.pcl import pcl
from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.edge_list import adversarial, assert_partition, load, loss


def test_beta() -> None:
    assert beta(0, 3, 2) == 0
    assert beta(1, 3, 2) == math.inf
    assert beta(0.5, 3, 3) == 1
    assert beta(0.5, 6, 7) == pytest.approx(math.sqrt(6 / 7))
    assert beta(0.9, 2, 2) == pytest.approx(3)
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="from 0 to 1"):
            beta(bad, 1, 1)
    with pytest.raises(ValueError, match="one column"):
        beta(0.5, 0, 1)


@given(weight=st.floats(0.01, 0.99), m_X=st.integers(1, 5), m_Y=st.integers(1, 5))
def test_distances_are_the_weighted_mean_of_both_distortions(weight: float, m_X: int, m_Y: int) -> None:
    generator = np.random.default_rng(m_X)
    X, Y = generator.standard_normal((2, m_X)), generator.standard_normal((2, m_Y))
    both = joined(X, Y, weight)
    expected = (1 - weight) * ((X[0] - X[1]) ** 2).mean() + weight * ((Y[0] - Y[1]) ** 2).mean()
    assert ((both[0] - both[1]) ** 2).sum() * (1 - weight) / m_X == pytest.approx(expected)


def test_special_cases_and_refusals() -> None:
    X, Y = np.arange(6.0).reshape(3, 2), np.arange(3.0).reshape(3, 1)
    assert (joined(X, Y, 0) == X).all()
    assert (joined(X, Y, 1) == Y).all()
    with pytest.raises(ValueError, match="3 records, Y has 2"):
        joined(X, Y[:2], 0.5)
    broken = Y.copy()
    broken[1] = np.nan
    with pytest.raises(ValueError, match=r"\[1, 0\] is nan"):
        joined(X, broken, 0.5)


@pytest.mark.parametrize("algorithm", [mdav_records, m_d, mu_approx, pcl])
@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_a_larger_weight_keeps_more_of_the_confidential(
    reference_data: Path, name: str, algorithm: Partitioner
) -> None:
    """6 and 7 attributes, as in the paper."""
    Z = load(reference_data, name)
    X, Y = Z[:, :6], Z[:, 6:]
    losses = []
    for weight in (0, 0.5, 1):
        labels = preserving_dependence(algorithm, X, Y, SizeRule.of_k(10), weight=weight)
        assert_partition(labels, len(X), 10)
        losses.append((loss(X, labels), loss(Y, labels)))
    assert losses[0][0] < losses[2][0]
    assert losses[0][1] > losses[2][1]
    if algorithm is not m_d:  # whose trees make it less even
        assert losses[0][0] < losses[1][0] < losses[2][0]
        assert losses[0][1] > losses[1][1] > losses[2][1]


def test_a_middle_weight_loses_least_in_sum_among_the_three() -> None:
    """Gaussian pairs of correlation 0.5: exhaustive optima on ten records bound what MDAV finds."""
    generator = np.random.default_rng(4)
    X = generator.standard_normal((2000, 1))
    Y = 0.5 * X + math.sqrt(0.75) * generator.standard_normal((2000, 1))
    rule = SizeRule.of_k(5)

    def total(weight: float) -> float:
        labels = preserving_dependence(mdav_records, X, Y, rule, weight=weight)
        return 0.5 * loss(X, labels) + 0.5 * loss(Y, labels)

    assert total(0.5) < min(total(0), total(1))
    small = joined(X[:10], Y[:10], 0.5)
    labels = preserving_dependence(mdav_records, X[:10], Y[:10], rule, weight=0.5)
    assert sse(small, labels) >= least_loss(small, 5) - 1e-9


@settings(max_examples=60, deadline=None)
@given(X=adversarial(), Y=adversarial(), k=st.integers(1, 6), weight=st.sampled_from((0, 0.1, 0.5, 1)))
def test_groups_meet_the_rule_for_every_weight(X: np.ndarray, Y: np.ndarray, k: int, weight: float) -> None:
    n = min(len(X), len(Y))
    if n >= k:
        labels = preserving_dependence(mu_approx, X[:n], Y[:n], SizeRule.of_k(k), weight=weight, seed=2)
        assert_partition(labels, n, k)
