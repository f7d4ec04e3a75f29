"""Sites that compete for tuples: the exact winner of each tuple, and the runners-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.executor import THREADS
from server.statistics.microaggregation.profiles import Profiles

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
    Exact for tuples and offsets whose weighted squared distances plus offsets stay below 2^53, and
    coordinates that do; callers see to it, for every corner of the box that holds the tuples. Tuples of one
    profile are searched for together, in the other coordinates alone. A search takes about O(log m) steps
    where cells are compact and offsets alike, and never more than O(m); each profile takes O(m).
    """

    def __init__(self, sites: IntArray, weights: Sequence[int] | IntArray | FloatArray) -> None:
        # numba and what it has compiled are loaded only where they are used.
        from server.statistics.microaggregation.compiled import site_tree

        self._search = site_tree
        self._tree = site_tree.plant(sites.astype(float), np.array(weights, dtype=float))

    def assign(self, points: Profiles, offsets: IntArray) -> IntArray:
        """Argmin over sites of squared distance plus offset, ties to the lowest index.

        Parameters
        ----------
        points : Profiles
            n tuples of integers.
        offsets : int array, m

        Returns
        -------
        int array, n
        """
        labels = np.empty(len(points.order), dtype=np.int64)
        self._run(self._search.assign, points, offsets, labels)
        return labels

    def rank(self, points: Profiles, offsets: IntArray, length: int) -> tuple[Int32Array, FloatArray]:
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
        listed = np.empty((len(points.order), length), dtype=np.int32)
        scores = np.empty((len(points.order), length))
        self._run(self._search.rank, points, offsets, listed, scores)
        return listed, scores

    def _run(self, search: Callable[..., None], points: Profiles, offsets: IntArray, *out: Any) -> None:
        """Search for all tuples, so many at a time that all processors have enough to do."""
        tree = self._tree
        squares = [
            tree.weights[points.binary] * (tree.sites[:, points.binary] - value) ** 2
            for value in (points.low, points.high)
        ]
        profile, coordinate = np.nonzero(points.is_high)
        shifts = self._search.Shifts(
            base=squares[0].sum(axis=1),
            more=np.ascontiguousarray((squares[1] - squares[0]).T),
            start=np.searchsorted(profile, np.arange(len(points.is_high) + 1)),
            coordinate=np.ascontiguousarray(coordinate),  # else all is compiled for a stride as well
        )
        tree = tree._replace(
            weights=tree.weights[points.other],
            sites=np.ascontiguousarray(tree.sites[:, points.other]),
            low=np.ascontiguousarray(tree.low[:, points.other]),
            high=np.ascontiguousarray(tree.high[:, points.other]),
        )
        ordered = offsets[tree.number].astype(float)
        n = len(points.order)
        borders = np.union1d(points.start, np.arange(0, n, ROWS))
        runs = borders[:-1], borders[1:], np.searchsorted(points.start, borders[:-1], side="right") - 1
        ends = np.searchsorted(runs[0], np.arange(0, n + ROWS, ROWS))
        THREADS.map(
            lambda part: search(
                tree,
                ordered,
                shifts,
                self._search.Runs(*(column[part] for column in runs)),
                points.order,
                points.rest,
                *out,
            ),
            [slice(a, b) for a, b in pairwise(ends.tolist())],
        )
