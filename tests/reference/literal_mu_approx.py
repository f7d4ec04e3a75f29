"""mu-Approx as the program behind the printed tables seems to have run it; nothing in it is random.

Each record in the order of the file gets an edge, as long as its tree is small; a large tree is divided by
the paper's cases from the record that joined it last. A tree with two Steiner vertices may resist the cases;
then it stays as it is.
"""

from __future__ import annotations

import numpy as np

from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.size_rule import SizeRule

Graph = dict[int, set[int]]


def literal_mu_approx(X: np.ndarray, neighbours: np.ndarray, k: int) -> np.ndarray:
    """Labels; `neighbours[i]` are all other records by their distance from record i."""
    n, bound = len(X), max(2 * k - 1, 3 * k - 5)
    graph, waiting = _forest(neighbours, k)
    done = []
    while waiting:
        tree = waiting.pop()
        halves = _divide(graph, tree, n, k) if _size(set(tree), n) > bound else None
        if halves is None:
            done.append(sorted(i for i in tree if i < n))
            continue
        for start in halves:
            half = _tree(graph, start)
            waiting.append([i for i in tree if i in half] + sorted(half - set(tree)))
    labels, count = np.empty(n, dtype=np.int64), 0
    for group in done:
        large = len(group) >= 2 * k
        inner = mdav_records(X[group], SizeRule.of_k(k)) if large else np.zeros(len(group), dtype=np.int64)
        labels[group] = count + inner
        count += int(inner.max()) + 1
    return labels


def _forest(neighbours: np.ndarray, k: int) -> tuple[Graph, list[list[int]]]:
    """Edges, and the records of each tree as they joined."""
    n = len(neighbours)
    graph: Graph = {i: set() for i in range(n)}
    tree_of = list(range(n))
    trees = {i: [i] for i in range(n)}  # by the record without an outgoing edge
    for u in range(n):
        if len(trees[u]) < k:
            v = next(int(j) for j in neighbours[u] if tree_of[j] != u)
            graph[u].add(v)
            graph[v].add(u)
            joined = trees.pop(u)
            for i in joined:
                tree_of[i] = tree_of[v]
            trees[tree_of[v]] += joined
    return graph, list(trees.values())


def _tree(graph: Graph, start: int, without: int = -1) -> set[int]:
    """Vertices that are connected with `start`, not by way of `without`."""
    found, waiting = {start}, [start]
    while waiting:
        for j in graph[waiting.pop()] - found - {without}:
            found.add(j)
            waiting.append(j)
    return found


def _size(vertices: set[int], n: int) -> int:
    return sum(i < n for i in vertices)  # Steiner vertices have higher numbers


def _divide(graph: Graph, tree: list[int], n: int, k: int) -> tuple[int, int] | None:
    """One vertex of each of the two halves."""
    s = _size(set(tree), n)
    u = [i for i in tree if i < n][-1]
    visited: set[int] = set()
    while True:
        below = {v: _size(_tree(graph, v, u), n) for v in graph[u]}
        v = max(below, key=lambda i: (below[i], -i))
        if s - below[v] >= k - 1 or v in visited:
            break
        visited.add(u)
        u = v
    largest = below[v]
    if largest >= k and s - largest >= k:
        graph[u].discard(v)
        graph[v].discard(u)
        return u, v
    if largest >= k and s - largest == k - 1 and v < n:
        return v, _part(graph, v, graph[v] - {u})  # v stays with u, a Steiner vertex holds its children
    chosen, held = set[int](), 0
    least = k if u >= n else k - 1
    for v in sorted(below, key=lambda i: (-below[i], i)):
        if held >= least:
            break
        chosen.add(v)
        held += below[v]
    if held == k - 1 and u < n and s - k >= k:
        return u, _part(graph, u, graph[u] - chosen)  # u goes with what was chosen
    if held >= k and s - held >= k:
        return u, _part(graph, u, chosen)
    return None


def _part(graph: Graph, u: int, moved: set[int]) -> int:
    """Hang `moved` from a new Steiner vertex instead of u."""
    steiner = max(graph) + 1
    graph[steiner] = set(moved)
    for v in moved:
        graph[u].discard(v)
        graph[v].discard(u)
        graph[v].add(steiner)
    return steiner
