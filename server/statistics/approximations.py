r"""Approximations of n_min from section VI.C of the paper, each with its error against the exact value.

n_min is the smallest n >= k at which a cell of n equally likely participants fails with probability at
most pbar. The exact value is :func:`shared.effective_anonymity.n_min`; these functions say how it scales,
and give a first guess. They return real numbers, not rounded up. All take

k : int
    Smallest number of answers that protects, >= 2.
participation : float
    pi in (0, 1).
failure : float
    Acceptable cell failure pbar in (0, 1).

Errors are (approximation - exact) / exact, before rounding up, over the 256 combinations of the reference
grid: k from 2 to 500, pi from 0.1 to 0.99, pbar from 1e-1 to 1e-200 (36 of them with k = 2). A test keeps
the stated ranges true.

References
----------
Rebollo-Monedero, Forne, Soriano et al., "p-Probabilistic k-anonymous microaggregation for the
anonymization of surveys with uncertain participation", section VI.C. Cover and Thomas, "Elements of
Information Theory", theorem 11.1.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq
from scipy.special import lambertw


def n_min_pair_first(participation: float, failure: float) -> float:
    r"""k = 2, n0 = ln a / ln(1-pi), with a = (1-pi) pbar / pi: the leading term, a little too small.

    Error -71 % to +19 %, median -16 %. Drops the factor n of the exact qbar = n pi (1-pi)^(n-1).
    """
    return _leading(participation, failure)[1]


def n_min_pair_second(participation: float, failure: float) -> float:
    r"""k = 2, n1 = (1 - ln n0 / (1 + ln a)) n0: one Newton step from n0, an upper bound when rounded up.

    On the paper's grid (pi = 0.5, pbar from 1e-7 to 1e-3) exact 3,782 times of 4,001.
    """
    log_a, first = _leading(participation, failure)
    return (1 - math.log(first) / (1 + log_a)) * first


def n_min_pair_third(participation: float, failure: float) -> float:
    r"""k = 2, n2 = (2 + ln a + sqrt((1 + ln a)^2 + 2 ln n0)) n0: to second order; no bound, oftener exact.

    On the paper's grid rounded up exact 3,960 times of 4,001.
    """
    log_a, first = _leading(participation, failure)
    return (2 + log_a + math.sqrt((1 + log_a) ** 2 + 2 * math.log(first))) * first


def _leading(participation: float, failure: float) -> tuple[float, float]:
    """Ln a and n0."""
    _check(2, participation, failure)
    log_a = math.log1p(-participation) + math.log(failure) - math.log(participation)
    if log_a >= -1:
        raise ValueError("these forms are for small failures: (1 - pi) pbar / pi below 1/e")
    return log_a, log_a / math.log1p(-participation)


def n_min_pair_lambert(participation: float, failure: float) -> float:
    r"""k = 2, exact when rounded up (ours): n pi (1-pi)^(n-1) = pbar by Lambert's W_{-1}.

    With a = ln(1 - pi): n = W_{-1}(a (1-pi) pbar / pi) / a. Where qbar never exceeds pbar there is no
    root, and 2 is the answer. Rounded up it is the exact n_min_safe for every row of the grid.
    """
    _check(2, participation, failure)
    a = math.log1p(-participation)
    argument = a * (1 - participation) * failure / participation
    if argument < -math.exp(-1):
        return 2.0
    return float(max(2.0, lambertw(argument, -1).real / a))


def n_min_divergence(k: int, participation: float, failure: float) -> float:
    r"""n1, Chernoff's bound: n D((k-1)/n || pi) = ln(1/pbar), by root finding.

    D is the binary Kullback-Leibler divergence in nats. P{K <= k-1} <= exp(-n D((k-1)/n || pi)) holds for
    (k-1)/n <= pi, so the result rounded up is never below the exact n_min. Error -12 % (before rounding
    up) to +34 %, median +2.4 %; the extremes are at small n and at pbar = 0.1.
    """
    _check(k, participation, failure)
    return _root(lambda n: n * _divergence((k - 1) / n, participation), k, participation, failure)


def n_min_quadratic(k: int, participation: float, failure: float) -> float:
    r"""n1', the Gaussian form (k - 1 - n pi)^2 = 2 n pi (1-pi) ln(1/pbar), solved for n.

    The divergence to second order about pi. With b = k - 1 + (1-pi) ln(1/pbar):
    n = (b + sqrt(b^2 - (k-1)^2)) / pi.

    No bound: far in the tail it may err to either side, error -84 % to +83 %, median +3.3 %; +1.5 % to
    +35 % at pi = 0.5.
    """
    _check(k, participation, failure)
    b = k - 1 + (1 - participation) * math.log(1 / failure)
    return (b + math.sqrt(b * b - (k - 1) ** 2)) / participation


def n_min_simplified(k: int, participation: float, failure: float) -> float:
    r"""n1'' = (k - 1 + sqrt(2 (1-pi) ln(1/pbar)) sqrt(k - 1) + (1-pi) ln(1/pbar)) / pi.

    The quadratic form with 2 (k-1) alone below the root: smaller, and simpler.
    """
    _check(k, participation, failure)
    b = (1 - participation) * math.log(1 / failure)
    return (k - 1 + math.sqrt(2 * b * (k - 1)) + b) / participation


def n_min_second_order(k: int, participation: float, failure: float) -> float:
    r"""n2, from the divergence to second order in (k - 1) / n, for failures far below 1.

    n2 = (2 (k-1) l + pi q - sqrt(pi q (pi q + 4 (k-1) l))) / (2 pi l), l = ln(1-pi), q = ln pbar.
    """
    _check(k, participation, failure)
    rest, q = math.log1p(-participation), participation * math.log(failure)
    root = math.sqrt(q * (q + 4 * (k - 1) * rest))
    return (2 * (k - 1) * rest + q - root) / (2 * participation * rest)


def _divergence(a: float, b: float) -> float:
    """Binary Kullback-Leibler divergence D(a || b) in nats."""
    left = a * math.log(a / b) if a > 0 else 0.0
    right = (1 - a) * math.log((1 - a) / (1 - b)) if a < 1 else 0.0
    return left + right


def _root(exponent: Callable[[float], float], k: int, participation: float, failure: float) -> float:
    """Solve exponent(n) = ln(1/failure) for n above (k-1)/pi, where the exponent is 0 and begins to grow."""
    wanted = math.log(1 / failure)
    low = (k - 1) / participation
    high = 2 * low
    while exponent(high) < wanted:
        high *= 2
    return float(brentq(lambda n: exponent(n) - wanted, low, high, xtol=1e-12, rtol=1e-14))


def _check(k: int, participation: float, failure: float) -> None:
    if k < 2 or not 0 < participation < 1 or not 0 < failure < 1:
        raise ValueError("needs k >= 2, participation and failure in (0, 1)")
