"""Cramér's V against scipy, and its interval against draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats.contingency import association

from server.statistics.measures.association import cramers_v

TABLES = [[[10, 20], [30, 5]], [[5, 9, 12], [7, 7, 7]], [[40, 0, 3], [0, 50, 2], [4, 4, 60]]]


@pytest.mark.parametrize("table", TABLES)
def test_as_scipy(table: list[list[int]]) -> None:
    found = cramers_v(table)
    assert found is not None
    assert found.v == pytest.approx(association(np.array(table), method="cramer"))
    assert 0 <= found.low <= found.v <= found.high + 1e-9 <= 1 + 1e-9


@pytest.mark.parametrize(
    "table", [[[3, 4]], [[3], [4]], [[3, 4], [0, 0]], [[3, 0], [4, 0]], [[0, 0], [0, 0]]]
)
def test_nothing_to_compare(table: list[list[int]]) -> None:
    assert cramers_v(table) is None


def test_independent_and_certain() -> None:
    alike = cramers_v([[50, 50], [50, 50]])
    assert alike is not None
    assert (alike.v, alike.low) == (0, 0)
    certain = cramers_v([[90, 0], [0, 90]])
    assert certain is not None
    assert certain.v == pytest.approx(1)


def test_the_interval_covers() -> None:
    """Nineteen of twenty, of a table whose true V is 0.2."""
    random, n = np.random.default_rng(5), 800
    shares = np.array([[0.3, 0.2], [0.2, 0.3]])
    covered = 0
    for _ in range(300):
        found = cramers_v(random.multinomial(n, shares.ravel()).reshape(2, 2).tolist())
        assert found is not None
        covered += found.low <= 0.2 <= found.high
    assert 0.91 <= covered / 300 <= 0.985
