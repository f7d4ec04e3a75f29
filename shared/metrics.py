"""How badly one cell can fail, as four numbers.

References
----------
Rebollo-Monedero, Forne, Soriano et al., "p-Probabilistic k-anonymous microaggregation for the anonymization
of surveys with uncertain participation", section VI.A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Failure of one cell; smaller is safer in every field but the second.

    Attributes
    ----------
    attained_cell_failure : Decimal
        qbar = P{0 < K < k}.
    expected_unprotected_records : Decimal
        u = E[K | 0 < K < k]; 0 if the cell cannot fail.
    record_failure : Decimal
        rbar = E[K; 0 < K < k] / n: that an eligible person takes part and is not protected.
    record_failure_given_participation : Decimal
        rbar' = E[K; 0 < K < k] / E[K]: that a person who does take part is not protected. It is the number
        that a respondent cares about.
    """

    attained_cell_failure: Decimal
    expected_unprotected_records: Decimal
    record_failure: Decimal
    record_failure_given_participation: Decimal


def metrics_of(failing: Sequence[tuple[int, Decimal]], people: int, expected: Decimal) -> Metrics:
    """Metrics from the probabilities of 0 < j < k participants.

    Parameters
    ----------
    failing : sequence of (int, Decimal)
        j and P{K = j}.
    people : int
        Eligible people.
    expected : Decimal
        Expected participants.
    """
    qbar = min(sum((p for _, p in failing), Decimal(0)), Decimal(1))
    if not qbar:  # certain to protect, or (only where exponents are short) below the smallest number
        return Metrics(**dict.fromkeys(Metrics.__slots__, Decimal(0)))
    weighted = sum((j * p for j, p in failing), Decimal(0))
    return Metrics(
        attained_cell_failure=qbar,
        expected_unprotected_records=weighted / qbar,
        record_failure=weighted / people,
        record_failure_given_participation=weighted / expected,
    )
