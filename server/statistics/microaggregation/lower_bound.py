"""A bound below which no partition into groups of k can lose, for files far beyond exact solvers."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.preparation import bounded_matrix

_LARGEST_MATRIX: Final = 2_000
"""Records up to which all pairs are looked at."""
_STEPS: Final = 100
_FIRST_STEP, _SLOWING = 0.3, 10.0
_CHUNK: Final = 20_000


def least_sse(X: ArrayLike, k: int, counts: IntArray | None = None) -> float:
    """A lower bound of the within-group sum of squares of all partitions with at least k people a group.

    Parameters
    ----------
    X : array, n x d
        Finite numbers.
    k : int >= 1
    counts : int array, n, optional
        People behind each record.

    Notes
    -----
    Guarantee: no partition of the people into groups of at least k has a lower SSE.

    **Nearest neighbours.** A group G of n people has SSE = sum over i in G of (1/2n) sum over j in G of
    |x_i - x_j|^2. The inner sum has n - 1 terms that are not i's own, so it is at least S_{n-1}(i), the sum
    of the squared distances from i to the n - 1 people nearest to it in the file. S_m / (m + 1) does not fall
    in m: the next distance is at least each of the m before it, so (m + 1) times it is at least S_m. With
    n >= k, SSE(G) >= sum over i in G of S_{k-1}(i) / 2k, and over all groups SSE >= sum_i S_{k-1}(i) / 2k.

    **Pairs.** Give each pair within G the share x = (k - 1) / (n - 1) and all other pairs 0. Then the shares
    of every person add up to k - 1, each is at most 1, and SSE(G) = (1/n) sum over pairs of d^2 is at least
    (1/k) sum of x d^2, because (k - 1) / (k (n - 1)) <= 1 / n where k <= n. So SSE >= (1/k) of the least sum
    of x d^2 over all 0 <= x <= 1 with degrees of at least k - 1, and by weak duality, for any u >= 0,

        SSE >= (1/k) ((k - 1) sum_i u_i - sum over i < j of max(0, u_i + u_j - d_ij^2)).

    Up to 2,000 records of one person each u is sought by subgradient steps, and the best value found is taken
    (Tarragona, k = 10: 22.1 % of SST instead of 19.2). O(n^2) memory there, else O(n k).
    """
    matrix = bounded_matrix(X)
    if k < 2 or len(matrix) < 2:
        return 0.0
    single = counts is None or int(counts.max()) == 1
    people = np.ones(len(matrix), dtype=np.int64) if counts is None else counts
    found = _of_neighbours(matrix, k, people)
    if single and k <= len(matrix) <= _LARGEST_MATRIX:
        found = max(found, _of_pairs(matrix, k))
    return found


def _of_neighbours(X: FloatArray, k: int, people: IntArray) -> float:
    from scipy.spatial import cKDTree

    # Equal records would fill one leaf of the tree, which every query looks through.
    X, place = np.unique(X, axis=0, return_inverse=True)
    people = np.bincount(place.reshape(-1), people).astype(np.int64)
    tree, total, width = cKDTree(X), 0.0, min(k, len(X))
    for first in range(0, len(X), _CHUNK):
        rows = np.arange(first, min(first + _CHUNK, len(X)))
        distance, near = tree.query(X[rows], k=width)
        distance, near = distance.reshape(len(rows), -1), near.reshape(len(rows), -1)
        # Of the k - 1 people nearest to one of a record, so many are those behind each of its neighbours.
        held = people[near]
        before = held.cumsum(axis=1) - held
        taken = np.clip(k - before, 0, held)
        total += float((people[rows] * (taken * distance**2).sum(axis=1)).sum())
    return total / (2 * k)


def _of_pairs(X: FloatArray, k: int) -> float:
    squares = (X**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares[None, :] - 2 * X @ X.T, 0.0)
    np.fill_diagonal(apart, np.inf)
    u = np.sort(apart, axis=1)[:, k - 2] / 2
    best, step = 0.0, _FIRST_STEP * float(np.median(u)) / k
    for done in range(_STEPS):
        excess = u[:, None] + u[None, :] - apart
        over = excess > 0
        best = max(best, (k - 1) * float(u.sum()) - float(excess[over].sum()) / 2)
        u = np.maximum(u + step / (1 + done / _SLOWING) * ((k - 1) - over.sum(axis=1)), 0.0)
    return best / k
