"""Expected failures against enumeration."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.simulation.expectation import attained_failures, compare_failures


@settings(max_examples=60, deadline=None)
@given(
    failures=st.lists(st.integers(0, 20), min_size=1, max_size=8),
    observed=st.integers(0, 8),
)
def test_tail_of_the_poisson_binomial_by_enumeration(failures: list[int], observed: int) -> None:
    observed = min(observed, len(failures))
    chances = [Fraction(failure, 20) for failure in failures]
    tail = sum(
        prod((p if fails else 1 - p for p, fails in zip(chances, outcome, strict=True)), start=Fraction(1))
        for outcome in itertools.product((False, True), repeat=len(chances))
        if sum(outcome) >= observed
    )
    counts = [1] * observed + [5] * (len(failures) - observed)
    found = compare_failures(counts, [Decimal(failure) / 20 for failure in failures], 5)
    assert found.observed == observed
    assert found.expected == pytest.approx(float(sum(chances)))
    assert found.probability_of_at_least_observed == pytest.approx(float(tail), abs=1e-12)


def test_a_tiny_tail_keeps_its_digits() -> None:
    found = compare_failures([1] + [9] * 999, [Decimal("1e-30")] * 1000, 5)
    assert found.probability_of_at_least_observed == pytest.approx(1e-27, rel=1e-12)


def test_empty_cells_and_full_ones_do_not_fail() -> None:
    assert compare_failures([0, 5, 4, 1], [Decimal(0)] * 4, 5).observed == 2


def test_attained_failure_of_a_cell_with_two_levels() -> None:
    """P{K in {1, 2}} for 3 people at 1/2 and 2 at 1/4, by hand enumeration."""

    def binomial(n: int, p: Fraction, j: int) -> Fraction:
        return comb(n, j) * p**j * (1 - p) ** (n - j) if j <= n else Fraction(0)

    exact = sum(
        binomial(3, Fraction(1, 2), a) * binomial(2, Fraction(1, 4), total - a)
        for total in (1, 2)
        for a in range(total + 1)
    )
    (found,) = attained_failures([[3, 2]], (Fraction(1, 2), Fraction(1, 4)), 3)
    assert found == pytest.approx(Decimal(exact.numerator) / exact.denominator)


def test_nobody_takes_part() -> None:
    assert attained_failures([[3, 2], [0, 0]], (Fraction(0), Fraction(0)), 3) == (0, 0)
