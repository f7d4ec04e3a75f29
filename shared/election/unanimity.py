"""Groups in which everybody may have chosen the same, and so everybody's vote is known.

The published partition must not look at votes, or it would speak about them. So nothing can be done about a
unanimous group after the fact; what can be done is to choose k, from the highest share that is expected for
one choice in any box.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def expected_unanimous(*, contests: int, people: int, k: int, top_share: Fraction) -> Fraction:
    """A bound for the number of unanimous groups of exactly k, over all contests: contests people/k share^k.

    Parameters
    ----------
    top_share : Fraction
        Highest share expected for one choice in any box, in (0, 1]. At the mean of shares that differ between
        boxes the bound would be far too low.

    Notes
    -----
    Exact; of k people who choose alike with that chance each, independently, all do with its k-th power.
    """
    return Fraction(contests * people, k) * top_share**k


def unanimous(votes: Sequence[Sequence[int]]) -> tuple[int | None, ...]:
    """For each contest of a group the choice that all its voters took; None where two were taken, or none."""
    return tuple(
        next((choice for choice, number in enumerate(row) if number and number == sum(row)), None)
        for row in votes
    )
