"""Shares and means of the people of the released groups, with 95 % intervals, from stratified answers.

Groups are strata; who did not answer a question is outside of the domain that is estimated, and still a row
of her stratum, so that a stratum with one answer to a question needs no special case.

References
----------
C. E. Sarndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, Springer 1992, sections 5.6 and 5.8
(ratio of totals by linearization, domains; stratified, with finite population correction). E. L. Korn,
B. I. Graubard, Analysis of Health Surveys, Wiley 1999, section 3.2 (degrees of freedom: rows less strata).
R's ``survey`` does the same in ``svymean`` and, for shares, ``svyciprop(method = "logit")``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scipy.special import stdtrit

OUTSIDE: Final = 0.025
"""On either side of the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumSums:
    """Answers of one stratum to one question, as sums.

    Attributes
    ----------
    people : int or None
        Of the stratum; None if not known, then each answer counts once.
    rows : int
        Released answers of the stratum, >= 1, with or without a value for the question.
    given : int
        Those with a value.
    total, squares : float
        Sum of the values and of their squares; for a share the number of those it counts, twice.
    """

    people: int | None
    rows: int
    given: int
    total: float
    squares: float

    def __post_init__(self) -> None:
        if self.rows < 1 or not 0 <= self.given <= self.rows:
            raise ValueError("a stratum has rows, and no more values than rows")

    @property
    def weight(self) -> float:
        """People for each row."""
        return 1.0 if self.people is None else self.people / self.rows

    @property
    def unseen(self) -> float:
        """Share of the people that the rows do not have; 1 if not known, 0 if there are more rows."""
        return 1.0 if self.people is None else max(0.0, 1 - self.rows / self.people)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate and its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        Weighted, and the interval.
    unweighted : float
        Each answer counted once.
    given : int
        People who answered the question.
    """

    value: float
    low: float
    high: float
    unweighted: float
    given: int


def estimate_mean(strata: Sequence[StratumSums], lowest: float, highest: float) -> Estimate:
    """Mean over the people of the strata who would answer the question.

    Parameters
    ----------
    strata : sequence of StratumSums
        At least one value in all.
    lowest, highest : float
        Bounds of the values; the interval ends there.

    Notes
    -----
    With weights w_h = N_h / n_h, R the weighted mean and z_i = w_h (y_i - R) / sum of the weights of those
    who answered (0 for the others), the variance is the sum over strata of (1 - n_h/N_h) n_h s_h^2, s_h^2 the
    variance of z in the stratum; a stratum of one row is compared with the mean of all (R: ``adjust``). The
    interval is that of Student's t with rows less strata degrees of freedom.
    """
    value, error, freedom = _mean_and_error(strata)
    half = error * _quantile(freedom)
    given = sum(s.given for s in strata)
    return Estimate(
        value=value,
        low=max(lowest, value - half),
        high=min(highest, value + half),
        unweighted=sum(s.total for s in strata) / given,
        given=given,
    )


def estimate_share(strata: Sequence[StratumSums]) -> Estimate:
    """Share of the people of the strata, of those who would answer the question.

    Notes
    -----
    As :func:`estimate_mean`, on the logit scale. If nobody or everybody was counted, and not everybody was
    asked, the end of the interval is that of so many equal draws as the weights are worth (Kish).
    """
    value, error, freedom = _mean_and_error(strata)
    low = high = value
    if 0 < value < 1:
        half = error / (value * (1 - value)) * _quantile(freedom)
        middle = math.log(value / (1 - value))
        low, high = _expit(middle - half), _expit(middle + half)
    elif any(s.unseen and s.given for s in strata):
        draws = sum(s.weight * s.given for s in strata) ** 2 / sum(s.weight**2 * s.given for s in strata)
        end = 1 - OUTSIDE ** (1 / draws)
        low, high = (0.0, end) if value <= 0 else (1 - end, 1.0)
    given = sum(s.given for s in strata)
    return Estimate(
        value=value, low=low, high=high, unweighted=sum(s.total for s in strata) / given, given=given
    )


def _mean_and_error(strata: Sequence[StratumSums]) -> tuple[float, float, int]:
    weights = math.fsum(s.weight * s.given for s in strata)
    if not weights:
        raise ValueError("nobody answered")
    mean = math.fsum(s.weight * s.total for s in strata) / weights
    mean = min(max(mean, 0.0), 1.0) if all(s.total == s.squares <= s.given for s in strata) else mean
    variance = math.fsum(s.unseen * s.rows * _spread(s, mean, weights) for s in strata)
    return mean, math.sqrt(variance), max(1, sum(s.rows for s in strata) - len(strata))


def _spread(stratum: StratumSums, mean: float, weights: float) -> float:
    """Variance of the linearized values within a stratum."""
    scale = (stratum.weight / weights) ** 2
    residuals = stratum.total - mean * stratum.given
    squares = stratum.squares - 2 * mean * stratum.total + mean**2 * stratum.given
    if stratum.rows == 1:
        return scale * max(0.0, squares)
    return scale * max(0.0, squares - residuals**2 / stratum.rows) / (stratum.rows - 1)


def _quantile(freedom: int) -> float:
    return float(stdtrit(freedom, 1 - OUTSIDE))


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
