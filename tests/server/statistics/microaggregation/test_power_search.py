"""Candidate lists that do not lie above their floors, and regions of nearly equal mass."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server import executor
from server.statistics.microaggregation import power_search
from server.statistics.microaggregation import sites as sites_module
from server.statistics.microaggregation.compiled import auction
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.power_search import Workbench
from server.statistics.microaggregation.size_rule import SizeRule
from tests.server.statistics.microaggregation.matrices import with_categories


def bench_of(
    generator: np.random.Generator, n: int, d: int, width: int, categories: tuple[int, ...] = ()
) -> Workbench:
    values = generator.integers(0, width, (n, d))
    if categories:
        values = np.concatenate([values, with_categories(generator, n, [*categories])[:, 2:]], axis=1)
    X, people, _ = canonical(values, generator.integers(1, 4, (n, 1)))
    return Workbench(X, people[:, 0], np.resize([1, 3, 2, 5], X.shape[1]), 2)


CATEGORIES = st.sampled_from([(), (2,), (5, 3), (12,)])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 120),
    m=st.integers(1, 40),
    d=st.integers(1, 3),
    width=st.integers(2, 12),
    length=st.integers(1, 5),
    wanted=st.integers(1, 60),
    categories=CATEGORIES,
)
def test_lists_are_exact_above_their_floors(
    seed: int, n: int, m: int, d: int, width: int, length: int, wanted: int, categories: tuple[int, ...]
) -> None:
    """Whichever sites lower their offsets, down to their floors: the winners stand in the lists."""
    generator = np.random.default_rng(seed)
    bench = bench_of(generator, n, d, width, categories)
    sites = sites_among(generator, bench, m)
    offsets = -generator.integers(0, bench.reach // 8 + 1, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_search, "CANDIDATES", length)
        patch.setattr(power_search, "EXTRA_CANDIDATES", 2)
        lists = bench.lists(sites, offsets, wanted)
    assert (lists.standing(offsets.astype(float)).labels == bench.assign(sites, offsets)).all()
    assert (lists.floors <= offsets).all()
    lowest = np.minimum(offsets, lists.floors.astype(np.int64) + 1)
    for share in (0.2, 0.6, 1.0):
        lowered = np.where(generator.random(m) < share, lowest, offsets)
        now = lists.standing(lowered.astype(float))
        assert (now.labels == bench.assign(sites, lowered)).all()
        assert (now.held == np.bincount(now.labels, weights=bench.mass, minlength=m)).all()


def sites_among(generator: np.random.Generator, bench: Workbench, m: int) -> np.ndarray:
    """Half of them tuples, the others anywhere between."""
    points = bench.resolution * bench.X
    anywhere = generator.integers(points.min(axis=0), points.max(axis=0) + 1, (m, points.shape[1]))
    return np.where(generator.random((m, 1)) < 0.5, points[generator.integers(0, len(points), m)], anywhere)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 90), m=st.integers(2, 9), categories=CATEGORIES)
def test_floors_are_where_an_unlisted_tuple_is_won(
    seed: int, n: int, m: int, categories: tuple[int, ...]
) -> None:
    """Not lower: a step further, and some tuple goes to a site that it does not list, or is tied."""
    generator = np.random.default_rng(seed)
    bench = bench_of(generator, n, 2, 9, categories)
    sites = sites_among(generator, bench, m)
    offsets = np.zeros(m, dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_search, "CANDIDATES", 2)
        lists = bench.lists(sites, offsets, 0)
    values = ((2 * bench.X[:, None] - sites) ** 2 * bench.weights).sum(axis=2)
    for site in range(m):
        unlisted = (lists.sites != site).all(axis=1)
        gaps = (values[:, site] - values.min(axis=1))[unlisted]
        assert lists.floors[site] == max(-gaps.min(initial=bench.reach), -bench.reach)


@given(
    lots=st.lists(st.tuples(st.integers(-4, 9), st.integers(1, 5)), min_size=1, max_size=40),
    lacking=st.integers(1, 120),
)
def test_a_price_is_that_of_sorted_gaps(lots: list[tuple[int, int]], lacking: int) -> None:
    gaps, masses = np.array(lots, dtype=np.int64).T.copy()
    reached, taken = 0, -5
    for gap, mass in sorted(lots):
        if reached < lacking:
            reached, taken = reached + mass, gap
    following = min((gap for gap, _ in lots if gap > taken), default=taken + 2)
    assert auction.price(gaps.astype(float), masses, len(lots), lacking) == (taken, following)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200), count=st.integers(1, 60))
def test_regions_have_nearly_equal_mass(seed: int, n: int, count: int) -> None:
    bench = bench_of(np.random.default_rng(seed), n, 3, 30)
    labels = bench.regions(count)
    held = np.bincount(labels, weights=bench.mass)
    assert held.min() > 0
    assert len(held) <= count
    share = bench.mass.sum() / count
    assert held.max() <= share + bench.mass.max() * (1 + np.log2(count))


def categories_of(labels: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """How many categories each region has people of."""
    pairs = np.unique(np.stack([labels, categories]), axis=1)
    return np.bincount(pairs[0])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(60, 200))
def test_regions_are_cut_between_categories(seed: int, count: int) -> None:
    """A median of a coordinate of 0 and 1 lies within the zeros: regions of many categories came of it."""
    generator = np.random.default_rng(seed)
    categories = generator.choice(8, 3000, p=np.arange(1, 9) / 36)
    values = np.concatenate([generator.integers(0, 60, (3000, 2)), np.eye(8, dtype=int)[categories]], axis=1)
    X, people, _ = canonical(values, np.ones((3000, 1), dtype=np.int64))
    bench = Workbench(X, people[:, 0], np.array([1, 1, *(40_000,) * 8]), 2)
    labels = bench.regions(count)
    assert (categories_of(labels, bench.X[:, 2:].argmax(axis=1)) == 1).all()
    held, share = np.bincount(labels, weights=bench.mass), bench.mass.sum() / count
    assert share / 3 < held.min()
    assert held.max() < 3 * share


def test_more_categories_than_cuts_that_can_wait() -> None:
    """Each is cut off by itself, one after the other."""
    values = np.array([(i, *(int(j == c) for j in range(400))) for c in range(400) for i in range(5)])
    X, people, _ = canonical(values, np.ones((2000, 1), dtype=np.int64))
    bench = Workbench(X, people[:, 0], np.array([1, *(1000,) * 400]), 1)
    labels = bench.regions(400)
    assert (categories_of(labels, bench.X[:, 1:].argmax(axis=1)) == 1).all()
    assert (np.bincount(labels) == 5).all()


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    X, people, _ = canonical(
        np.random.default_rng(2).integers(0, 40, (3000, 3)), np.ones((3000, 1), np.int64)
    )
    monkeypatch.setattr(sites_module, "ROWS", 300)
    monkeypatch.setattr(power_search, "ROWS", 300)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(executor, "processors", lambda threads=threads: threads)
        cells = power_diagram(X, people, (3, 2, 1), SizeRule(minimum=(19,)))
        found.append(cells.sites.tobytes() + cells.offsets.tobytes() + cells.labels.tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("start", "digest"), [(1 << 24, "da34d233b9b538e1"), (0, "dd41a5589b586292")], ids=["groups", "regions"]
)
def test_categories_keep_their_diagrams(start: int, digest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known answers; of the groups as of the search that compared all coordinates of a category."""
    monkeypatch.setattr("server.statistics.microaggregation.power_diagram._MDAV_WORK", start)
    values = with_categories(np.random.default_rng(7), 9000, [26, 2, 9])
    X, people, _ = canonical(values, np.ones((len(values), 1), dtype=np.int64))
    weights = (40, 30, *(900,) * 26, *(1700,) * 2, *(600,) * 9)
    cells = power_diagram(X, people, weights, SizeRule(minimum=(23,)))
    found = sha256(cells.sites.tobytes() + cells.offsets.tobytes() + cells.labels.tobytes())
    assert found.hexdigest()[:16] == digest


def test_large_populations_start_between_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.statistics.microaggregation.power_diagram._MDAV_WORK", 0)
    values = np.round(np.random.default_rng(3).standard_normal((3000, 3)) * 1000).astype(np.int64)
    X = canonical(values, np.ones((3000, 1), dtype=np.int64))[0]
    for rule in (
        SizeRule(minimum=(25,)),
        SizeRule(minimum=(20, 30), predicate=lambda c: 3 * c[0] + 2 * c[1] >= 60),
    ):
        heads = np.eye(rule.levels, dtype=np.int64)[np.arange(len(X)) % rule.levels]
        cells = power_diagram(X, heads, (1, 1, 1), rule)
        assert all(rule.acceptable(row) for row in cells.counts)
        assert len(cells.counts) > 0.9 * rule.mass(heads)[0].sum() / rule.mass(heads)[1]
