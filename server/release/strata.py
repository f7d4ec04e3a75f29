"""The groups of a release as strata of its sample: how many people each answer stands for.

Every group is a stratum: its people are known from the specification, its answers are counted. Of a register
the specification tells only *which* acceptable bound a cell reaches (:mod:`shared.register`): on Adult, cells
of 56 to 310 people all show 53. Such bounds are no sizes, so a register's answers are not weighted.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from shared.specification import Specification

WEIGHT_DIGITS: Final = 6
MIXING_DIGITS: Final = 4


def sizes_are_known(specification: Specification) -> bool:
    """Whether the specification says how many people a cell has."""
    return specification.model.kind == "public"


def people_of(specification: Specification, cells: Iterable[int]) -> int:
    """Eligible people of some cells; of a register at least so many."""
    return sum(specification.people_in(cell) for cell in cells)


def weight_of(specification: Specification, cells: Iterable[int], answers: int) -> Fraction:
    """People of the group for each of its answers; 1 where the people are not known."""
    return (
        Fraction(people_of(specification, cells), answers) if sizes_are_known(specification) else Fraction(1)
    )


def level_mixing(specification: Specification, cells: Iterable[int]) -> Fraction | None:
    """How far the answers of a group come from other people than it has, in their level of participation.

    Parameters
    ----------
    specification : Specification
    cells : iterable of int
        Of the group.

    Returns
    -------
    Fraction or None
        Total variation, 0 to 1, between the levels of the people and those expected of the answers; 0 if all
        have one level. None for a register, whose levels are bounds.

    Notes
    -----
    With people E_l of level l and its participation p_l (the middle of its range), half the sum of
    abs(E_l / sum E - E_l p_l / sum E p). A share of the group is expected to be off by at most that, a mean
    by that times the range of the values, whatever the levels answer; if the levels differ by d in the
    answer, by at most d times that. A function of the specification alone.
    """
    if not sizes_are_known(specification):
        return None
    chosen = tuple(cells)
    people = [
        sum(specification.eligible[cell][at] for cell in chosen) for at in range(len(specification.levels))
    ]
    rates = [(Fraction(level.low) + Fraction(level.high)) / 2 for level in specification.levels]
    expected = [count * rate for count, rate in zip(people, rates, strict=True)]
    all_people, all_answers = sum(people), sum(expected, Fraction(0))
    return (
        sum(
            (
                abs(Fraction(own, all_people) - part / all_answers)
                for own, part in zip(people, expected, strict=True)
            ),
            Fraction(0),
        )
        / 2
    )
