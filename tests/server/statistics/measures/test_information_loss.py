"""Information loss against published figures, hand-computed values and simulation."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from server.statistics.measures.information_loss import (
    combined_distortion,
    distortion_of_dependence,
    distortion_of_quasi_identifiers,
    euclidean_loss,
    expected_distortion_of_published,
    sse_over_sst,
)
from server.statistics.measures.moments import moments, probabilistic_information_loss
from server.statistics.microaggregation.preparation import group_means, standardize


@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_published_sse_and_l_e_of_mdav(
    name: str, reference_data: Path, reference_figures: Path, mdav_oracle: ModuleType
) -> None:
    figures = json.loads((reference_figures / "microaggregation.json").read_text())
    with (reference_data / f"{name}.csv").open(newline="") as file:
        X = np.array([[float(value) for value in row.values()] for row in csv.DictReader(file)])
    for k in ("3", "10"):
        labels = mdav_oracle.mdav(standardize(X)[0], int(k))
        masked = group_means(X, labels)[labels]
        expected = figures["mdav_l_sse"]["computed"]["generic"][name][k]
        assert 100 * sse_over_sst(X, masked).value == pytest.approx(expected, abs=1e-4)
        # The paper's own MDAV split the last records of Census otherwise.
        assert euclidean_loss(X, masked).value == pytest.approx(figures["mdav_l_e_printed"][name][k], abs=0.1)


def test_units_do_not_matter_and_nothing_changed_is_nothing_lost() -> None:
    random = np.random.default_rng(1)
    X, Y = random.standard_normal((2, 50, 3))
    scale, shift = np.array([1e-3, 1, 1e6]), np.array([5, -1e4, 0])
    assert sse_over_sst(X * scale + shift, Y * scale + shift).value == pytest.approx(sse_over_sst(X, Y).value)
    for measure in (sse_over_sst, euclidean_loss, distortion_of_quasi_identifiers):
        assert measure(X, X).value == 0
        assert measure(X, np.broadcast_to(X.mean(0), X.shape)).value == pytest.approx(
            100 if measure is euclidean_loss else 1
        )


def test_constant_data() -> None:
    X = np.ones((4, 2))
    assert sse_over_sst(X, X).value == 0
    assert sse_over_sst(X, X + 1).value == float("inf")


@pytest.mark.parametrize(
    ("original", "masked", "words"),
    [
        ([[1.0], [np.nan]], [[1.0], [1.0]], "missing"),
        ([[1.0], [2.0]], [[1.0]], "masked data"),
        ([1.0, 2.0], [1.0, 2.0], "records x columns"),
    ],
)
def test_nonsense_is_refused(original, masked, words) -> None:
    with pytest.raises(ValueError, match=words):
        sse_over_sst(original, masked)


def test_dependence_weighs_both_sides() -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    labels = np.array([0, 0, 1, 1])
    d_x = distortion_of_quasi_identifiers(X, group_means(X, labels)[labels])
    d_y = distortion_of_dependence(np.array([[0.0], [1.0], [0.0], [1.0]]), labels)
    assert (d_x.value, d_y.value) == (0, 1)
    assert combined_distortion(d_x, d_y, 0.25).value == 0.25
    with pytest.raises(ValueError, match="lambda"):
        combined_distortion(d_x, d_y, 1.5)


def test_expected_distortion_is_what_simulation_finds() -> None:
    random = np.random.default_rng(2)
    X, labels = random.standard_normal((60, 2)), np.arange(60) // 6
    masked = group_means(X, labels)[labels]
    chance = random.uniform(0.1, 0.9, 60)
    Z = standardize(X)[0]
    error = ((Z - group_means(Z, labels)[labels]) ** 2).sum(1)
    there = random.random((20_000, 60)) < chance
    simulated = (there @ error).mean() / (2 * there.sum(axis=1).mean())
    assert expected_distortion_of_published(X, masked, chance).value == pytest.approx(simulated, rel=0.01)
    same = sse_over_sst(X, masked).value
    assert expected_distortion_of_published(X, masked, 0.3).value == pytest.approx(same)
    for wrong in (0.0, 1.1, np.nan):
        with pytest.raises(ValueError, match="participation"):
            expected_distortion_of_published(X, masked, wrong)


def test_moments_of_numpy() -> None:
    random = np.random.default_rng(4)
    X = random.standard_normal((40, 3)) @ random.standard_normal((3, 3)) + 1e5
    found = moments(X)
    assert found.means == pytest.approx(X.mean(0))
    assert found.variances == pytest.approx(X.var(0))
    assert found.covariances == pytest.approx(np.cov(X.T, bias=True))
    assert found.correlations == pytest.approx(np.corrcoef(X.T))
    constant = moments(np.column_stack([X[:, 0], np.full(40, 0.1)]))
    assert constant.correlations == pytest.approx(np.eye(2))
    assert constant.variances[1] == 0


def test_pil_of_the_same_data_is_zero_and_has_five_parts() -> None:
    X = np.random.default_rng(5).standard_normal((30, 3))
    found = probabilistic_information_loss(X, X)
    assert [measure.value for measure in found] == [0] * 6
    assert [measure.name for measure in found] == [
        "PIL, percent",
        "PIL of quantiles, percent",
        "PIL of means, percent",
        "PIL of variances, percent",
        "PIL of covariances, percent",
        "PIL of correlations, percent",
    ]
    assert len(probabilistic_information_loss(X[:, :1], X[:, :1])) == 4


def test_pil_of_a_shift_by_one_standard_error() -> None:
    """A mean that moved by one standard error: 100 P(|Z| <= 1) = 68.27."""
    X = np.random.default_rng(6).standard_normal((100, 2))
    found = {m.name: m.value for m in probabilistic_information_loss(X, X + X.std(0) / 10)}
    assert found["PIL of means, percent"] == pytest.approx(68.2689, abs=1e-3)
    assert found["PIL of variances, percent"] == pytest.approx(0)
    assert found["PIL of correlations, percent"] == pytest.approx(0)
    parts = [value for name, value in found.items() if "of" in name]
    assert found["PIL, percent"] == pytest.approx(np.mean(parts))


@pytest.mark.parametrize("density", ["kernel", "normal"])
def test_pil_compares_with_the_spread_among_samples(density) -> None:
    """Two samples of one population differ by sqrt 2 standard errors: a mean loss of 60.8 for every part."""
    random = np.random.default_rng(7)
    mix = np.array([[1.0, 0.6, 0.0], [0.0, 0.8, 0.3], [0.0, 0.0, 0.9]])
    rows = []
    for _ in range(250):
        pair = random.standard_normal((2, 400, 3)) @ mix
        rows.append([m.value for m in probabilistic_information_loss(*pair, density=density)][1:])
    # E[2 Phi(sqrt 2 |Z|) - 1] = 2 arctan(sqrt 2) / pi
    expected = 100 * 2 * np.arctan(np.sqrt(2)) / np.pi
    assert np.mean(rows, axis=0) == pytest.approx(expected, abs=4)


def test_pil_refuses_what_has_no_spread_and_survives_constants() -> None:
    X = np.random.default_rng(8).standard_normal((30, 2))
    with pytest.raises(ValueError, match="constant"):
        probabilistic_information_loss(np.ones((4, 2)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="masked data"):
        probabilistic_information_loss(X, X[:5])
    flattened = np.broadcast_to(X.mean(0), X.shape)
    found = probabilistic_information_loss(X, flattened)
    assert all(np.isfinite(measure.value) for measure in found)
    assert found[3].value == pytest.approx(100, abs=1)  # a variance of 0
    mostly = np.column_stack([np.r_[np.zeros(29), 1.0], X[:, 0]])  # quartiles coincide
    assert np.isfinite(probabilistic_information_loss(mostly, mostly + 0.1)[0].value)


@pytest.mark.parametrize("factor", [2.0**500, 2.0**-600])
def test_units_of_any_size_do_not_matter_to_statistics(factor: float) -> None:
    """Squares of tiny values vanish; that made correlations NaN and PIL an unhandled error."""
    X = np.random.default_rng(11).lognormal(0, 1, (40, 2))
    Y = group_means(X, np.arange(40) // 4)[np.arange(40) // 4]
    same, found = probabilistic_information_loss(X, Y), probabilistic_information_loss(X * factor, Y * factor)
    assert [measure.value for measure in found] == [measure.value for measure in same]
    assert (moments(X * factor).correlations == moments(X).correlations).all()


def test_pil_of_quantiles_in_gaps_without_density() -> None:
    """The last quantile lies between the bulk and an outlier, where the kernel's density is 0 in float64."""
    X = np.arange(20.0)[:, None]
    X[-1] = 1e6
    found = {m.name: m.value for m in probabilistic_information_loss(X, X + 5.0)}
    assert 0 < found["PIL of quantiles, percent"] < 100
