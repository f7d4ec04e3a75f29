r"""Failure of a cell whose people do not decide alone: by a common chance, or by households.

Two things may be stated, one by one or together. A *correlation* between any two people of a cell: its
chance of taking part is drawn once, from a beta distribution (:mod:`shared.beta_binomial`). A *household
size*: given that chance, at most so many people of a cell decide in any common way, up to all or none.

For one level of participation and no households the figures are exact. All others are upper bounds of what
they stand for, computed exactly:

levels
    One draw moves all levels of a cell alike: each level's chance is the same quantile of its own beta
    distribution. The better of two bounds counts. As that quantile rises with the mean, the people from a
    level upwards take part at least as often as if all had that level's chance. And P{K < k} is at most
    E theta^(K-k+1) for every theta in (0, 1) (Chernoff), where E theta^K <= prod G_l(theta)^(n_l/n) (Hölder),
    G_l being that expectation if all n people were at level l.
households
    Among n people in households of at most h, whatever each does together, the number K who take part is
    below that of the fewest, largest, all-or-none households, K', in convex order: E(c-K)^+ <= E(c-K')^+. By
    Markov's inequality P{K < k} <= E(c-K')^+ / (c-k+1) for every c >= k; the best c counts.

Such a bound takes an empty cell for a failing one, too, so that it only falls with people and participation.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

from shared.beta_binomial import CONTEXT, decimal, moments
from shared.metrics import Metrics, metrics_of
from shared.participation import Dependence

_THETAS: Final = tuple(Decimal(i) / 16 for i in range(1, 16))
_LOG_THETAS: Final = tuple(CONTEXT.ln(theta) for theta in _THETAS)


def beta_binomial_failure(n: int, pi: Fraction, k: int, correlation: Fraction) -> Metrics:
    """Exact metrics of n people of one level in (0, 1), any two of whom have the correlation."""
    with localcontext(CONTEXT):
        factors = moments(n, pi, correlation, k - 1)
        ways, failing = Decimal(1), []
        for j in range(1, len(factors)):
            ways = ways * (n - j + 1) / j
            failing.append((j, ways * factors[j]))
        return metrics_of(failing, n, n * decimal(pi))


def bounded_failure(
    counts: Sequence[int], participations: Sequence[Fraction], k: int, dependence: Dependence
) -> Metrics:
    """Upper bounds of all metrics of a cell with several levels, or with households.

    Notes
    -----
    rbar' is bounded for every single participant: given that she takes part, the common chance is only
    higher, of her household she alone is counted, and at most h people are in it. O(L (k + h)), and fifteen
    times that for several levels without households, once for each number of people.
    """
    size, people = dependence.household_size, sum(counts)
    ascending = sorted(zip(map(Fraction, participations), counts, strict=True))
    with localcontext(CONTEXT):
        expected = sum((n * decimal(pi) for pi, n in ascending), Decimal(0))
        qbar, unprotected, from_here = Decimal(1), Decimal(1), people
        for pi, n in ascending:
            qbar = min(qbar, fewer_than(k, from_here, pi, dependence))
            unprotected = min(unprotected, fewer_than(k - 1, from_here - size, pi, dependence))
            from_here -= n
        if size == 1:
            rho = Fraction(dependence.correlation)
            qbar = min(qbar, _fewer_of_levels(k, ascending, people, rho))
            unprotected = min(unprotected, _fewer_of_levels(k - 1, ascending, people - 1, rho))
        weighted = min((k - 1) * qbar, unprotected * expected)
        return Metrics(
            attained_cell_failure=qbar,
            expected_unprotected_records=Decimal(k - 1) if qbar else qbar,
            record_failure=weighted / people,
            record_failure_given_participation=unprotected,
        )


@lru_cache(maxsize=65536)
def fewer_than(k: int, n: int, pi: Fraction, dependence: Dependence) -> Decimal:
    """Upper bound of the probability that fewer than k of n people take part; 1 if there is nobody."""
    if n <= 0:
        return Decimal(1)
    if pi == 1:
        return Decimal(int(n < k))
    size, rho = dependence.household_size, Fraction(dependence.correlation)
    with localcontext(CONTEXT):
        if size == 1:
            return min(sum(_probabilities(n, pi, rho, k - 1), Decimal(0)), Decimal(1))
        return _fewer_of_households(k, n, pi, rho, size)


def _fewer_of_households(k: int, n: int, pi: Fraction, rho: Fraction, size: int) -> Decimal:
    """Markov's bound, on how many are missing of the fewest and largest households."""
    whole, rest = divmod(n, size)
    reach = 2 * (k + size)
    factors = moments(whole + (rest > 0), pi, rho, reach // size + 1)
    probability = [Decimal(0)] * (reach + size)
    ways = Decimal(1)
    for j in range(min(whole, (reach - 1) // size) + 1):
        probability[size * j] += ways * factors[j]
        if rest:
            probability[size * j + rest] += ways * factors[j + 1]
        ways = ways * (whole - j) / (j + 1)
    best, below, missing = Decimal(1), Decimal(0), Decimal(0)
    for c in range(1, reach + 1):
        below += probability[c - 1]
        missing += below  # E(c - K')^+ is the sum of P{K' <= m} over m < c
        if c >= k:
            best = min(best, missing / (c - k + 1))
    return best


def _fewer_of_levels(k: int, levels: Sequence[tuple[Fraction, int]], n: int, rho: Fraction) -> Decimal:
    """Chernoff's and Hölder's bound for n people of several levels; if one is left out, whoever it is."""
    people = sum(count for _, count in levels)
    logs = [_log_generating(n, pi, rho, 2 * k + 100) for pi, _ in levels]
    least = Decimal(0)
    for i, theta in enumerate(_LOG_THETAS):
        total = sum((count * log[i] for (_, count), log in zip(levels, logs, strict=True)), Decimal(0))
        if people > n:
            total -= min(log[i] for log in logs)
        least = min(least, total / n - (k - 1) * theta)
    return least.exp()


@lru_cache(maxsize=65536)
def _log_generating(n: int, pi: Fraction, rho: Fraction, reach: int) -> tuple[Decimal, ...]:
    """ln E theta^K for each theta; what follows ``reach`` participants counts as if nobody more came."""
    with localcontext(CONTEXT):
        terms = _probabilities(n, pi, rho, reach)
        return tuple(_generating(terms, theta).ln() for theta in _THETAS)


def _probabilities(n: int, pi: Fraction, rho: Fraction, reach: int) -> tuple[Decimal, ...]:
    """P{K = j} of a beta-binomial for j = 0..min(n, reach)."""
    if pi == 1:
        return tuple(Decimal(int(j == n)) for j in range(min(n, reach) + 1))
    ways, result = Decimal(1), []
    for j, factor in enumerate(moments(n, pi, rho, reach)):
        result.append(ways * factor)
        ways = ways * (n - j) / (j + 1)
    return tuple(result)


def _generating(terms: tuple[Decimal, ...], theta: Decimal) -> Decimal:
    """Upper bound of E theta^K: the terms, and theta^length for all that is left out."""
    total, power = Decimal(0), Decimal(1)
    for term in terms:
        total += term * power
        power *= theta
    return total + power
