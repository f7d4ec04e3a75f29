"""Measures over pieces of a table are those over the whole of it."""

from __future__ import annotations

import numpy as np
import pytest

from server.arrays import FloatArray
from server.statistics.measures import disclosure_risk, information_loss, pieces
from server.statistics.measures.moments import moments, probabilistic_information_loss
from server.statistics.microaggregation.preparation import group_means, standardize

N = 2_003


@pytest.fixture(scope="module")
def tables() -> tuple[FloatArray, FloatArray]:
    draw = np.random.default_rng(7)
    X = draw.lognormal(size=(N, 4)) * np.array([1e-6, 1, 1e6, 0]) + np.array([0, 1e4, 0, 5])
    return X, group_means(X, np.argsort(np.argsort(X[:, 1])) // 5)[np.argsort(np.argsort(X[:, 1])) // 5]


def figures(X: FloatArray, Y: FloatArray) -> FloatArray:
    """Every measure that goes by pieces."""
    chances = np.linspace(0.1, 1, N)
    weights = np.linspace(0, 1, N)[:, None]
    measures = [
        information_loss.sse_over_sst(X, Y),
        information_loss.sse_over_sst(X, Y, scaled=True),
        information_loss.euclidean_loss(X, Y),
        information_loss.expected_distortion_of_published(X, Y, chances),
        disclosure_risk.distance_linkage(X, Y),
        disclosure_risk.distance_linkage(X, Y, known=(0, 2)),
        disclosure_risk.interval_disclosure(X, Y),
        disclosure_risk.average_interval_disclosure(X, Y),
        disclosure_risk.satisfaction_level(X, Y, minimum_distance=weights, importance=1 - weights),
        *probabilistic_information_loss(X, Y),
    ]
    found = moments(X)
    return np.array(
        [
            *(measure.value for measure in measures),
            *found.means,
            *found.variances,
            *np.ravel(found.covariances),
            *np.ravel(found.correlations),
        ]
    )


@pytest.mark.parametrize("length", [1, 7, 1000])
def test_pieces_change_the_last_digits_at_most(
    length: int, tables: tuple[FloatArray, FloatArray], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = figures(*tables)
    monkeypatch.setattr(pieces, "PIECE", length)
    np.testing.assert_allclose(figures(*tables), whole, rtol=1e-11, atol=1e-15)


def test_one_piece_is_scaled_as_a_whole_table_to_the_last_bit(
    tables: tuple[FloatArray, FloatArray],
) -> None:
    X, Y = tables
    Z, means, deviations = standardize(X)
    ((before, after),) = pieces.aligned_pieces(X, Y)
    np.testing.assert_array_equal(before, Z)
    np.testing.assert_array_equal(after, (Y - means) / deviations)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the original is \(3, 2\) and the masked data \(3, 1\)"):
        list(pieces.aligned_pieces(np.ones((3, 2)), np.ones((3, 1))))
    with pytest.raises(ValueError, match="missing or infinite"):
        list(pieces.aligned_pieces(np.array([[1.0], [np.nan]]), np.ones((2, 1))))


@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize("decimals", [1, 8])
def test_a_sieve_changes_no_link(columns: int, decimals: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(columns).normal(size=(N, columns)).round(decimals)
    labels = np.argsort(np.argsort(X[:, 0], kind="stable")) // 5
    Y = group_means(X, labels)[labels].round(decimals)
    without = disclosure_risk.distance_linkage(X, Y).value
    monkeypatch.setattr(disclosure_risk, "_FEW", 0)
    assert disclosure_risk.distance_linkage(X, Y).value == without > 0
