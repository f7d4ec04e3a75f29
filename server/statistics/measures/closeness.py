"""Earth mover's distances between two histograms, exactly: equal, ordered and hierarchical ground distance.

The one place of this arithmetic: the release gate and the measures of masked tables both use it.

References
----------
N. Li, T. Li, S. Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and l-Diversity, ICDE 2007:
ordered distance in section 5.1, equal and hierarchical distance in section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Histogram = Mapping[int, int]


def earth_movers_distance(
    group: Histogram, table: Histogram, *, ordered: bool, domain_size: int | None = None
) -> Fraction:
    """Distance between the distribution of a group and that of the table, exactly.

    Parameters
    ----------
    group, table : Mapping of int to int
        How often each value (its index in the domain) occurs.
    ordered : bool
        Ordered distance ``|i - j| / (m - 1)`` between values i and j; otherwise equal distance 1.
    domain_size : int, optional
        m. By default the values that occur in either histogram, ranked.

    Returns
    -------
    Fraction
        Between 0 and 1; 0 if the group is empty, since it then says nothing. Higher is unsafe.

    Notes
    -----
    Equal distance: half the sum of absolute differences. Ordered distance: the sum of the absolute
    cumulative differences over m - 1. Time linear in m after sorting.
    """
    group_total, table_total = sum(group.values()), sum(table.values())
    if group_total == 0 or table_total == 0:
        return Fraction(0)
    domain = sorted({*group, *table}) if domain_size is None else list(range(domain_size))
    scale = group_total * table_total
    differences = [group.get(value, 0) * table_total - table.get(value, 0) * group_total for value in domain]
    if not ordered:
        return Fraction(sum(map(abs, differences)), 2 * scale)
    if len(domain) == 1:
        return Fraction(0)
    carried = moved = 0
    for difference in differences[:-1]:
        carried += difference
        moved += abs(carried)
    return Fraction(moved, scale * (len(domain) - 1))


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


def checked_paths(paths: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the paths as tuples, or raise ValueError if they are no hierarchy of equal depth."""
    steps = tuple(tuple(path) for path in paths)
    if not steps or len({len(path) for path in steps}) != 1 or not steps[0]:
        raise ValueError("every value needs a path of the same length, from below the root to itself")
    if len(set(steps)) < len(steps):
        raise ValueError("two values have the same path")
    return steps
