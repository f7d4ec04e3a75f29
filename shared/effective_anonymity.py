r"""Effective anonymity: how many people a cell needs, and how likely it fails.

K_n is the number of participants among the n eligible people of a cell. The cell *fails* when 0 < K_n < k:
somebody answered from it, but fewer than k people did.

Every probability is a sum of positive terms of the probability mass function, so nothing cancels, in decimal
arithmetic with 50 digits, so that the same numbers come out on a server and in a browser, down to failures
far below 1e-100. People decide alone unless a :class:`Dependence` is given; what it means, and which of its
figures are exact and which are upper bounds, is in :mod:`shared.dependence`.

References
----------
Rebollo-Monedero, Forne, Soriano et al., "p-Probabilistic k-anonymous microaggregation for the anonymization
of surveys with uncertain participation", section VI.A (metrics), section VI.C (n_min).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

from shared import beta_binomial
from shared.beta_binomial import CONTEXT, decimal
from shared.dependence import beta_binomial_failure, bounded_failure
from shared.metrics import Metrics, metrics_of
from shared.participation import INDEPENDENT, Dependence, ParticipationLevel

_LARGEST_CELL: Final = 10**10
_NEARBY: Final = Fraction(1, 10**20)
_HALVINGS: Final = 80


def cell_failure(counts: Sequence[int], participations: Sequence[str | Fraction], k: int) -> Metrics:
    """Metrics of a cell with ``counts[l]`` eligible people who take part with ``participations[l]`` each.

    Parameters
    ----------
    counts : sequence of int, length L
        Eligible people per level, not all zero.
    participations : sequence of str or Fraction, length L
        Probabilities in (0, 1].
    k : int
        Smallest number of answers that protects, >= 2.

    Raises
    ------
    ValueError
        For an empty cell, a probability outside (0, 1] or k below 2.

    Notes
    -----
    O(L k^2). The Poisson-binomial distribution is a convolution of one truncated binomial a level; the factor
    prod (1 - pi_l)^n_l is taken out, so all that is convolved are positive ratios.
    """
    people = sum(counts)
    if k < 2 or people < 1 or min(counts) < 0:
        raise ValueError("k must be at least 2, and the cell must hold somebody")
    with localcontext(CONTEXT):
        nobody, certain = Decimal(1), 0
        ratios: tuple[Decimal, ...] = (Decimal(1),)
        expected = Decimal(0)
        for n, participation in zip(counts, participations, strict=True):
            pi = Fraction(participation)
            if not 0 < pi <= 1:
                raise ValueError(f"participation {participation} is not in (0, 1]")
            expected += n * decimal(pi)
            if pi == 1:
                certain += n
            elif n:
                nobody *= _power(1 - pi, n)
                ratios = _convolve(ratios, _ratios(n, pi, k), k)
        terms = ((certain + j, nobody * ratio) for j, ratio in enumerate(ratios))
        return metrics_of([(j, p) for j, p in terms if 0 < j < k], people, expected)


def dependent_cell_failure(
    counts: Sequence[int], participations: Sequence[str | Fraction], k: int, dependence: Dependence
) -> Metrics:
    """As :func:`cell_failure`, for people who may decide together: exact, or an upper bound.

    Exact for people who decide alone, and for a correlation in a cell of one level; see
    :mod:`shared.dependence` for the others.
    """
    there = [(n, Fraction(pi)) for n, pi in zip(counts, participations, strict=True) if n]
    certain = all(pi == 1 for _, pi in there)
    if dependence.is_none or certain:
        return cell_failure(counts, participations, k)
    if k < 2 or min(counts) < 0:
        raise ValueError("k must be at least 2, and no count below 0")
    if len(there) == 1 and dependence.household_size == 1:
        n, pi = there[0]
        return beta_binomial_failure(n, pi, k, Fraction(dependence.correlation))
    return bounded_failure([n for n, _ in there], [pi for _, pi in there], k, dependence)


def worst_cell_metrics(
    counts: Sequence[int],
    levels: Sequence[ParticipationLevel],
    k: int,
    dependence: Dependence = INDEPENDENT,
    share: Fraction = Fraction(1),
) -> Metrics:
    """Metrics at the worst participation within the published ranges.

    qbar, u and rbar are those at the participation at which the cell fails most; rbar', which only falls with
    participation, is that at the low end. With a ``share`` below 1, only that share of the published
    participation is there: 1/2 shows what remains if half as many answer.

    Notes
    -----
    rbar' = P{Bin(n-1, pi) <= k-2}: that fewer than k-1 of the others take part. qbar is unimodal in pi: its
    derivative has the sign of ((1 - pi) / pi)^(k-1) - C(n-1, k-1), so the maximum over a range lies at an end
    or at pi* = 1 / (1 + C(n-1, k-1)^(1/(k-1))). With a correlation it is unimodal too (the beta-binomial
    family is totally positive in K and pi), and the maximum is searched; with households it falls.
    """
    if len(levels) == 1:
        return _worst(counts[0], levels[0].lowest * share, levels[0].highest * share, k, dependence)
    return dependent_cell_failure(counts, [level.lowest * share for level in levels], k, dependence)


@lru_cache(maxsize=65536)
def _worst(n: int, low: Fraction, high: Fraction, k: int, dependence: Dependence) -> Metrics:
    candidates = {low, high}
    if low != high and n >= k:
        if dependence.is_none:
            with localcontext(CONTEXT):
                root = (Decimal(math.comb(n - 1, k - 1)).ln() / (k - 1)).exp()
                peak = Fraction(1 / (1 + root))
            if low < peak < high:
                candidates.add(peak)
        elif dependence.household_size == 1:
            candidates.add(_peak(n, low, high, k, Fraction(dependence.correlation)))
    outcomes = [dependent_cell_failure((n,), (pi,), k, dependence) for pi in sorted(candidates)]
    worst = max(outcomes, key=lambda m: m.attained_cell_failure)
    at_low_end = outcomes[0].record_failure_given_participation
    return replace(worst, record_failure_given_participation=at_low_end)


def _peak(n: int, low: Fraction, high: Fraction, k: int, correlation: Fraction) -> Fraction:
    """Where in a range the beta-binomial qbar, which is unimodal in pi, is largest.

    Halving by the sign of the slope; the slope itself comes from two values 1e-20 apart, of which 30 digits
    are left. Near the maximum qbar is flat, so what the last halving leaves is far below 1e-12 of it.
    """

    def rising(pi: Fraction) -> bool:
        nearby = pi * (1 - _NEARBY)
        before, here = (beta_binomial_failure(n, x, k, correlation) for x in (nearby, pi))
        return here.attained_cell_failure > before.attained_cell_failure

    if not rising(low):
        return low
    high = min(high, 1 - _NEARBY)  # at 1 nobody stays away, and there is no slope
    if rising(high):
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) else (low, middle)
    return low


def is_acceptable(metrics: Metrics, failure: str | Fraction) -> bool:
    """Whether a cell with these metrics may exist: neither qbar nor rbar' exceeds the acceptable failure.

    The second condition closes the trap of low participation for cells of any size: a cell can have a small
    qbar by being empty nearly always, while whoever does take part is alone. For failures up to 0.25 and from
    ``n_min_safe`` people on it follows from the first: rbar' <= qbar (k-1) / (n pi), and n pi exceeds k-1.
    """
    bound = _as_decimal(failure)
    return metrics.attained_cell_failure <= bound and metrics.record_failure_given_participation <= bound


def n_min_safe(
    k: int, level: ParticipationLevel, failure: str | Fraction, dependence: Dependence = INDEPENDENT
) -> int:
    """Smallest n >= k such that *every* cell of n or more people fails with at most ``failure``.

    Parameters
    ----------
    k : int
        Smallest number of answers that protects, >= 2.
    level : ParticipationLevel
        Participation, the same for everybody; for a range the worst value counts.
    failure : str or Fraction
        Acceptable cell failure pbar in (0, 1].
    dependence : Dependence, optional
        How far people decide together. If they do, a participant of each of these cells is unprotected with
        at most ``failure``, too; if not, that follows for failures up to 0.25 (:func:`is_acceptable`).

    Raises
    ------
    ValueError
        If more than 10^10 people would be needed.

    Notes
    -----
    O(k log n). With n the worst qbar over a range of participation first rises, then falls, and it falls from
    n - 1 to n once n is past the maximum in pi at the high end, C(n-1, k-1) (pi / (1 - pi))^(k-1) >= 1:
    qbar(n) - qbar(n-1) = pi (p_{n-1}(0) - p_{n-1}(k-1)), which is 0 at the pi* of n, so the maximum over all
    pi falls too. On the falling side the answer is bisected; if even the maximum is acceptable, it is k. With
    a correlation the same holds under another condition (:func:`shared.beta_binomial.past_maximum`); bounds
    for households only fall. rbar' falls with n in every case.
    """
    safe = _first_safe(k, level, failure, dependence)
    if dependence.is_none:
        return safe
    bound = _as_decimal(failure)

    def protected(n: int) -> bool:
        metrics = dependent_cell_failure((n,), (level.low,), k, dependence)
        return metrics.record_failure_given_participation <= bound

    return max(safe, _first(k, protected))


def _first_safe(k: int, level: ParticipationLevel, failure: str | Fraction, dependence: Dependence) -> int:
    bound = _as_decimal(failure)

    def falling(n: int) -> bool:
        return _past_maximum(n + 1, level.highest, k, dependence)

    def settled(n: int) -> bool:
        if not falling(n):
            return False
        return _worst(n, level.lowest, level.highest, k, dependence).attained_cell_failure <= bound

    found = _first(k, settled)
    return found if found == k or falling(found - 1) else k


def _first(k: int, reached: Callable[[int], bool]) -> int:
    """Smallest n >= k from which a condition holds that never ceases to."""
    if reached(k):
        return k
    lower, upper = k, 2 * k
    while not reached(upper):
        if upper == _LARGEST_CELL:
            raise ValueError("no cell of up to 10^10 people is safe at this participation and failure")
        lower, upper = upper, min(2 * upper, _LARGEST_CELL)
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (lower, middle) if reached(middle) else (middle, upper)
    return upper


def n_min(
    k: int, level: ParticipationLevel, failure: str | Fraction, dependence: Dependence = INDEPENDENT
) -> int:
    """Smallest n >= k whose own qbar is acceptable: the effective anonymity of the paper (section VI.A).

    At low participation a small cell can be acceptable by being empty, while a larger one is not; a partition
    whose cells exceed ``n_min`` must therefore use :func:`n_min_safe`.

    Notes
    -----
    As qbar first rises with n, then falls (see :func:`n_min_safe`), the sizes that are not acceptable follow
    each other: unless a cell of k is acceptable, the first acceptable size is the first on the falling side.
    Bounds for households only fall, so there the two are one.
    """
    if dependence.household_size > 1:
        return n_min_safe(k, level, failure, dependence)
    if _worst(k, level.lowest, level.highest, k, dependence).attained_cell_failure <= _as_decimal(failure):
        return k
    return _first_safe(k, level, failure, dependence)


def table_failure(failures: Iterable[Decimal]) -> Decimal:
    """tbar: that at least one of several independent cells fails, 1 - prod (1 - qbar)."""
    values = [float(q) for q in failures]
    if any(q >= 1 for q in values):
        return Decimal(1)
    return Decimal(repr(0.0 - math.expm1(math.fsum(math.log1p(-q) for q in values))))


def _past_maximum(n: int, pi: Fraction, k: int, dependence: Dependence) -> bool:
    """Whether qbar falls from n - 1 people to n; alone: C(n-1, k-1) (pi / (1 - pi))^(k-1) >= 1."""
    if pi == 1 or dependence.household_size > 1:
        return True
    if not dependence.is_none:
        return beta_binomial.past_maximum(n, pi, Fraction(dependence.correlation), k)
    with localcontext(CONTEXT):
        return math.comb(n - 1, k - 1) * _power(pi / (1 - pi), k - 1) >= 1


@lru_cache(maxsize=65536)
def _ratios(n: int, pi: Fraction, k: int) -> tuple[Decimal, ...]:
    """P{K = j} / P{K = 0} of a binomial, j = 0..min(n, k-1)."""
    with localcontext(CONTEXT):
        odds, ratio = decimal(pi / (1 - pi)), Decimal(1)
        result = [ratio]
        for j in range(1, min(n, k - 1) + 1):
            ratio = ratio * (n - j + 1) / j * odds
            result.append(ratio)
        return tuple(result)


def _convolve(a: tuple[Decimal, ...], b: tuple[Decimal, ...], k: int) -> tuple[Decimal, ...]:
    """First k terms of the convolution of two positive sequences."""
    if len(a) == 1:
        return b
    length = min(k, len(a) + len(b) - 1)
    return tuple(
        sum((a[i] * b[j - i] for i in range(max(0, j - len(b) + 1), min(j + 1, len(a)))), Decimal(0))
        for j in range(length)
    )


@lru_cache(maxsize=65536)
def _power(base: Fraction, exponent: int) -> Decimal:
    return decimal(base) ** exponent


def _as_decimal(value: str | Fraction) -> Decimal:
    with localcontext(CONTEXT):
        return decimal(Fraction(value))
