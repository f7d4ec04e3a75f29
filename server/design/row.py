"""The signed row: in which order cells lie side by side, so that joining neighbours costs little.

Several orders are made and each is tried on the same drawn turnouts; the one whose joining loses least is
signed. Everything is computed from what the specification publishes, by integers and by single operations of
IEEE float64, element by element (no sum, product or order of summation that a library may choose), with ties
to the lowest index: the same specification has the same row on every machine.

References
----------
J. H. Ward, Hierarchical grouping to optimize an objective function, JASA 58, 1963. F. Murtagh, A survey of
recent advances in hierarchical clustering algorithms, The Computer Journal 26(4), 1983 (chains of nearest
neighbours). G. A. Croes, A method for solving traveling-salesman problems, Operations Research 6(6), 1958
(2-opt). J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 2004.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.errors import ReleaseError
from shared.geometry import Vector
from shared.joining import Row, join
from shared.participation import ParticipationLevel

SHARES: Final = (1, 2, 4, 8)
"""Turnout is drawn as stated, and at a half, a quarter and an eighth of that."""
MOST_DRAWS: Final = 8
MOST_TRIED_CELLS: Final = 4_000
"""Cells of all draws at one turnout; of a larger table there is one draw."""
MOST_IMPROVED_CELLS: Final = 4_000
"""A larger table is not improved by 2-opt, which takes quadratic time."""
MAX_SWEEPS: Final = 20
CURVE_BITS: Final = 10

FloatArray = NDArray[np.float64]


def choose_row(
    points: Sequence[Vector],
    weights: Vector,
    eligible: Sequence[Sequence[int]],
    levels: Sequence[ParticipationLevel],
    minimum: int,
) -> tuple[int, ...]:
    """The best of several rows.

    Parameters
    ----------
    points : sequence of tuple of int, m x d
        Centroids in units of their last decimal.
    weights : tuple of int, length d
    eligible : sequence of sequence of int, m x L
        People of each cell at each level.
    levels : sequence of ParticipationLevel, length L
        Each counts with its lowest participation.
    minimum : int
        Fewest answers of a group.

    Returns
    -------
    tuple of int, length m
        A permutation of the cells.

    Notes
    -----
    Candidates, in this order: the leaves of Ward's clustering, the Hilbert curve, and each of the two after
    2-opt. Each is joined for the same turnouts (:data:`SHARES`, up to :data:`MOST_DRAWS` draws each); its
    score is the sum over the draws of the loss per answer, rounded down. The lowest score wins, then the
    earlier candidate. A draw with fewer answers than the minimum counts for none. Time O(m^2 d).
    """
    people = np.array([sum(row) for row in eligible], dtype=np.float64)
    z = _scaled(points, weights)
    orders = [_ward_leaves(z, people), _hilbert(z)]
    if len(points) <= MOST_IMPROVED_CELLS:
        orders += _two_opt(z, orders)
    rows = [Row(order=tuple(order), points=tuple(points), weights=weights) for order in orders]
    draws = _draws(eligible, levels)
    scores = [sum(_loss(row, counts, minimum) for counts in draws) for row in rows]
    return rows[scores.index(min(scores))].order


def choose_row_in_units(
    points: Sequence[Vector],
    weights: Vector,
    eligible: Sequence[Sequence[int]],
    levels: Sequence[ParticipationLevel],
    minimum: int,
    units: Sequence[Sequence[int]],
) -> tuple[int, ...]:
    """The best row of units, and inside of each unit that of its cells.

    Parameters are those of :func:`choose_row`, and the cells of each unit.
    """
    rows = [
        choose_row([points[c] for c in unit], weights, [eligible[c] for c in unit], levels, minimum)
        for unit in units
    ]
    return row_of_units(points, weights, eligible, levels, minimum, units, rows)


def row_of_units(
    points: Sequence[Vector],
    weights: Vector,
    eligible: Sequence[Sequence[int]],
    levels: Sequence[ParticipationLevel],
    minimum: int,
    units: Sequence[Sequence[int]],
    rows: Sequence[Sequence[int]],
) -> tuple[int, ...]:
    """The rows of units, of places within each, put into the best order with each unit at its people's mean.

    Other parameters are those of :func:`choose_row_in_units`.
    """
    people = [[sum(eligible[c][level] for c in unit) for level in range(len(levels))] for unit in units]
    means = [
        tuple(sum(sum(eligible[c]) * points[c][j] for c in unit) // sum(own) for j in range(len(weights)))
        for unit, own in zip(units, people, strict=True)
    ]
    order: list[int] = []
    for number in choose_row(means, weights, people, levels, minimum):
        order += [units[number][place] for place in rows[number]]
    return tuple(order)


def _loss(row: Row, counts: Sequence[int], minimum: int) -> int:
    """Squared distances of the answers to the means of their groups, for each answer, rounded down."""
    try:
        segments = join(row, counts, minimum)
    except ReleaseError:
        return 0
    total = sum(row.spread(segment, counts) for segment in segments)
    return total // sum(counts)


def _draws(eligible: Sequence[Sequence[int]], levels: Sequence[ParticipationLevel]) -> list[tuple[int, ...]]:
    """Turnouts: how many people of each cell would take part. Drawn from SHAKE-256, a word for each person.

    People beyond four million are counted on in expectation, rounded down.
    """
    people = [count for row in eligible for count in row]
    n_draws = max(1, min(MOST_DRAWS, MOST_TRIED_CELLS // len(eligible)))
    drawn = []
    for share in SHARES:
        chances = [level.lowest / share for level in levels] * len(eligible)
        for draw in range(n_draws):
            if sum(people) > 4_000_000:
                taking = [int(count * chance) for count, chance in zip(people, chances, strict=True)]
            else:
                seed = f"roomful-row/1 {share} {draw}".encode()
                words = np.frombuffer(hashlib.shake_256(seed).digest(4 * sum(people)), dtype="<u4")
                bounds = np.repeat([int(chance * 2**32) for chance in chances], people)
                ends = np.cumsum(people)
                below = np.concatenate([[0], np.cumsum(words < bounds)])
                taking = (below[ends] - below[ends - np.array(people)]).tolist()
            width = len(levels)
            drawn.append(tuple(sum(taking[i : i + width]) for i in range(0, len(taking), width)))
    return drawn


def _scaled(points: Sequence[Vector], weights: Vector) -> FloatArray:
    """Coordinates in which the weighted distance is the plain one, d x m."""
    least = [min(column) for column in zip(*points, strict=True)]
    columns = [[point[j] - low for point in points] for j, low in enumerate(least)]
    return np.array(columns, dtype=np.float64) * np.sqrt(np.array(weights, dtype=np.float64))[:, None]


def _squared(z: FloatArray, point: FloatArray) -> FloatArray:
    """Squared distances of all columns to a point, coordinate by coordinate."""
    total = np.zeros(z.shape[1])
    for column, value in zip(z, point, strict=True):
        total += (column - value) ** 2
    return total


def _ward_leaves(z: FloatArray, people: FloatArray) -> list[int]:
    """Leaves of Ward's tree; of two branches the nearer ends meet."""
    from server.statistics.microaggregation.compiled.rows import squared, ward_merges

    points = np.ascontiguousarray(z.T)
    leaves = [[cell] for cell in range(len(points))]
    for kept, gone in ward_merges(points, people).tolist():
        ways = [
            (x, y) for x in (leaves[kept], leaves[kept][::-1]) for y in (leaves[gone], leaves[gone][::-1])
        ]
        gaps = [squared(points, x[-1], y[0]) for x, y in ways]
        first, second = ways[gaps.index(min(gaps))]
        leaves[kept] = first + second
    return leaves[0]


def _hilbert(z: FloatArray) -> list[int]:
    """Cells in the order of a Hilbert curve through the cube that holds them."""
    span = max(float(column.max() - column.min()) for column in z) or 1.0
    grid = np.minimum(z * (2**CURVE_BITS / span), 2**CURVE_BITS - 1).astype(np.int64)
    # Coordinates that are constant on the grid would only lengthen the key.
    grid = grid[grid.max(axis=1) > 0]
    keys = [_hilbert_key(point) for point in grid.T.tolist()]
    return sorted(range(z.shape[1]), key=lambda cell: (keys[cell], cell))


def _hilbert_key(point: list[int]) -> int:
    """Place of a point on the curve (Skilling's transform, then the bits of all coordinates by turns)."""
    x = list(point)
    q = 1 << (CURVE_BITS - 1)
    while q > 1:
        p = q - 1
        for i in range(len(x)):
            if x[i] & q:
                x[0] ^= p
            else:
                t = (x[0] ^ x[i]) & p
                x[0] ^= t
                x[i] ^= t
        q >>= 1
    for i in range(1, len(x)):
        x[i] ^= x[i - 1]
    t, q = 0, 1 << (CURVE_BITS - 1)
    while q > 1:
        if x and x[-1] & q:
            t ^= q - 1
        q >>= 1
    key = 0
    for bit in range(CURVE_BITS - 1, -1, -1):
        for value in x:
            key = key << 1 | ((value ^ t) >> bit & 1)
    return key


def _two_opt(z: FloatArray, orders: Sequence[Sequence[int]]) -> list[list[int]]:
    """Turn stretches of each row around while that shortens it; the best turn from each place, in sweeps."""
    from server.statistics.microaggregation.compiled.rows import shorten

    distance = np.sqrt([_squared(z, point) for point in z.T])
    paths = [np.array(order) for order in orders]
    for path in paths:
        shorten(distance, path, MAX_SWEEPS)
    return [path.tolist() for path in paths]
