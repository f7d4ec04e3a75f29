"""Minimum spanning trees and the removal of their long edges, against scipy and the obvious way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import pdist, squareform

from server.statistics.microaggregation.trees import (
    canonical_order,
    cut_longest,
    leaves_first,
    members,
    minimum_spanning_tree,
)
from tests.server.statistics.microaggregation.edge_list import adversarial


@pytest.mark.parametrize(("n", "d"), [(3, 1), (50, 2), (300, 5)])
def test_the_tree_is_scipys(n: int, d: int) -> None:
    X = np.random.default_rng(n).standard_normal((n, d))
    parent, length = minimum_spanning_tree(X)
    expected = scipy_tree(squareform(pdist(X))).tocoo()
    edges = {frozenset((i, int(parent[i]))) for i in range(1, n)}
    assert edges == {frozenset(map(int, pair)) for pair in zip(expected.row, expected.col, strict=True)}
    assert np.sqrt(length).sum() == pytest.approx(expected.data.sum())
    assert parent[0] == -1


@given(adversarial(largest=20))
def test_the_tree_is_spanning_and_as_short_with_ties_and_duplicates(X: np.ndarray) -> None:
    parent, length = minimum_spanning_tree(X)
    assert len(members(parent)) == 1
    # One is added to every length, so that scipy does not take length 0 for no edge: the tree is the same.
    shortest = scipy_tree(squareform(np.sqrt(pdist(X, "sqeuclidean")) / max(np.abs(X).max(), 1e-300) + 1))
    ours = np.sqrt(length) / max(np.abs(X).max(), 1e-300)
    assert ours.sum() == pytest.approx(shortest.sum() - (len(X) - 1), abs=1e-6)


def _components_without(parent: np.ndarray, removed: set[int]) -> np.ndarray:
    n = len(parent)
    graph = np.zeros((n, n))
    for i in range(n):
        if parent[i] >= 0 and i not in removed:
            graph[i, parent[i]] = 1
    return connected_components(graph, directed=False)[1]


@settings(max_examples=60)
@given(X=adversarial(largest=24), k=st.integers(1, 5), above=st.integers(0, 12), data=st.data())
def test_long_edges_go_wherever_both_sides_keep_enough(
    X: np.ndarray, k: int, above: int, data: st.DataObject
) -> None:
    n = len(X)
    mass = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    parent, length = minimum_spanning_tree(X)
    removed: set[int] = set()
    for i in sorted(range(n), key=lambda i: (-length[i], i)):
        if parent[i] < 0:
            continue
        whole = _components_without(parent, removed)
        parts = _components_without(parent, removed | {i})
        sides = [mass[parts == parts[i]].sum(), mass[parts == parts[parent[i]]].sum()]
        if min(sides) >= k and mass[whole == whole[i]].sum() > above:
            removed.add(i)
    cut = cut_longest(parent, length, mass, k, above)
    assert {i for i in range(n) if cut[i] != parent[i]} == removed


def test_members_and_order() -> None:
    parent = np.array([2, -1, -1, 1, 3])
    assert [group.tolist() for group in members(parent)] == [[0, 2], [1, 3, 4]]
    order = leaves_first(parent).tolist()
    assert all(order.index(i) < order.index(j) for i, j in enumerate(parent.tolist()) if j >= 0)


def test_canonical_order_is_by_columns_then_people() -> None:
    X = np.array([[1.0, 2.0], [0.0, 9.0], [1.0, 2.0], [1.0, 1.0]])
    assert canonical_order(X, np.array([5, 1, 4, 1])).tolist() == [1, 3, 2, 0]
