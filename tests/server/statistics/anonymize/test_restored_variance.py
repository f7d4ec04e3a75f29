"""Means that are moved apart until numbers vary as much as before (P3M, equation 5)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from server.statistics.anonymize.group_values import variance_restored
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from shared.errors import DesignError

N = 300


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 90, N),
            "pay": random.lognormal(8, 1, N).round(2),
            "sex": random.choice(["f", "m"], N),
            "people": random.integers(1, 5, N),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def masked(path: Path, **more: object) -> tuple[pd.DataFrame, dict]:
    out = path.with_stem("masked")
    wanted = {
        "quasi_identifiers": ("age", "pay", "sex"),
        "k": 5,
        "method": "mdav",
        "drop": ("people",),
    } | more
    run = anonymize_file(path, out, Request(**wanted, restore_variance=True, keep_order=True))
    return pd.read_csv(out), dict(run.document)


def test_mean_and_variance_are_the_original_ones_and_k_is_kept(table: Path) -> None:
    frame, document = masked(table, unrounded=True)
    original = pd.read_csv(table)
    for name in ("age", "pay"):
        assert frame[name].var() == pytest.approx(original[name].var(), rel=1e-12)
        assert frame[name].mean() == pytest.approx(original[name].mean(), rel=1e-12)
        assert document["variance_restored"][name] > 1
    assert min(Counter(map(tuple, frame[["age", "pay", "sex"]].to_numpy())).values()) >= 5
    assert any("variance was restored" in text for text in document["warnings"])


def test_values_that_nobody_can_have_are_counted(tmp_path: Path) -> None:
    """Half are 0 and half 1 in pairs of either: a pair of each at 0.5, and the others beyond 0 and 1."""
    pd.DataFrame({"age": [0, 0, 0, 1, 1, 1], "other": [0, 0, 5, 5, 9, 9]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    frame, document = masked(
        tmp_path / "t.csv", k=2, quasi_identifiers=("age", "other"), drop=(), unrounded=True
    )
    assert ((frame["age"] < 0) | (frame["age"] > 1)).sum() == 4
    assert any('4 records get a "age" outside of 0 to 1' in text for text in document["warnings"])


def test_what_it_costs(table: Path) -> None:
    """SSE/SST e becomes 2 (1 - sqrt(1 - e)), whatever the groups."""
    frame, _ = masked(table, unrounded=True, quasi_identifiers=("pay",), drop=("people", "age", "sex"))
    true = pd.read_csv(table)["pay"].to_numpy()
    means = pd.Series(true).groupby(frame["pay"]).transform("mean").to_numpy()
    before, after = (
        ((true - y) ** 2).sum() / ((true - true.mean()) ** 2).sum() for y in (means, frame["pay"])
    )
    assert 0 < before < after
    assert after == pytest.approx(2 * (1 - np.sqrt(1 - before)), rel=1e-9)


def test_people_behind_records_count(table: Path) -> None:
    frame, _ = masked(table, unrounded=True, counts="people", drop=())
    original = pd.read_csv(table)
    weights = original["people"]
    for name in ("age", "pay"):
        mean = np.average(original[name], weights=weights)
        assert np.average(frame[name], weights=weights) == pytest.approx(mean)
        variance = np.average((original[name] - mean) ** 2, weights=weights)
        assert np.average((frame[name] - mean) ** 2, weights=weights) == pytest.approx(variance)


def test_a_median_stays_a_median(table: Path) -> None:
    frame, document = masked(table, median=("pay",), unrounded=True)
    assert set(document["variance_restored"]) == {"age"}
    assert set(frame["pay"]) <= set(pd.read_csv(table)["pay"])


def test_constant_columns_and_groups_without_the_number_are_left_alone() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2])
    constant, factor = variance_restored("a", np.array([3.0, 3.0, 3.0]), np.full(6, 3.0), labels, None)
    assert (constant.tolist(), factor) == ([3.0, 3.0, 3.0], 1.0)
    numbers = np.array([0.0, 2.0, 6.0, 8.0, np.nan, np.nan])
    found, factor = variance_restored("a", np.array([1.0, 7.0, np.nan]), numbers, labels, None)
    assert factor == pytest.approx(np.sqrt(10) / 3)
    np.testing.assert_allclose(found, [4 - np.sqrt(10), 4 + np.sqrt(10), np.nan])


def test_groups_that_all_look_alike_cannot_be_stretched() -> None:
    """The means differ by rounding only; the factor would be about 10^16."""
    numbers = np.array([0.1, 0.5, 0.2, 0.4])
    with pytest.raises(DesignError, match="too little to restore"):
        variance_restored("a", np.array([0.3, 0.3 + 1e-16]), numbers, np.array([0, 0, 1, 1]), None)
