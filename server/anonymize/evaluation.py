"""Everything that is measured between an original and a masked file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.anonymize.data_file import DataColumn, DataFile
from server.anonymize.encoding import Encoding, selected
from server.anonymize.request import StageProgress
from server.measures import disclosure_risk as risk
from server.measures import diversity as d
from server.measures import information_loss as loss
from server.measures.measure import Measure
from server.measures.moments import Moments, moments, probabilistic_information_loss
from server.measures.utility import EmpiricalUtility, empirical_utility
from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray
from server.reading.table import quoted
from shared.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the measures need to know.

    Parameters
    ----------
    known : tuple of str
        Quasi-identifiers that the intruder of DLD knows; empty for all.
    width : float
        Half width of the interval of SDID, in standard deviations; also the minimum distance of SL.
    interval : float
        Delta of l_avg, in standard deviations of a numeric confidential attribute.
    target : str
        Column to predict, to measure empirical utility; empty for none.
    """

    known: tuple[str, ...] = ()
    width: float = 0.1
    interval: float = 0.1
    target: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.width < np.inf:
            raise InputError("the width must be above 0, in standard deviations")
        if not 0 <= self.interval < np.inf:
            raise InputError("the interval must be at least 0, in standard deviations")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """All figures.

    Parameters
    ----------
    n_records : int
    quasi_identifiers : tuple of (original, masked) columns
    nominal : tuple of bool
    classes : tuple of (size, number of classes)
    anonymity, information, disclosure : tuple of Measure
    confidential : mapping of attribute to its measures, as pairs
    utility : tuple of EmpiricalUtility
    numeric : tuple of str
        Numeric quasi-identifiers, in the order of the moments.
    before, after : Moments or None
        None without numeric quasi-identifiers.
    """

    n_records: int
    quasi_identifiers: tuple[tuple[DataColumn, DataColumn], ...]
    nominal: tuple[bool, ...]
    classes: tuple[tuple[int, int], ...]
    anonymity: tuple[Measure, ...]
    information: tuple[Measure, ...]
    disclosure: tuple[Measure, ...]
    confidential: tuple[tuple[str, tuple[Measure, ...]], ...]
    utility: tuple[EmpiricalUtility, ...]
    numeric: tuple[str, ...]
    before: Moments | None
    after: Moments | None

    def as_json(self) -> dict[str, object]:
        """Everything, for machines."""

        def listed(measures: Sequence[Measure]) -> list[dict[str, object]]:
            return [measure.as_json() for measure in measures]

        result: dict[str, object] = {
            "records": self.n_records,
            "quasi_identifiers": [original.name for original, _ in self.quasi_identifiers],
            "class_sizes": [{"size": size, "classes": count} for size, count in self.classes],
            "anonymity": listed(self.anonymity),
            "information": listed(self.information),
            "disclosure": listed(self.disclosure),
            "confidential": {name: listed(measures) for name, measures in self.confidential},
            "utility": {found.learner: listed(found.measures()) for found in self.utility},
        }
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


def evaluate(
    original: DataFile,
    masked: DataFile,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    nominal: Sequence[bool] | None = None,
    rows: IntArray | None = None,
    settings: Settings | None = None,
    progress: StageProgress | None = None,
) -> Evaluation:
    """Measure a masked file against its original.

    Parameters
    ----------
    original, masked : DataFile
        Records in the same order.
    quasi_identifiers, confidential : sequence of str
    nominal : sequence of bool, optional
        Per quasi-identifier; by default by the kind of the original's column.
    rows : int array, optional
        Records of the original that are in the masked file.
    settings : Settings, optional
    progress : callable, optional

    Raises
    ------
    InputError
        For columns that one file lacks, different numbers of records, or values that cannot be compared.
    """
    chosen = settings or Settings()
    n = original.n_records if rows is None else len(rows)
    if masked.n_records != n:
        raise InputError(
            f"{original.source} has {n} records and {masked.source} {masked.n_records}",
            expected="the same records in the same order",
            remedy="Leave the same records out of both files.",
        )
    for name in chosen.known:
        if name not in quasi_identifiers:
            raise InputError(f"{quoted(name)} is not among the quasi-identifiers", where="--known")

    def take(file: DataFile, name: str) -> DataColumn:
        column = file.checked(name)
        return selected(column, rows) if rows is not None and file is original else column

    before = [take(original, name) for name in quasi_identifiers]
    after = [take(masked, name) for name in quasi_identifiers]
    kinds = tuple(column.kind != "numeric" for column in before) if nominal is None else tuple(nominal)
    for column, other, is_nominal in zip(before, after, kinds, strict=True):
        _comparable(column, other, is_nominal, masked.source)
    encoding = Encoding.fit(before, kinds)
    X, Y = encoding.matrix(before), encoding.matrix(after)
    classes = risk.equivalence_classes([d.coded(column.texts)[0] for column in after])
    numeric = [i for i, is_nominal in enumerate(kinds) if not is_nominal]
    columns = [encoding.blocks[i].first for i in numeric]
    stage = None if progress is None else (lambda done, total: progress("linking", done, total))
    known = [
        column
        for block in encoding.blocks
        if not chosen.known or block.name in chosen.known
        for column in range(block.first, block.end)
    ]
    linkage = risk.distance_linkage(X, Y, known=known, scaled=True, progress=stage)
    information = [loss.sse_over_sst(X, Y, scaled=True), loss.euclidean_loss(X, Y, scaled=True)]
    disclosure = [linkage]
    varying = [c for c in columns if (X[:, c] != X[0, c]).any()]
    if varying:
        parts = probabilistic_information_loss(X[:, varying], Y[:, varying])
        interval = risk.average_interval_disclosure(X[:, columns], Y[:, columns])
        information += parts
        disclosure += [
            risk.interval_disclosure(X[:, columns], Y[:, columns], width=chosen.width),
            interval,
            risk.satisfaction_level(X[:, columns], Y[:, columns], minimum_distance=chosen.width),
            risk.scoring_index(parts[0], linkage, interval),
        ]
    dependent = [take(masked, name) for name in confidential]
    dependent = [column for column in dependent if column.kind == "numeric" and not column.missing.any()]
    if dependent:
        # What the published classes can say about the confidential numbers.
        Y = _numbers(dependent, range(len(dependent)))
        information.append(loss.distortion_of_dependence(Y, classes.labels))
    secret, together = [], []
    for name in confidential:
        measures, contingency = _confidential(take(masked, name), classes.labels, chosen.interval)
        secret.append((name, measures))
        together.append(contingency)
    anonymity = [risk.achieved_k(classes), *risk.record_linkage_bounds(classes)]
    if together:
        anonymity.append(d.p_sensitivity(together))
    return Evaluation(
        n_records=n,
        quasi_identifiers=tuple(zip(before, after, strict=True)),
        nominal=kinds,
        classes=classes.histogram(),
        anonymity=tuple(anonymity),
        information=tuple(information),
        disclosure=tuple(disclosure),
        confidential=tuple(secret),
        utility=_utility(original, masked, before, after, kinds, rows, chosen.target, progress),
        numeric=tuple(before[i].name for i in numeric),
        before=moments(_numbers(before, numeric)) if numeric else None,
        after=moments(_numbers(after, numeric)) if numeric else None,
    )


def _comparable(column: DataColumn, other: DataColumn, nominal: bool, source: str) -> None:
    if nominal:
        return
    if column.numbers is None or column.missing.any():
        raise InputError(
            f"the original's {quoted(column.name)} has missing values or values that are no numbers",
            remedy="Leave these records out of both files.",
        )
    if other.numbers is None or other.missing.any():
        raise InputError(
            f"the masked {quoted(column.name)} has missing values or values that are no numbers", where=source
        )


def _confidential(
    column: DataColumn, labels: IntArray, interval: float
) -> tuple[tuple[Measure, ...], d.Contingency]:
    numbers = column.numbers if column.kind == "numeric" else None
    codes, _ = d.coded(column.texts if numbers is None else numbers)
    if not (codes >= 0).any():
        raise InputError(f"the confidential attribute {quoted(column.name)} has no value at all")
    contingency = d.Contingency.of(labels, codes)
    measures = [
        d.distinct_l_diversity(contingency),
        d.entropy_l_diversity(contingency),
        d.t_closeness(contingency, "equal" if numbers is None else "ordered"),
        d.delta_disclosure(contingency),
        d.delta_disclosure_of_occurring_values(contingency),
        d.average_kl_risk(contingency),
    ]
    given = codes >= 0
    if numbers is None:
        measures.append(d.average_l(labels[given], codes[given].astype(np.float64)))
    else:
        measures.append(d.average_l(labels[given], numbers[given]))
        if interval > 0 and numbers[given].std() > 0:
            measures.append(
                d.average_l(labels[given], numbers[given], interval=interval * float(numbers[given].std()))
            )
    return tuple(measures), contingency


def _numbers(columns: Sequence[DataColumn], numeric: Sequence[int]) -> FloatArray:
    chosen = [columns[i].numbers for i in numeric]
    return np.column_stack([numbers for numbers in chosen if numbers is not None])


def _utility(
    original: DataFile,
    masked: DataFile,
    before: Sequence[DataColumn],
    after: Sequence[DataColumn],
    nominal: Sequence[bool],
    rows: IntArray | None,
    target: str,
    progress: StageProgress | None,
) -> tuple[EmpiricalUtility, ...]:
    if not target:
        return ()
    masked.checked(target)
    column = original.checked(target)
    column = selected(column, rows) if rows is not None else column
    if target in {other.name for other in before}:
        raise InputError(f"{quoted(target)} is masked itself, so it cannot be the target")
    given = ~column.missing

    def table(columns: Sequence[DataColumn]) -> dict[str, NDArray[Any]]:
        return {
            c.name: (c.texts if is_nominal or c.numbers is None else c.numbers)[given]
            for c, is_nominal in zip(columns, nominal, strict=True)
        }

    stage = None if progress is None else (lambda done, total: progress("learning", done, total))
    try:
        return empirical_utility(table(before), table(after), column.texts[given], progress=stage)
    except ValueError as error:
        raise InputError(str(error), where=f"--target {target}") from None
