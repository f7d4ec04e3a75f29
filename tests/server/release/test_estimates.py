"""Weighted shares and means with intervals: against R's survey package, and against sums over single rows."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from scipy import stats

from server.release.estimates import Estimate, StratumSums, estimate_mean, estimate_share

# Stratum -> people, and each answer's value; None where the question was skipped.
ROWS: dict[str, tuple[int, list[float | None]]] = {
    "a": (40, [1, 2, 5, 4, None, 3, 3]),
    "b": (25, [5, 5, 4, 2, 5, None, None, 5, 4]),
    "c": (300, [1, 2, 1, 3, 1, 2]),
    "d": (8, [3, 3, 4, 5, 5, 5, 2, 1]),
}

# R 4.2.2, survey 4.1.1; with ids = ~1, strata = ~s, weights = ~w, fpc = ~N, and the degrees of freedom of the
# whole design.
R_MEAN = (1.974373601, 1.399624783, 2.549122420)
R_SHARE = (0.7359252271, 0.3921467157, 0.9233026522)
R_PLAIN = (3.185185185, 2.677539089, 3.692831282)


def sums(rows: dict[str, tuple[int, list[float | None]]], weighted: bool = True) -> list[StratumSums]:
    result = []
    for people, values in rows.values():
        given = [value for value in values if value is not None]
        result.append(
            StratumSums(
                people=people if weighted else None,
                rows=len(values),
                given=len(given),
                total=sum(given),
                squares=sum(v * v for v in given),
            )
        )
    return result


def at_most(limit: float) -> dict[str, tuple[int, list[float | None]]]:
    return {
        name: (people, [None if v is None else float(v <= limit) for v in values])
        for name, (people, values) in ROWS.items()
    }


def by_hand(rows: dict[str, tuple[int, list[float | None]]]) -> tuple[float, float]:
    """Mean and standard error, from a list of all rows; slow and plain."""
    weight = {name: people / len(values) for name, (people, values) in rows.items()}
    flat = [(weight[name], v) for name, (_, values) in rows.items() for v in values if v is not None]
    mean = sum(w * v for w, v in flat) / sum(w for w, _ in flat)
    variance = 0.0
    for name, (people, values) in rows.items():
        z = [0 if v is None else weight[name] * (v - mean) / sum(w for w, _ in flat) for v in values]
        variance += (1 - len(z) / people) * len(z) * statistics.variance(z)
    return mean, math.sqrt(variance)


def near(estimate: Estimate, value: float, low: float, high: float) -> None:
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((value, low, high), rel=1e-6)


def test_mean_as_in_r() -> None:
    """confint(svymean(~y, subset(design, !is.na(y))), df = degf(design))."""
    near(estimate_mean(sums(ROWS), 1, 5), *R_MEAN)


def test_share_as_in_r() -> None:
    """svyciprop(~I(y <= 2), subset(design, !is.na(y)), method = "logit", df = degf(design))."""
    near(estimate_share(sums(at_most(2))), *R_SHARE)


def test_without_sizes_as_in_r() -> None:
    """The same without weights and without fpc, as for a register."""
    near(estimate_mean(sums(ROWS, weighted=False), 1, 5), *R_PLAIN)


def test_sums_give_what_rows_give() -> None:
    chance = random.Random(5)
    for _ in range(50):
        rows = {
            str(h): (
                chance.randint(12, 90),
                [chance.choice([None, 1.0, 2.0, 3.0, 7.0]) for _ in range(chance.randint(2, 11))],
            )
            for h in range(6)
        }
        mean, error = by_hand(rows)
        freedom = sum(len(values) for _, values in rows.values()) - 6
        half = stats.t.ppf(0.975, freedom) * error
        near(estimate_mean(sums(rows), -1e9, 1e9), mean, mean - half, mean + half)


def test_unweighted_counts_each_answer_once() -> None:
    given = [v for _, values in ROWS.values() for v in values if v is not None]
    assert estimate_mean(sums(ROWS), 1, 5).unweighted == pytest.approx(statistics.mean(given))
    assert estimate_mean(sums(ROWS), 1, 5).given == len(given)


def test_one_answer_in_a_stratum_is_no_special_case() -> None:
    rows = {"a": (30, [2.0, None, None, None]), "b": (30, [1.0, 3.0, 4.0, 4.0])}
    mean, error = by_hand(rows)
    found = estimate_mean(sums(rows), 0, 9)
    assert found.value == pytest.approx(mean)
    assert found.high - mean == pytest.approx(stats.t.ppf(0.975, 6) * error)


def test_a_stratum_of_one_row_is_held_against_all() -> None:
    rows = sums({"a": (30, [2.0]), "b": (30, [1.0, 3.0, 4.0, 4.0])})
    found = estimate_mean(rows, 0, 9)
    assert found.low < found.value < found.high


def test_everybody_answered() -> None:
    rows = sums({"a": (3, [1.0, 0.0, 0.0]), "b": (2, [0.0, 1.0])})
    near(estimate_share(rows), 0.4, 0.4, 0.4)
    near(estimate_mean(rows, 0, 1), 0.4, 0.4, 0.4)


def test_more_answers_than_people_is_no_negative_variance() -> None:
    rows = sums({"a": (2, [1.0, 0.0, 0.0]), "b": (20, [0.0, 1.0])})
    found = estimate_share(rows)
    assert 0 <= found.low < found.value < found.high <= 1


def test_nobody_and_everybody_counted() -> None:
    nobody = estimate_share(sums({"a": (60, [0.0] * 15), "b": (60, [0.0] * 15)}))
    # Thirty equal draws: 1 - 0.025 ** (1 / 30).
    near(nobody, 0, 0, 0.1157033)
    everybody = estimate_share(sums({"a": (60, [1.0] * 15), "b": (60, [1.0] * 15)}))
    near(everybody, 1, 1 - 0.1157033, 1)


def test_nobody_answered_is_an_error() -> None:
    with pytest.raises(ValueError, match="nobody"):
        estimate_share(sums({"a": (60, [None, None])}))


@pytest.mark.parametrize("given", [-1, 3])
def test_impossible_sums(given: int) -> None:
    with pytest.raises(ValueError, match="no more values"):
        StratumSums(people=10, rows=2, given=given, total=0, squares=0)
