"""Exact MDAV: the labels of the plain program, whatever the ties; the published figures; every edge."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import float64, int64
from numba.core import caching

from server.statistics.microaggregation.compiled.compilation import compiled
from server.statistics.microaggregation.mdav_records import mdav_records, warm_up
from server.statistics.microaggregation.preparation import sse, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from tests.server.statistics.microaggregation.edge_list import check_counts, check_edges, check_progress
from tests.server.statistics.microaggregation.matrices import matrices, reference_matrix

PROJECT = Path(__file__).resolve().parents[4]
EIA = [
    "resrevenue",
    "ressales",
    "comrevenue",
    "comsales",
    "indrevenue",
    "indsales",
    "othrevenue",
    "othrsales",
]
EIA += ["totrevenue", "totsales"]


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    warm_up()


@settings(deadline=None, max_examples=400)
@given(X=matrices(), share=st.floats(0, 1))
def test_labels_are_those_of_the_plain_program(mdav_oracle: ModuleType, X: np.ndarray, share: float) -> None:
    k = 1 + int(share * (len(X) - 1))
    np.testing.assert_array_equal(mdav_records(X, SizeRule.of_k(k)), mdav_oracle.mdav(X, k))


@pytest.mark.parametrize("k", [1, 2, 3, 10])
@pytest.mark.parametrize(
    "name",
    ["gaussian", "lognormal", "integers", "standardized integers", "mirrored", "sphere", "wide", "offset"],
)
def test_labels_are_those_of_the_plain_program_on_more_records(
    mdav_oracle: ModuleType, name: str, k: int
) -> None:
    rng = np.random.default_rng(3)
    n = 1500
    half = rng.standard_normal((n // 2, 3))
    ball = rng.standard_normal((n, 4))
    X = {
        "gaussian": rng.standard_normal((n, 5)),
        "lognormal": rng.lognormal(0, 3, (n, 5)),
        "integers": rng.integers(0, 4, (n, 5)).astype(float),
        "standardized integers": standardize(rng.integers(0, 4, (n, 5)))[0],
        "mirrored": np.concatenate([half, -half]),
        "sphere": ball / np.sqrt((ball**2).sum(axis=1))[:, None],
        "wide": rng.standard_normal((n, 150)),
        "offset": rng.standard_normal((n, 2)) + 1e12,
    }[name]
    np.testing.assert_array_equal(mdav_records(X, SizeRule.of_k(k)), mdav_oracle.mdav(X, k))


@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", ["tarragona", "census", "eia_utilityid_plus_10", "eia_10_measures"])
def test_published_figures_and_labels(
    reference_data: Path, reference_figures: Path, mdav_oracle: ModuleType, name: str, k: int
) -> None:
    figures = json.loads((reference_figures / "microaggregation.json").read_text())
    columns = {"eia_utilityid_plus_10": ["utilityid", *EIA], "eia_10_measures": EIA}.get(name)
    X = standardize(reference_matrix(reference_data, name.split("_")[0], columns))[0]
    labels = mdav_records(X, SizeRule.of_k(k))
    golden = figures["mdav_l_sse"]["computed"]["generic"][name][str(k)]
    assert round(100 * sse(X, labels) / float((X**2).sum()), 4) == golden
    np.testing.assert_array_equal(labels, mdav_oracle.mdav(X, k))


def weighted_reference(X: np.ndarray, people: np.ndarray, k: int) -> np.ndarray:
    """MDAV with records that stand for several people, the centroid in exact fractions."""
    labels, groups = np.full(len(X), -1), 0

    def distances(point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(labels < 0)
        return rows, ((X[rows] - point) ** 2).sum(axis=1)

    def take(point: np.ndarray) -> bool:
        nonlocal groups
        rows, distance = distances(point)
        near = rows[np.argsort(distance, kind="stable")]
        size = int(np.searchsorted(people[near].cumsum(), k)) + 1
        if people[rows].sum() - people[near[:size]].sum() < k:
            return False
        labels[near[:size]] = groups
        groups += 1
        return True

    while (left := int(people[labels < 0].sum())) >= 2 * k:
        rows = np.flatnonzero(labels < 0)
        mean = [
            float(sum(Fraction(X[i, j]) * int(people[i]) for i in rows) / left) for j in range(X.shape[1])
        ]
        rows, distance = distances(np.array(mean))
        r = rows[distance.argmax()]
        rows, distance = distances(X[r])
        s = rows[distance.argmax()]
        if not take(X[r]):
            break
        if left >= 3 * k and labels[s] < 0:
            take(X[s])
    labels[labels < 0] = groups
    return labels


@settings(deadline=None, max_examples=200)
@given(X=matrices(most=40, columns=9), data=st.data())
def test_people_behind_records(X: np.ndarray, data: st.DataObject) -> None:
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(X), max_size=len(X))))
    k = data.draw(st.integers(1, int(counts.sum())))
    labels = mdav_records(X, SizeRule.of_k(k), counts=counts)
    assert np.bincount(labels, weights=counts).min() >= k
    smallest = np.abs(X[X != 0]).min(initial=1.0)
    if counts.max() > 1 and smallest > 1e-12:  # the sums of wider columns are not exact
        np.testing.assert_array_equal(labels, weighted_reference(X, counts, k))


@settings(deadline=None, max_examples=300)
@given(X=matrices(), share=st.floats(0, 1))
def test_groups_have_k_to_2k_minus_1_records(X: np.ndarray, share: float) -> None:
    k = 1 + int(share * (len(X) - 1))
    before = X.copy()
    sizes = np.bincount(mdav_records(X, SizeRule.of_k(k)))
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1
    np.testing.assert_array_equal(X, before)


def test_row_order_does_not_matter_without_ties() -> None:
    rng = np.random.default_rng(5)
    X, order = rng.standard_normal((500, 3)), rng.permutation(500)
    np.testing.assert_array_equal(
        mdav_records(X[order], SizeRule.of_k(4)), mdav_records(X, SizeRule.of_k(4))[order]
    )


def test_memory_layout_and_integer_input_do_not_matter() -> None:
    X = np.random.default_rng(6).integers(0, 9, (200, 4))
    expected = mdav_records(X.astype(float), SizeRule.of_k(3))
    np.testing.assert_array_equal(mdav_records(X, SizeRule.of_k(3)), expected)
    np.testing.assert_array_equal(mdav_records(np.asfortranarray(X), SizeRule.of_k(3)), expected)
    np.testing.assert_array_equal(
        mdav_records(X, SizeRule.of_k(3), counts=np.ones((200, 1), dtype=int)), expected
    )


@pytest.mark.parametrize(
    ("X", "rule", "words"),
    [
        (np.zeros((2, 1)), SizeRule.of_k(3), "n = 2 records are fewer than k = 3"),
        (np.array([[0.0, 1.0], [2.0, np.nan]]), SizeRule.of_k(1), r"X\[1, 1\] is nan"),
        (np.array([[0.0], [np.inf]]), SizeRule.of_k(1), r"X\[1, 0\] is inf"),
        (np.array([[0.0], [1e200]]), SizeRule.of_k(1), "too large"),
        (np.zeros(3), SizeRule.of_k(1), "records x columns"),
        (np.zeros((3, 0)), SizeRule.of_k(1), "records x columns"),
        (np.array([["a"]]), SizeRule.of_k(1), "numbers"),
        (
            np.zeros((3, 1)),
            SizeRule(minimum=(1, 1), predicate=lambda _: True),
            "mdav_records serves one head count",
        ),
    ],
)
def test_refusals(X: np.ndarray, rule: SizeRule, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mdav_records(X, rule)


def test_few_equal_or_single_records() -> None:
    assert mdav_records(np.zeros((5, 2)), SizeRule.of_k(3)).tolist() == [0] * 5
    assert mdav_records(np.ones((7, 2)), SizeRule.of_k(2)).tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert mdav_records([[3.0]], SizeRule.of_k(1)).tolist() == [0]


def test_progress_rises_to_everybody() -> None:
    seen: list[tuple[int, int]] = []
    X = np.random.default_rng(7).standard_normal((30_000, 2))
    mdav_records(X, SizeRule.of_k(1), progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 3
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (30_000, 30_000)


@pytest.mark.parametrize("kind", ["gaussian", "lognormal", "tied", "equal"])
def test_a_hundred_thousand_records_take_seconds(kind: str) -> None:
    rng = np.random.default_rng(8)
    X = {
        "gaussian": lambda: rng.standard_normal((100_000, 5)),
        "lognormal": lambda: rng.lognormal(0, 3, (100_000, 5)),
        "tied": lambda: rng.integers(0, 4, (100_000, 5)),
        "equal": lambda: np.ones((100_000, 5)),
    }[kind]()
    started = time.process_time()
    sizes = np.bincount(mdav_records(X, SizeRule.of_k(5)))
    # Ten times what it needs; the quadratic program takes about a minute.
    assert time.process_time() - started < 6
    assert sizes.min() == 5


def run_python(program: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PROJECT), **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_import_neither_compiles_nor_loads_the_compiler() -> None:
    program = "import sys, server.statistics.microaggregation.mdav_records; print('numba' in sys.modules)"
    assert run_python(program) == "False"


def test_without_a_cache_folder_results_are_the_same() -> None:
    """Of the loops that are compiled soonest, one of which calls another."""
    program = (
        "import numpy as np\n"
        "from server.statistics.microaggregation.compiled.weighted_cuts import cut\n"
        "points, labels = np.arange(24.0).reshape(12, 2) ** 2, np.empty(12, dtype=int)\n"
        "cut(points, np.ones(2), np.ones(12, dtype=int), 3, labels, np.arange(12))\n"
        "print(labels.tolist(), cut.stats.cache_path)\n"
    )
    nowhere = (
        "from unittest import mock\n"
        "from numba.core import caching\n"
        "mock.patch.object(caching.CacheImpl, '_locator_classes', []).start()\n"
    )
    cached, compiled_anew = run_python(program), run_python(nowhere + program)
    assert cached.rpartition(" ")[2] != compiled_anew.rpartition(" ")[2] == "None"
    assert cached.rpartition(" ")[0] == compiled_anew.rpartition(" ")[0] == str([0] * 4 + [1] * 4 + [2] * 4)


def test_numbers_written_into_calls_make_no_more_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])

    @compiled
    def times(x: float, number: int) -> float:
        return x * number

    @compiled
    def several(x: float, number: int) -> float:
        return times(x, 1) + times(x, 2) + times(x, number)

    assert several(3.0, 4) == 21.0
    assert times.signatures == [(float64, int64)]  # type: ignore[attr-defined]


def test_edge_list() -> None:
    check_edges(mdav_records, "mdav_records")
    check_counts(mdav_records)
    check_progress(mdav_records)
