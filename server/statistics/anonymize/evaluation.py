"""What is measured between an original and a masked file: what is asked, and all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.anonymize.ordinal import Orders
from server.statistics.measures.measure import Measure
from server.statistics.measures.moments import Moments
from server.statistics.measures.population_risk import GroupRisk
from server.statistics.measures.record_risk import RecordRisks
from server.statistics.measures.utility import EmpiricalUtility
from server.tables.column import DataColumn
from shared.errors import InputError

QUANTILES: Final = (0.5, 0.9, 0.99, 1.0)
"""Of the records' risks, that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the measures need to know.

    Attributes
    ----------
    known : tuple of str
        Quasi-identifiers that the intruder of DLD knows; empty for all.
    width : float
        Half width of the interval of SDID, in standard deviations; also the minimum distance of SL.
    interval : float
        Delta of l_avg, in standard deviations of a numeric confidential attribute.
    target : str
        DataColumn to predict, to measure empirical utility; empty for none.
    categories : tuple of str
        Columns to take as categories, whatever they hold.
    orders : mapping of column to order
        Of ordinal quasi-identifiers and confidential attributes, as `ordinal.orders_of` finds them.
    hierarchies : mapping of column to Hierarchy
        Of confidential attributes, for hierarchical t-closeness.
    blocks : tuple of tuples of str
        Quasi-identifiers that were grouped together, where not all were.
    dependence : float or None
        lambda of D(lambda).
    weights : float array, shape (n,), or None
        Sampling weight of each record of the masked file.
    persons, households : int array, shape (n,), or None
        Whose each record of the masked file is, as numbers from 0.
    generalized : mapping of column to Hierarchy
        Of quasi-identifiers that publish its nodes.
    distances : float array or None
        Minimum distance of SL per record and numeric quasi-identifier, where it is not ``width``.
    importances : float array or None
        w of SL, likewise.
    record_distances : float array or None
        Minimum distances of whole records, as p3m-record keeps them.
    """

    known: tuple[str, ...] = ()
    width: float = 0.1
    interval: float = 0.02
    target: str = ""
    categories: tuple[str, ...] = ()
    orders: Orders = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    blocks: tuple[tuple[str, ...], ...] = ()
    dependence: float | None = None
    weights: FloatArray | None = None
    persons: IntArray | None = None
    households: IntArray | None = None
    generalized: Mapping[str, Hierarchy] = field(default_factory=dict)
    distances: FloatArray | None = None
    importances: FloatArray | None = None
    record_distances: FloatArray | None = None

    def __post_init__(self) -> None:
        if not 0 < self.width < np.inf:
            raise InputError("the width must be above 0, in standard deviations")
        if not 0 <= self.interval < np.inf:
            raise InputError("the interval must be at least 0, in standard deviations")
        if self.dependence is not None and not 0 <= self.dependence <= 1:
            raise InputError("--dependence lies between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """All figures.

    Attributes
    ----------
    n_records, n_people : int
        Different where records count for several people; every figure is about people.
    quasi_identifiers : tuple of (original, masked) columns
        One entry a person.
    nominal : tuple of bool
    classes : tuple of (size, number of classes)
    anonymity, information, disclosure : tuple of Measure
    blocks : mapping of quasi-identifiers that were grouped on their own to their measures, as pairs
        Empty if all were grouped together.
    confidential : mapping of attribute to its measures, as pairs
    utility : tuple of EmpiricalUtility
    numeric : tuple of str
        Numeric quasi-identifiers, in the order of the moments.
    before, after : Moments or None
        None without numeric quasi-identifiers.
    warnings : tuple of str
        What makes the figures doubtful.
    unit : str
        What classes count, where it is neither records nor people.
    risks : tuple of GroupRisk
        With sampling weights, the risk of each class in the population, highest first.
    risks_before, risks_after : RecordRisks
        Of each record, by the original quasi-identifiers and by the masked ones.
    places : int array, shape (n,)
        Record of the original behind each record.
    generalized : frozenset of str
        Quasi-identifiers that publish nodes of a hierarchy.
    """

    n_records: int
    n_people: int
    quasi_identifiers: tuple[tuple[DataColumn, DataColumn], ...]
    nominal: tuple[bool, ...]
    classes: tuple[tuple[int, int], ...]
    anonymity: tuple[Measure, ...]
    blocks: tuple[tuple[tuple[str, ...], tuple[Measure, ...]], ...]
    information: tuple[Measure, ...]
    disclosure: tuple[Measure, ...]
    confidential: tuple[tuple[str, tuple[Measure, ...]], ...]
    utility: tuple[EmpiricalUtility, ...]
    numeric: tuple[str, ...]
    before: Moments | None
    after: Moments | None
    warnings: tuple[str, ...] = ()
    unit: str = ""
    risks: tuple[GroupRisk, ...] = ()
    risks_before: RecordRisks
    risks_after: RecordRisks
    places: IntArray
    generalized: frozenset[str] = frozenset()

    @property
    def who(self) -> str:
        """What is counted, in a word."""
        return self.unit or ("records" if self.n_people == self.n_records else "people")

    def as_json(self) -> dict[str, object]:
        """Everything, for machines."""

        def listed(measures: Sequence[Measure]) -> list[dict[str, object]]:
            return [measure.as_json() for measure in measures]

        result: dict[str, object] = {
            "records": self.n_records,
            "people": self.n_people,
            "quasi_identifiers": [original.name for original, _ in self.quasi_identifiers],
            "class_sizes": [{"size": size, "classes": count} for size, count in self.classes],
            "anonymity": listed(self.anonymity),
            "information": listed(self.information),
            "disclosure": listed(self.disclosure),
            "confidential": {name: listed(measures) for name, measures in self.confidential},
            "utility": {found.learner: listed(found.measures()) for found in self.utility},
        }
        if self.blocks:
            result["anonymity_of_blocks"] = [
                {"quasi_identifiers": list(names), "measures": listed(measures)}
                for names, measures in self.blocks
            ]
        if self.risks:
            result["individual_risk"] = [
                {"records": group.size, "people": group.people, "risk": group.risk} for group in self.risks
            ]
        result["risk_of_records"] = {
            name: {
                "mean": float(found.individual.mean()),
                "quantiles": {str(q): float(np.quantile(found.individual, q)) for q in QUANTILES},
            }
            for name, found in (("before", self.risks_before), ("after", self.risks_after))
        }
        if self.warnings:
            result["warnings"] = list(self.warnings)
        for name, found in (("before", self.before), ("after", self.after)):
            if found is not None:
                result[name] = {
                    "attributes": list(self.numeric),
                    "means": found.means.tolist(),
                    "variances": found.variances.tolist(),
                    "covariances": found.covariances.tolist(),
                    "correlations": found.correlations.tolist(),
                }
        return result
