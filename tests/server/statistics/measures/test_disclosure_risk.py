"""Disclosure risk against brute force and published satisfaction levels."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.measures.disclosure_risk import (
    WIDTHS,
    achieved_k,
    average_interval_disclosure,
    distance_linkage,
    equivalence_classes,
    interval_disclosure,
    linkage_of_masked,
    record_linkage_bounds,
    satisfaction_level,
    scoring_index,
)
from server.statistics.measures.measure import Measure
from server.statistics.measures.moments import probabilistic_information_loss
from server.statistics.microaggregation.preparation import group_means, standardize


def linkage_by_brute_force(X, Y) -> float:
    X, means, deviations = standardize(X)
    Y = (Y - means) / deviations
    distance = np.sqrt(((X[:, None] - Y[None]) ** 2).sum(-1))
    near = distance <= distance.min(1, keepdims=True) * (1 + 1e-9) + 1e-12
    return 100 * float((near.diagonal() / near.sum(1)).mean())


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 3), st.booleans())
def test_linkage_is_that_of_brute_force(seed: int, n: int, d: int, coarse: bool) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, d)).astype(float) if coarse else random.standard_normal((n, d))
    labels = random.permutation(np.arange(n) // 3)
    Y = group_means(X, labels)[labels] if seed % 2 else random.integers(0, 3, (n, d)).astype(float)
    assert distance_linkage(X, Y).value == pytest.approx(linkage_by_brute_force(X, Y), abs=1e-6)


def test_many_masked_records_at_the_same_distance() -> None:
    """Eight corners of a cube around a person: one in eight, though the tree is asked for four."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    X = np.vstack([np.zeros((1, 3)), corners * 10, corners * 10])
    Y = np.vstack([corners[:1], corners, -corners])
    assert distance_linkage(X, Y).value == pytest.approx(linkage_by_brute_force(X, Y))


def test_linkage_of_nothing_masked_and_of_one_class() -> None:
    X = np.random.default_rng(1).standard_normal((20, 2))
    assert distance_linkage(X, X).value == 100
    assert distance_linkage(X, np.broadcast_to(X.mean(0), X.shape)).value == pytest.approx(5)


def test_linkage_knows_only_what_the_intruder_knows() -> None:
    X = np.column_stack([np.arange(6.0), np.arange(6.0)[::-1] ** 2])
    masked = np.column_stack([np.full(6, 2.5), X[:, 1]])
    assert distance_linkage(X, masked, known=[0]).value == pytest.approx(100 / 6)
    assert distance_linkage(X, masked, known=[1]).value == 100
    with pytest.raises(ValueError, match="knows no"):
        distance_linkage(X, masked, known=[])


def test_linkage_of_a_k_anonymous_table_stays_below_its_bound() -> None:
    random = np.random.default_rng(2)
    X, labels = random.standard_normal((90, 3)), np.arange(90) // 6
    assert distance_linkage(X, group_means(X, labels)[labels]).value <= 100 / 6 + 1e-9


def test_linkage_of_a_hundred_thousand_records_takes_seconds() -> None:
    random = np.random.default_rng(3)
    X = random.standard_normal((100_000, 5))
    labels = np.argsort(np.argsort(X[:, 0])) // 5
    steps: list[tuple[int, int]] = []
    started = time.process_time()
    distance_linkage(X, group_means(X, labels)[labels], progress=lambda *step: steps.append(step))
    assert time.process_time() - started < 5
    assert [done for done, _ in steps] == list(range(1, steps[-1][1] + 1))


def test_classes_of_several_columns() -> None:
    classes = equivalence_classes([np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, -1, -1])])
    assert achieved_k(classes).value == 1
    assert classes.histogram() == ((1, 1), (2, 2))
    highest, average = record_linkage_bounds(classes)
    assert (highest.value, average.value) == (1.0, 0.6)
    counted = equivalence_classes([np.array([0, 1])], np.array([4, 2]))
    assert achieved_k(counted).value == 2
    with pytest.raises(ValueError, match="no quasi-identifier"):
        equivalence_classes([])
    with pytest.raises(ValueError, match="different lengths"):
        equivalence_classes([np.array([1, 2]), np.array([1])])


def test_satisfaction_and_interval_disclosure_are_complements() -> None:
    X, Y = np.random.default_rng(4).standard_normal((2, 50, 3))
    for width in (0.01, 0.5):
        satisfied = satisfaction_level(X, Y, minimum_distance=width).value
        assert satisfied == pytest.approx(100 - interval_disclosure(X, Y, width=width).value)
    with pytest.raises(ValueError, match="width"):
        interval_disclosure(X, Y, width=0)


def test_satisfaction_with_a_distance_per_value() -> None:
    X = np.array([[0.0], [2.0]])  # deviation 1
    Y = np.array([[0.5], [1.5]])
    assert satisfaction_level(X, Y, minimum_distance=[[0.4], [0.6]]).value == 50


@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_scoring_index_of_mdav_is_that_of_table_4(
    name: str, reference_data: Path, reference_figures: Path, mdav_oracle: ModuleType
) -> None:
    table = json.loads((reference_figures / "microaggregation.json").read_text())["p3m"]["table_4_best_si"]
    with (reference_data / f"{name}.csv").open(newline="") as file:
        X = standardize([[float(value) for value in row.values()] for row in csv.DictReader(file)])[0]
    for k in ("3", "4", "5", "10"):
        labels = mdav_oracle.mdav(X, int(k))
        Y = standardize(group_means(X, labels)[labels])[0]
        found = scoring_index(
            probabilistic_information_loss(X, Y)[0], distance_linkage(X, Y), average_interval_disclosure(X, Y)
        )
        assert found.value == pytest.approx(table[name]["mdav"][k], abs=1.5)


def test_mean_interval_disclosure_is_the_mean() -> None:
    X, Y = np.random.default_rng(5).standard_normal((2, 50, 3))
    each = [interval_disclosure(X, Y, width=width).value for width in WIDTHS]
    assert average_interval_disclosure(X, Y).value == pytest.approx(np.mean(each))


def test_scoring_index_is_the_weighted_sum() -> None:
    def percent(value: float) -> Measure:
        return Measure(name="x", value=value, direction="higher is unsafe", source="x")

    assert scoring_index(percent(40), percent(20), percent(60)).value == 40


def test_linkage_to_the_first_of_equally_near_records_depends_on_the_order() -> None:
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    Y = np.array([[0.5], [0.5], [10.5], [10.5]])
    assert distance_linkage(X, Y).value == 50
    assert distance_linkage(X, Y, first=True).value == 50
    # All masked records are the same: only the first of the table is ever linked, and only to itself.
    flat = np.full((4, 1), X.mean())
    assert distance_linkage(X, flat).value == 25
    assert distance_linkage(X, flat, first=True).value == 25
    generator = np.random.default_rng(3)
    X = generator.integers(0, 3, (40, 2)).astype(float)
    Y = X[generator.permutation(40)]
    scaled = (Y - X.mean(0)) / X.std(0)
    distance = np.linalg.norm(((X - X.mean(0)) / X.std(0))[:, None] - scaled[None], axis=2)
    brute = np.mean(distance.argmin(axis=1) == np.arange(40))
    assert distance_linkage(X, Y, first=True).value == pytest.approx(100 * brute)


def test_masked_records_are_standardized_by_their_own_moments_and_linked_to_originals() -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    assert linkage_of_masked(X, X * 0.1 + 7).value == 100
    assert linkage_of_masked(X, X[::-1]).value == 0
    generator = np.random.default_rng(4)
    X = generator.standard_normal((50, 2))
    Y = X + generator.standard_normal((50, 2)) / 2
    A, B = (X - X.mean(0)) / X.std(0), (Y - Y.mean(0)) / Y.std(0)
    nearest = np.linalg.norm(B[:, None] - A[None], axis=2).argmin(axis=1)
    assert linkage_of_masked(X, Y).value == pytest.approx(100 * np.mean(nearest == np.arange(50)))


def test_satisfaction_is_weighted_by_importance() -> None:
    X = np.array([[0.0], [2.0], [4.0], [6.0]])
    Y = X + np.array([[0.0], [3.0], [0.0], [0.0]])
    assert satisfaction_level(X, Y, minimum_distance=0.5).value == 25
    w = np.array([[0.1], [0.9], [0.0], [0.0]])
    assert satisfaction_level(X, Y, minimum_distance=0.5, importance=w).value == pytest.approx(90)
    assert satisfaction_level(X, Y, minimum_distance=0.5, importance=0.3).value == pytest.approx(25)
    assert satisfaction_level(X, Y, minimum_distance=0.5, importance=0.0).value == 100
    with pytest.raises(ValueError, match="not below 0"):
        satisfaction_level(X, Y, importance=-w)


def test_a_value_at_exactly_the_width_is_disclosed_and_satisfied() -> None:
    X = np.array([[-1.0], [1.0]])
    assert interval_disclosure(X, X + 0.25, width=0.25).value == 100
    assert satisfaction_level(X, X + 0.25, minimum_distance=0.25).value == 100
