"""Chance that a record of a sample is somebody in the population, estimated from sampling weights.

References
----------
R. Benedetti, L. Franconi, Statistical and technological solutions for controlled data dissemination,
pre-proceedings of New Techniques and Technologies for Statistics, 1998: what sdcMicro calls individual risk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import hyp2f1

from server.arrays import FloatArray, IntArray
from server.statistics.measures.measure import Measure

_SOURCE: Final = "Benedetti and Franconi 1998"
_LARGE, _TERMS = 30, 64
"""Classes from which on so many terms of the series are exact to 1e-16; scipy has inf or nan from 100 on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRisk:
    """One class of records that look alike.

    Attributes
    ----------
    size : int
        Records of the sample, or persons where one has several records.
    people : float
        Sum of their weights: people of the population that they stand for.
    risk : float
        Chance that a record of the class is whom an intruder takes it for, who knows the published values of
        a person of the population.
    """

    size: int
    people: float
    risk: float


def counted_persons(
    labels: IntArray, weights: FloatArray | None, persons: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Persons of each class, and people of the population that they stand for.

    A person with several records in a class is there once, with their mean weight.
    """
    given = np.ones(len(labels)) if weights is None else weights
    if persons is not None:
        pairs = np.column_stack([labels, persons])
        distinct, inverse = np.unique(pairs, axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
        given = np.bincount(inverse, given) / np.bincount(inverse)
        labels = distinct[:, 0]
    sizes = np.bincount(labels).astype(np.float64)
    return sizes, np.bincount(labels, given).astype(np.float64)


def class_risks(sizes: FloatArray, people: FloatArray) -> FloatArray:
    """Individual risk of classes of ``sizes`` that stand for ``people``; see `group_risks`."""
    share = sizes / np.maximum(people, sizes)
    large = sizes >= _LARGE
    values = np.ones(len(sizes))
    values[~large] = hyp2f1(1, 1, sizes[~large] + 1, 1 - share[~large])
    term = np.ones(int(large.sum()))
    for n in range(_TERMS):
        term = term * (n + 1) / (sizes[large] + 1 + n) * (1 - share[large])
        values[large] += term
    return np.asarray(share / sizes * values, dtype=np.float64)


def group_risks(
    labels: IntArray, weights: FloatArray, persons: IntArray | None = None
) -> tuple[GroupRisk, ...]:
    """Individual risk of each class, highest first.

    Parameters
    ----------
    labels : int array, shape (n,)
        Class of each record, 0..m-1.
    weights : float array, shape (n,)
        Above 0.
    persons : int array, shape (n,), optional
        Whose the record is, where one has several.

    Notes
    -----
    With f records of weight F in all, p = f / F, and the population count of the class negative binomial
    given f, the risk is E[1 / count] = p^f / f * 2F1(f, f; f+1; 1-p) = p / f * 2F1(1, 1; f+1; 1-p), the
    second form by Euler's transformation: it neither under- nor overflows. A class that stands for fewer
    people than it has records is all there are: 1 / f.
    """
    sizes, people = counted_persons(labels, weights, persons)
    people = np.maximum(people, sizes)
    risks = class_risks(sizes, people)
    order = np.lexsort((sizes, -risks))
    return tuple(
        GroupRisk(size=int(sizes[g]), people=float(people[g]), risk=float(risks[g])) for g in order.tolist()
    )


def population_risk(groups: Sequence[GroupRisk]) -> tuple[Measure, ...]:
    """Individual risk of the worst class, its mean over records, and re-identifications to expect.

    Higher is unsafe, throughout. They hold for an intruder who knows somebody of the population, not that she
    is in the sample; who knows that faces 1 over the class.
    """
    expected = sum(group.size * group.risk for group in groups)
    figures = {
        "individual risk, worst class": max(group.risk for group in groups),
        "individual risk, mean of records": expected / sum(group.size for group in groups),
        "expected re-identifications": expected,
    }
    return tuple(
        Measure(name=name, value=value, direction="higher is unsafe", source=_SOURCE)
        for name, value in figures.items()
    )
