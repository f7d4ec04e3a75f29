"""Sites that compete for tuples: the exact winner of each tuple, and the runners-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.executor import THREADS, slices

ROWS: Final = 1 << 14
"""Tuples that a thread works on at a time, each at places of its own."""


class Sites:
    """Sites of a power diagram in a tree, for tuples and sites on one grid.

    Parameters
    ----------
    sites : int array, m x d
        m >= 1.
    weights : d integers >= 0

    Notes
    -----
    Exact for tuples and offsets whose weighted squared distances plus offsets stay below 2**53, and
    coordinates that do; callers see to it. A search takes about O(log m) steps where cells are compact and
    offsets alike, and never more than O(m).
    """

    def __init__(self, sites: IntArray, weights: Sequence[int] | IntArray | FloatArray) -> None:
        # numba and what it has compiled are loaded only where they are used.
        from server.statistics.microaggregation.compiled import site_tree

        self._search = site_tree
        self._tree = site_tree.plant(sites.astype(float), np.array(weights, dtype=float))

    def assign(self, points: FloatArray, offsets: IntArray) -> IntArray:
        """Argmin over sites of squared distance plus offset, ties to the lowest index.

        Parameters
        ----------
        points : float array of integers, n x d
        offsets : int array, m

        Returns
        -------
        int array, n
        """
        labels = np.empty(len(points), dtype=np.int64)
        ordered = self._ordered(offsets)
        THREADS.map(
            lambda rows: self._search.assign(self._tree, ordered, points[rows], labels[rows]),
            slices(len(points), ROWS),
        )
        return labels

    def rank(self, points: FloatArray, offsets: IntArray, length: int) -> tuple[Int32Array, FloatArray]:
        """The first sites of each tuple in the order (squared distance plus offset, index).

        Parameters
        ----------
        points, offsets
            As in `assign`.
        length : int
            How many, 1 to m.

        Returns
        -------
        listed : int array, n x length
        scores : float array of integers, n x length
            Their squared distances, without offsets.
        """
        listed = np.empty((len(points), length), dtype=np.int32)
        scores = np.empty((len(points), length))
        ordered = self._ordered(offsets)
        THREADS.map(
            lambda rows: self._search.rank(self._tree, ordered, points[rows], listed[rows], scores[rows]),
            slices(len(points), ROWS),
        )
        return listed, scores

    def _ordered(self, offsets: IntArray) -> FloatArray:
        ordered: FloatArray = offsets[self._tree.number].astype(float)
        return ordered
