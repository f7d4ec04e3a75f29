"""PCL, the probability-constrained Lloyd algorithm, for data matrices: `power_diagram` on an integer grid."""

from __future__ import annotations

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.preparation import data_matrix
from server.statistics.microaggregation.size_rule import SizeRule


def pcl(
    X: FloatArray,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 - part of the common signature
    progress: Progress | None = None,
) -> IntArray:
    """Partition records by PCL: Lloyd's algorithm with a least size for every cell.

    A :class:`Partitioner` for any rule. Records that fall on the same point of the grid share a label.

    Notes
    -----
    The two optimality conditions of the paper (Section 4) are kept in turn: cells' centroids, and the best
    assignment to given centroids under least cell probabilities, which is a power diagram; see
    `server.statistics.microaggregation.power_diagram`, whose guarantees hold here: every cell meets the rule,
    and the result depends on nothing but the input.

    Scaling: the columns, from their least value on, are multiplied by one power of two, so that the
    diagonal of their bounding box has 2^21 to 2^22 steps, and rounded. So distances keep their proportions,
    and coordinates are exact to 2^-22 of that diagonal; sites lie on a grid at least 8 times finer, and
    every distance plus offset stays below 2^53. Multiplying X by a power of two changes nothing.

    Ties: as in `power_diagram`, in canonical order of the records, so the order of rows does not matter.

    References
    ----------
    D. Rebollo-Monedero, J. Forne, M. Soriano, "An algorithm for k-anonymous microaggregation and clustering
    inspired by the design of distortion-optimized quantizers", Data and Knowledge Engineering 70 (2011)
    892-921.
    """
    X = data_matrix(X)
    if rule.plain:
        rule.head_counts("pcl", len(X), counts)
    points, together, inverse = canonical(on_grid(X), rule.people_of(len(X), counts))
    if not rule.acceptable(together.sum(axis=0)):
        raise ValueError("all people together do not meet the need of one cell")
    weights = (1,) * X.shape[1]
    return power_diagram(points, together, weights, rule, progress=progress).labels[inverse]


def on_grid(X: FloatArray) -> IntArray:
    """X (n x d) on an integer grid that starts at 0, with a diagonal of 2^21 to 2^22 steps."""
    exponent = int(np.frexp(np.abs(X).max())[1])
    X = np.ldexp(X, -exponent)  # within (-1, 1): no difference overflows
    X = X - X.min(axis=0)
    extent = float(np.sqrt((X.max(axis=0) ** 2).sum()))
    if extent == 0:
        return np.zeros(X.shape, dtype=np.int64)
    return np.rint(np.ldexp(X, 22 - int(np.frexp(extent)[1]))).astype(np.int64)
