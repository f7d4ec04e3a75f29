"""mu-Approx: the printed table, the example of the small enterprises, and the proven bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation.mu_approx import components, forest, mu_approx
from server.statistics.microaggregation.preparation import sse, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference.literal_mu_approx import literal_mu_approx
from tests.reference.optimal_partition import distances, least_loss
from tests.server.statistics.microaggregation.edge_list import (
    adversarial,
    assert_partition,
    check_counts,
    check_edges,
    check_progress,
    distance_loss,
    load,
    loss,
    same_groups,
)


def in_turn(X: np.ndarray, rule: SizeRule, **options: object) -> np.ndarray:
    """mu-Approx in the order of the rows."""
    return mu_approx(X, rule, order=np.arange(len(X)), **options)  # type: ignore[arg-type]


def test_edge_list() -> None:
    check_edges(mu_approx, "mu_approx")
    check_counts(mu_approx)
    check_progress(mu_approx)


def test_order_is_every_record_once() -> None:
    X = np.arange(8.0)[:, None]
    for order in ([0, 1], [0, 1, 2, 3, 4, 5, 6, 6], list(range(1, 9))):
        with pytest.raises(ValueError, match="order must hold every record once"):
            mu_approx(X, SizeRule.of_k(2), order=np.array(order))


def test_rows_and_their_order_may_be_shuffled_together(reference_data: Path) -> None:
    X = load(reference_data, "census")
    shuffled = np.random.default_rng(3).permutation(len(X))
    before = in_turn(X, SizeRule.of_k(4))
    after = mu_approx(X[shuffled], SizeRule.of_k(4), order=np.argsort(shuffled))
    assert same_groups(before[shuffled], after)
    assert not same_groups(before, mu_approx(X, SizeRule.of_k(4), order=shuffled))


BELOW = {("census", 3, "l_e"): (-0.10, -0.08), ("census", 5, "l_sse"): (-0.08, -0.05)}
"""Where the loss without `order` is smaller than printed by more than 5 %: between these shares."""
MISPRINT = {("census", 3, "l_e"): 25.35}
"""What must have been 23.35: see `test_the_literal_reading_finds_printed_digits`."""


@pytest.mark.parametrize("method", [in_turn, mu_approx])
@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
def test_means_over_twenty_seeds_are_at_the_level_of_the_table(
    reference_data: Path, reference_figures: Path, name: str, method: Any
) -> None:
    """Within 5 % (and half a unit of the last digit): in the order of the file all but a misprint."""
    printed = json.loads((reference_figures / "microaggregation.json").read_text())["mu_approx_printed"]
    X = load(reference_data, name)
    for k in (3, 4, 5, 10):
        found = [method(X, SizeRule.of_k(k), seed=seed) for seed in range(20)]
        for labels in found:
            assert np.bincount(labels).min() >= k
            assert np.bincount(labels).max() < 2 * k
        for measure, table in ((loss, "l_sse"), (distance_loss, "l_e")):
            if name in printed[table]:
                expected = printed[table][name][str(k)]
                mean = float(np.mean([measure(X, labels) for labels in found]))
                low, high = -0.05, 0.05
                if method is mu_approx:
                    low, high = BELOW.get((name, k, table), (low, high))
                elif (name, k, table) in MISPRINT:
                    assert expected == MISPRINT[name, k, table]
                    expected -= 2
                assert low * expected - 0.005 <= mean - expected <= high * expected + 0.005, (k, table)


@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
def test_the_literal_reading_finds_printed_digits(
    reference_data: Path, reference_figures: Path, name: str
) -> None:
    """Records in the order of the file: eight printed figures to the last digit, and 23.35 for one more."""
    printed = json.loads((reference_figures / "microaggregation.json").read_text())["mu_approx_printed"]
    X = load(reference_data, name)
    distance = np.zeros((len(X), len(X)))
    for column in X.T:
        distance += (column[:, None] - column) ** 2
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1, kind="stable")[:, :64]
    same = set()
    for k in (3, 4, 5, 10):
        labels = literal_mu_approx(X, near, k)
        for measure, table in ((loss, "l_sse"), (distance_loss, "l_e")):
            if name in printed[table]:
                ours, expected = measure(X, labels), printed[table][name][str(k)]
                if f"{ours:.2f}" == f"{expected:.2f}":
                    same.add((k, table))
                elif (name, k, table) in MISPRINT:
                    assert f"{ours:.2f}" == f"{MISPRINT[name, k, table] - 2:.2f}"
                else:
                    assert ours == pytest.approx(expected, rel=0.045 if (name, k) == ("eia", 3) else 0.01)
    if name == "census" or name == "eia":
        assert same == {(4, "l_sse"), (5, "l_sse"), (10, "l_sse"), (10, "l_e")}


def test_small_enterprises(reference_figures: Path) -> None:
    """Eleven firms: exhaustive optimum and mu-Approx as printed (digits cut off, not rounded)."""
    example = json.loads((reference_figures / "microaggregation.json").read_text())["sme_example"]
    X = standardize(np.array([example["surface"], example["employees"]], dtype=float).T)[0]
    assert least_loss(X, 3) == pytest.approx(example["optimal_sse"], abs=1e-3)
    printed = np.empty(11, dtype=np.int64)
    for label, group in enumerate(example["mu_approx_groups_1_based"]):
        printed[np.array(group) - 1] = label
    for seed in range(20):
        labels = mu_approx(X, SizeRule.of_k(3), seed=seed)
        assert sse(X, labels) == pytest.approx(example["mu_approx_sse"], abs=1e-3)
        assert same_groups(labels, printed)
        assert same_groups(in_turn(X, SizeRule.of_k(3), seed=seed), printed)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), k=st.integers(2, 4), seed=st.integers(0, 99), ordered=st.booleans())
def test_proven_bounds_against_the_optimum(data: st.DataObject, k: int, seed: int, ordered: bool) -> None:
    n = data.draw(st.integers(k, 10))
    generator = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    X = generator.standard_normal((n, 2)) * data.draw(st.sampled_from((1.0, 1.0, 0.0)))
    X += 20 * generator.integers(0, 3, (n, 1))
    bound = max(2 * k - 1, 3 * k - 5)
    squared, plain = least_loss(X, k), least_loss(X, k, distances)
    turns = np.arange(n) if ordered else None
    parent = forest(X, np.ones(n, dtype=np.int64), k, seed, turns)
    owners = np.flatnonzero(parent >= 0)
    edges = ((X[owners] - X[parent[owners]]) ** 2).sum(axis=1)
    assert edges.sum() <= 2 * (k + 1) * squared + 1e-9
    assert np.sqrt(edges).sum() <= (k + 1) * plain + 1e-9
    labels = mu_approx(X, SizeRule.of_k(k), seed=seed, order=turns)
    assert squared - 1e-9 <= sse(X, labels) <= (k + 1) * bound * (bound - 1) * squared + 1e-9
    assert sum(distances(X[labels == g]) for g in range(labels.max() + 1)) <= (k + 1) * bound * plain + 1e-9


@settings(max_examples=200, deadline=None)
@given(X=adversarial(largest=60), k=st.integers(2, 7), seed=st.integers(0, 9), ordered=st.booleans())
def test_components_keep_the_size_bound(X: np.ndarray, k: int, seed: int, ordered: bool) -> None:
    if len(X) < k:
        return
    turns = np.arange(len(X)) if ordered else None
    sizes = [len(part) for part in components(X, np.ones(len(X), dtype=np.int64), k, seed, turns)]
    assert sum(sizes) == len(X)
    assert min(sizes) >= k
    assert max(sizes) <= max(2 * k - 1, 3 * k - 5)


def test_stars_are_divided_at_their_centre() -> None:
    """All arms shorter than k: only sets of arms can be told apart, one of them through a Steiner vertex."""
    for k, arms in ((3, 9), (5, 4), (5, 5), (7, 8), (4, 30)):
        for reach in (k - 2, k - 1):
            angle = 2 * np.pi * np.arange(arms) / arms
            arm = np.column_stack([np.cos(angle), np.sin(angle)])
            # Steps that shrink outwards make the outer records join inwards.
            X = np.vstack([np.zeros((1, 2))] + [arm * (10 - 1.9**-r) for r in range(reach)])
            for seed in range(5):
                parts = components(X, np.ones(len(X), dtype=np.int64), k, seed)
                assert k <= min(map(len, parts))
                assert max(map(len, parts)) <= max(2 * k - 1, 3 * k - 5)


def test_the_forest_uses_each_records_near_neighbours_only() -> None:
    X = np.random.default_rng(2).standard_normal((300, 3))
    for k in (2, 5, 30):
        for turns in (None, np.arange(300)):
            parent = forest(X, np.ones(300, dtype=np.int64), k, 1, turns)
            for i in np.flatnonzero(parent >= 0):
                nearer = (((X - X[i]) ** 2).sum(axis=1) < ((X[parent[i]] - X[i]) ** 2).sum()).sum()
                assert nearer <= k - 1  # itself and at most k - 2 others


@settings(max_examples=1000, deadline=None)
@given(X=adversarial(), k=st.integers(1, 9), seed=st.integers(0, 9), data=st.data())
def test_every_group_holds_k_people(X: np.ndarray, k: int, seed: int, data: st.DataObject) -> None:
    n = len(X)
    counts = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    if counts.sum() >= k:
        assert_partition(mu_approx(X, SizeRule.of_k(k), counts=counts, seed=seed), n, k, counts)
        assert_partition(in_turn(X, SizeRule.of_k(k), counts=counts, seed=seed), n, k, counts)


def test_seeds_matter_and_a_rule_of_levels_is_refused(reference_data: Path) -> None:
    X = load(reference_data, "census")
    for method in (mu_approx, in_turn):
        assert not same_groups(*(method(X, SizeRule.of_k(5), seed=seed) for seed in (0, 1)))
    rule = SizeRule(minimum=(2, 3), predicate=lambda c: sum(c) > 3)
    with pytest.raises(ValueError, match="mu_approx"):
        mu_approx(X[:5], rule, counts=np.ones((5, 2), dtype=np.int64))


def test_values_whose_distances_overflow_are_refused() -> None:
    X = np.random.default_rng(0).standard_normal((40, 2))
    assert mu_approx(X * 1e140, SizeRule.of_k(5)).max() > 0
    with pytest.raises(ValueError, match="too large, standardize first"):
        mu_approx(X * 1e160, SizeRule.of_k(5))
