"""V-MDAV: groups of variable size, which follow the natural clusters of the data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import bounded_matrix, group_means
from server.statistics.microaggregation.size_rule import SizeRule


def v_mdav(
    X: ArrayLike,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 (the common signature)
    progress: Progress | None = None,
    gamma: float = 0.2,
) -> IntArray:
    """Divide records into groups of k to 2k - 1 by V-MDAV.

    A :class:`Partitioner` for one head count k; groups are numbered in the order of formation.

    Parameters
    ----------
    gamma : float, >= 0
        Gain factor: a group takes in the unassigned record nearest to any of its members when that distance
        is below gamma times the record's distance to the nearest other unassigned record. The authors
        suggest about 0.2 for scattered data and 1.1 for clustered data. 0 forms groups of exactly k.
        ValueError if it is negative or no number.

    Notes
    -----
    Guarantee: with one person a record, every group has k to 2k - 1 records.

    The seed of a group is the unassigned record farthest from the centroid of all records, which stays. The
    last record, with no other unassigned, is taken in while there is room. Two deviations from the paper
    keep the sizes within bounds: each of the fewer than k records at the end goes to the nearest centroid
    among the groups that still have room (with counts: among all groups if none has room); and if no group
    has room, those records and the last group are divided anew as MDAV divides 2k to 3k - 1 records.

    Measured for k = 3, 4, 5 and 10, as a multiple of MDAV's loss: with gamma 0.2 from 1.001 to 1.019 on
    Tarragona, 0.990 to 1.003 on Census and 0.94 to 1.24 on EIA, whose records lie in clusters; there 0.68 to
    1.18 with gamma 0.5 and 0.73 to 1.45 with gamma 1.1. No gamma is best for every k: try several.

    Ties: the lowest index, for seeds, neighbours and candidates alike; the lowest group number at the end.
    Time about O(n k log n) where the k-d tree prunes well, O(n^2 d) at worst; memory about 4 copies of X.

    References
    ----------
    Solanas and Martinez-Balleste (2006), V-MDAV: a multivariate microaggregation with variable group size,
    Proceedings of COMPSTAT 2006, section 3.
    """
    matrix = bounded_matrix(X)
    n = len(matrix)
    k, people = rule.head_counts("v_mdav", n, counts)
    if not (math.isfinite(gamma) and gamma >= 0):
        raise ValueError(f"gamma must be a number of at least 0, not {gamma!r}")
    labels, groups = _groups(matrix, people, k, gamma, progress)
    rest = np.flatnonzero(labels < 0)
    if len(rest):
        _place(matrix, people, labels, rest, groups, k)
    if progress is not None:
        progress(int(people.sum()), int(people.sum()))
    return labels


def _groups(
    X: FloatArray, people: IntArray, k: int, gamma: float, progress: Progress | None
) -> tuple[IntArray, int]:
    """Labels, -1 for the last fewer than k people, and the number of groups."""
    from server.statistics.microaggregation.compiled import tree, tree_search, v_mdav_groups

    n, d = X.shape
    total = int(people.sum())
    centroid = np.average(X, axis=0, weights=people)
    order = np.argsort(-((X - centroid) ** 2).sum(axis=1), kind="stable")
    labels = np.full(n, -1, dtype=np.int64)
    state = np.array([0, 0, n, total], dtype=np.int64)
    space = tree_search.workspace(d, max(min(k, n), 2))
    ones = np.ones(n, dtype=np.int64)
    while True:
        planted = tree.plant(X, np.flatnonzero(labels < 0), centroid)
        done = v_mdav_groups.form_groups(
            X, people, ones, order, labels, planted, space, state, k, gamma, 1 + int(state[3]) // (4 * k)
        )
        if progress is not None:
            progress(total - int(state[3]), total)
        if done:
            return labels, int(state[1])


def _place(X: FloatArray, people: IntArray, labels: IntArray, rest: IntArray, groups: int, k: int) -> None:
    """Give each record of `rest` a group, in place."""
    placed = np.flatnonzero(labels >= 0)
    means = group_means(X[placed], labels[placed], people[placed])
    size = np.bincount(labels[placed], weights=people[placed], minlength=groups).astype(np.int64)
    single = int(people.max()) == 1
    if single and (2 * k - 1 - size).sum() < len(rest):
        again = np.sort(np.concatenate([rest, np.flatnonzero(labels == groups - 1)]))
        labels[again] = groups - 1 + mdav_records(X[again], SizeRule.of_k(k))
        return
    for record in rest:
        distance = ((means - X[record]) ** 2).sum(axis=1)
        room = size + people[record] <= 2 * k - 1
        if room.any():
            distance[~room] = np.inf
        labels[record] = int(distance.argmin())
        size[labels[record]] += people[record]
