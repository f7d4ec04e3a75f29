"""How the centroid of a group of cells appears in the released tables.

The quasi-identifiers of a person are on her own device only. What the tables show in their place is the mean
of the eligible people of her group, which the specification published before anybody answered; of a register
it published a point of the map instead (:mod:`shared.register`), and the tables show that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction


def group_mean(
    cells: Iterable[int], centroids: Sequence[Sequence[str]], eligible: Sequence[Sequence[int]]
) -> tuple[Fraction, ...]:
    """Mean vector of the eligible people of some cells, exactly.

    Parameters
    ----------
    cells : iterable of int
        At least one cell.
    centroids : sequence of sequence of str
        Mean vector of each cell, as decimals.
    eligible : sequence of sequence of int
        Eligible people of each cell per participation level.
    """
    members = [(sum(eligible[cell]), [Fraction(text) for text in centroids[cell]]) for cell in cells]
    people = sum(count for count, _ in members)
    return tuple(
        sum((count * value for (count, _), value in zip(members, column, strict=True)), Fraction(0)) / people
        for column in zip(*(vector for _, vector in members), strict=True)
    )
