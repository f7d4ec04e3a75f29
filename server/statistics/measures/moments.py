"""Means, variances, covariances and correlations before and after, and the probabilistic information loss.

References
----------
J. Mateo-Sanz, J. Domingo-Ferrer, F. Sebe, Probabilistic information loss measures in confidentiality
protection of continuous microdata, Data Mining and Knowledge Discovery 11, 2005. M. Kendall, A. Stuart, The
Advanced Theory of Statistics I, 4th edition, 1977, chapter 10 (sampling variances of moments and quantiles).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, ndtri

from server.arrays import FloatArray
from server.statistics.measures.information_loss import aligned
from server.statistics.measures.measure import Measure
from server.statistics.microaggregation.preparation import data_matrix, standardize

QUANTILES: Final = np.arange(0.05, 0.96, 0.05)
Density = Literal["kernel", "normal"]
PARTS: Final = ("quantiles", "means", "variances", "covariances", "correlations")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """First and second moments of a table of d attributes.

    ``means`` and ``variances`` have shape (d,), ``covariances`` and ``correlations`` (d, d). Variances are
    the population's; correlations with a constant attribute are 0, and 1 with itself.
    """

    means: FloatArray
    variances: FloatArray
    covariances: FloatArray
    correlations: FloatArray


def moments(X: ArrayLike) -> Moments:
    """Moments of a table (n x d), finite."""
    values = data_matrix(X)
    means = values.mean(axis=0)
    centred = values - means
    covariances = centred.T @ centred / len(values)
    constant = (values == values[0]).all(axis=0)
    covariances[constant, :] = covariances[:, constant] = 0
    Z = standardize(values)[0]
    correlations = np.clip(Z.T @ Z / len(Z), -1, 1)
    np.fill_diagonal(correlations, 1.0)
    return Moments(
        means=means,
        variances=covariances.diagonal().copy(),
        covariances=covariances,
        correlations=correlations,
    )


def probabilistic_information_loss(
    original: ArrayLike, masked: ArrayLike, *, density: Density = "kernel"
) -> tuple[Measure, ...]:
    """PIL and its five parts, in percent. Higher loses more.

    Parameters
    ----------
    original, masked : array, shape (n, d)
        Finite, n >= 2. Constant attributes are left out; with one attribute there are no covariances and
        correlations, and PIL is the mean of the other parts.
    density : {"kernel", "normal"}
        Density in the standard error of a quantile, which the paper leaves open: estimated with a Gaussian
        kernel and Silverman's bandwidth, or that of a normal distribution at the same quantile.

    Returns
    -------
    tuple of Measure
        PIL, then its parts in the order of `PARTS`.

    Notes
    -----
    The loss of a statistic is ``100 erf(z / sqrt 2)`` with z its change over the standard error that it has
    in the original: the chance that a sample would have changed it less. A part is the mean over attributes
    or pairs, quantiles also over 5 %, 10 %, ..., 95 %. Where the kernel's density vanishes, in a gap, the
    standard error of a quantile has no bound, so its loss is 0. O(n d^2 + 19 n d).
    """
    before, after = aligned(original, masked)
    varying = before.any(axis=0)
    if not varying.any():
        raise ValueError("every attribute of the original is constant")
    before, after = before[:, varying], after[:, varying]
    parts = {
        "quantiles": _mean(_quantiles(before, after, density)),
        "means": _mean(_means(before, after)),
        "variances": _mean(_variances(before, after)),
    }
    if before.shape[1] > 1:
        pairs = list(_pairs(before, after))
        parts["covariances"] = _mean([pair[0] for pair in pairs])
        parts["correlations"] = _mean([pair[1] for pair in pairs])
    named = {"PIL, percent": _mean(list(parts.values()))}
    named |= {f"PIL of {name}, percent": value for name, value in parts.items()}
    return tuple(
        Measure(
            name=name,
            value=value,
            direction="higher loses more",
            source="Mateo-Sanz, Domingo-Ferrer, Sebe 2005",
        )
        for name, value in named.items()
    )


def _loss(change: float, variance: float) -> float:
    """Loss of one statistic in percent, from its change and its sampling variance."""
    if abs(change) < 1e-12:
        return 0.0
    return float(100 * erf(abs(change) / np.sqrt(2 * variance))) if variance > 0 else 100.0


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _means(before: FloatArray, after: FloatArray) -> list[float]:
    n = len(before)
    return [
        _loss(float(a.mean() - b.mean()), float(b.var()) / n) for b, a in zip(before.T, after.T, strict=True)
    ]


def _variances(before: FloatArray, after: FloatArray) -> list[float]:
    n = len(before)
    losses = []
    for b, a in zip(before.T, after.T, strict=True):
        second, fourth = float(b.var()), float(((b - b.mean()) ** 4).mean())
        losses.append(_loss(float(a.var()) - second, (fourth - second**2) / n))
    return losses


def _quantiles(before: FloatArray, after: FloatArray, density: Density) -> list[float]:
    n = len(before)
    losses = []
    for b, a in zip(before.T, after.T, strict=True):
        places, moved = np.quantile(b, QUANTILES), np.quantile(a, QUANTILES)
        heights = _normal(b) if density == "normal" else _kernel(b, places)
        for q, place, there, height in zip(QUANTILES, places, moved, heights, strict=True):
            spread = n * float(height) ** 2
            losses.append(_loss(float(there - place), float(q * (1 - q)) / spread if spread > 0 else np.inf))
    return losses


def _normal(values: FloatArray) -> FloatArray:
    """Density at `QUANTILES` of the normal distribution with the same deviation."""
    return np.asarray(np.exp(-(ndtri(QUANTILES) ** 2) / 2) / (np.sqrt(2 * np.pi) * values.std()))


def _kernel(values: FloatArray, places: FloatArray) -> FloatArray:
    """Density at some places, by a Gaussian kernel with Silverman's bandwidth."""
    quartiles = float(np.subtract(*np.quantile(values, (0.75, 0.25)))) / 1.34
    width = (
        0.9 * min(spread for spread in (float(values.std()), quartiles) if spread > 0) * len(values) ** -0.2
    )
    kernels = [np.exp(-(((values - place) / width) ** 2) / 2).mean() for place in places]
    return np.asarray(np.array(kernels) / (width * np.sqrt(2 * np.pi)), dtype=np.float64)


def _pairs(before: FloatArray, after: FloatArray) -> Iterator[tuple[float, float]]:
    """Losses of covariance and of correlation for each pair of attributes."""
    n, d = before.shape
    b, a = before - before.mean(axis=0), after - after.mean(axis=0)
    squares = b**2
    old, new = b.T @ b / n, a.T @ a / n
    m22, m31 = squares.T @ squares / n, (squares * b).T @ b / n
    m40 = (squares**2).mean(axis=0)
    for i in range(d):
        for j in range(i + 1, d):
            m11, m20, m02 = old[i, j], old[i, i], old[j, j]
            covariance = _loss(float(new[i, j] - m11), float(m22[i, j] - m11**2) / n)
            r = m11 / np.sqrt(m20 * m02)
            flat = new[i, i] <= 0 or new[j, j] <= 0
            changed = 0.0 if flat else new[i, j] / np.sqrt(new[i, i] * new[j, j])
            # n Var(r), written without division by m11, so that it holds at r = 0.
            scale = np.sqrt(m20 * m02)
            variance = (
                m22[i, j] / scale**2
                + r**2 / 4 * (m40[i] / m20**2 + m40[j] / m02**2 + 2 * m22[i, j] / (m20 * m02))
                - r * (m31[i, j] / (m20 * scale) + m31[j, i] / (m02 * scale))
            )
            yield covariance, _loss(float(changed - r), float(variance) / n)
