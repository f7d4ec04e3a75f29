"""Risk of every record, and of every household: the list that belongs to the raw records.

References
----------
R. Benedetti, L. Franconi, Statistical and technological solutions for controlled data dissemination,
pre-proceedings of New Techniques and Technologies for Statistics, 1998. M. Templ, A. Kowarik, B. Meindl,
Statistical disclosure control for micro-data using the R package sdcMicro, Journal of Statistical Software
67, 2015, section 3: individual risk, and household risk 1 - prod(1 - r_i).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.measures.measure import Measure
from server.statistics.measures.population_risk import class_risks, counted_persons


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordRisks:
    """Risks of the records of one file, in their order.

    Attributes
    ----------
    alike : float array, shape (n,)
        Persons, or people, of the record's class.
    individual : float array, shape (n,)
        Chance that the record is whom an intruder takes it for, who knows the values of its class: 1 over the
        class, or with sampling weights over the population of the class.
    household : float array, shape (n,), or None
        Chance that any person of the record's household is, if they are independently.
    """

    alike: FloatArray
    individual: FloatArray
    household: FloatArray | None

    def measures(self, households: IntArray | None) -> tuple[Measure, ...]:
        """Highest household risk and its mean over households; empty without them. Higher is unsafe."""
        if self.household is None or households is None:
            return ()
        each = self.household[np.unique(households, return_index=True)[1]]
        figures = {"highest": float(each.max()), "mean of households": float(each.mean())}
        return tuple(
            Measure(
                name=f"household risk, {name}",
                value=value,
                direction="higher is unsafe",
                source="Templ, Kowarik, Meindl 2015",
            )
            for name, value in figures.items()
        )


def record_risks(
    labels: IntArray,
    *,
    people: IntArray | None = None,
    weights: FloatArray | None = None,
    persons: IntArray | None = None,
    households: IntArray | None = None,
) -> RecordRisks:
    """Risk of each record.

    Parameters
    ----------
    labels : int array, shape (n,)
        Class of each record, 0..m-1.
    people : int array, shape (n,), optional
        How many people a record stands for.
    weights : float array, shape (n,), optional
        Sampling weights, above 0.
    persons, households : int array, shape (n,), optional
        Whose the record is, from 0. Without ``persons`` every record is a person of its own.

    Notes
    -----
    Records of one person count once in her class, and she once in her household: of her risks the highest.
    O(n log n).
    """
    sizes, total = counted_persons(labels, weights, persons)
    if people is not None:
        sizes = np.bincount(labels, people).astype(np.float64)
    risks = 1 / sizes if weights is None else class_risks(sizes, total)
    individual = np.minimum(risks, 1.0)[labels]
    return RecordRisks(
        alike=sizes[labels],
        individual=individual,
        household=None if households is None else _of_households(individual, households, persons),
    )


def _of_households(individual: FloatArray, households: IntArray, persons: IntArray | None) -> FloatArray:
    """1 - prod(1 - r) over the persons of each household, for each record."""
    members, risks, home = individual, individual, households
    if persons is not None:
        order = np.lexsort((-individual, persons))
        first = order[np.r_[True, np.diff(persons[order]) != 0]]
        risks, home = members[first], households[first]
    with np.errstate(divide="ignore"):
        spared = np.bincount(home, np.log1p(-risks), int(households.max()) + 1)
    return np.asarray(-np.expm1(spared)[households], dtype=np.float64)
