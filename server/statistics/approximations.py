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


def n_min_pair_logarithmic(participation: float, failure: float) -> float:
    r"""k = 2, pbar -> 0: n ~ ln(1/pbar) / ln(1/(1-pi)).

    Drops the factor n pi / (1 - pi) of the exact qbar = n pi (1-pi)^(n-1), so it is too small: error
    -75 % to -5 %, median -19 %.
    """
    _check(2, participation, failure)
    return math.log(failure) / math.log1p(-participation)


def n_min_pair_lambert(participation: float, failure: float) -> float:
    r"""k = 2, exact up to rounding up: the larger root of n pi (1-pi)^(n-1) = pbar by Lambert's W_{-1}.

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
    r"""Chernoff's bound: n D((k-1)/n || pi) = ln(1/pbar), by root finding.

    D is the binary Kullback-Leibler divergence in nats. P{K <= k-1} <= exp(-n D((k-1)/n || pi)) holds for
    (k-1)/n <= pi, so the result rounded up is never below the exact n_min. Error -12 % (before rounding
    up) to +34 %, median +2.4 %; the extremes are at small n and at pbar = 0.1.
    """
    _check(k, participation, failure)
    return _root(lambda n: n * _divergence((k - 1) / n, participation), k, participation, failure)


def n_min_quadratic(k: int, participation: float, failure: float) -> float:
    r"""Gaussian form (k - 1 - n pi)^2 = 2 n pi (1-pi) ln(1/pbar), solved for n.

    The divergence to second order about pi. With b = k - 1 + (1-pi) ln(1/pbar):
    n = (b + sqrt(b^2 - (k-1)^2)) / pi.

    No bound: far in the tail it may err to either side, error -84 % to +83 %, median +3.3 %; +1.5 % to
    +35 % at pi = 0.5.
    """
    _check(k, participation, failure)
    b = k - 1 + (1 - participation) * math.log(1 / failure)
    return (b + math.sqrt(b * b - (k - 1) ** 2)) / participation


def n_min_pinsker(k: int, participation: float, failure: float) -> float:
    r"""Pinsker's (here Hoeffding's) bound (k - 1 - n pi)^2 = n ln(1/pbar) / 2, solved for n.

    D >= 2 (pi - (k-1)/n)^2, so it bounds the divergence form, and n_min, from above; the two agree best
    at pi = 1/2. With b = 2 pi (k-1) + ln(1/pbar) / 2: n = (b + sqrt(b^2 - 4 pi^2 (k-1)^2)) / (2 pi^2).
    Error +1.5 % to +403 % (pi = 0.1), median +26 %; the quadratic form itself at pi = 0.5.
    """
    _check(k, participation, failure)
    b = 2 * participation * (k - 1) + math.log(1 / failure) / 2
    return (b + math.sqrt(b * b - (2 * participation * (k - 1)) ** 2)) / (2 * participation**2)


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
