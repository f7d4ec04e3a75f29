"""Earth mover's distances between two histograms, exactly: equal and ordered ground distance.

The one place of this arithmetic: the release gate and the measures of masked tables both use it.

References
----------
N. Li, T. Li, S. Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and l-Diversity, ICDE 2007:
ordered distance in section 5.1, equal distance in section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
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
