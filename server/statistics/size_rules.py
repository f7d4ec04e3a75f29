"""What a cell of a survey needs before it may exist, for the kernels of microaggregation."""

from __future__ import annotations

from collections.abc import Sequence

from server.statistics.microaggregation.size_rule import SizeRule
from shared.effective_anonymity import is_acceptable, worst_cell_metrics
from shared.participation import INDEPENDENT, Dependence, ParticipationLevel
from shared.register import bound_of


def size_rule_of(
    k: int,
    failure: str,
    levels: Sequence[ParticipationLevel],
    safe: Sequence[int],
    dependence: Dependence = INDEPENDENT,
) -> SizeRule:
    """``n_min_safe`` people; with several levels, metrics of the cell's own that are acceptable.

    Parameters
    ----------
    k : int
        Smallest number of answers that protects.
    failure : str
        Acceptable failure pbar.
    levels, safe : sequences of length L
        Published levels, and ``n_min_safe`` at each.
    dependence : Dependence, optional
        How far people decide together.
    """
    if len(levels) == 1:
        return SizeRule(minimum=tuple(safe))

    def acceptable(counts: tuple[int, ...]) -> bool:
        return is_acceptable(worst_cell_metrics(counts, levels, k, dependence), failure)

    return SizeRule(minimum=tuple(safe), predicate=acceptable)


def size_rule_of_register(safe: Sequence[int]) -> SizeRule:
    """So many people that a bound can be published of them; safe: ``n_min_safe`` at each level."""
    if len(safe) == 1:
        return SizeRule(minimum=tuple(safe))
    return SizeRule(minimum=tuple(safe), predicate=lambda counts: bound_of(counts, safe) is not None)
