"""Association of two categorical variables: Cramér's V with its interval.

References
----------
Cramér: Mathematical Methods of Statistics (1946), section 21.9. Interval by the noncentral chi-squared
distribution: Smithson: Confidence Intervals (2003), chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

COVERED: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """Cramér's V in [0, 1], and the ends of its 95 % interval."""

    v: float
    low: float
    high: float


def cramers_v(table: Sequence[Sequence[int]]) -> Association | None:
    """Cramér's V of a contingency table; None if fewer than two rows or columns have anything.

    Parameters
    ----------
    table : sequence of sequences of int, shape (r, c)
        Counts, not negative. Empty rows and columns are left out.

    Notes
    -----
    V = sqrt(chi2 / (n min(r-1, c-1))). The ends are sqrt(lambda / (n min(r-1, c-1))) for the noncentralities
    lambda under which chi2 is the 97.5th and the 2.5th percentile, 0 where there is none. It takes answers to
    be independent.
    """
    counts = np.asarray(table, dtype=float)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if counts.ndim != 2 or min(counts.shape) < 2:
        return None
    n = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    statistic = float(((counts - expected) ** 2 / expected).sum())
    rows, columns = counts.shape
    freedom, scale = (rows - 1) * (columns - 1), float(n * (min(rows, columns) - 1))

    def noncentrality(percentile: float) -> float:
        if chi2.cdf(statistic, freedom) <= percentile:
            return 0.0
        most = statistic + 10.0 * (sqrt(statistic) + 10.0)
        return float(brentq(lambda x: ncx2.cdf(statistic, freedom, x) - percentile, 1e-9, most))

    tail = (1 - COVERED) / 2
    low, high = (min(1.0, sqrt(noncentrality(p) / scale)) for p in (1 - tail, tail))
    return Association(v=min(1.0, sqrt(statistic / scale)), low=low, high=high)
