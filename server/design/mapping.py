"""The mapping of devices, for many tuples at once: numpy, and yet exactly `shared`'s `assign`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.statistics.microaggregation.profiles import Profiles
from server.statistics.microaggregation.sites import Sites
from shared.cells import (
    Balls,
    Boxes,
    Cells,
    CompositeCells,
    CutTree,
    DistrictCells,
    PowerDiagram,
    Prototypes,
    UnitCells,
)
from shared.limits import EXACT_BOUND

IntArray = NDArray[np.int64]
_BLOCK_ENTRIES: Final = 1 << 22
"""Entries of one block of distances: 32 MB."""
_TOGETHER: Final = 64
"""Tuples that are compared with balls together."""


def assign_many(cells: Cells, X: IntArray) -> IntArray:
    """Cell of every row of X.

    Parameters
    ----------
    cells : Cells
        Of any shape.
    X : int array, n x d
        Tuples, not necessarily distinct.

    Returns
    -------
    int array, n
        Equal to `[cells.assign(x) for x in X]`, for every X.

    Notes
    -----
    Distances are sums of integers about the middle of the data. They are exact in float64, in any order of
    summation, while no partial sum can reach 2**53; that is checked, and a geometry that fails it (no
    design makes one) is mapped tuple by tuple with Python's integers. Nearest sites are found in a tree over
    them, and neighbours are compared only with the balls that reach them; boxes take O(n count d) time.
    """
    if len(X) == 0:
        return np.empty(0, dtype=np.int64)
    X = np.asarray(X, dtype=np.int64).reshape(len(X), -1)
    labels: IntArray | None
    if isinstance(cells, Balls):
        labels = _balls(cells, X)
    elif isinstance(cells, PowerDiagram):
        labels = _nearest(X, _points(cells.sites), cells.weights, cells.offsets, cells.resolution)
    elif isinstance(cells, Prototypes):
        labels = _nearest(X, _points(cells.points), cells.weights, (0,) * len(cells.points))
        if labels is not None:
            labels = np.asarray(cells.cells, dtype=np.int64)[labels]
    elif isinstance(cells, Boxes):
        labels = _boxes(cells, X)
    elif isinstance(cells, UnitCells):
        labels = _composite(cells, units_of(cells, X), X)
    elif isinstance(cells, DistrictCells):
        labels = _composite(cells, leaves_of(cells.tree, X), X)
    else:
        labels = None
    if labels is None:
        return np.array([cells.assign(tuple(x)) for x in X.tolist()], dtype=np.int64)
    return labels


def _points(points: Sequence[Sequence[int]]) -> IntArray:
    return np.array(points, dtype=np.int64).reshape(len(points), -1)


def _span(weights: Sequence[int], *arrays: IntArray) -> int:
    """Largest squared distance within the bounding box of all rows; a Python integer."""
    low = np.min([a.min(axis=0) for a in arrays], axis=0)
    high = np.max([a.max(axis=0) for a in arrays], axis=0)
    return sum(w * (int(b) - int(a) + 1) ** 2 for w, a, b in zip(weights, low, high, strict=True))


def _nearest(
    X: IntArray, sites: IntArray, weights: Sequence[int], offsets: Sequence[int], resolution: int = 1
) -> IntArray | None:
    """Index of the site of least distance to X refined, plus offset, ties to the lowest.

    None if that is not exact in float64.
    """
    corners = resolution * np.array([X.min(axis=0), X.max(axis=0)])
    if _span(weights, corners, sites) + max(map(abs, offsets)) >= EXACT_BOUND:
        return None
    middle = (np.minimum(corners[0], sites.min(axis=0)) + np.maximum(corners[1], sites.max(axis=0))) // 2
    tree, values = Sites(sites - middle, weights), np.array(offsets, np.int64)
    labels = np.empty(len(X), dtype=np.int64)
    for rows in _blocks(len(X), X.shape[1]):
        labels[rows] = tree.assign(Profiles.of((resolution * X[rows] - middle).astype(float)), values)
    return labels


def _balls(cells: Balls, X: IntArray) -> IntArray | None:
    references = _points(cells.references)
    if not len(references):
        return np.zeros(len(X), dtype=np.int64)
    if _span(cells.weights, X, references) >= EXACT_BOUND:
        return None
    labels = np.full(len(X), len(references), dtype=np.int64)
    points, centres = X.astype(float), references.astype(float)
    weights, radii = np.array(cells.weights, dtype=float), np.array(cells.radii, dtype=float)
    # Neighbours together: most balls are away from all of them.
    order = np.lexsort(X.T[::-1])
    for start in range(0, len(X), _TOGETHER):
        rows = order[start : start + _TOGETHER]
        block = points[rows]
        gap = np.maximum(np.maximum(block.min(axis=0) - centres, centres - block.max(axis=0)), 0)
        near = np.flatnonzero((gap * gap) @ weights <= radii)
        if not len(near):
            continue
        inside = ((block[:, None] - centres[near]) ** 2) @ weights <= radii[near]
        labels[rows] = np.where(inside.any(axis=1), near[inside.argmax(axis=1)], len(references))
    index = np.flatnonzero(labels == len(references))
    if cells.remainder == "nearest" and len(index):
        nearest = _nearest(X[index], references, cells.weights, (0,) * len(references))
        if nearest is None:
            return None
        labels[index] = nearest
    return labels


def _boxes(cells: Boxes, X: IntArray) -> IntArray | None:
    low = _points([[a for a, _ in box] for box in cells.boxes])
    high = _points([[b for _, b in box] for box in cells.boxes])
    if _span(cells.weights, X, low, high) >= EXACT_BOUND:
        return None
    labels = np.empty(len(X), dtype=np.int64)
    for rows in _blocks(len(X), len(low) * 4):
        block = X[rows]
        distance = np.zeros((len(block), len(low)), dtype=np.int64)
        inside = np.ones(distance.shape, dtype=bool)
        for j, weight in enumerate(cells.weights):
            x = block[:, j, None]
            gap = np.maximum(np.maximum(low[:, j] - x, x - high[:, j]), 0)
            inside &= gap == 0
            distance += weight * gap * gap
        # With a weight of 0 a box may be at distance 0 and yet not contain x: containment goes first.
        distance[inside] = -1
        labels[rows] = distance.argmin(axis=1)
    return labels


def units_of(cells: UnitCells, X: IntArray) -> IntArray:
    """Unit of every row of X: `[cells.part_of(x) for x in X]`."""
    own = slice(cells.first, cells.first + len(cells.units[0].places[0]))
    places, inverse = np.unique(X[:, own], axis=0, return_inverse=True)
    padding = (0,) * cells.first
    units = np.array([cells.part_of((*padding, *place)) for place in places.tolist()], dtype=np.int64)
    return np.asarray(units[inverse.reshape(-1)], dtype=np.int64)


def leaves_of(tree: CutTree, X: IntArray) -> IntArray:
    """Leaf of every row of X: `[tree.leaf_of(x) for x in X]`."""
    leaves, waiting, number = np.empty(len(X), dtype=np.int64), [np.arange(len(X))], 0
    for cut in tree.nodes:
        rows = waiting.pop()
        if cut is None:
            leaves[rows], number = number, number + 1
            continue
        coordinate, value = cut
        below = X[rows, coordinate] <= value
        waiting += [rows[~below], rows[below]]
    return leaves


def _composite(cells: CompositeCells, owner: IntArray, X: IntArray) -> IntArray:
    labels = np.empty(len(X), dtype=np.int64)
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(len(cells.parts) + 1))
    for number, (part, members) in enumerate(zip(cells.parts, cells.members, strict=True)):
        inside = order[ends[number] : ends[number + 1]]
        labels[inside] = members.start + assign_many(part, X[inside])
    return labels


def _blocks(n: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK_ENTRIES // max(width, 1))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))
