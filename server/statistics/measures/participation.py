"""What people of a group face who take part, where they do so with different probabilities.

References
----------
Rebollo-Monedero, Forne, Soriano et al., "p-Probabilistic k-anonymous microaggregation for the anonymization
of surveys with uncertain participation", section VI.A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from shared.beta_binomial import CONTEXT, decimal
from shared.effective_anonymity import cell_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantFailures:
    """That a person who takes part is not protected; higher is unsafe.

    Attributes
    ----------
    mean : Decimal
        r' of the paper: the mean of r_j / pi_j over all people of the group.
    worst : Decimal
        The same of the person who is worst off. It is whoever takes part most surely: the others are those
        who stay away oftenest.
    """

    mean: Decimal
    worst: Decimal


def participant_failures(
    counts: Sequence[int], participations: Sequence[str | Fraction], k: int
) -> ParticipantFailures:
    """Failures of a group with ``counts[l]`` people who take part with ``participations[l]`` each, alone.

    Raises
    ------
    ValueError
        As `shared.effective_anonymity.cell_failure`.

    Notes
    -----
    r_j / pi_j = P{fewer than k - 1 of the others take part}. With the same participation for all, mean and
    worst are `Metrics.record_failure_given_participation`; otherwise that one is E[K; 0 < K < k] / E[K], the
    mean over those who take part.
    """
    cell_failure(counts, participations, k)  # refuses what is none
    with localcontext(CONTEXT):
        each = [
            (n, _at_most([m - (i == j) for j, m in enumerate(counts)], participations, k - 2))
            for i, n in enumerate(counts)
            if n
        ]
        mean = sum((n * failure for n, failure in each), Decimal(0)) / sum(counts)
        return ParticipantFailures(mean=mean, worst=max(failure for _, failure in each))


def _at_most(counts: Sequence[int], participations: Sequence[str | Fraction], most: int) -> Decimal:
    """P{K <= most}."""
    nobody = Decimal(1)
    for n, pi in zip(counts, participations, strict=True):
        nobody *= decimal(1 - Fraction(pi)) ** n if n else 1
    if not sum(counts) or most < 1:
        return nobody
    return nobody + cell_failure(counts, participations, most + 1).attained_cell_failure
