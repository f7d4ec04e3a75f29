"""Power diagrams: every cell acceptable under the exact rule, rebuilt byte for byte, and better than MDAV."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from server.statistics.microaggregation.compiled.roundest import roundest
from server.statistics.microaggregation.geometry import canonical, distortion
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.power_diagram import PowerCells, finest_resolution, power_diagram
from server.statistics.microaggregation.power_repair import repair
from server.statistics.microaggregation.power_search import Workbench
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.size_rules import size_rule_of_register
from shared.cells import PowerDiagram

PROJECT = Path(__file__).parents[4]


def plain(minimum: int) -> SizeRule:
    return SizeRule(minimum=(minimum,))


def diagram(cells: PowerCells, weights: tuple[int, ...]) -> PowerDiagram:
    return PowerDiagram(
        weights=weights,
        resolution=cells.resolution,
        sites=tuple(tuple(row) for row in cells.sites.tolist()),
        offsets=tuple(cells.offsets.tolist()),
    )


def assert_sound(
    X: np.ndarray, people: np.ndarray, weights: tuple[int, ...], rule: SizeRule, cells: PowerCells
) -> None:
    """Labels, counts and bounds are those of the rule that devices run."""
    shape = diagram(cells, weights)
    assert [shape.assign(x) for x in X.tolist()] == cells.labels.tolist()
    counts = np.zeros_like(cells.counts)
    np.add.at(counts, cells.labels, people)
    assert (counts == cells.counts).all()
    assert all(rule.acceptable(row) for row in counts)
    assert cells.offsets.max() == 0
    low, high = X.min(axis=0), X.max(axis=0)
    assert shape.largest_value(tuple(zip(low.tolist(), high.tolist(), strict=True))) < 2**53
    assert (cells.sites >= cells.resolution * low).all()
    assert (cells.sites <= cells.resolution * high).all()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), levels=st.integers(1, 2), minimum=st.integers(1, 6))
def test_every_cell_meets_its_need(data: st.DataObject, levels: int, minimum: int) -> None:
    d, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 40))
    X = data.draw(arrays(np.int64, (n, d), elements=st.integers(-9, 9)))
    people = data.draw(arrays(np.int64, (n, levels), elements=st.integers(1, 3)))
    weights = tuple(data.draw(st.lists(st.integers(0, 3), min_size=d, max_size=d)))
    X, people, _ = canonical(X, people)
    if levels == 1:
        rule = plain(minimum)
    else:
        rule = SizeRule(minimum=(minimum, 2 * minimum), predicate=lambda c: 2 * c[0] + c[1] >= 2 * minimum)
    if not rule.acceptable(people.sum(axis=0)):
        with pytest.raises(ValueError, match="do not meet the need"):
            power_diagram(X, people, weights, rule)
        return
    before = X.copy(), people.copy()
    cells = power_diagram(X, people, weights, rule)
    assert (before[0] == X).all()
    assert (people == before[1]).all()
    assert_sound(X, people, weights, rule, cells)


def test_a_predicate_that_larger_cells_can_break_still_ends() -> None:
    """Nothing obliges a predicate to be monotone: at worst one cell holds everybody."""
    X = np.arange(30)[:, None]
    rule = SizeRule(minimum=(2,), predicate=lambda c: c[0] % 3 == 0)
    cells = power_diagram(X, np.ones((30, 1), dtype=np.int64), (1,), rule)
    assert_sound(X, np.ones((30, 1), dtype=np.int64), (1,), rule, cells)


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    with (folder / f"{name}.csv").open(newline="") as handle:
        raw = np.array([[float(v) for v in row.values()] for row in csv.DictReader(handle)])
    values = np.round((raw - raw.mean(axis=0)) / raw.std(axis=0) * 2**11).astype(np.int64)
    X, people, _ = canonical(values, np.ones((len(values), 1), dtype=np.int64))
    return X, people, (1,) * X.shape[1]


@pytest.mark.parametrize(
    ("name", "minimum", "bound"),
    [("census", 10, 0.90), ("census", 25, 0.90), ("tarragona", 10, 0.95), ("tarragona", 20, 0.97)],
)
def test_loses_less_than_mdav(reference_data: Path, name: str, minimum: int, bound: float) -> None:
    X, people, weights = load(reference_data, name)
    balls = mdav(X, people, weights, plain(minimum))
    cells = power_diagram(X, people, weights, plain(minimum))
    ratio = distortion(X, people, weights, cells.labels) / distortion(X, people, weights, balls.labels)
    assert ratio < bound
    assert cells.counts.min() >= minimum


def test_gaussian_data_lose_less_than_with_mdav() -> None:
    values = np.round(np.random.default_rng(3).standard_normal((3000, 5)) * 1000).astype(np.int64)
    X, people, _ = canonical(values, np.ones((3000, 1), dtype=np.int64))
    weights = (1,) * 5
    balls, cells = (f(X, people, weights, plain(25)) for f in (mdav, power_diagram))
    ratio = distortion(X, people, weights, cells.labels) / distortion(X, people, weights, balls.labels)
    assert ratio < 0.93


def test_heavy_tuples_and_rare_categories() -> None:
    """One-hot categories, one too rare for a cell, tuples of many people: the trap of warm offsets."""
    generator = np.random.default_rng(5)
    category = generator.choice(4, size=4000, p=[0.6, 0.3, 0.097, 0.003])
    hours = np.where(generator.random(4000) < 0.5, 40, generator.integers(1, 99, 4000))
    values = np.column_stack([np.eye(4, dtype=np.int64)[category], hours])
    X, people, _ = canonical(values, np.ones((4000, 1), dtype=np.int64))
    weights = (40_000,) * 3 + (3_000_000, 30)
    balls = mdav(X, people, weights, plain(40))
    cells = power_diagram(X, people, weights, plain(40))
    assert_sound(X, people, weights, plain(40), cells)
    ratio = distortion(X, people, weights, cells.labels) / distortion(X, people, weights, balls.labels)
    assert ratio < 1.05


@pytest.mark.parametrize(("width", "seed"), [(12, 1), (12, 6), (12, 16), (20, 17)])
def test_more_people_never_make_far_fewer_cells(width: int, seed: int) -> None:
    """In equal proportions; with few tuples one ascent alone left 10 cells, then 3, then 12."""
    generator = np.random.default_rng(seed)
    share, levels = generator.dirichlet(np.full(width, 2.0)), generator.dirichlet((1, 1, 1), width)
    X, rule = np.arange(width)[:, None], size_rule_of_register((80, 60, 45))
    most = 0
    for n in (800, 1000, 1200, 1500, 2000, 3000):
        people = np.rint(n * share[:, None] * levels).astype(np.int64) + np.array([1, 0, 0])
        cells = power_diagram(X, people, (1,), rule)
        assert_sound(X, people, (1,), rule, cells)
        assert 4 * len(cells.counts) >= 3 * most
        most = max(most, len(cells.counts))


def test_no_cell_is_many_times_as_large_as_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where categories are far from each other, and all starts between medians."""
    monkeypatch.setattr("server.statistics.microaggregation.power_diagram._MDAV_WORK", 0)
    chance = np.random.default_rng(4)
    category = chance.choice(26, 40_000, p=np.arange(1, 27) / 351)
    values = np.concatenate(
        [chance.normal(45, 8, (40_000, 2)).round().astype(int), np.eye(26, dtype=int)[category]], axis=1
    )
    X, people, _ = canonical(values, np.ones((40_000, 1), dtype=np.int64))
    cells = power_diagram(X, people, (100, 100, *(40_000,) * 26), SizeRule(minimum=(30,)))
    heads = cells.counts[:, 0]
    assert heads.max() < 3 * 30
    assert len(heads) > 0.9 * 40_000 / 30


def test_sites_that_fall_together_are_one_cell() -> None:
    """On a grid too coarse for all of them every place of it has one cell, and no other is upset."""
    X = np.array([(a, b) for a in range(40) for b in range(40)])
    places = []

    def snap(sites: np.ndarray, resolution: int) -> np.ndarray:
        snapped = (sites + 4 * resolution) // (8 * resolution) * 8 * resolution
        places.append(np.unique(snapped, axis=0))
        return snapped

    cells = power_diagram(X, np.ones((1600, 1), dtype=np.int64), (1, 1), SizeRule(minimum=(10,)), snap=snap)
    assert len(np.unique(cells.sites, axis=0)) == len(cells.sites) == len(places[-1]) == 36
    assert (cells.counts >= 10).all()


def test_translation_and_row_order_do_not_matter(reference_data: Path) -> None:
    X, people, weights = load(reference_data, "census")
    cells = power_diagram(X, people, weights, plain(20), resolution=8)
    moved = power_diagram(X + 1000, people, weights, plain(20), resolution=8)
    assert (moved.labels == cells.labels).all()
    assert (moved.offsets == cells.offsets).all()
    assert (moved.sites == cells.sites + 8 * 1000).all()
    order = np.random.default_rng(1).permutation(len(X))
    again, counts, _ = canonical(X[order], people[order])
    assert (power_diagram(again, counts, weights, plain(20), resolution=8).offsets == cells.offsets).all()


_SCRIPT = """
import hashlib, numpy as np
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.size_rules import size_rule_of_register
from server.statistics.microaggregation.power_diagram import power_diagram
values = np.random.default_rng(9).integers(0, 60, (3000, 4))
X, people, _ = canonical(values, np.ones((3000, 1), dtype=np.int64))
cells = power_diagram(X, people, (5, 7, 11, 13), SizeRule(minimum=(17,)))
print(hashlib.sha256(cells.sites.tobytes() + cells.offsets.tobytes() + cells.labels.tobytes()).hexdigest())
"""


def test_same_bytes_with_other_threads_and_other_processor_features() -> None:
    """An auditor's machine has another BLAS kernel, more threads, no AVX: the diagram must not notice."""
    outputs = set()
    for extra in (
        {"OPENBLAS_NUM_THREADS": "1"},
        {"OPENBLAS_NUM_THREADS": "4", "OPENBLAS_CORETYPE": "Nehalem"},
        {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX2 FMA3"},
    ):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _SCRIPT],
            env={**os.environ, "PYTHONPATH": str(PROJECT), **extra},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_no_site_is_one_persons_tuple(reference_data: Path) -> None:
    """Census records are all different: no site coincides with any of them."""
    X, people, weights = load(reference_data, "census")
    cells = power_diagram(X, people, weights, plain(10))
    records = {tuple(row) for row in (X * cells.resolution).tolist()}
    assert not records & {tuple(row) for row in cells.sites.tolist()}


@pytest.mark.parametrize(
    ("X", "people", "minimum", "cells"),
    [
        ([[3]], [9], 4, 1),
        ([[0], [9]], [4, 4], 4, 2),
        ([[0], [1], [2]], [1, 1, 1], 2, 1),
        ([[0, 7], [1, 7], [8, 7], [9, 7]], [2, 2, 2, 2], 4, 2),
    ],
)
def test_edges(X: list[list[int]], people: list[int], minimum: int, cells: int) -> None:
    points, heads = np.array(X), np.array(people)[:, None]
    weights = (1,) * points.shape[1]
    found = power_diagram(points, heads, weights, plain(minimum))
    assert len(found.sites) == cells
    assert_sound(points, heads, weights, plain(minimum), found)


def test_repair_gives_up_sites_that_cannot_be_supplied() -> None:
    """Three coincident sites for people of one tuple: only one can have them."""
    X, people = np.array([[0], [10]]), np.array([[5], [5]])
    bench = Workbench(X, people[:, 0], np.array([1]), 2)
    sites = np.array([[-10], [-10], [-10], [10]])
    result = repair(bench, people[bench.order], plain(4), sites, np.zeros(4, dtype=np.int64))
    assert result.sites.tolist() == [[-10], [10]]
    assert result.counts.tolist() == [[5], [5]]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-3, 5, 0), (5, 7, 6), (5, 8, 8), (9, 9, 9), (-7, -5, -6), (-9, -8, -8), (1025, 4000, 2048)],
)
def test_roundest(low: int, high: int, expected: int) -> None:
    assert roundest(low, high) == expected


def test_resolution_leaves_room_for_offsets() -> None:
    assert finest_resolution(1) == 64
    assert finest_resolution(2**42 - 1) == 32
    assert finest_resolution(2**52 - 1) == 1
    assert finest_resolution(2**52) == 0
    X, people = np.array([[0], [2**26]]), np.array([[1], [1]])
    with pytest.raises(ValueError, match="2\\*\\*53"):
        power_diagram(X, people, (1,), plain(1))
    with pytest.raises(ValueError, match="2\\*\\*53"):
        power_diagram(np.array([[0], [9]]), people, (1,), plain(1), resolution=64, domain_span=2**45)


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    X = np.arange(60)[:, None]
    power_diagram(
        X, np.ones((60, 1), dtype=np.int64), (1,), plain(5), progress=lambda a, b: seen.append((a, b))
    )
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
