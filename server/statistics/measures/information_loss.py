"""What masking costs the analyst, from squared errors to changed correlations. Higher loses more, throughout.

All functions take the original and the masked values as matrices n x d in the same order. Squared errors are
taken in the original's standard deviations (population), so that units do not matter; a constant attribute
has deviation 1. Where attributes share a scale already (indicators of a nominal attribute), ``scaled`` leaves
it as it is.

References
----------
J. Domingo-Ferrer, V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, DMKD
2005 (SSE/SST). J. Domingo-Ferrer, F. Sebe, A. Solanas, A polynomial-time approximation to optimal
multivariate microaggregation, Computers and Mathematics with Applications 2008 (L_E). Microaggregation with
preservation of statistical dependence (D_X, D_Y, D(lambda)). Anonymization of surveys with uncertain
participation, section VI.B (expected distortion).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import IntArray
from server.statistics.measures.measure import Measure
from server.statistics.measures.pieces import aligned_pieces, rows_of, total
from server.statistics.microaggregation.preparation import group_means, standardize


def sse_over_sst(original: ArrayLike, masked: ArrayLike, *, scaled: bool = False) -> Measure:
    """Squared error over total sum of squares. Higher loses more; 1 is as bad as publishing the mean."""
    return Measure(
        name="SSE/SST",
        value=_distortion(original, masked, scaled=scaled),
        direction="higher loses more",
        source="Domingo-Ferrer, Torra 2005",
    )


def euclidean_loss(original: ArrayLike, masked: ArrayLike, *, scaled: bool = False) -> Measure:
    """L_E, in percent: sum of Euclidean errors over that of distances to the mean. Higher loses more."""
    whole, lost = total(
        np.array([np.sqrt((X**2).sum(axis=1)).sum(), np.sqrt(((X - Y) ** 2).sum(axis=1)).sum()])
        for X, Y in aligned_pieces(original, masked, scaled=scaled)
    ).tolist()
    return Measure(
        name="L_E, percent",
        value=100 * _ratio(lost, whole),
        direction="higher loses more",
        source="Domingo-Ferrer, Sebe, Solanas 2008",
    )


def distortion_of_quasi_identifiers(original: ArrayLike, masked: ArrayLike) -> Measure:
    """D_X: distortion of the quasi-identifiers that are published. Higher loses more."""
    return _named("D_X", _distortion(original, masked))


def distortion_of_dependence(confidential: ArrayLike, labels: IntArray) -> Measure:
    """D_Y: how much of the confidential attributes (n x q) their group means miss. Higher loses more.

    It says how badly the published table predicts a confidential attribute from quasi-identifiers; the
    confidential values themselves are published unchanged.
    """
    Y = standardize(confidential)[0]
    return _named("D_Y", _distortion(Y, group_means(Y, labels)[labels]))


def combined_distortion(d_x: Measure, d_y: Measure, weight: float) -> Measure:
    """D(lambda) = (1 - lambda) D_X + lambda D_Y, for 0 <= lambda <= 1. Higher loses more."""
    if not 0 <= weight <= 1:
        raise ValueError("lambda lies between 0 and 1")
    return _named(f"D(lambda = {weight:g})", (1 - weight) * d_x.value + weight * d_y.value)


def expected_distortion_of_published(
    original: ArrayLike, masked: ArrayLike, participation: ArrayLike, *, scaled: bool = False
) -> Measure:
    """Distortion expected among those who take part, of whatever is published. Higher loses more.

    Parameters
    ----------
    original, masked : array, shape (n, d)
        One row a person.
    participation : float or array, shape (n,)
        Probability to take part, in (0, 1].
    scaled : bool
        Compare in the units given.

    Notes
    -----
    D = sum pi_j |x_j - y_j|^2 / (m sum pi_j) with attributes of unit variance: the expected squared error of
    a participant over the mean squared distance of all people to their mean. With the same participation for
    all it is SSE/SST, whatever that participation is.
    """
    n = np.shape(original)[0]
    chance = np.broadcast_to(np.asarray(participation, dtype=np.float64), (n,))
    if not ((chance > 0) & (chance <= 1)).all():
        raise ValueError("participation lies in (0, 1]")
    error, whole = np.empty(n), np.empty(n)
    pairs = aligned_pieces(original, masked, scaled=scaled)
    for rows, (X, Y) in zip(rows_of(n), pairs, strict=True):
        error[rows], whole[rows] = ((X - Y) ** 2).sum(axis=1), (X**2).sum(axis=1)
    return Measure(
        name="expected distortion under participation",
        value=_ratio(float(chance @ error), float(chance.sum() * whole.mean())),
        direction="higher loses more",
        source="Anonymization of surveys with uncertain participation, section VI.B",
    )


def _named(name: str, value: float) -> Measure:
    return Measure(
        name=name,
        value=value,
        direction="higher loses more",
        source="microaggregation with preservation of statistical dependence",
    )


def _distortion(original: ArrayLike, masked: ArrayLike, *, scaled: bool = False) -> float:
    lost, whole = total(
        np.array([((X - Y) ** 2).sum(), (X**2).sum()])
        for X, Y in aligned_pieces(original, masked, scaled=scaled)
    ).tolist()
    return _ratio(lost, whole)


def _ratio(part: float, whole: float) -> float:
    """Share, where nothing of nothing is 0 and something of nothing infinite."""
    if whole > 0:
        return part / whole
    return float("inf") if part > 0 else 0.0
