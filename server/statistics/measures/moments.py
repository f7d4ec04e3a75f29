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
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, ndtri

from server.arrays import FloatArray, IntArray
from server.statistics.measures.coded_matrix import CodedMatrix, matrix_of
from server.statistics.measures.measure import Measure
from server.statistics.measures.pieces import Scale, aligned_pieces, pieces_of, total

QUANTILES: Final = np.arange(0.05, 0.96, 0.05)
Density = Literal["kernel", "normal"]


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
    n = np.shape(X)[0]
    means = total(part.sum(axis=0) for part in pieces_of(X)) / n
    scale = Scale.of(X)
    covariances = total(centred.T @ centred for centred in (part - means for part in pieces_of(X))) / n
    covariances[scale.constant, :] = covariances[:, scale.constant] = 0
    correlations = np.clip(total(Z.T @ Z for Z in map(scale.own, pieces_of(X))) / n, -1, 1)
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
        PIL, then its parts of quantiles, means, variances, covariances and correlations.

    Notes
    -----
    The loss of a statistic is ``100 erf(z / sqrt 2)`` with z its change over the standard error that it has
    in the original: the chance that a sample would have changed it less. A part is the mean over attributes
    or pairs, quantiles also over 5 %, 10 %, ..., 95 %. Where the kernel's density vanishes, in a gap, the
    standard error of a quantile has no bound, so its loss is 0. O(n d^2 + 19 n d).
    """
    X, Y = matrix_of(original), matrix_of(masked)
    scale = Scale.of(X)
    varying = np.flatnonzero(~scale.constant)
    if not len(varying):
        raise ValueError("every attribute of the original is constant")

    found = []
    for column in varying.tolist():
        one = slice(column, column + 1)
        of_one = aligned_pieces(X[:, one], Y[:, one], scale=scale.of_column(column))
        b, a = (np.concatenate(parts)[:, 0] for parts in zip(*of_one, strict=True))
        found.append((_quantiles(b, a, density), _mean_loss(b, a), _variance_loss(b, a)))
    parts = {
        "quantiles": _mean([value for values, _, _ in found for value in values]),
        "means": _mean([value for _, value, _ in found]),
        "variances": _mean([value for _, _, value in found]),
    }
    if len(varying) > 1:
        pairs = list(_pairs(X, Y, scale, varying))
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


def _mean_loss(before: FloatArray, after: FloatArray) -> float:
    return _loss(float(after.mean() - before.mean()), float(before.var()) / len(before))


def _variance_loss(before: FloatArray, after: FloatArray) -> float:
    second, fourth = float(before.var()), float(((before - before.mean()) ** 4).mean())
    return _loss(float(after.var()) - second, (fourth - second**2) / len(before))


def _quantiles(before: FloatArray, after: FloatArray, density: Density) -> list[float]:
    n = len(before)
    losses = []
    places, moved = np.quantile(before, QUANTILES), np.quantile(after, QUANTILES)
    heights = _normal(before) if density == "normal" else _kernel(before, places)
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


def _pairs(
    X: CodedMatrix | NDArray[Any], Y: CodedMatrix | NDArray[Any], scale: Scale, varying: IntArray
) -> Iterator[tuple[float, float]]:
    """Losses of covariance and of correlation for each pair of attributes that vary."""
    n, d = len(X), len(varying)

    def both() -> Iterator[tuple[FloatArray, FloatArray]]:
        return ((b[:, varying], a[:, varying]) for b, a in aligned_pieces(X, Y, scale=scale))

    means = total(np.array([b.sum(axis=0), a.sum(axis=0)]) for b, a in both()) / n
    old, new, m22, m31, m40 = (np.zeros((d, d)) for _ in range(5))
    for b, a in both():
        b, a = b - means[0], a - means[1]
        squares = b**2
        old += b.T @ b
        new += a.T @ a
        m22 += squares.T @ squares
        m31 += (squares * b).T @ b
        m40 += (squares**2).sum(axis=0)
    old, new, m22, m31, m40 = (sums / n for sums in (old, new, m22, m31, m40[0]))
    for i in range(d):
        for j in range(i + 1, d):
            m11, m20, m02 = old[i, j], old[i, i], old[j, j]
            covariance = _loss(float(new[i, j] - m11), float(m22[i, j] - m11**2) / n)
            r = m11 / np.sqrt(m20 * m02)
            flat = new[i, i] <= 0 or new[j, j] <= 0
            changed = 0.0 if flat else new[i, j] / np.sqrt(new[i, i] * new[j, j])
            # n Var(r), written without division by m11, so that it holds at r = 0.
            root = np.sqrt(m20 * m02)
            variance = (
                m22[i, j] / root**2
                + r**2 / 4 * (m40[i] / m20**2 + m40[j] / m02**2 + 2 * m22[i, j] / (m20 * m02))
                - r * (m31[i, j] / (m20 * root) + m31[j, i] / (m02 * root))
            )
            yield covariance, _loss(float(changed - r), float(variance) / n)
