"""Partitions that are no cell shape of their own: labels from the library, tabulated as prototypes."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.design.algorithms import ALGORITHMS, PARAMETERS
from server.design.mapping import assign_many
from server.progress import Progress
from server.statistics.microaggregation.geometry import sums_by_label
from server.statistics.microaggregation.size_rule import SizeRule
from shared.cells import Prototypes
from shared.limits import EXACT_BOUND

WORK: Final = 1 << 23
"""Most distances of a recount, points x tuples: about half a minute on a device."""


def labels_of(
    algorithm: str,
    parameters: Mapping[str, int | str],
    X: IntArray,
    people: IntArray,
    weights: tuple[int, ...],
    rule: SizeRule,
    progress: Progress | None = None,
) -> IntArray:
    """Run an algorithm of the library on distinct tuples (n x d) with people (n x L): labels (n).

    With several participation levels a person weighs as `SizeRule.mass` says, which is a guide; the rule is
    enforced afterwards, by `tabulate`.
    """
    matrix = exact_matrix(X, weights)
    counts, enough = rule.mass(people)
    plain = SizeRule.of_k(enough)
    chosen = ALGORITHMS[algorithm]
    options = {name: PARAMETERS[name](parameters[name]) for name in chosen.parameters}
    return chosen.load_labels()(matrix, plain, counts=counts, progress=progress, **options)


def exact_matrix(X: IntArray, weights: tuple[int, ...]) -> FloatArray:
    """Coordinates whose plain squared distances are nearly the weighted ones, and exact in float64.

    Column j is multiplied by the integer part of sqrt(w_j) c, with c the largest power of two for which
    every squared distance within X stays below 2^53. So the library's float64 distances are integers, and
    the same on every machine: an auditor can rebuild the cells. The weighted distances themselves judge
    every later step.
    """
    Y = X - X.min(axis=0)
    extents = Y.max(axis=0).tolist()
    factors = [isqrt(w) for w in weights]
    doubled = 0
    while doubled < 26:
        finer = [isqrt(w << (2 * doubled + 2)) for w in weights]
        if sum((f * e) ** 2 for f, e in zip(finer, extents, strict=True)) >= EXACT_BOUND:
            break
        factors, doubled = finer, doubled + 1
    return np.asarray(Y * np.array(factors, dtype=np.int64), dtype=np.float64)


def tabulate(
    X: IntArray,
    people: IntArray,
    weights: tuple[int, ...],
    labels: IntArray,
    rule: SizeRule,
) -> Prototypes:
    """The prototypes of a partition of distinct tuples; every cell acceptable.

    Parameters
    ----------
    X, people : int arrays, n x d and n x L
        Distinct tuples in canonical order, and the people behind them.
    weights : d integers
    labels : int array, n
        From 0, none empty.
    rule : SizeRule
        Judge of every cell under the mapping of devices; all people together must meet it.

    Notes
    -----
    Guarantee: under nearest-prototype mapping of X, each cell meets the need.

    Each cell gets its most central tuple; then, in rounds, tuples that still land in another cell are
    tabulated too, those of most people first (after Hart's condensed nearest neighbours, 1968), until the
    partition is kept as it is or points x tuples reaches `WORK`. Then the deficient cell of fewest people
    is dissolved, each of its points into the cell of the nearest other point, until none is left. Ties: the
    lowest index. Everything that decides is an integer or an elementwise float64 operation, so the result
    is the same on every machine.
    """
    m = int(labels.max()) + 1
    rows = _condensed(X, people, weights, labels, max(m, WORK // len(X)))
    points, cells = X[rows], labels[rows].copy()
    held = sums_by_label(people, _nearest(X, points, weights), len(points))
    while True:
        counts = sums_by_label(held, cells, m)
        size = counts.sum(axis=1)
        poor = [c for c in np.flatnonzero(size).tolist() if not rule.acceptable(counts[c])]
        if not poor or np.count_nonzero(size) == 1:
            break
        worst = min(poor, key=lambda c: (int(size[c]), c))
        leaving = cells == worst
        others = np.flatnonzero(~leaving)
        cells[leaving] = cells[others[_nearest(points[leaving], points[others], weights)]]
    _, cells = np.unique(cells, return_inverse=True)
    return Prototypes(
        weights=weights,
        points=tuple(tuple(row) for row in points.tolist()),
        cells=tuple(cells.reshape(-1).tolist()),
    )


def _nearest(X: IntArray, points: IntArray, weights: tuple[int, ...]) -> IntArray:
    """Nearest point of each row of X, ties to the lowest."""
    table = Prototypes(
        weights=weights, points=tuple(map(tuple, points.tolist())), cells=tuple(range(len(points)))
    )
    return assign_many(table, X)


def _condensed(
    X: IntArray, people: IntArray, weights: tuple[int, ...], labels: IntArray, most: int
) -> NDArray[np.int64]:
    """Rows of X to tabulate: one central row a cell, then rows that would land in another cell."""
    mass = people.sum(axis=1)
    count = int(labels.max()) + 1
    size = sums_by_label(mass[:, None], labels, count)[:, 0].astype(float)
    sums = sums_by_label((X - X.min(axis=0)) * mass[:, None], labels, count)
    distance = np.zeros(len(X))
    for column, total, low, weight in zip(X.T, sums.T, X.min(axis=0), weights, strict=True):
        difference = (column - low) - (total / size)[labels]
        distance += weight * difference * difference
    order = np.lexsort((np.arange(len(X)), distance, labels))
    first = np.flatnonzero(np.diff(labels[order], prepend=-1))
    chosen = np.zeros(len(X), dtype=bool)
    chosen[order[first]] = True
    while (room := most - int(chosen.sum())) > 0:
        rows = np.flatnonzero(chosen)
        wrong = np.flatnonzero(labels[rows[_nearest(X, X[rows], weights)]] != labels)
        if not len(wrong):
            break
        heaviest = wrong[np.argsort(-mass[wrong], kind="stable")]
        chosen[heaviest[: -(-min(room, len(wrong)) // 2)]] = True
    return np.flatnonzero(chosen)
