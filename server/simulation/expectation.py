"""How many cells should fail, and how surprising the number is that did.

A cell fails when somebody took part in it, but fewer than k: 0 < K_c < k (design section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from shared.effective_anonymity import cell_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Failed cells against their expectation.

    Parameters
    ----------
    observed : int
        Cells with 0 < K_c < k. Lower is safer.
    expected : float
        Sum of the attained failures qbar of all cells.
    probability_of_at_least_observed : float
        Chance that as many cells fail or more, if everybody takes part independently with the assumed
        probability. A tiny value says that the assumption does not hold.
    """

    observed: int
    expected: float
    probability_of_at_least_observed: float


def attained_failures(
    eligible: Sequence[Sequence[int]], probabilities: Sequence[Fraction], k: int
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
    """
    known: dict[tuple[int, ...], Decimal] = {}
    for counts in map(tuple, eligible):
        if counts not in known:
            pairs = [pair for pair in zip(counts, probabilities, strict=True) if pair[0] and pair[1]]
            known[counts] = (
                cell_failure([n for n, _ in pairs], [p for _, p in pairs], k).attained_cell_failure
                if pairs
                else Decimal(0)
            )
    return tuple(known[tuple(counts)] for counts in eligible)


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
