"""Section VI.C: each approximation within the error that its docstring states."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.statistics import approximations as a
from shared.effective_anonymity import n_min
from shared.participation import ParticipationLevel


@pytest.fixture(scope="module")
def grid(reference_figures: Path) -> list[dict[str, Any]]:
    return json.loads((reference_figures / "effective_anonymity.json").read_text())["grid"]


def errors(f: Callable[[int, float, float], float], rows: list[dict[str, Any]]) -> list[float]:
    found = []
    for row in rows:
        try:
            value = f(row["k"], float(row["participation"]), float(row["acceptable_cell_failure"]))
        except ValueError:  # one failure is too large for the forms of a pair
            continue
        found.append((value - row["n_min"]) / row["n_min"])
    return sorted(found)


@pytest.mark.parametrize(
    ("name", "low", "median", "high"),
    [
        ("n_min_pair_first", -0.702, -0.154, -0.045),
        ("n_min_pair_second", -0.224, -0.010, 1.397),
        ("n_min_pair_third", -0.253, -0.018, 0.0),
        ("n_min_pair_lambert", -0.227, -0.014, 0.0),
        ("n_min_divergence", -0.121, 0.024, 0.341),
        ("n_min_quadratic", -0.837, 0.033, 0.826),
        ("n_min_simplified", -0.850, -0.011, 0.460),
        ("n_min_second_order", -0.150, -0.023, 0.167),
    ],
)
def test_errors_are_as_stated(
    grid: list[dict[str, Any]], name: str, low: float, median: float, high: float
) -> None:
    function = getattr(a, name)
    pair = "pair" in name
    rows = [row for row in grid if row["k"] == 2] if pair else grid
    found = errors((lambda _, p, q: function(p, q)) if pair else function, rows)
    assert len(found) == ({"n_min_pair_lambert": 36}.get(name, 35) if pair else 256)
    assert low - 1e-9 <= found[0] < found[-1] <= high + 1e-9
    assert found[len(found) // 2] == pytest.approx(median, abs=1e-3)


def test_lambert_is_exact_when_rounded_up(grid: list[dict[str, Any]]) -> None:
    for row in grid:
        if row["k"] == 2:
            value = a.n_min_pair_lambert(float(row["participation"]), float(row["acceptable_cell_failure"]))
            assert math.ceil(value - 1e-9) == row["n_min_safe"]


def test_bounds_bound(grid: list[dict[str, Any]]) -> None:
    for row in grid:
        arguments = row["k"], float(row["participation"]), float(row["acceptable_cell_failure"])
        assert math.ceil(a.n_min_divergence(*arguments)) >= row["n_min"]
        assert a.n_min_simplified(*arguments) <= a.n_min_quadratic(*arguments)


def test_the_forms_of_a_pair_are_those_of_the_paper() -> None:
    assert a.n_min_pair_first(0.75, 1e-6) == pytest.approx(10.758, abs=5e-4)
    assert n_min(2, ParticipationLevel(low="0.75", high="0.75"), "1e-6") == 13
    assert math.ceil(a.n_min_pair_second(0.75, 1e-6)) == math.ceil(a.n_min_pair_third(0.75, 1e-6)) == 13
    with pytest.raises(ValueError, match="small failures"):
        a.n_min_pair_first(0.5, 0.5)


@pytest.mark.parametrize(
    ("k", "participation", "failure"), [(2, 0.3, 1e-4), (10, 0.5, 1e-6), (50, 0.8, 1e-3)]
)
def test_solutions_satisfy_their_equations(k: int, participation: float, failure: float) -> None:
    wanted = math.log(1 / failure)
    n = a.n_min_quadratic(k, participation, failure)
    assert (k - 1 - n * participation) ** 2 == pytest.approx(
        2 * n * participation * (1 - participation) * wanted
    )
    n = a.n_min_divergence(k, participation, failure)
    x = (k - 1) / n
    divergence = x * math.log(x / participation) + (1 - x) * math.log((1 - x) / (1 - participation))
    assert n * divergence == pytest.approx(wanted)
    n = a.n_min_pair_lambert(participation, failure)
    assert n * participation * (1 - participation) ** (n - 1) == pytest.approx(failure)


def test_lambert_where_every_cell_of_two_is_safe() -> None:
    assert a.n_min_pair_lambert(0.5, 0.9) == 2.0
    level = ParticipationLevel(low="0.5", high="0.5")
    assert n_min(2, level, "0.9") == 2


@pytest.mark.parametrize(("k", "participation", "failure"), [(1, 0.5, 0.1), (2, 1.0, 0.1), (2, 0.5, 0.0)])
def test_refuses_nonsense(k: int, participation: float, failure: float) -> None:
    for function in (a.n_min_divergence, a.n_min_quadratic, a.n_min_simplified, a.n_min_second_order):
        with pytest.raises(ValueError, match="needs k"):
            function(k, participation, failure)
    if k == 2:
        for pair in (a.n_min_pair_lambert, a.n_min_pair_first):
            with pytest.raises(ValueError, match="needs k"):
                pair(participation, failure)
