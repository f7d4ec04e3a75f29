"""The price of the guarantee: exact needs, distortions that rise with them, today's choice among them."""

from __future__ import annotations

import numpy as np
import pytest

from server.design import curves
from server.design.curves import DesignCurves, design_curves, failure_curves
from server.statistics.microaggregation.geometry import canonical, distortion
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.size_rule import SizeRule
from shared.effective_anonymity import cell_failure, n_min_safe
from shared.participation import Dependence, ParticipationLevel

WEIGHTS = (1, 1, 1)


def level(low: str, high: str = "") -> ParticipationLevel:
    return ParticipationLevel(low=low, high=high or low)


@pytest.fixture(scope="module")
def population() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(2).integers(0, 30, (1500, 3))
    X, people, _ = canonical(X, np.ones((1500, 1), dtype=np.int64))
    return X, people


@pytest.fixture(scope="module")
def computed(population: tuple[np.ndarray, np.ndarray]) -> DesignCurves:
    return design_curves(*population, WEIGHTS, (level("0.5"),), 5, "1e-4")


def test_todays_point_is_the_designs_own(
    population: tuple[np.ndarray, np.ndarray], computed: DesignCurves
) -> None:
    need = n_min_safe(5, level("0.5"), "1e-4")
    X, people = population
    balls = mdav(X, people, WEIGHTS, SizeRule(minimum=(need,)))
    loss = distortion(X, people, WEIGHTS, balls.labels)
    assert [c.parameter for c in computed.distortions] == ["k", "participation", "failure"]
    for curve in computed.distortions:
        place = curve.values.index(curve.today)
        assert curve.need[place] == need
        assert curve.cells[place] == len(balls.radii)
        assert curve.distortion[place] == loss


def test_a_stronger_guarantee_needs_more_and_loses_more(computed: DesignCurves) -> None:
    for curve in computed.distortions:
        assert len(curve.values) >= 4
        assert list(curve.need) == sorted(curve.need)
        assert list(curve.cells) == sorted(curve.cells, reverse=True)
        assert curve.distortion[0] < curve.distortion[-1] < 1
    (need,) = computed.needs
    assert need.failures[0] == "1e-1"
    assert need.failures[-1] == "1e-12"
    assert list(need.n_min_safe) == sorted(need.n_min_safe)
    assert need.n_min_safe[3] == n_min_safe(5, level("0.5"), "1e-4")
    assert computed.tuples == computed.sampled_tuples


def test_values_that_leave_one_cell_are_left_out() -> None:
    X = np.arange(60)[:, None]
    found = design_curves(X, np.ones((60, 1), dtype=np.int64), (1,), (level("0.5"),), 5, "1e-4")
    by_k = found.distortions[0]
    assert "5" in by_k.values
    assert "15" not in by_k.values
    assert min(c for curve in found.distortions for c in curve.cells) >= 2


def test_uneven_participation(population: tuple[np.ndarray, np.ndarray]) -> None:
    X, people = population
    uneven = np.where(X[:, :1] < 15, [[1, 0]], [[0, 1]]) * people
    found = design_curves(X, uneven, WEIGHTS, (level("0.4"), level("0.7")), 4, "1e-3")
    assert [curve.level.low for curve in found.needs] == ["0.4", "0.7"]
    assert found.distortions[1].today == ""
    assert found.distortions[0].today == "4"


def test_failure_against_the_true_participation(population: tuple[np.ndarray, np.ndarray]) -> None:
    levels, eligible = (level("0.5"),), ((30,), (44,), (30,))
    plain = failure_curves(eligible, levels, 4, Dependence())
    assert [curve.label for curve in plain] == ["everybody decides alone", "correlation 0.005"]
    for curve in plain:
        assert list(curve.unprotected) == sorted(curve.unprotected, reverse=True)
        assert curve.shares[1] == "0.5"
    half = cell_failure((30,), ("0.25",), 4).record_failure_given_participation
    assert plain[0].unprotected[1] == half
    assert all(a < b for a, b in zip(plain[0].unprotected, plain[1].unprotected, strict=True))
    stated = failure_curves(eligible, levels, 4, Dependence(correlation="0.02"))
    assert [curve.label for curve in stated] == ["as promised", "everybody decides alone"]
    assert failure_curves(((30,),), (level("0.9"),), 4, Dependence())[0].shares[-1] == "1.1"
    assert failure_curves((), levels, 4, Dependence()) == ()
    found = design_curves(*population, WEIGHTS, levels, 4, "1e-3", Dependence(correlation="0.02"))
    assert (
        found.needs[0].n_min_safe > design_curves(*population, WEIGHTS, levels, 4, "1e-3").needs[0].n_min_safe
    )


def test_a_range_moves_by_its_low_end(population: tuple[np.ndarray, np.ndarray]) -> None:
    found = design_curves(*population, WEIGHTS, (level("0.4", "0.6"),), 4, "1e-3")
    by_participation = found.distortions[1]
    assert by_participation.today == "0.4"
    place = by_participation.values.index("0.4")
    assert by_participation.need[place] == n_min_safe(4, level("0.4", "0.6"), "1e-3")


def test_participation_too_low_for_any_cell_is_left_out() -> None:
    X = np.arange(400)[:, None]
    found = design_curves(X, np.ones((400, 1), dtype=np.int64), (1,), (level("0.1"),), 2, "1e-3")
    assert "0.05" not in found.distortions[1].values[:-1]
    assert all(2 * n <= 400 for n in found.distortions[1].need)


def test_large_models_are_sampled(
    population: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "MAX_TUPLES", 500)
    X, people = population
    found = design_curves(X, people, WEIGHTS, (level("0.5"),), 5, "1e-4")
    again = design_curves(X, people, WEIGHTS, (level("0.5"),), 5, "1e-4")
    assert found == again
    assert (found.tuples, found.sampled_tuples) == (len(X), 500)
    assert 500 <= found.sampled_people < people.sum()


def test_progress_reaches_the_end(population: tuple[np.ndarray, np.ndarray]) -> None:
    seen: list[tuple[int, int]] = []
    X, people = population
    design_curves(
        X[:300], people[:300], WEIGHTS, (level("0.8"),), 3, "1e-2", progress=lambda a, b: seen.append((a, b))
    )
    assert [a for a, _ in seen] == list(range(1, seen[-1][1] + 1))
