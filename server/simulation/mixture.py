"""Failure of a cell of several levels that one draw moves alike, by numerical integration.

The design works with an exact upper bound (:mod:`shared.dependence`); a simulation is compared with the value
itself. Binary floats suffice for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

_NODES: Final = 400
_POWER: Final = 6
"""The substitution u = t^6 puts the nodes where cells are nearly empty."""


def chances_at(
    quantiles: NDArray[np.float64], participation: Fraction, correlation: Fraction
) -> NDArray[np.float64]:
    """Chance of taking part at quantiles of its beta distribution; the participation itself without one."""
    if not correlation or not 0 < participation < 1:
        return np.full_like(quantiles, float(participation))
    # Three quarters of a second to load, and most simulations are of people who decide alone.
    from scipy.stats import beta

    both = (1 - correlation) / correlation
    return np.asarray(beta.ppf(quantiles, float(participation * both), float((1 - participation) * both)))


def common_quantiles() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles between 0 and 1, and the weights with which a mean over them is an integral."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    t = (nodes + 1) / 2
    return t**_POWER, weights / 2 * _POWER * t ** (_POWER - 1)


def mixed_failure(
    counts: Sequence[int], participations: Sequence[Fraction], k: int, correlation: Fraction
) -> Decimal:
    """qbar = P{0 < K < k} of a cell with ``counts[l]`` people of mean participation ``participations[l]``.

    Notes
    -----
    Gauss-Legendre over the common quantile: O(400 L k^2). Relative error below 1e-6 for failures above 1e-12.
    """
    from scipy.stats import binom

    u, weights = common_quantiles()
    total = np.zeros((k, _NODES))
    total[0] = 1
    for n, participation in zip(counts, participations, strict=True):
        one = binom.pmf(np.arange(k)[:, None], n, chances_at(u, participation, correlation))
        total = np.array([(total[: j + 1] * one[j::-1]).sum(axis=0) for j in range(k)])
    return Decimal(float((total[1:].sum(axis=0) * weights).sum()))
