"""Every quick entry beside what is printed: promises kept, as many values compared, and verdicts as told."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.statistics.reproduction import anonymity, dependence, mu_approx, p3m
from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Record, Reproduction
from server.statistics.reproduction.views import figures
from server.statistics.reproduction.workflow import run_entry
from tests.server.statistics.reproduction.examples import silent

QUICK = [name for name, entry in CATALOGUE.items() if entry.seconds <= 5]
COMPARED = {
    "anonymity-table-2": 7,
    "anonymity-table-3": 60,
    "anonymity-table-4": 54,
    "anonymity-figures-8-9": 24,
    "anonymity-figure-10": 3,
    "anonymity-figure-13b": 114,
    "anonymity-low-participation": 30,
    "anonymity-grid": 548,
    "dependence-figure-13": 4,
    "dependence-figure-14": 6,
    "mu-approx-example": 36,
    "p3m-table-2": 24,
    "p3m-table-6": 12,
}


@pytest.fixture(scope="module")
def inputs(reference_data: Path, reference_figures: Path) -> Inputs:
    return Inputs(reference_data, reference_figures)


def at(found: Reproduction, measure: str, **keys: object) -> Record:
    (record,) = (
        r for r in found.records if r.measure == measure and all(r.at.get(k) == v for k, v in keys.items())
    )
    return record


@pytest.mark.parametrize("name", QUICK)
def test_promises_are_kept(inputs: Inputs, name: str) -> None:
    found = run_entry(name, inputs, silent)
    assert found.broken == ()
    assert len(found.compared) == COMPARED.get(name, 0)
    assert found.verdicts()
    assert {plot.name for plot in found.plots if not figures([plot], found.records)} == set()
    assert bool(CATALOGUE[name].why_not) == any("not reproduced" in v for v in found.verdicts().values())


@pytest.mark.parametrize("name", [name for name in QUICK if name.startswith("anonymity-")])
def test_without_published_values_ours_stand_alone(name: str) -> None:
    found = run_entry(name, Inputs(None, None), silent)
    assert found.records or name == "anonymity-grid"
    assert name == "anonymity-figure-13b" or found.compared == ()


def test_what_is_equal_is_said_to_be(inputs: Inputs) -> None:
    for name in ("anonymity-table-3", "anonymity-table-4", "anonymity-figures-8-9", "anonymity-figure-10"):
        (verdict,) = run_entry(name, inputs, silent).verdicts().values()
        assert verdict.startswith("equal: all")


def test_table_ii_is_a_simulation_of_many_cells(inputs: Inputs) -> None:
    found = run_entry("anonymity-table-2", inputs, silent)
    exact, simulated = (at(found, "qbar", by=by).ours for by in ("algorithm", "simulation"))
    assert round(exact, 5) == 0.09671
    assert simulated == pytest.approx(exact, rel=0.05)
    assert simulated != exact


def test_approximations_are_exact_as_often_as_the_paper_says(inputs: Inputs) -> None:
    found = run_entry("anonymity-figure-10", inputs, silent)
    assert at(found, "times an upper bound", form="n1").ours == 4001
    assert at(found, "times exact", form="n1").ours == 3782
    assert at(found, "times exact", form="n2").ours == 3960
    assert at(found, "times exact", form="n0").ours == 0
    assert at(found, "times exact", form="Lambert (ours)").ours == 4001


def test_uneven_participants_are_not_served_by_a_mean(inputs: Inputs) -> None:
    found = run_entry("anonymity-low-participation", inputs, silent)
    cell = "4 and 1 people of pi 0.05 and 0.9, k = 2"
    mean, given, worst = (
        at(found, f"r', {of}", cell=cell).ours
        for of in ("mean over people (the paper's)", "mean over participants", "worst-off person")
    )
    assert mean < given < worst == pytest.approx(0.95**4)


def test_the_dependence_of_correlated_pairs_is_that_of_theory() -> None:
    """Groups of neighbours in X hold k independent residuals of variance 1 - rho^2; and the reverse."""
    for rho in dependence.CORRELATIONS:
        X, Y = dependence.gaussian_pairs(rho)
        assert float((X * Y).mean()) == pytest.approx(rho, abs=0.05)
        expected = (1 - rho**2) * 49 / 50
        by_x, by_y = (dependence.point(X, Y, dependence.grouped(X, Y, 50, w)) for w in (0.0, 1.0))
        assert by_x["D_Y"] == pytest.approx(expected, rel=0.2)
        assert by_y["D_X"] == pytest.approx(expected, rel=0.2)
        assert by_x["D_X"] < 0.03


def test_a_middle_weight_loses_less_of_both_than_either_end(inputs: Inputs) -> None:
    for name in ("census", "tarragona"):
        X, Y = dependence.halves(inputs, name)
        first, middle, last = (
            dependence.point(X, Y, dependence.grouped(X, Y, 10, w), full=True) for w in (0.0, 0.5, 1.0)
        )
        assert first["D_X"] < middle["D_X"] < last["D_X"]
        assert first["D_Y"] > middle["D_Y"] > last["D_Y"]
        assert middle["D_X"] + middle["D_Y"] < min(e["D_X"] + e["D_Y"] for e in (first, last))
        assert first["DLD, percent"] > last["DLD, percent"]
        assert first["KL risk, bits"] < last["KL risk, bits"]
        assert middle["correlation error"] < last["correlation error"]


def test_the_example_is_divided_as_printed(inputs: Inputs) -> None:
    found = run_entry("mu-approx-example", inputs, silent)
    assert all(r.equal for r in found.compared if r.measure in ("group", "SSE"))
    assert {f.name for f in found.plots} == {"optimum"}
    assert run_entry("mu-approx-example", Inputs(None, None), silent).records == ()


@pytest.mark.parametrize("table", [7, 8])
def test_printed_clusters_are_no_unusual_draw_and_the_theorem_holds(
    inputs: Inputs, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mu_approx, "DRAWS", 4)
    monkeypatch.setattr(mu_approx, "_SIZES", (2, 4))
    found = run_entry(f"mu-approx-table-{table}", inputs, silent)
    assert [r for r in found.compared if r.sense == "at-most" and r.excess] == []
    for record in found.compared:
        if record.measure == "SSE, mean":
            assert record.ours == pytest.approx(record.published, rel=0.35)
    optimum, mdav = (at(found, "SSE, mean", k=4, method=m).ours for m in ("optimal", "mdav"))
    assert optimum <= mdav


@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_table_5_of_mu_approx(inputs: Inputs, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mu_approx, "MATRICES", (name,))
    monkeypatch.setattr(mu_approx, "SEEDS", 5)
    found = list(mu_approx.table_5(inputs, silent))
    assert [r for r in found if r.kept is False] == []
    unpromised = [r for r in found if r.published is not None and r.tolerance is None]
    assert [(r.at["data"], r.at["k"]) for r in unpromised] == ([("census", 3)] if name == "census" else [])
    assert all(r.ours == pytest.approx(r.published - 2, rel=0.01) for r in unpromised if r.published)


def test_table_3_of_p3m(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p3m, "MATRICES", ("census", "tarragona"))
    found = list(p3m.table_3(inputs, silent))
    assert [r for r in found if r.kept is False] == []
    assert [round(r.ours, 2) for r in found if r.at["method"] == "P3M" and r.at["data"] == "tarragona"] == [
        66.24,
        68.01,
        70.14,
        77.17,
    ]
    mdav = [r for r in found if r.at["method"] == "MDAV"]
    assert len(mdav) == 8
    assert max(abs(r.difference) for r in mdav) < 0.005


def test_random_importances_are_those_of_matlab() -> None:
    w = p3m.matlab_rand((3, 2))
    # rand('twister', 1); rand(3, 2) prints 0.4170 0.7203 0.0001 in its first column.
    assert w[:, 0].round(4).tolist() == [0.4170, 0.7203, 0.0001]


def test_table_4_of_p3m_on_its_grid(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p3m, "MATRICES", ("tarragona",))
    monkeypatch.setattr(p3m, "KS", (4,))
    found = {(r.at["method"], r.measure): r for r in p3m.table_4(inputs, silent)}
    assert found["MDAV", "SI"].kept
    assert (found["P3M", "best alpha"].ours, found["P3M", "best Delta"].ours) == (0.6, 0.8)
    assert found["P3M", "SI"].ours == found["P3M", "SI at our best"].ours
    assert found["P3M", "SI"].ours < 0.55 * found["MDAV", "SI"].ours


def test_levels_of_figure_2_are_those_of_equation_14(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p3m, "MATRICES", ("tarragona",))
    monkeypatch.setattr(p3m, "FIGURE_KS", (5,))
    found = {r.at["w"]: r for r in p3m.figures_2_5(inputs, silent)}
    assert (round(found[0.6].ours, 2), round(found[0.8].ours, 2)) == (91.73, 93.83)
    assert (found[0.6].published, found[0.8].published) == (90.48, 93.05)
    assert {r.measure for r in p3m.figures_6_9(inputs, silent)} == {"DLD", "ID", "DR", "IL", "SL", "SI"}


def test_a_printed_value_promises_half_a_unit_of_its_last_digit(inputs: Inputs) -> None:
    for record in anonymity.table_3(inputs, silent):
        exponent = int(f"{record.published:.2e}".partition("e")[2])
        assert record.tolerance == pytest.approx(0 if record.measure == "n_min" else 0.005 * 10.0**exponent)
