"""Risks of records, persons and households, beside the formulas computed one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from server.statistics.measures.population_risk import class_risks, group_risks
from server.statistics.measures.record_risk import record_risks


def formula(f: int, people: float) -> float:
    """E[1 / count] of a class with f persons in the sample, by adding the terms up."""
    low, high = (int(value) for value in stats.nbinom.interval(1 - 1e-12, f, f / people))
    more = np.arange(low, high + 1)
    return float((stats.nbinom.pmf(more, f, f / people) / (f + more)).sum())


def test_one_over_the_class_without_weights() -> None:
    found = record_risks(np.array([0, 1, 0, 2, 0]))
    assert found.individual.tolist() == [1 / 3, 1, 1 / 3, 1, 1 / 3]
    assert found.household is None
    assert found.measures(None) == ()
    counted = record_risks(np.array([0, 1, 0]), people=np.array([4, 2, 1]))
    assert counted.alike.tolist() == [5, 2, 5]
    assert counted.individual.tolist() == [0.2, 0.5, 0.2]


def test_every_record_and_household_beside_the_formula() -> None:
    random = np.random.default_rng(3)
    labels, homes = random.integers(0, 6, 40), np.sort(random.integers(0, 14, 40))
    homes = np.unique(homes, return_inverse=True)[1]
    weights = random.uniform(1.5, 60, 40)
    found = record_risks(labels, weights=weights, households=homes)
    single = [formula(int((labels == c).sum()), float(weights[labels == c].sum())) for c in labels]
    assert found.individual == pytest.approx(np.array(single), rel=1e-6)
    for home in np.unique(homes):
        spared = math.prod(1 - single[i] for i in np.flatnonzero(homes == home))
        assert found.household[homes == home] == pytest.approx(1 - spared, rel=1e-6)
    highest, mean = found.measures(homes)
    each = [found.household[homes == home][0] for home in np.unique(homes)]
    assert (highest.value, mean.value) == (max(each), pytest.approx(np.mean(each)))


@pytest.mark.parametrize("size", [1, 2, 29, 30, 31, 99, 100, 400, 20_000])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.04, 1e-3])
def test_classes_of_every_size(size: int, share: float) -> None:
    """From 100 records on scipy's function is infinite or no number."""
    found = class_risks(np.array([float(size)]), np.array([size / share]))[0]
    count = size / share
    assert found == pytest.approx(formula(size, count), rel=1e-6)
    assert 1 / count - 1e-12 <= found <= 1 / size + 1e-12


def test_records_of_one_person_are_one_person() -> None:
    """Four waves of one person are as easily found as one record, not as one of four people."""
    waves, one = np.zeros(4, dtype=np.int64), np.zeros(1, dtype=np.int64)
    alone = group_risks(one, np.array([50.0]))[0]
    assert group_risks(waves, np.full(4, 50.0), persons=waves)[0] == alone
    assert group_risks(waves, np.full(4, 50.0))[0].risk < alone.risk / 3  # what was said before
    found = record_risks(waves, weights=np.full(4, 50.0), persons=waves, households=waves)
    assert found.individual == pytest.approx(np.full(4, alone.risk))
    assert found.household == pytest.approx(np.full(4, alone.risk))  # once in her household, not four times


def test_a_certain_member_makes_a_certain_household() -> None:
    found = record_risks(np.array([0, 1, 1]), households=np.array([0, 0, 1]))
    assert found.household.tolist() == [1.0, 1.0, 0.5]
