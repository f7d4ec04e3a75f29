"""Cells of several levels that one draw moves: the integral against closed forms and against draws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from server.simulation.expectation import attained_failures
from server.simulation.mixture import chances_at, mixed_failure
from shared.dependence import beta_binomial_failure
from shared.effective_anonymity import cell_failure

RHO = Fraction(1, 20)


def test_chances_have_the_mean_and_the_correlation() -> None:
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    p = chances_at(quantiles, Fraction(3, 10), RHO)
    assert p.mean() == pytest.approx(0.3, rel=1e-4)
    assert p.var() == pytest.approx(0.05 * 0.3 * 0.7, rel=1e-3)
    for sure in (Fraction(0), Fraction(1)):
        assert set(chances_at(quantiles, sure, RHO)) == {float(sure)}
    assert set(chances_at(quantiles, Fraction(3, 10), Fraction(0))) == {0.3}


@pytest.mark.parametrize(("n", "k"), [(20, 3), (58, 10), (200, 10)])
def test_one_level_is_beta_binomial(n: int, k: int) -> None:
    exact = beta_binomial_failure(n, Fraction(1, 2), k, RHO).attained_cell_failure
    assert math.isclose(mixed_failure((n,), (Fraction(1, 2),), k, RHO), exact, rel_tol=1e-7)


def test_levels_without_correlation_are_poisson_binomial() -> None:
    exact = cell_failure((12, 15), ("0.4", "0.6"), 5).attained_cell_failure
    found = mixed_failure((12, 15), (Fraction(2, 5), Fraction(3, 5)), 5, Fraction(0))
    assert math.isclose(found, exact, rel_tol=1e-9)


def test_levels_against_draws() -> None:
    """A hundred thousand cells of twelve people at 0.4 and fifteen at 0.6."""
    generator, cells = np.random.default_rng(5), 100_000
    levels, counts = (Fraction(2, 5), Fraction(3, 5)), (12, 15)
    quantiles = generator.random(cells)
    K = sum(
        generator.binomial(n, chances_at(quantiles, pi, RHO)) for n, pi in zip(counts, levels, strict=True)
    )
    expected = float(mixed_failure(counts, levels, 8, RHO))
    observed = np.count_nonzero((K > 0) & (K < 8)) / cells
    assert abs(observed - expected) < 4 * math.sqrt(expected * (1 - expected) / cells)


def test_expectations_of_all_kinds_of_cells() -> None:
    levels = (Fraction(2, 5), Fraction(3, 5))
    found = attained_failures(((12, 15), (12, 0), (0, 0)), levels, 5, RHO)
    assert found[0] == mixed_failure((12, 15), levels, 5, RHO)
    assert found[1] == beta_binomial_failure(12, levels[0], 5, RHO).attained_cell_failure
    assert found[2] == 0
    assert attained_failures(((4,),), (Fraction(1),), 5, RHO) == (1,)
