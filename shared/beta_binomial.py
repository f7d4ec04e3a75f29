r"""The beta-binomial distribution: people of a cell whose decisions hang together a little.

The chance p of taking part is drawn once for the cell, from a beta distribution of mean pi whose variance is
rho pi (1 - pi); given p, everybody decides alone. Any two people then have the correlation rho. With
a = pi (1 - rho) / rho, b = (1 - pi) (1 - rho) / rho and s = a + b, all probabilities come from the moments

    E[p^i (1 - p)^(n-i)] = a (a+1)...(a+i-1) b (b+1)...(b+n-i-1) / (s (s+1)...(s+n-1)),

which are products of positive ratios: nothing cancels.

References
----------
J. G. Skellam, "A probability distribution derived from the binomial distribution by regarding the probability
of success as variable between the sets of trials", J. R. Statist. Soc. B 10 (1948) 257-261.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

CONTEXT: Final = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LOGARITHMS: Final = Context(prec=70, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FACTORS: Final = 256
"""So many factors are multiplied one by one; the others come from Stirling's series, in constant time."""
_STIRLING: Final = (
    Fraction(1, 12),
    Fraction(-1, 360),
    Fraction(1, 1260),
    Fraction(-1, 1680),
    Fraction(1, 1188),
    Fraction(-691, 360360),
    Fraction(1, 156),
    Fraction(-3617, 122400),
    Fraction(43867, 244188),
    Fraction(-174611, 125400),
    Fraction(77683, 5796),
    Fraction(-236364091, 1506960),
)
"""B_2i / (2i (2i - 1)). From 256 on, what is left out is below 2e-57: less than the term that follows."""


def decimal(value: Fraction) -> Decimal:
    """A fraction in the precision of the context."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def shape(pi: Fraction, correlation: Fraction) -> tuple[Fraction, Fraction]:
    """a and b of the beta distribution with mean pi, for a correlation above 0."""
    both = (1 - correlation) / correlation
    return pi * both, (1 - pi) * both


@lru_cache(maxsize=4096)
def moments(n: int, pi: Fraction, correlation: Fraction, limit: int) -> tuple[Decimal, ...]:
    """E[p^i (1 - p)^(n-i)] for i = 0..min(n, limit); for a correlation of 0, p is pi.

    Parameters
    ----------
    n : int
        At least 0.
    pi : Fraction
        Mean participation, in (0, 1).
    correlation : Fraction
        In [0, 1).

    Notes
    -----
    O(limit), and at most 256 factors for i = 0. The relative error is below 1e-45.
    """
    with localcontext(CONTEXT):
        if not correlation:
            odds, value = decimal(pi / (1 - pi)), decimal(1 - pi) ** n
            return tuple(value * odds**i for i in range(min(n, limit) + 1))
        a, b = map(decimal, shape(pi, correlation))
        value = _rising_ratio(n, b, a + b)
        result = [value]
        for i in range(1, min(n, limit) + 1):
            value = value * (a + (i - 1)) / (b + (n - i))
            result.append(value)
        return tuple(result)


def past_maximum(n: int, pi: Fraction, correlation: Fraction, k: int) -> bool:
    """Whether the failure of a cell of n people is at most that of n - 1, for n above k and pi below 1.

    Notes
    -----
    qbar(n) - qbar(n-1) = (P_n(1) - k P_n(k)) / n whatever the distribution of p; here its sign is that of
    1 - R(n), R(n) = prod_{i=1}^{k-1} (n-i) (a+i) / (i (b+n-1-i)). For b >= 1 no factor falls with n, so
    qbar rises and then falls; for b < 1, R falls towards prod (a+i)/i > 1, so qbar falls from the start. R
    rises with pi. (docs/decisions/0079 has the proof, and why the worst of a range behaves alike.)
    """
    a, b = shape(pi, correlation)
    with localcontext(CONTEXT):
        top, bottom = Decimal(1), Decimal(1)
        for i in range(1, k):
            top *= (n - i) * decimal(a + i)
            bottom *= i * decimal(b + n - 1 - i)
        return top >= bottom


def _rising_ratio(n: int, b: Decimal, s: Decimal) -> Decimal:
    """Product of (b + i) / (s + i) over i = 0..n-1: that nobody of n takes part."""
    top, bottom, factors = Decimal(1), Decimal(1), min(n, _FACTORS)
    for i in range(factors):
        top *= b + i
        bottom *= s + i
    if n == factors:
        return top / bottom
    with localcontext(_LOGARITHMS):
        rest = _log_gamma(b + n) - _log_gamma(b + factors) - (_log_gamma(s + n) - _log_gamma(s + factors))
        rest = rest.exp()
    return top / bottom * rest


def _log_gamma(z: Decimal) -> Decimal:
    """ln of the gamma function at z >= 256, without its constant, which cancels in differences."""
    value, power, square = (z - Decimal("0.5")) * z.ln() - z, z, z * z
    for coefficient in _STIRLING:
        value += Decimal(coefficient.numerator) / (coefficient.denominator * power)
        power *= square
    return value
