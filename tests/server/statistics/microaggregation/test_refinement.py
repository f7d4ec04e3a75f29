"""Refinement: never worse, never below k, and as good as promised on the reference data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import sse, sst, standardize
from server.statistics.microaggregation.refinement import refine
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference import set_partition
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.matrices import matrices, reference_matrix
from tests.waiting import quickest


@pytest.mark.parametrize(
    ("name", "k", "most"),
    [("tarragona", 3, 14.91), ("tarragona", 10, 30.73), ("census", 3, 5.25), ("census", 10, 12.35)],
)
def test_reference_data(reference_data: Path, name: str, k: int, most: float) -> None:
    X = standardize(reference_matrix(reference_data, name))[0]
    rule = SizeRule.of_k(k)
    labels = mdav_records(X, rule)
    refined = refine(X, labels, rule)
    assert quickest(lambda: refine(X, labels, rule)) < 1
    assert 100 * sse(X, refined) / sst(X) <= most
    assert k <= np.bincount(refined).min()
    assert np.bincount(refined).max() <= 2 * k - 1


@pytest.mark.parametrize(
    ("name", "k", "most"),
    [("tarragona", 3, 14.65), ("census", 10, 11.6)],
)
def test_effort_on_reference_data(reference_data: Path, name: str, k: int, most: float) -> None:
    X = standardize(reference_matrix(reference_data, name))[0]
    rule = SizeRule.of_k(k)
    found = refine(X, mdav_records(X, rule), rule, effort=1)
    assert 100 * sse(X, found) / sst(X) <= most
    assert k <= np.bincount(found).min()
    assert np.bincount(found).max() <= 2 * k - 1


@pytest.mark.parametrize(("n", "k", "above"), [(40, 2, 1.04), (24, 2, 1 + 1e-9), (18, 3, 1 + 1e-9)])
def test_effort_beside_the_proven_optimum(n: int, k: int, above: float) -> None:
    """The first one is the only of nine such that was not the optimum itself."""
    X = np.random.default_rng(1).standard_normal((n, 2))
    rule = SizeRule.of_k(k)
    least = set_partition.least_loss(X, k)
    found = sse(X, refine(X, mdav_records(X, rule), rule, effort=20))
    assert least * (1 - 1e-6) <= found <= least * above


def test_a_seed_gives_one_partition_and_its_progress() -> None:
    X = np.random.default_rng(1).standard_normal((300, 3))
    rule, seen = SizeRule.of_k(4), []
    start = mdav_records(X, rule)
    one = refine(X, start, rule, effort=1, seed=7, progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(one, refine(X, start, rule, effort=1, seed=7))
    assert (one != refine(X, start, rule, effort=1, seed=8)).any()
    assert seen[-1] == (30_000, 30_000)
    with pytest.raises(ValueError, match="effort at least 0"):
        refine(X, start, rule, effort=-1)


@settings(deadline=None, max_examples=30)
@given(X=matrices(most=40), k=st.integers(1, 6), seed=st.integers(0, 99), heavy=st.booleans())
def test_effort_never_loses_and_never_falls_below_k(X: np.ndarray, k: int, seed: int, heavy: bool) -> None:
    n = len(X)
    counts = np.random.default_rng(seed).integers(1, 4, n) if heavy else np.ones(n, dtype=np.int64)
    k = min(k, int(counts.sum()))
    start = refine(X, mdav_records(X, SizeRule.of_k(k), counts=counts), SizeRule.of_k(k), counts=counts)
    found = refine(X, start, SizeRule.of_k(k), counts=counts, effort=2, seed=seed)
    assert np.bincount(found, weights=counts).min() >= k
    assert set(found) == set(range(found.max() + 1))
    assert sse(X, found, counts) <= sse(X, start, counts) * (1 + 1e-9) + 1e-12 * sst(X, counts)


@settings(deadline=None, max_examples=150)
@given(X=matrices(most=40), share=st.floats(0, 0.5), data=st.data())
def test_never_worse_and_never_below_k(X: np.ndarray, share: float, data: st.DataObject) -> None:
    n = len(X)
    k = 1 + int(share * (n - 1))
    labels = np.array(data.draw(st.permutations(range(n)))) % (n // k)
    before = X.copy(), labels.copy()
    refined = refine(X, labels, SizeRule.of_k(k))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(labels, before[1])
    assert k <= np.bincount(refined).min()
    assert np.bincount(refined).max() <= 2 * k - 1
    assert sse(X, refined) <= sse(X, labels) * (1 + 1e-9) + 1e-12 * sst(X)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 11), k=st.integers(2, 3))
def test_close_to_the_best_partition(seed: int, n: int, k: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, 2))
    least = least_loss(X, k)
    refined = sse(X, refine(X, mdav_records(X, SizeRule.of_k(k)), SizeRule.of_k(k)))
    # A local optimum; over all seeds the worst seen is 1.9 times, the mean 1.03.
    assert least * (1 - 1e-12) <= refined <= 2.5 * least


@settings(deadline=None, max_examples=100)
@given(X=matrices(most=25, columns=3), data=st.data())
def test_people_behind_records(X: np.ndarray, data: st.DataObject) -> None:
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(X), max_size=len(X))))
    k = data.draw(st.integers(1, int(counts.sum())))
    labels = mdav_records(X, SizeRule.of_k(k), counts=counts)
    refined = refine(X, labels, SizeRule.of_k(k), counts=counts)
    assert np.bincount(refined, weights=counts).min() >= k
    assert sse(X, refined, counts) <= sse(X, labels, counts) * (1 + 1e-9) + 1e-12 * sst(X, counts)


def test_a_move_and_a_swap_that_help_are_made() -> None:
    X = np.array([[0.0], [1], [2], [10], [11], [12], [3]])
    moved = refine(X, np.array([0, 0, 0, 1, 1, 1, 1]), SizeRule.of_k(3))
    assert moved.tolist() == [0, 0, 0, 1, 1, 1, 0]
    swapped = refine(X[:6], np.array([0, 0, 1, 1, 1, 0]), SizeRule.of_k(3))
    assert swapped[0] == swapped[1] == swapped[2] != swapped[3] == swapped[4] == swapped[5]


def test_steps_are_found_far_from_zero() -> None:
    X = np.array([[0.0], [1], [2], [10], [11], [12]]) + 1e9
    assert sse(X, refine(X, np.array([0, 1, 0, 1, 0, 1]), SizeRule.of_k(3))) == 4


def test_refusals() -> None:
    X, labels, rule = np.zeros((4, 1)), np.array([0, 0, 1, 1]), SizeRule.of_k(2)
    with pytest.raises(ValueError, match="group 1 has 1 people, fewer than k = 2"):
        refine(X, np.array([0, 0, 0, 1]), rule)
    with pytest.raises(ValueError, match="group 1 has 0 people"):
        refine(X, np.array([0, 0, 2, 2]), rule)
    for wrong in (labels[:3], labels - 1, labels.astype(float)):
        with pytest.raises(ValueError, match="labels must be 4 integers"):
            refine(X, wrong, rule)
    with pytest.raises(ValueError, match="candidates and passes"):
        refine(X, labels, rule, candidates=0)
    with pytest.raises(ValueError, match="n = 4 records are fewer than k = 5"):
        refine(X, labels, SizeRule.of_k(5))
    with pytest.raises(ValueError, match="missing or infinite"):
        refine(X + np.nan, labels, rule)
    seen: list[tuple[int, int]] = []
    refine(X, labels, rule, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (200, 200)
