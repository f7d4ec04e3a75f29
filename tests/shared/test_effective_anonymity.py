"""Effective anonymity against exact arithmetic, published tables and brute force."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.effective_anonymity import (
    cell_failure,
    is_acceptable,
    n_min,
    n_min_safe,
    table_failure,
    worst_cell_metrics,
)
from shared.metrics import Metrics
from shared.participation import ParticipationLevel
from tests.shared.reference import cell_metrics, even_failure

NAMES = (
    "attained_cell_failure",
    "expected_unprotected_records",
    "record_failure",
    "record_failure_given_participation",
)


def level(low: str, high: str | None = None) -> ParticipationLevel:
    """One value or a range."""
    return ParticipationLevel(low=low, high=high or low)


def off(value: Decimal, exact: Fraction) -> Fraction:
    """Relative error; the error itself where the exact value is 0."""
    return abs(Fraction(value) - exact) / (abs(exact) or 1)


def assert_metrics(metrics: Metrics, exact: tuple[Fraction, ...], tolerance: float) -> None:
    """Each metric within a relative error."""
    for name, value in zip(NAMES, exact, strict=True):
        assert off(getattr(metrics, name), value) <= tolerance, name


def significant(value: Decimal, digits: int = 3) -> float:
    """Rounded as in the paper."""
    return float(f"{value:.{digits - 1}e}")


def figures(folder: Path) -> Any:
    """Exact values and the paper's tables."""
    return json.loads((folder / "effective_anonymity.json").read_text("utf-8"))


@pytest.mark.parametrize("table", ["grid", "low_participation"])
def test_reference_grid(reference_figures: Path, table: str) -> None:
    rows = figures(reference_figures)[table]
    assert rows
    for row in rows:
        arguments = row["k"], level(row["participation"]), row["acceptable_cell_failure"]
        assert (n_min(*arguments), n_min_safe(*arguments)) == (row["n_min"], row["n_min_safe"]), row
        metrics = cell_failure((row["n_min"],), (row["participation"],), row["k"])
        assert_metrics(metrics, tuple(Fraction(row[name]) for name in NAMES), 1e-23)


def test_reference_of_uneven_participation(reference_figures: Path) -> None:
    """A cell grows person by person until its own failure is acceptable."""
    for row in figures(reference_figures)["uneven_participation"]:

        def grown(n: int, row: Any = row) -> Metrics:
            counts = Counter(row["participation"][:n])
            return cell_failure(tuple(counts.values()), tuple(counts), row["k"])

        bound = Decimal(row["acceptable_cell_failure"])
        failing = [n for n in range(row["k"], row["n_min"]) if grown(n).attained_cell_failure <= bound]
        assert not failing
        metrics = grown(row["n_min"])
        assert metrics.attained_cell_failure <= bound
        for name in NAMES[:3]:
            assert off(getattr(metrics, name), Fraction(row[name])) < 1e-23


def test_table_iii_of_the_paper(reference_figures: Path) -> None:
    for row in figures(reference_figures)["paper_table_iii"]:
        needed = n_min(row["k"], level(row["participation"]), row["acceptable_cell_failure"])
        metrics = cell_failure((needed,), (row["participation"],), row["k"])
        assert needed == row["n_min"]
        printed = tuple(row[name] for name in ("q", "u", "r", "rp"))
        assert tuple(significant(getattr(metrics, name)) for name in NAMES) == printed


def test_table_iv_of_the_paper(reference_figures: Path) -> None:
    """Cells of n_min people, the last of which takes the people who are left over."""
    for row in figures(reference_figures)["paper_table_iv"]:
        k, pi = row["k"], row["participation"]
        needed = n_min(k, level(pi), row["acceptable_cell_failure"])
        cells, left = divmod(row["N"], needed)
        sizes = [needed] * (cells - 1) + [needed + left]
        failures = {n: cell_failure((n,), (pi,), k).attained_cell_failure for n in set(sizes)}
        assert significant(table_failure(failures[n] for n in sizes)) == row["table_failure"], row


def test_random_combinations_against_the_oracle(anonymity_oracle: ModuleType) -> None:
    source = random.Random(4)
    for _ in range(25):
        k, n = source.randint(2, 30), source.randint(1, 250)
        pi = Fraction(source.randint(1, 99), 100)
        metrics = cell_failure((n,), (pi,), k)
        assert_metrics(metrics, anonymity_oracle.metrics(k, pi, n), 1e-45)


def test_needed_people_against_the_oracle(anonymity_oracle: ModuleType) -> None:
    source = random.Random(5)
    for _ in range(25):
        k, pi = source.randint(2, 12), f"0.{source.randint(5, 99):02d}"
        failure = f"1e-{source.randint(1, 9)}"
        expected = anonymity_oracle.n_min(k, Fraction(pi), Fraction(failure))
        assert (n_min(k, level(pi), failure), n_min_safe(k, level(pi), failure)) == expected


@pytest.mark.parametrize(
    ("k", "pi", "n"),
    [(2, "0.5", 340), (10, "0.9", 130), (3, "0.05", 5000), (50, "0.5", 600), (5, "0.001", 300_000)],
)
def test_failures_of_1e_minus_100_keep_their_digits(k: int, pi: str, n: int) -> None:
    exact = even_failure(n, Fraction(pi), k) if n < 10_000 else None
    qbar = cell_failure((n,), (pi,), k).attained_cell_failure
    assert qbar < Decimal("1e-98")
    if exact is not None:
        assert off(qbar, exact) < 1e-40


@given(
    st.integers(2, 9),
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 20)), min_size=1, max_size=4),
)
@example(5, [(3, 20), (4, 10)])
@example(2, [(2, 20)])
def test_uneven_cells_are_those_of_the_convolution(k: int, people: list[tuple[int, int]]) -> None:
    counts, grid = zip(*people, strict=True)
    if not sum(counts):
        with pytest.raises(ValueError, match="must hold somebody"):
            cell_failure(counts, [Fraction(g, 20) for g in grid], k)
        return
    participations = [Fraction(g, 20) for g in grid]
    metrics = cell_failure(counts, participations, k)
    assert_metrics(metrics, cell_metrics(counts, participations, k), 1e-45)
    assert 0 <= metrics.attained_cell_failure <= 1


def test_the_order_of_levels_does_not_matter() -> None:
    one = cell_failure((4, 9, 1), ("0.2", "0.5", "0.9"), 5)
    other = cell_failure((1, 4, 9), ("0.9", "0.2", "0.5"), 5)
    assert off(one.attained_cell_failure, Fraction(other.attained_cell_failure)) < 1e-45


@pytest.mark.parametrize(
    ("counts", "participations", "k"),
    [
        ((5,), ("0.5",), 1),
        ((0,), ("0.5",), 2),
        ((-1, 5), ("0.5", "0.6"), 2),
        ((5,), ("0",), 2),
        ((5,), ("1.5",), 2),
    ],
)
def test_impossible_cells_are_a_mistake(
    counts: tuple[int, ...], participations: tuple[str, ...], k: int
) -> None:
    with pytest.raises(ValueError, match=r"k must be at least 2|participation .* is not in"):
        cell_failure(counts, participations, k)


def test_certain_participants_protect_or_expose() -> None:
    assert cell_failure((5,), ("1",), 5).attained_cell_failure == 0
    exposed = cell_failure((4,), ("1",), 5)
    assert exposed.attained_cell_failure == 1
    assert exposed.expected_unprotected_records == 4
    assert exposed.record_failure_given_participation == 1


GRID = 80


@cache
def slow_worst(n: int, low: Fraction, high: Fraction, k: int) -> float:
    """Largest qbar on a dense grid of the range."""
    pis = (
        [float(low + (high - low) * Fraction(i, GRID)) for i in range(GRID + 1)]
        if low < high
        else [float(low)]
    )
    return max(sum(comb(n, j) * pi**j * (1 - pi) ** (n - j) for j in range(1, k)) for pi in pis)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("0.1", "0.1"),
        ("0.25", "0.25"),
        ("0.5", "0.5"),
        ("0.9", "0.9"),
        ("1", "1"),
        ("0.1", "0.15"),
        ("0.1", "0.9"),
        ("0.3", "0.7"),
        ("0.5", "1"),
        ("0.8", "0.95"),
    ],
)
@pytest.mark.parametrize("failure", ["0.001", "0.05", "0.3", "0.366", "0.37", "0.45", "0.6", "0.9", "1"])
def test_needed_people_against_brute_force(k: int, low: str, high: str, failure: str) -> None:
    bound, ends = float(failure), (Fraction(low), Fraction(high))
    smallest, safe = n_min(k, level(low, high), failure), n_min_safe(k, level(low, high), failure)
    nearly = bound * (1 - 2e-3)  # the grid can miss the maximum by so much
    assert k <= smallest <= safe
    assert all(slow_worst(m, *ends, k) <= bound for m in [smallest, *range(safe, 2 * safe + 40)])
    assert all(slow_worst(m, *ends, k) > nearly for m in range(k, smallest))
    assert safe == k or slow_worst(safe - 1, *ends, k) > nearly


def test_the_trap_of_low_participation() -> None:
    """k=2, participation 0.05: two people are safe by being absent, thirty are not, 71 are."""
    arguments = 2, level("0.05"), "0.1"
    assert (n_min(*arguments), n_min_safe(*arguments)) == (2, 71)
    thirty = cell_failure((30,), ("0.05",), 2)
    assert thirty.attained_cell_failure > Decimal("0.1")
    two = cell_failure((2,), ("0.05",), 2)
    assert off(two.record_failure_given_participation, Fraction("0.95")) < 1e-45


def test_the_acceptable_failure_itself_is_acceptable() -> None:
    """Two people at 0.5: qbar = 2 / 4; three: 3 / 8; six: 6 / 64."""
    for failure, needed in (("0.5", 2), ("0.499999", 3), ("0.375", 3), ("0.09375", 6), ("0.093749", 7)):
        assert n_min(2, level("0.5"), failure) == n_min_safe(2, level("0.5"), failure) == needed


@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("pi", ["0.1", "0.25", "0.37", "0.5", "0.8"])
def test_bounds_between_the_failures_of_neighbouring_sizes(k: int, pi: str) -> None:
    """Around the maximum a step of one person decides."""
    exact = {n: even_failure(n, Fraction(pi), k) for n in range(k, 90)}
    steps = sorted(set(exact.values()))
    assert max(exact, key=lambda n: exact[n]) < 80
    for low, high in itertools.pairwise(steps[len(steps) // 2 :]):
        bound = (low + high) / 2
        acceptable = [n for n, q in exact.items() if q <= bound]
        beyond = max(n for n, q in exact.items() if q > bound) + 1
        assert n_min(k, level(pi), bound) == acceptable[0]
        assert n_min_safe(k, level(pi), bound) == beyond


def test_the_worst_of_a_range_lies_inside_it() -> None:
    inside = worst_cell_metrics((10,), (level("0.05", "0.5"),), 3).attained_cell_failure
    ends = [cell_failure((10,), (pi,), 3).attained_cell_failure for pi in ("0.05", "0.5")]
    dense = max(cell_failure((10,), (Fraction(i, 1000),), 3).attained_cell_failure for i in range(50, 501))
    assert inside > max(ends)
    assert dense <= inside < dense * Decimal("1.0001")


@pytest.mark.parametrize(("low", "high"), [("0.5", "0.9"), ("0.01", "0.02")])
def test_the_worst_of_a_range_can_be_an_end(low: str, high: str) -> None:
    worst = worst_cell_metrics((10,), (level(low, high),), 3).attained_cell_failure
    assert worst == max(cell_failure((10,), (pi,), 3).attained_cell_failure for pi in (low, high))


def test_a_cell_of_fewer_than_k_fails_most_at_the_high_end() -> None:
    worst = worst_cell_metrics((4,), (level("0.2", "0.8"),), 5)
    assert worst == cell_failure((4,), ("0.8",), 5)


def test_several_levels_count_together() -> None:
    worst = worst_cell_metrics((6, 8), (level("0.3"), level("0.6")), 4)
    assert worst == cell_failure((6, 8), ("0.3", "0.6"), 4)


def test_nobody_needs_ten_billion_people() -> None:
    with pytest.raises(ValueError, match="no cell of up to 10\\^10 people"):
        n_min_safe(3, level("1e-9"), "1e-9")
    with pytest.raises(ValueError, match="no cell of up to 10\\^10 people"):
        n_min(3, level("1e-30"), "1e-40")
    assert 10**9 < n_min_safe(3, level("1e-8"), "1e-9") < 10**10


def test_failures_below_the_smallest_number_are_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where decimal exponents are short, as on 32 bits, a failure can underflow to nothing."""
    narrow = Context(prec=50, Emax=425_000, Emin=-425_000)
    monkeypatch.setattr("shared.effective_anonymity.CONTEXT", narrow)
    metrics = cell_failure((999_983,), ("0.987",), 5)
    assert {getattr(metrics, name) for name in NAMES} == {0}


def test_table_failure_is_that_of_independent_cells() -> None:
    assert table_failure([]) == 0
    assert table_failure([Decimal(0)] * 3) == 0
    assert not table_failure([Decimal(0)]).is_signed()
    assert table_failure([Decimal("0.5"), Decimal("0.5")]) == Decimal("0.75")
    assert table_failure([Decimal("0.1"), Decimal(1)]) == 1
    tiny = table_failure([Decimal("1e-100")] * 1000)
    assert off(tiny, Fraction(1, 10**97)) < 1e-14


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("pi", ["0.001", "0.01", "0.05", "0.2", "0.5", "0.9", "0.95"])
@pytest.mark.parametrize("failure", ["0.25", "0.01", "1e-6"])
def test_from_n_min_safe_on_a_participant_is_protected_too(k: int, pi: str, failure: str) -> None:
    level = ParticipationLevel(low=pi, high=pi)
    safe = n_min_safe(k, level, failure)
    for n in (safe, safe + 1, safe + 7, 2 * safe):
        assert is_acceptable(worst_cell_metrics((n,), (level,), k), failure)


def test_a_cell_that_is_nearly_always_empty_is_not_acceptable() -> None:
    metrics = cell_failure((1,), ("0.001",), 3)
    assert metrics.attained_cell_failure < Decimal("0.01")
    assert metrics.record_failure_given_participation == 1
    assert not is_acceptable(metrics, "0.01")


def test_over_a_range_a_participant_is_worst_off_at_the_low_end() -> None:
    level = ParticipationLevel(low="0.05", high="0.6")
    metrics = worst_cell_metrics((30,), (level,), 5)
    at_low_end = cell_failure((30,), ("0.05",), 5)
    assert metrics.record_failure_given_participation == at_low_end.record_failure_given_participation
    assert metrics.attained_cell_failure >= at_low_end.attained_cell_failure
