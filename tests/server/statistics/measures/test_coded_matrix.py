"""A coded matrix says what the whole one does, to the bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from server.statistics.measures import disclosure_risk, information_loss, pieces
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.measures.measure import Measure
from server.statistics.measures.moments import moments, probabilistic_information_loss

N = 400


def pair() -> tuple[CodedMatrix, CodedMatrix]:
    """Numbers with ties, a constant column, and values that no row has."""
    draw = np.random.default_rng(3)
    values = [np.sort(draw.normal(size=m)) for m in (30, 7, 1)]
    codes = [draw.integers(0, m, N).astype(np.int32) for m in (28, 5, 1)]
    masked = [(column // 2 * 2).astype(np.int32) for column in codes]
    return CodedMatrix(values=values, codes=codes), CodedMatrix(values=values, codes=masked)


def test_rows_and_columns_are_those_of_the_whole_matrix() -> None:
    X, _ = pair()
    whole = np.column_stack([values[codes] for values, codes in zip(X.values, X.codes, strict=True)])
    assert X.shape == whole.shape == (N, 3)
    assert len(X) == N
    np.testing.assert_array_equal(X[:], whole)
    np.testing.assert_array_equal(np.asarray(X), whole)
    np.testing.assert_array_equal(np.asarray(X, dtype=np.float32), whole.astype(np.float32))
    np.testing.assert_array_equal(X[7:19], whole[7:19])
    rows = np.array([5, 5, 0])
    np.testing.assert_array_equal(X[rows], whole[rows])
    np.testing.assert_array_equal(X[:, 1:][:], whole[:, 1:])
    np.testing.assert_array_equal(X[:9, [2, 0]][:], whole[:9, [2, 0]])
    for column in range(3):
        ranks = X.ranks(column)
        assert (np.argsort(ranks, kind="stable") == np.argsort(whole[:, column], kind="stable")).all()
        assert ((ranks[:-1] == ranks[1:]) == (whole[:-1, column] == whole[1:, column])).all()
        assert X.varies(column) == (column < 2)


def test_codes_that_mean_one_value_are_equal() -> None:
    X = CodedMatrix(values=[np.array([2.0, 2.0, 1.0])], codes=[np.array([0, 1, 1, 2])])
    assert X.ranks(0).tolist() == [1, 1, 1, 0]
    assert not X[:3, :].varies(0)


@pytest.mark.parametrize(
    ("values", "codes"),
    [([], []), ([np.ones(1)], []), ([np.ones(1)] * 2, [np.zeros(2, int), np.zeros(3, int)])],
)
def test_what_is_no_matrix_is_refused(values: list, codes: list) -> None:
    with pytest.raises(ValueError, match="columns"):
        CodedMatrix(values=values, codes=codes)


MEASURES: dict[str, Callable[..., object]] = {
    "DLD": disclosure_risk.distance_linkage,
    "DLD of some": lambda X, Y: disclosure_risk.distance_linkage(X, Y, known=(0, 2), scaled=True),
    "DLD to the first": lambda X, Y: disclosure_risk.distance_linkage(X, Y, first=True),
    "SDID": disclosure_risk.interval_disclosure,
    "mean of SDID": disclosure_risk.average_interval_disclosure,
    "SL": disclosure_risk.satisfaction_level,
    "SSE": information_loss.sse_over_sst,
    "L_E": lambda X, Y: information_loss.euclidean_loss(X, Y, scaled=True),
    "expected": lambda X, Y: information_loss.expected_distortion_of_published(X, Y, np.linspace(0.2, 1, N)),
    "PIL": probabilistic_information_loss,
    "moments": lambda X, _: moments(X),
}


@pytest.mark.parametrize("piece", [1 << 20, 33])
@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_that_of_the_whole_matrix(
    name: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", piece)
    X, Y = pair()
    coded, whole = MEASURES[name](X, Y), MEASURES[name](X[:], Y[:])
    if isinstance(coded, Measure | tuple):
        assert coded == whole
    else:
        for field in ("means", "variances", "covariances", "correlations"):
            np.testing.assert_array_equal(getattr(coded, field), getattr(whole, field))
