"""How many cells should fail, and how surprising the number is that did.

A cell fails when somebody took part in it, but fewer than k: 0 < K_c < k (design section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from server.simulation.mixture import mixed_failure
from shared.dependence import beta_binomial_failure
from shared.effective_anonymity import cell_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Failed cells against their expectation.

    Attributes
    ----------
    observed : int
        Cells with 0 < K_c < k. Lower is safer.
    expected : float
        Sum of the attained failures qbar of all cells.
    probability_of_at_least_observed : float
        Chance that as many cells fail or more, if people take part with the assumed probability and
        correlation and in their households, cells independently of each other. A tiny value says that the
        assumption does not hold, or that households spread over several cells.
    """

    observed: int
    expected: float
    probability_of_at_least_observed: float


def attained_failures(
    eligible: Sequence[Sequence[int]],
    probabilities: Sequence[Fraction],
    k: int,
    correlation: Fraction = Fraction(0),
) -> tuple[Decimal, ...]:
    """Attained failure qbar of each cell.

    Parameters
    ----------
    eligible : sequence of sequence of int, shape (n_cells, n_levels)
        Head counts.
    probabilities : sequence of Fraction, length n_levels
        Probability of taking part at each level; 0 is permitted.
    k : int
        Anonymity parameter.
    correlation : Fraction, optional
        Between any two people of a cell, whose levels one draw moves alike.
    """
    known: dict[tuple[int, ...], Decimal] = {}
    for counts in map(tuple, eligible):
        if counts not in known:
            pairs = [pair for pair in zip(counts, probabilities, strict=True) if pair[0] and pair[1]]
            known[counts] = _failure([n for n, _ in pairs], [p for _, p in pairs], k, correlation)
    return tuple(known[tuple(counts)] for counts in eligible)


def _failure(
    counts: Sequence[int], probabilities: Sequence[Fraction], k: int, correlation: Fraction
) -> Decimal:
    if not counts:
        return Decimal(0)
    if not correlation or set(probabilities) == {Fraction(1)}:
        return cell_failure(counts, probabilities, k).attained_cell_failure
    if len(counts) == 1:
        return beta_binomial_failure(counts[0], probabilities[0], k, correlation).attained_cell_failure
    return mixed_failure(counts, probabilities, k, correlation)


def compare_failures(head_counts: Sequence[int], failures: Sequence[Decimal], k: int) -> Failures:
    """Compare head counts of participants with the attained failures of their cells.

    Parameters
    ----------
    head_counts : sequence of int, length n_cells
        K_c.
    failures : sequence of Decimal, length n_cells
        qbar of each cell.
    k : int
        Anonymity parameter.

    Notes
    -----
    The number of failed cells is Poisson binomial. Its upper tail is summed without subtraction, by a chain
    whose last state "at least the observed number" is never left: O(n_cells * observed).
    """
    observed = sum(0 < count < k for count in head_counts)
    exactly = [1.0] + [0.0] * observed
    for failure in map(float, failures):
        exactly[observed] += exactly[observed - 1] * failure if observed else 0.0
        for number in range(observed - 1, 0, -1):
            exactly[number] = exactly[number] * (1 - failure) + exactly[number - 1] * failure
        if observed:
            exactly[0] *= 1 - failure
    return Failures(
        observed=observed,
        expected=float(sum(failures, Decimal(0))),
        probability_of_at_least_observed=min(1.0, exactly[observed]),
    )
