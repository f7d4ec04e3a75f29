r"""Effective anonymity: how many people a cell needs, and how likely it fails.

K_n is the number of participants among the n eligible people of a cell. The cell *fails* when 0 < K_n < k:
somebody answered from it, but fewer than k people did.

Every probability is a sum of positive terms of the probability mass function, so nothing cancels, in decimal
arithmetic with 50 digits, so that the same numbers come out on a server and in a browser, down to failures
far below 1e-100.

References
----------
Rebollo-Monedero, Forne, Soriano et al., "p-Probabilistic k-anonymous microaggregation for the anonymization
of surveys with uncertain participation", section VI.A (metrics), section VI.C (n_min).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from shared.participation import ParticipationLevel

_CONTEXT = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LARGEST_CELL = 10**10


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
    with localcontext(_CONTEXT):
        nobody, certain = Decimal(1), 0
        ratios: tuple[Decimal, ...] = (Decimal(1),)
        expected = Decimal(0)
        for n, participation in zip(counts, participations, strict=True):
            pi = Fraction(participation)
            if not 0 < pi <= 1:
                raise ValueError(f"participation {participation} is not in (0, 1]")
            expected += n * _decimal(pi)
            if pi == 1:
                certain += n
            elif n:
                nobody *= _power(1 - pi, n)
                ratios = _convolve(ratios, _ratios(n, pi, k), k)
        terms = [(certain + j, nobody * ratio) for j, ratio in enumerate(ratios)]
        failing = [(j, p) for j, p in terms if 0 < j < k]
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


def worst_cell_metrics(counts: Sequence[int], levels: Sequence[ParticipationLevel], k: int) -> Metrics:
    """Metrics at the worst participation within the published ranges.

    qbar, u and rbar are those at the participation at which the cell fails most; rbar', which only falls with
    participation, is that at the low end.

    Notes
    -----
    rbar' = P{Bin(n-1, pi) <= k-2}: that fewer than k-1 of the others take part. qbar is unimodal in pi: its
    derivative has the sign of ((1 - pi) / pi)^(k-1) - C(n-1, k-1), so the maximum over a range lies at an end
    or at pi* = 1 / (1 + C(n-1, k-1)^(1/(k-1))).
    """
    if len(levels) == 1:
        return _worst(counts[0], levels[0].low, levels[0].high, k)
    return cell_failure(counts, [level.low for level in levels], k)


@lru_cache(maxsize=65536)
def _worst(n: int, low: str, high: str, k: int) -> Metrics:
    candidates = {Fraction(low), Fraction(high)}
    if low != high and n >= k:
        with localcontext(_CONTEXT):
            root = (Decimal(math.comb(n - 1, k - 1)).ln() / (k - 1)).exp()
            peak = Fraction(1 / (1 + root))
        if Fraction(low) < peak < Fraction(high):
            candidates.add(peak)
    outcomes = [cell_failure((n,), (pi,), k) for pi in sorted(candidates)]
    worst = max(outcomes, key=lambda m: m.attained_cell_failure)
    at_low_end = outcomes[0].record_failure_given_participation
    return replace(worst, record_failure_given_participation=at_low_end)


def is_acceptable(metrics: Metrics, failure: str | Fraction) -> bool:
    """Whether a cell with these metrics may exist: neither qbar nor rbar' exceeds the acceptable failure.

    The second condition closes the trap of low participation for cells of any size: a cell can have a small
    qbar by being empty nearly always, while whoever does take part is alone. For failures up to 0.25 and from
    ``n_min_safe`` people on it follows from the first: rbar' <= qbar (k-1) / (n pi), and n pi exceeds k-1.
    """
    bound = _as_decimal(failure)
    return metrics.attained_cell_failure <= bound and metrics.record_failure_given_participation <= bound


def worst_cell_failure(counts: Sequence[int], levels: Sequence[ParticipationLevel], k: int) -> Decimal:
    """Largest qbar of a cell within the published ranges of participation."""
    return worst_cell_metrics(counts, levels, k).attained_cell_failure


def n_min_safe(k: int, level: ParticipationLevel, failure: str | Fraction) -> int:
    """Smallest n >= k such that *every* cell of n or more people fails with at most ``failure``.

    Parameters
    ----------
    k : int
        Smallest number of answers that protects, >= 2.
    level : ParticipationLevel
        Participation, the same for everybody; for a range the worst value counts.
    failure : str or Fraction
        Acceptable cell failure pbar in (0, 1].

    Raises
    ------
    ValueError
        If more than 10^10 people would be needed.

    Notes
    -----
    O(k log n). With n the worst qbar over a range of participation first rises, then falls, and it falls from
    n - 1 to n once n is past the maximum in pi at the high end, C(n-1, k-1) (pi / (1 - pi))^(k-1) >= 1:
    qbar(n) - qbar(n-1) = pi (p_{n-1}(0) - p_{n-1}(k-1)), which is 0 at the pi* of n, so the maximum over all
    pi falls too. On the falling side the answer is bisected; if even the maximum is acceptable, it is k.
    """
    bound = _as_decimal(failure)

    def falling(n: int) -> bool:
        return _past_maximum(n + 1, level.highest, k)

    def settled(n: int) -> bool:
        return falling(n) and _worst(n, level.low, level.high, k).attained_cell_failure <= bound

    if settled(k):
        return k
    lower, upper = k, 2 * k
    while not settled(upper):
        if upper == _LARGEST_CELL:
            raise ValueError("no cell of up to 10^10 people is safe at this participation and failure")
        lower, upper = upper, min(2 * upper, _LARGEST_CELL)
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (lower, middle) if settled(middle) else (middle, upper)
    return upper if falling(upper - 1) else k


def n_min(k: int, level: ParticipationLevel, failure: str | Fraction) -> int:
    """Smallest n >= k whose own qbar is acceptable: the effective anonymity of the paper (section VI.A).

    At low participation a small cell can be acceptable by being empty, while a larger one is not; a partition
    whose cells exceed ``n_min`` must therefore use :func:`n_min_safe`.

    Notes
    -----
    As qbar first rises with n, then falls (see :func:`n_min_safe`), the sizes that are not acceptable follow
    each other: unless a cell of k is acceptable, the first acceptable size is the safe one.
    """
    if _worst(k, level.low, level.high, k).attained_cell_failure <= _as_decimal(failure):
        return k
    return n_min_safe(k, level, failure)


def table_failure(failures: Iterable[Decimal]) -> Decimal:
    """tbar: that at least one of several independent cells fails, 1 - prod (1 - qbar)."""
    values = [float(q) for q in failures]
    if any(q >= 1 for q in values):
        return Decimal(1)
    return Decimal(repr(0.0 - math.expm1(math.fsum(math.log1p(-q) for q in values))))


def _past_maximum(n: int, pi: Fraction, k: int) -> bool:
    """Whether C(n-1, k-1) (pi / (1 - pi))^(k-1) >= 1: pi is at or beyond the maximum of qbar(n) in pi."""
    if pi == 1:
        return True
    with localcontext(_CONTEXT):
        return math.comb(n - 1, k - 1) * _power(pi / (1 - pi), k - 1) >= 1


@lru_cache(maxsize=65536)
def _ratios(n: int, pi: Fraction, k: int) -> tuple[Decimal, ...]:
    """P{K = j} / P{K = 0} of a binomial, j = 0..min(n, k-1)."""
    with localcontext(_CONTEXT):
        odds, ratio = _decimal(pi / (1 - pi)), Decimal(1)
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
    return _decimal(base) ** exponent


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _as_decimal(value: str | Fraction) -> Decimal:
    with localcontext(_CONTEXT):
        return _decimal(Fraction(value))
