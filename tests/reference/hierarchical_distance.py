"""Earth mover's distance over a hierarchy, exactly and value by value, to compare `t_closeness` with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from server.statistics.measures.closeness import Histogram
from server.statistics.measures.diversity import checked_paths


def hierarchical_distance(group: Histogram, table: Histogram, paths: Sequence[Sequence[str]]) -> Fraction:
    """Earth mover's distance where two values are as far apart as their lowest common ancestor is high.

    Parameters
    ----------
    group, table : Mapping of int to int
        How often each value occurs.
    paths : sequence of sequences of str
        For each value its ancestors from just below the root down to itself, all of the same length H >= 1:
        ``("respiratory", "flu")``. Values that differ from the first step on have distance 1.

    Returns
    -------
    Fraction
        Between 0 and 1. Higher is unsafe.

    Raises
    ------
    ValueError
        Paths of unequal length, two values with one path, or a value without path.

    Notes
    -----
    Each edge of the tree has length 1 / (2 H), so a path over an ancestor of height h has length h / H. What
    moves over the edge above a node is the node's surplus.
    """
    steps = checked_paths(paths)
    if any(not 0 <= value < len(steps) for value in (*group, *table)):
        raise ValueError("a value has no path in the hierarchy")
    group_total, table_total = sum(group.values()), sum(table.values())
    if group_total == 0 or table_total == 0:
        return Fraction(0)
    surplus: dict[tuple[str, ...], int] = {}
    for value in {*group, *table}:
        difference = group.get(value, 0) * table_total - table.get(value, 0) * group_total
        for depth in range(1, len(steps[value]) + 1):
            node = steps[value][:depth]
            surplus[node] = surplus.get(node, 0) + difference
    height = len(steps[0])
    return Fraction(sum(map(abs, surplus.values())), 2 * height * group_total * table_total)
