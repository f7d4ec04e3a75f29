"""Winners and runners-up are those of comparing with every site, ties and any number of threads included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server import executor
from server.statistics.microaggregation import sites as sites_module
from server.statistics.microaggregation.profiles import Profiles
from server.statistics.microaggregation.sites import Sites
from tests.server.statistics.microaggregation.matrices import with_categories


def values(points: np.ndarray, sites: np.ndarray, weights: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Squared distance plus offset of every tuple and site, in integers."""
    return np.asarray(((points[:, None] - sites[None]) ** 2 * weights).sum(axis=2) + offsets)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 30),
    m=st.integers(1, 90),
    d=st.integers(1, 4),
    width=st.integers(1, 6),
    least=st.integers(-9, 0),
)
def test_equal_comparison_with_every_site(seed: int, n: int, m: int, d: int, width: int, least: int) -> None:
    """On so small a grid most winners are tied."""
    generator = np.random.default_rng(seed)
    points = generator.integers(-width, width + 1, (n, d))
    sites = generator.integers(-width, width + 1, (m, d))
    weights, offsets = generator.integers(0, 3, d), generator.integers(least, 1, m)
    expected = values(points, sites, weights, offsets)
    searched, tuples = Sites(sites, weights), Profiles.of(points.astype(float))
    assert (searched.assign(tuples, offsets) == expected.argmin(axis=1)).all()
    length = min(m, 12)
    listed, scores = searched.rank(tuples, offsets, length)
    order = np.argsort(expected, axis=1, kind="stable")[:, :length]
    assert (listed == order).all()
    assert (scores == np.take_along_axis(expected - offsets, order, axis=1)).all()


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 300),
    m=st.integers(1, 60),
    categories=st.lists(st.integers(1, 12), min_size=1, max_size=3),
)
def test_categories_make_no_difference(seed: int, n: int, m: int, categories: list[int]) -> None:
    """Tuples of one combination of categories are searched for together; sites lie anywhere."""
    generator = np.random.default_rng(seed)
    points = 4 * with_categories(generator, n, categories)
    sites = np.rint(points[generator.integers(0, n, (m, 3))].mean(axis=1)).astype(np.int64)
    sites += generator.integers(-2, 3, sites.shape)
    weights, offsets = generator.integers(0, 4, points.shape[1]), -generator.integers(0, 99, m)
    expected = values(points, sites, weights, offsets)
    searched, tuples = Sites(sites, weights), Profiles.of(points.astype(float))
    assert (searched.assign(tuples, offsets) == expected.argmin(axis=1)).all()
    listed, scores = searched.rank(tuples, offsets, min(m, 5))
    order = np.argsort(expected, axis=1, kind="stable")[:, : min(m, 5)]
    assert (listed == order).all()
    assert (scores == np.take_along_axis(expected - offsets, order, axis=1)).all()


def test_exact_up_to_the_bound() -> None:
    """94906265^2 < 2^53 <= 94906266^2: one more or less decides, and float64 can still tell."""
    width = 94906265
    points = np.array([[width // 2], [width // 2 + 1]])
    sites = np.array([[width], [0]])
    tuples = Profiles.of(points.astype(float))
    assert Sites(sites, (1,)).assign(tuples, np.zeros(2, np.int64)).tolist() == [1, 0]
    gap = int(values(points, sites, np.array([1]), np.zeros(2, np.int64))[0] @ [1, -1])
    for offset, winner in ((-gap - 1, 0), (-gap, 0), (-gap + 1, 1)):
        offsets = np.array([offset, 0])
        assert Sites(sites, (1,)).assign(Profiles.of(points[:1].astype(float)), offsets).tolist() == [winner]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_matter(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    points, sites = generator.integers(0, 40, (5000, 3)), generator.integers(0, 40, (300, 3))
    weights, offsets = np.array([1, 2, 3]), generator.integers(-50, 1, 300)
    expected = values(points, sites, weights, offsets)
    monkeypatch.setattr(sites_module, "ROWS", 190)
    monkeypatch.setattr(executor, "processors", lambda: threads)
    searched, tuples = Sites(sites, weights), Profiles.of(points.astype(float))
    assert (searched.assign(tuples, offsets) == expected.argmin(axis=1)).all()
    listed, _ = searched.rank(tuples, offsets, 5)
    assert (listed == np.argsort(expected, axis=1, kind="stable")[:, :5]).all()
