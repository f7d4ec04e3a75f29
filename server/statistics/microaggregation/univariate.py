"""Optimal microaggregation of one column."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.preparation import bounded_matrix
from server.statistics.microaggregation.size_rule import SizeRule


def univariate(
    X: ArrayLike,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 (the common signature)
    progress: Progress | None = None,
    solver: Literal["exact", "microagg1d"] = "exact",
) -> IntArray:
    """Divide the values of one column into groups of at least k with the least possible SSE.

    Parameters
    ----------
    X : array, n x 1
        Finite numbers.
    rule : SizeRule
        A single head count k.
    counts : int array, n, optional
        People behind each record; records are never divided.
    seed : int
        Not used: nothing is random.
    progress : callable, optional
        `progress(people, people)`, once.
    solver : "exact" or "microagg1d"
        Own dynamic program, or that of the library microagg1d, see Notes.

    Returns
    -------
    int array, n
        Group of each record, ascending with the value from 0.

    Raises
    ------
    ValueError
        More than one column; n < k; a missing, infinite or huge value; a rule that is more than one head
        count; another solver; counts above 1 with microagg1d.

    Notes
    -----
    Guarantee: no partition into groups of at least k has a smaller within-group sum of squares (up to
    rounding, 1e-9 of it; with microagg1d see below). With one person a record, groups have k to 2k - 1
    records, with microagg1d more where many values are equal. With counts this holds among divisions of the
    sorted records into runs; as records are not divided, others can be better then (to find the best is a
    packing problem).

    Groups of an optimal partition of single records are runs of the sorted values, which makes it a shortest
    path from cut to cut (Hansen and Mukherjee). `exact` finds it in O(k n) with updated means and squares
    about them.
    `microagg1d` takes O(n) (Wilber's method), which pays from k of some hundreds on. Its version 0.4.0 is
    not the default for these reasons. It takes costs as differences of sums of squares, and where values
    are equal and no integers, rounding can cost the optimum, in bad cases a multiple of it. Its own choice
    of method for k up to 21 misses the optimum more often, also on integers. It labels n = 2k values in
    input order. Here it is handed sorted, centred values, and the method.

    Ties: equal values are ordered by index and may end in different groups. microagg1d compiles for about a
    minute at its first import.

    References
    ----------
    Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 15, section 3.
    Stamm and Schaub (2024), Faster optimal univariate microaggregation, arXiv:2401.02381.
    """
    matrix = bounded_matrix(X)
    n, d = matrix.shape
    if d != 1:
        raise ValueError(f"univariate serves one column, X has {d}; see mdav_records for several")
    if solver not in ("exact", "microagg1d"):
        raise ValueError(f"solver must be 'exact' or 'microagg1d', not {solver!r}")
    k, people = rule.head_counts("univariate", n, counts)
    order = np.argsort(matrix[:, 0], kind="stable")
    labels = np.zeros(n, dtype=np.int64)
    if solver == "exact":
        from server.statistics.microaggregation.compiled.optimal_cuts import optimal_cuts

        labels[order] = optimal_cuts(matrix[order, 0], people[order], k)
    elif people.max() > 1:
        raise ValueError("microagg1d serves single records; use the solver 'exact' with counts")
    elif n > 1:
        labels[order] = _by_library(matrix[order, 0], k)
    if progress is not None:
        progress(int(people.sum()), int(people.sum()))
    return labels


def warm_up() -> None:
    """Compile the exact solver, or load it from the cache."""
    univariate(np.arange(40.0)[:, None], SizeRule.of_k(3))


def _by_library(values: FloatArray, k: int) -> IntArray:
    """Labels of ascending values."""
    library: Any = import_module("microagg1d")
    centred = values - values.mean()
    return np.asarray(library.univariate_microaggregation(centred, k, method="wilber"), dtype=np.int64)
