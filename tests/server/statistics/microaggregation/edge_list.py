"""The edge list of every algorithm that takes (X, rule, counts, seed) and returns labels."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from server.statistics.microaggregation.preparation import sse, sst, standardize
from server.statistics.microaggregation.size_rule import SizeRule

Algorithm = Callable[..., np.ndarray]


def load(folder: Path, name: str) -> np.ndarray:
    """A reference data set, standardized. EIA with its utility number and the ten measures."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    if name == "eia":
        columns = [columns[0], *columns[5:]]
    return standardize(np.array([[float(row[c]) for c in columns] for row in rows]))[0]


def loss(X: np.ndarray, labels: np.ndarray) -> float:
    """100 SSE / SST."""
    return 100 * sse(X, labels) / sst(X)


def distance_loss(X: np.ndarray, labels: np.ndarray) -> float:
    """100 SDE / SDT: sums of distances to the group centroids and to the overall one."""
    size = np.bincount(labels)
    means = np.column_stack([np.bincount(labels, weights=column) / size for column in X.T])
    inside = np.sqrt(((X - means[labels]) ** 2).sum(axis=1)).sum()
    return float(100 * inside / np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1)).sum())


def assert_partition(labels: np.ndarray, n: int, k: int, people: np.ndarray | None = None) -> None:
    """Labels 0..m-1, none empty, every group of at least k people."""
    assert labels.shape == (n,)
    assert labels.dtype == np.int64
    held = np.bincount(labels, weights=people)
    assert len(held) == len(np.unique(labels))
    assert held.min() >= k


def same_groups(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two labellings divide alike."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


@st.composite
def adversarial(draw: st.DrawFn, largest: int = 40) -> np.ndarray:
    """Few distinct values, so that ties, duplicates and constant columns are common; now and then huge."""
    n, d = draw(st.integers(1, largest)), draw(st.integers(1, 4))
    scale = draw(st.sampled_from((1e-9, 1.0, 1.0, 1e9)))
    X = draw(arrays(np.int64, (n, d), elements=st.integers(-3, 3))) * scale
    if draw(st.booleans()):
        X = X + draw(arrays(np.float64, (n, d), elements=st.floats(-1, 1, width=32))) * scale
    return np.asarray(X, dtype=np.float64)


def check_edges(algorithm: Algorithm, name: str) -> None:
    """style.md 12: n < k, n < 2k, all equal, ties, duplicates, constant column, one column, NaN, input
    unchanged, row permutation."""
    generator = np.random.default_rng(12)
    X = generator.standard_normal((37, 3))
    with pytest.raises(ValueError, match=r"n = 3\b.*k = 4"):
        algorithm(X[:3], SizeRule.of_k(4))
    assert algorithm(X[:7], SizeRule.of_k(4)).tolist() == [0] * 7
    assert_partition(algorithm(X[:1], SizeRule.of_k(1)), 1, 1)
    for special in (np.zeros((23, 2)), np.repeat(X[:4], 6, axis=0), X[:, :1], X.round(0)):
        assert_partition(algorithm(special, SizeRule.of_k(5)), len(special), 5)
    duplicates = algorithm(np.repeat(X[:4], 6, axis=0), SizeRule.of_k(6))
    assert same_groups(duplicates, np.repeat(np.arange(4), 6))
    constant = np.column_stack([X, np.full(len(X), 7.0)])
    assert same_groups(algorithm(constant, SizeRule.of_k(4)), algorithm(X, SizeRule.of_k(4)))
    broken = X.copy()
    broken[5, 1] = np.nan
    with pytest.raises(ValueError, match=r"\[5, 1\] is nan"):
        algorithm(broken, SizeRule.of_k(4))
    before = X.copy()
    labels = algorithm(X, SizeRule.of_k(4), seed=3)
    assert (before == X).all()
    assert (algorithm(X, SizeRule.of_k(4), seed=3) == labels).all(), name
    order = generator.permutation(len(X))
    assert same_groups(algorithm(X[order], SizeRule.of_k(4), seed=3), labels[order])


def check_counts(algorithm: Algorithm) -> None:
    """Counts weigh records: each group holds k people, and records need not be repeated."""
    generator = np.random.default_rng(13)
    X = generator.standard_normal((60, 2))
    counts = generator.integers(1, 9, 60)
    counts[7] = 500
    before = counts.copy()
    labels = algorithm(X, SizeRule.of_k(12), counts=counts)
    assert (before == counts).all()
    assert_partition(labels, 60, 12, counts)
    assert labels.max() > 3


def check_progress(algorithm: Algorithm) -> None:
    """Progress rises and ends at everything."""
    seen: list[tuple[int, int]] = []
    X = np.random.default_rng(14).standard_normal((200, 3))
    algorithm(X, SizeRule.of_k(5), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
