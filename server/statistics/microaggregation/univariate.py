"""Optimal microaggregation of one column."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import IntArray
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
) -> IntArray:
    """Divide the values of one column into groups of at least k with the least possible SSE.

    A :class:`Partitioner` of one column, for one head count k; groups ascend with the value.

    Notes
    -----
    Guarantee: no partition into groups of at least k has a smaller within-group sum of squares (up to
    rounding, 1e-9 of it). With one person a record, groups have k to 2k - 1 records. With counts this holds
    among divisions of the sorted records into runs; as records are not divided, others can be better then
    (to find the best is a packing problem).

    Groups of an optimal partition of single records are runs of the sorted values, which makes it a shortest
    path from cut to cut (Hansen and Mukherjee), found in O(k n) with updated means and squares about them.

    Ties: equal values are ordered by index and may end in different groups.

    References
    ----------
    Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 15, section 3.
    """
    matrix = bounded_matrix(X)
    n, d = matrix.shape
    if d != 1:
        raise ValueError(f"univariate serves one column, X has {d}; see mdav_records for several")
    k, people = rule.head_counts("univariate", n, counts)
    order = np.argsort(matrix[:, 0], kind="stable")
    labels = np.zeros(n, dtype=np.int64)
    from server.statistics.microaggregation.compiled.optimal_cuts import optimal_cuts

    labels[order] = optimal_cuts(matrix[order, 0], people[order], k)
    if progress is not None:
        progress(int(people.sum()), int(people.sum()))
    return labels
