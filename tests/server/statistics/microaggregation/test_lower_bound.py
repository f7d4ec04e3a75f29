"""The lower bound of SSE is never above the proven optimum, nor above what any partition loses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import spatial

from server.statistics.microaggregation import lower_bound
from server.statistics.microaggregation.lower_bound import least_sse
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import sse, sst, standardize
from server.statistics.microaggregation.refinement import refine
from server.statistics.microaggregation.size_rule import SizeRule
from tests.reference import set_partition
from tests.server.statistics.microaggregation.matrices import reference_matrix


def of_neighbours(X: np.ndarray, k: int, people: np.ndarray) -> float:
    """The first bound, person by person."""
    each = np.repeat(X, people, axis=0)
    apart = ((each[:, None] - each[None]) ** 2).sum(axis=2)
    return float(np.sort(apart, axis=1)[:, 1:k].sum() / (2 * k))


@pytest.mark.parametrize(("n", "k"), [(40, 2), (18, 3), (12, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_beside_the_proven_optimum(n: int, k: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, 2))
    least, found = set_partition.least_loss(X, k), least_sse(X, k)
    assert of_neighbours(X, k, np.ones(n, dtype=np.int64)) <= found * (1 + 1e-9)
    assert 0.4 * least < found <= least * (1 + 1e-9)


def test_it_is_reached_where_groups_lie_far_apart() -> None:
    """Triangles of equal sides, far from each other: the optimum is the bound itself."""
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    X = np.concatenate([corner + 100 * i for i in range(8)])
    assert least_sse(X, 3) == pytest.approx(8.0)
    assert least_sse(X, 3, np.full(24, 1)) == pytest.approx(8.0)


@settings(max_examples=40)
@given(data=st.data())
def test_records_of_several_people(data: st.DataObject) -> None:
    n, k = data.draw(st.integers(2, 12)), data.draw(st.integers(2, 5))
    X = np.array(data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=n, max_size=n)))
    people = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    people[0] += k
    found = least_sse(X, k, people)
    assert found >= of_neighbours(X.astype(float), k, people) * (1 - 1e-9) - 1e-9
    labels = mdav_records(X.astype(float), SizeRule.of_k(k), counts=people)
    assert found <= sse(X, labels, people) * (1 + 1e-9) + 1e-9


def test_nothing_to_bound() -> None:
    assert least_sse(np.ones((5, 2)), 3) == 0
    assert least_sse(np.ones((1, 2)), 3) == 0
    assert least_sse(np.eye(3), 1) == 0


def test_large_files_have_the_first_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(1).standard_normal((50, 3))
    monkeypatch.setattr(lower_bound, "_LARGEST_MATRIX", 49)
    monkeypatch.setattr(lower_bound, "_CHUNK", 7)
    assert least_sse(X, 4) == pytest.approx(of_neighbours(X, 4, np.ones(50, dtype=np.int64)))


def test_equal_records_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree keeps equal points in one leaf, and looks through it: 60,000 records took 12 seconds."""
    X = np.random.default_rng(1).integers(0, 2, (200, 2)).astype(float)
    X[:3] += 7
    points, tree = [], spatial.cKDTree
    monkeypatch.setattr(spatial, "cKDTree", lambda rows: points.append(len(rows)) or tree(rows))
    monkeypatch.setattr(lower_bound, "_LARGEST_MATRIX", 0)
    assert least_sse(X, 4) == pytest.approx(of_neighbours(X, 4, np.ones(200, dtype=np.int64)))
    assert points == [len(np.unique(X, axis=0))]


@pytest.mark.parametrize(("k", "share"), [(3, 10.28), (10, 22.05)])
def test_tarragona(reference_data: Path, k: int, share: float) -> None:
    X = standardize(reference_matrix(reference_data, "tarragona"))[0]
    found = 100 * least_sse(X, k) / sst(X)
    assert found == pytest.approx(share, abs=0.02)
    rule = SizeRule.of_k(k)
    assert found <= 100 * sse(X, refine(X, mdav_records(X, rule), rule)) / sst(X)
