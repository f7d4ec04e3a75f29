"""Failures of people who decide together, against exact fractions, integration and every small household."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, gammaln
from scipy.stats import beta, binom

from shared.beta_binomial import moments, past_maximum
from shared.dependence import bounded_failure, fewer_than
from shared.effective_anonymity import (
    cell_failure,
    dependent_cell_failure,
    is_acceptable,
    n_min,
    n_min_safe,
    worst_cell_metrics,
)
from shared.metrics import Metrics
from shared.participation import Dependence, ParticipationLevel
from tests.shared.reference import dependent_metrics


def level(low: str, high: str | None = None) -> ParticipationLevel:
    """One value or a range."""
    return ParticipationLevel(low=low, high=high or low)


def together(correlation: str = "0", size: int = 1) -> Dependence:
    """How far people decide together."""
    return Dependence(correlation=correlation, household_size=size)


def off(value: Decimal, exact: Fraction) -> Fraction:
    """Relative error."""
    return abs(Fraction(value) - exact) / (abs(exact) or 1)


@pytest.mark.parametrize(
    ("correlation", "people", "failure"),
    [("0.001", 54, "1.08"), ("0.005", 58, "6.80"), ("0.01", 65, "34.5"), ("0.05", 165, "4740")],
)
def test_known_values(correlation: str, people: int, failure: str) -> None:
    arguments = 10, level("0.5"), "1e-6", together(correlation)
    assert (n_min(*arguments), n_min_safe(*arguments)) == (people, people)
    qbar = dependent_cell_failure((53,), ("0.5",), 10, together(correlation)).attained_cell_failure
    assert f"{qbar:.3g}" == f"{Decimal(failure) * Decimal('1e-6'):.3g}"


@settings(max_examples=60)
@given(
    st.integers(2, 8),
    st.lists(st.tuples(st.integers(0, 14), st.integers(1, 20)), min_size=1, max_size=3),
    st.sampled_from(["0", "0.001", "0.05", "0.2"]),
    st.sampled_from([1, 2, 3, 5]),
)
def test_all_figures_are_those_of_exact_fractions(
    k: int, people: list[tuple[int, int]], correlation: str, size: int
) -> None:
    counts, grid = zip(*people, strict=True)
    if not sum(counts):
        counts = (1, *counts[1:])
    participations = tuple(Fraction(g, 20) for g in grid)
    metrics = dependent_cell_failure(counts, participations, k, together(correlation, size))
    exact = dependent_metrics(counts, participations, k, Fraction(correlation), size)
    for name, value in zip(Metrics.__slots__, exact, strict=True):
        assert off(getattr(metrics, name), value) < 1e-40, name


@pytest.mark.parametrize("n", [255, 256, 257, 5_000, 10**6, 10**10])
@pytest.mark.parametrize("pi", ["0.01", "0.5", "0.99"])
@pytest.mark.parametrize("rho", ["0.000001", "0.005", "0.2"])
def test_the_series_for_many_people_keeps_forty_digits(n: int, pi: str, rho: str) -> None:
    found = moments(n, Fraction(pi), Fraction(rho), 3)[3]
    with mpmath.workdps(90):
        both = (1 - mpmath.mpf(rho)) / mpmath.mpf(rho)
        a, b = mpmath.mpf(pi) * both, (1 - mpmath.mpf(pi)) * both
        exact = mpmath.loggamma(a + 3) - mpmath.loggamma(a) + mpmath.loggamma(b + n - 3) - mpmath.loggamma(b)
        exact = mpmath.exp(exact - mpmath.loggamma(both + n) + mpmath.loggamma(both))
        assert abs(mpmath.mpf(str(found)) / exact - 1) < mpmath.mpf("1e-40")


def test_a_cell_is_that_of_the_integral_over_its_chance() -> None:
    """The mixture itself, by numerical integration, instead of the closed form."""
    for k, n, pi, rho in ((3, 20, "0.3", "0.1"), (10, 58, "0.5", "0.005"), (10, 165, "0.5", "0.05")):
        found = dependent_cell_failure((n,), (pi,), k, together(rho)).attained_cell_failure
        with mpmath.workdps(30):
            both = (1 - mpmath.mpf(rho)) / mpmath.mpf(rho)
            a, b = mpmath.mpf(pi) * both, (1 - mpmath.mpf(pi)) * both

            def failing(
                p: mpmath.mpf, k: int = k, n: int = n, a: mpmath.mpf = a, b: mpmath.mpf = b
            ) -> object:
                density = p ** (a - 1) * (1 - p) ** (b - 1) / mpmath.beta(a, b)
                return density * sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(1, k))

            exact = mpmath.quad(failing, mpmath.linspace(0, 1, 21))
            assert abs(mpmath.mpf(str(found)) / exact - 1) < 1e-12


@cache
def slow_failures(low: float, high: float, k: int, rho: float, most: int) -> tuple[float, ...]:
    """Largest qbar over a dense grid of the range, for n = k..most, by log gamma."""
    pi = np.linspace(low, high, 161)[:, None, None] if low < high else np.array([[[low]]])
    both = (1 - rho) / rho
    a, b = pi * both, (1 - pi) * both
    j, n = np.arange(1, k)[None, :, None], np.arange(k, most)[None, None, :]
    ways = gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)
    chances = np.exp(ways + betaln(j + a, n - j + b) - betaln(a, b))
    return tuple(chances.sum(axis=1).max(axis=0).tolist())


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize(
    ("low", "high", "rho"),
    [
        ("0.1", "0.1", "0.05"),
        ("0.25", "0.25", "0.2"),
        ("0.5", "0.5", "0.2"),
        ("0.9", "0.9", "0.1"),
        ("0.1", "0.9", "0.02"),
        ("0.25", "0.75", "0.2"),
        ("0.3", "0.4", "0.05"),
        ("0.8", "0.95", "0.2"),
    ],
)
@pytest.mark.parametrize("failure", ["0.03", "0.25", "0.31", "0.37", "0.45", "0.6", "0.9", "1"])
def test_needed_people_against_brute_force(k: int, low: str, high: str, rho: str, failure: str) -> None:
    """Every size from k on is looked at, so nothing is taken for granted about its course."""
    bound, nearly, most = float(failure), float(failure) * (1 - 2e-3), 1500
    arguments = k, level(low, high), failure, together(rho)
    smallest, safe = n_min(*arguments), n_min_safe(*arguments)
    qbar = slow_failures(float(low), float(high), k, float(rho), most)
    assert k <= smallest <= safe < most
    assert qbar[smallest - k] <= bound * (1 + 1e-9)
    assert all(q > nearly for q in qbar[: smallest - k])
    assert all(q <= bound * (1 + 1e-9) for q in qbar[safe - k :])
    metrics = [worst_cell_metrics((n,), (level(low, high),), k, together(rho)) for n in (safe, safe - 1)]
    assert is_acceptable(metrics[0], failure)
    assert safe == k or qbar[safe - 1 - k] > nearly or not is_acceptable(metrics[1], failure)


@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("rho", ["0.001", "0.05", "0.2"])
@pytest.mark.parametrize("pi", ["0.02", "0.3", "0.5", "0.9", "0.999"])
def test_where_failure_begins_to_fall(k: int, rho: str, pi: str) -> None:
    """The sign of the exact difference, size by size; once it falls, it never rises again."""
    seen = []
    for n in range(k + 1, 60):
        before, here = (
            dependent_cell_failure((m,), (pi,), k, together(rho)).attained_cell_failure for m in (n - 1, n)
        )
        assert past_maximum(n, Fraction(pi), Fraction(rho), k) is (here <= before)
        seen.append(here <= before)
    assert seen == sorted(seen)


def test_the_worst_of_a_range_is_found_inside_it() -> None:
    """The maximum over participation lies beyond where sizes stop rising (decision 0079)."""
    for n, k, rho in ((10, 3, "0.05"), (30, 5, "0.01"), (12, 2, "0.2")):
        worst = worst_cell_metrics((n,), (level("0.25", "0.9") if rho == "0.2" else level("0.06", "0.9"),), k)
        dependence = together(rho)
        low = "0.25" if rho == "0.2" else "0.06"
        worst = worst_cell_metrics((n,), (level(low, "0.9"),), k, dependence)
        grid = [Fraction(i, 2000) for i in range(int(Fraction(low) * 2000), 1801)]
        dense = [dependent_cell_failure((n,), (pi,), k, dependence).attained_cell_failure for pi in grid]
        top = dense.index(max(dense))
        assert max(dense) <= worst.attained_cell_failure < max(dense) * Decimal("1.001")
        assert dense[: top + 1] == sorted(dense[: top + 1])
        assert dense[top:] == sorted(dense[top:], reverse=True)
        if 0 < top < len(grid) - 1:
            assert past_maximum(n, grid[top + 1], Fraction(rho), k)


def test_a_range_up_to_certainty() -> None:
    worst = worst_cell_metrics((4,), (level("0.5", "1"),), 6, together("0.05"))
    assert worst.attained_cell_failure == 1
    assert n_min_safe(3, level("1"), "0.01", together("0.2", 3)) == 3
    assert n_min_safe(3, level("1"), "0.01", together("0.2")) == 3


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("pi", ["0.05", "0.2", "0.5", "0.95"])
def test_what_holds_under_a_correlation_holds_under_every_smaller_one(k: int, pi: str) -> None:
    """On a grid: a stated correlation is the worst that is covered, not the only one."""
    correlations = ("0", "0.0005", "0.005", "0.02", "0.045", "0.1", "0.16", "0.2")
    admissible = [r for r in correlations if Fraction(r) <= Fraction(pi) * (1 - Fraction(r))]
    for i, rho in enumerate(admissible[1:], start=1):
        for failure in ("0.01", "1e-4"):
            n = n_min_safe(k, level(pi), failure, together(rho))
            for smaller in admissible[:i]:
                assert is_acceptable(worst_cell_metrics((n,), (level(pi),), k, together(smaller)), failure)


def comonotone(
    counts: tuple[int, ...], chances: tuple[float, ...], k: int, rho: float
) -> tuple[float, float]:
    """P{0 < K < k} and the worst participant's risk, if one draw moves all levels: by integration."""
    both = (1 - rho) / rho
    nodes, weights = np.polynomial.legendre.leggauss(400)
    # u = t^6 brings the nodes close to 0, where cells are nearly empty
    t, weights = (nodes + 1) / 2, weights / 2
    u, weights = t**6, weights * 6 * t**5
    p = np.array([beta.ppf(u, pi * both, (1 - pi) * both) for pi in chances])

    def fewer(numbers: tuple[int, ...], below: int) -> np.ndarray:
        total = np.zeros((below, len(u)))
        total[0] = 1
        for n, chance in zip(numbers, p, strict=True):
            one = binom.pmf(np.arange(below)[:, None], n, chance)
            total = np.array([(total[: j + 1] * one[: j + 1][::-1]).sum(axis=0) for j in range(below)])
        return total

    failing = float((fewer(counts, k)[1:].sum(axis=0) * weights).sum())
    risks = []
    for i, n in enumerate(counts):
        if n:
            others = tuple(c - (i == j) for j, c in enumerate(counts))
            alone = fewer(others, k - 1).sum(axis=0) if k > 1 else np.zeros(len(u))
            risks.append(float((alone * p[i] * weights).sum()) / chances[i])
    return failing, max(risks)


@pytest.mark.parametrize(
    ("counts", "grid", "rho"),
    [
        ((30, 30), ("0.4", "0.6"), "0.01"),
        ((10, 40), ("0.3", "0.5"), "0.05"),
        ((40, 10), ("0.3", "0.5"), "0.05"),
        ((20, 20, 20), ("0.35", "0.5", "0.65"), "0.2"),
        ((60, 1), ("0.25", "0.9"), "0.005"),
    ],
)
def test_levels_that_one_draw_moves_fail_less_often_than_published(
    counts: tuple[int, ...], grid: tuple[str, ...], rho: str
) -> None:
    metrics = dependent_cell_failure(counts, grid, 5, together(rho))
    failing, risk = comonotone(counts, tuple(map(float, grid)), 5, float(rho))
    assert failing <= float(metrics.attained_cell_failure) <= max(40 * failing, 1e-12)
    assert risk <= float(metrics.record_failure_given_participation)
    # with one level only, the integration is the exact figure
    exact = dependent_cell_failure(counts[:1], grid[:1], 5, together(rho)).attained_cell_failure
    assert math.isclose(comonotone(counts[:1], (float(grid[0]),), 5, float(rho))[0], exact, rel_tol=1e-6)


def households(people: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every way to divide people into households, as descending sizes."""
    if not people:
        yield ()
        return
    for first in range(min(people, largest), 0, -1):
        for rest in households(people - first, first):
            yield (first, *rest)


def all_or_none(sizes: tuple[int, ...], pi: float) -> dict[int, float]:
    """Distribution of K if each household takes part as one."""
    total = {0: 1.0}
    for size in sizes:
        after: dict[int, float] = {}
        for people, p in total.items():
            after[people] = after.get(people, 0.0) + (1 - pi) * p
            after[people + size] = after.get(people + size, 0.0) + pi * p
        total = after
    return total


@pytest.mark.parametrize("pi", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("n", "size"), [(8, 2), (11, 3), (13, 4), (12, 6)])
def test_no_division_into_households_fails_more_often_than_published(pi: float, n: int, size: int) -> None:
    for k in (2, 3, 4, 6):
        metrics = dependent_cell_failure((n,), (str(pi),), k, together("0", size))
        for sizes in households(n, size):
            k_of = all_or_none(sizes, pi)
            failing = math.fsum(p for people, p in k_of.items() if 0 < people < k)
            assert failing <= float(metrics.attained_cell_failure) + 1e-12
            for i, own in enumerate(sizes):
                others = all_or_none(sizes[:i] + sizes[i + 1 :], pi)
                alone = math.fsum(p for people, p in others.items() if people + own < k)
                assert alone <= float(metrics.record_failure_given_participation) + 1e-12


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 10**6), st.sampled_from([0.2, 0.5, 0.7]))
def test_no_other_way_of_deciding_together_fails_more_often(size: int, seed: int, pi: float) -> None:
    """Within a household: any joint distribution in which everybody takes part with pi."""
    source, n, k = np.random.default_rng(seed), 4 * size, 3
    total = np.zeros(n + 1)
    total[0] = 1
    for _ in range(4):
        # a mixture of households that decide as one, alone, and by one shared draw around pi
        weight = source.dirichlet(np.ones(3))
        spread = source.uniform(0, min(pi, 1 - pi))
        one = weight[0] * np.array([1 - pi, *[0.0] * (size - 1), pi])
        one += weight[1] * binom.pmf(np.arange(size + 1), size, pi)
        for chance in (pi - spread, pi + spread):
            one += weight[2] / 2 * binom.pmf(np.arange(size + 1), size, chance)
        total = np.convolve(total, one)[: n + 1]
    metrics = dependent_cell_failure((n,), (str(pi),), k, together("0", size))
    assert total[1:k].sum() <= float(metrics.attained_cell_failure) + 1e-12
    assert sum(j * total[j] for j in range(1, k)) / (n * pi) <= (
        float(metrics.record_failure_given_participation) + 1e-12
    )


@pytest.mark.parametrize("rho", ["0", "0.02"])
@pytest.mark.parametrize("size", [2, 4, 10])
def test_bounds_for_households_only_fall(rho: str, size: int) -> None:
    how, pi = together(rho, size), Fraction(1, 3)
    by_people = [fewer_than(5, n, pi, how) for n in range(1, 120)]
    by_chance = [fewer_than(5, 60, Fraction(i, 40), how) for i in range(2, 41)]
    assert by_people == sorted(by_people, reverse=True)
    assert by_chance == sorted(by_chance, reverse=True)
    safe = n_min_safe(5, level("0.3"), "0.01", how)
    assert n_min(5, level("0.3"), "0.01", how) == safe
    assert is_acceptable(worst_cell_metrics((safe,), (level("0.3"),), 5, how), "0.01")
    assert not is_acceptable(worst_cell_metrics((safe - 1,), (level("0.3"),), 5, how), "0.01")


def test_households_of_a_range_are_judged_at_its_low_end() -> None:
    how = together("0", 3)
    ranged = worst_cell_metrics((40,), (level("0.3", "0.7"),), 4, how)
    assert ranged == worst_cell_metrics((40,), (level("0.3"),), 4, how)


def test_couples_cost_little_more_than_they_must() -> None:
    """The published bound against the exact failure of nothing but couples."""
    for n in (60, 74, 100):
        exact = math.fsum(p for people, p in all_or_none((2,) * (n // 2), 0.5).items() if 0 < people < 10)
        bound = float(dependent_cell_failure((n,), ("0.5",), 10, together("0", 2)).attained_cell_failure)
        assert exact <= bound <= 6 * exact


def test_nobody_alone_and_certain_people_change_nothing() -> None:
    assert dependent_cell_failure((9,), ("0.5",), 4, Dependence()) == cell_failure((9,), ("0.5",), 4)
    certain = dependent_cell_failure((3, 0), ("1", "0.5"), 4, together("0.1", 2))
    assert certain.attained_cell_failure == 1
    sure = bounded_failure((9, 5), (Fraction(1), Fraction(1, 2)), 4, together("0.1", 2))
    assert sure.attained_cell_failure == 0
    assert sure.expected_unprotected_records == 0


@pytest.mark.parametrize(("counts", "k"), [((5,), 1), ((-1, 6), 3), ((0,), 3)])
def test_impossible_cells_are_a_mistake(counts: tuple[int, ...], k: int) -> None:
    with pytest.raises(ValueError, match="k must be at least 2"):
        dependent_cell_failure(counts, ("0.5", "0.6")[: len(counts)], k, together("0.01"))


def test_the_stronger_the_more_people() -> None:
    needed = [n_min_safe(10, level("0.5"), "1e-6", together(r)) for r in ("0", "0.001", "0.01", "0.1")]
    assert needed == sorted(needed)
    sizes = [n_min_safe(10, level("0.5"), "1e-6", together("0", s)) for s in (1, 2, 3, 4, 6, 10)]
    assert all(a < b for a, b in itertools.pairwise(sizes))


def test_no_correlation_needs_more_than_ten_billion_people_silently() -> None:
    with pytest.raises(ValueError, match="no cell of up to 10\\^10 people"):
        n_min_safe(3, level("0.01"), "1e-30", together("0.0099"))
