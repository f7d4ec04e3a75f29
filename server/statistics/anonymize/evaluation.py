"""Everything that is measured between an original and a masked file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor
from server.progress import StageProgress
from server.statistics.anonymize.confidential import confidential_measures
from server.statistics.anonymize.encoding import Block, Encoding, selected
from server.statistics.anonymize.generalization import (
    as_categories,
    check_nodes,
    generalization_losses,
    place_nodes,
)
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.anonymize.ordinal import Orders, ranked
from server.statistics.anonymize.people import People
from server.statistics.anonymize.request import checked_blocks
from server.statistics.measures import disclosure_risk as risk
from server.statistics.measures import diversity as d
from server.statistics.measures import information_loss as loss
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.measures.measure import Measure
from server.statistics.measures.moments import Moments, moments, probabilistic_information_loss
from server.statistics.measures.pieces import rows_of, total
from server.statistics.measures.population_risk import GroupRisk, group_risks, population_risk
from server.statistics.measures.record_risk import RecordRisks, record_risks
from server.statistics.measures.utility import EmpiricalUtility, empirical_utility
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted
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


def evaluate(
    original: DataFile,
    masked: DataFile,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    nominal: Sequence[bool] | None = None,
    rows: IntArray | None = None,
    people: People | None = None,
    settings: Settings | None = None,
    progress: StageProgress | None = None,
    executor: Executor = THREADS,
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
    people : People, optional
        People behind each of these records, and how likely they are to take part.
    settings : Settings, optional
    progress : callable, optional
    executor : Executor
        Who links records and trains models.

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
    counts = None if people is None else people.counts
    each = np.arange(n) if counts is None else np.repeat(np.arange(n), counts)
    _check_names(chosen, quasi_identifiers, confidential)
    if counts is not None and chosen.target:
        raise InputError(
            "records that count for several people cannot be divided into known and untouched ones",
            where="--target",
            remedy="Leave --target or --counts out, or repeat each record by its count.",
        )

    def take(file: DataFile, name: str) -> DataColumn:
        return _taken(file.usable(name), file.source, chosen, rows if file is original else None)

    def of_people(column: DataColumn) -> DataColumn:
        return column if counts is None else selected(column, each)

    recorded = [take(masked, name) for name in quasi_identifiers]
    classes = risk.equivalence_classes(
        [column.ranks if confidential else column.codes for column in recorded], counts
    )
    labels = classes.labels[each]
    classes = _counted(classes, people)
    for column in recorded:
        if tree := chosen.generalized.get(column.name):
            check_nodes(tree, column, masked.where)
    originals = [take(original, name) for name in quasi_identifiers]
    before = [of_people(column) for column in originals]
    after = [of_people(column) for column in recorded]
    kinds = (
        tuple(column.kind not in ("numeric", "ordinal") for column in before)
        if nominal is None
        else tuple(nominal)
    )
    places = np.arange(n) if rows is None else rows
    _require_numbers_in_both(before, after, kinds, original, masked, places[each], each)
    encoding = Encoding.fit(before, kinds)
    originally = {column.name: column for column in before}

    def nodes_placed(block: Block, column: DataColumn, entries: FloatArray) -> None:
        if tree := chosen.generalized.get(block.name):
            place_nodes(entries, block, tree, originally[block.name], column)

    X, Y = encoding.matrix(before), encoding.matrix(after, nodes_placed)
    numeric = [i for i, is_nominal in enumerate(kinds) if not is_nominal and before[i].kind != "ordinal"]
    columns = [encoding.blocks[i].first for i in numeric]
    information, disclosure = _losses_and_risks(X, Y, encoding, columns, each, chosen, progress, executor)
    if chosen.record_distances is not None:
        disclosure.append(_apart(X, Y, chosen.record_distances[each]))
    if people is not None and people.levels:
        expected = loss.expected_distortion_of_published(X, Y, people.chances[each], scaled=True)
    secret = [of_people(take(masked, name)) for name in confidential]
    information += _dependence(information[0], secret, labels, chosen.dependence)
    if people is not None and people.levels:
        information.append(expected)
    found = [
        confidential_measures(
            column, labels, interval=chosen.interval, hierarchy=chosen.hierarchies.get(column.name)
        )
        for column in secret
    ]
    anonymity = list(_anonymity(classes, people))
    blocks = []
    for names in chosen.blocks:
        codes = [recorded[quasi_identifiers.index(name)].codes for name in names]
        blocks.append((names, _anonymity(_counted(risk.equivalence_classes(codes, counts), people), people)))
    risks = () if chosen.weights is None else group_risks(classes.labels, chosen.weights, chosen.persons)
    if risks:
        anonymity += population_risk(risks)
    risks_before, risks_after = (_risks_of_records(quasi, counts, chosen) for quasi in (originals, recorded))
    anonymity += risks_after.measures(chosen.households)
    if chosen.generalized:
        own = [column for column in after if column.name in chosen.generalized]
        information += generalization_losses(chosen.generalized, own)
    if found:
        anonymity.append(d.p_sensitivity([contingency for _, contingency in found]))
    return Evaluation(
        n_records=n,
        n_people=len(each),
        quasi_identifiers=tuple(zip(before, after, strict=True)),
        nominal=kinds,
        classes=classes.histogram(),
        anonymity=tuple(anonymity),
        blocks=tuple(blocks),
        information=tuple(information),
        disclosure=tuple(disclosure),
        confidential=tuple(
            (column.name, measures) for column, (measures, _) in zip(secret, found, strict=True)
        ),
        utility=_utility(original, masked, before, after, kinds, rows, chosen.target, progress, executor),
        numeric=tuple(before[i].name for i in numeric),
        before=moments(_numbers(before, numeric)) if numeric else None,
        after=moments(_numbers(after, numeric)) if numeric else None,
        unit="" if people is None else people.unit,
        risks=risks,
        risks_before=risks_before,
        risks_after=risks_after,
        places=places,
        generalized=frozenset(chosen.generalized),
    )


def _losses_and_risks(
    X: CodedMatrix,
    Y: CodedMatrix,
    encoding: Encoding,
    columns: Sequence[int],
    each: IntArray,
    chosen: Settings,
    progress: StageProgress | None,
    executor: Executor,
) -> tuple[list[Measure], list[Measure]]:
    """What the masked matrix lost, and how well records can be linked; `columns` are the numbers in it."""
    stage = None if progress is None else (lambda done, total: progress("linking", done, total))
    known = [
        column
        for block in encoding.blocks
        if not chosen.known or block.name in chosen.known
        for column in range(block.first, block.end)
    ]
    linkage = risk.distance_linkage(X, Y, known=known, scaled=True, progress=stage, executor=executor)
    information = [loss.sse_over_sst(X, Y, scaled=True), loss.euclidean_loss(X, Y, scaled=True)]
    disclosure = [linkage]
    varying = [column for column in columns if X.varies(column)]
    if varying:
        parts = probabilistic_information_loss(X[:, varying], Y[:, varying])
        interval = risk.average_interval_disclosure(X[:, columns], Y[:, columns])
        information += parts
        distance = chosen.width if chosen.distances is None else chosen.distances[each]
        disclosure += [
            risk.interval_disclosure(X[:, columns], Y[:, columns], width=chosen.width),
            interval,
            risk.satisfaction_level(
                X[:, columns],
                Y[:, columns],
                minimum_distance=distance,
                importance=None if chosen.importances is None else chosen.importances[each],
            ),
            risk.scoring_index(parts[0], linkage, interval),
        ]
    return information, disclosure


def _counted(classes: risk.Classes, people: People | None) -> risk.Classes:
    """Classes by persons or households, where one has several records."""
    if people is None or people.units is None:
        return classes
    return replace(classes, sizes=people.held(classes.labels).sum(axis=1))


def _taken(column: DataColumn, source: str, chosen: Settings, rows: IntArray | None) -> DataColumn:
    """A column of some records, as the settings say that it is measured."""
    if rows is not None:
        column = selected(column, rows)
    if column.name in chosen.generalized:
        return as_categories(column)
    if column.name in chosen.categories:
        return replace(column, kind="nominal", values=None)
    return ranked(column, chosen.orders[column.name], source) if column.name in chosen.orders else column


def _risks_of_records(
    quasi_identifiers: Sequence[DataColumn], counts: IntArray | None, chosen: Settings
) -> RecordRisks:
    codes = [column.codes for column in quasi_identifiers]
    return record_risks(
        risk.equivalence_classes(codes).labels,
        people=counts,
        weights=chosen.weights,
        persons=chosen.persons,
        households=chosen.households,
    )


def _check_names(chosen: Settings, quasi_identifiers: Sequence[str], confidential: Sequence[str]) -> None:
    for name in chosen.known:
        if name not in quasi_identifiers:
            raise InputError(f"{quoted(name)} is not among the quasi-identifiers", where="--known")
    for name in chosen.hierarchies:
        if name not in confidential:
            raise InputError(f"{quoted(name)} is not confidential", where="--hierarchy")
    checked_blocks(chosen.blocks, tuple(quasi_identifiers))


def _apart(X: CodedMatrix, Y: CodedMatrix, distances: FloatArray) -> Measure:
    """Records published at least as far from the true ones as was asked for, in percent. Lower is unsafe."""
    kept = total(
        np.count_nonzero(np.sqrt(((X[rows] - Y[rows]) ** 2).sum(axis=1)) >= distances[rows])
        for rows in rows_of(len(X))
    )
    return Measure(
        name="records at their minimum distance, percent",
        value=100 * float(kept / len(X)),
        direction="lower is unsafe",
        source="satisfaction level SL, by record",
    )


def _anonymity(classes: risk.Classes, people: People | None) -> tuple[Measure, ...]:
    more = () if people is None else people.measures(classes.labels)
    return (risk.achieved_k(classes), *risk.record_linkage_bounds(classes), *more)


def _dependence(
    lost: Measure, secret: Sequence[DataColumn], labels: IntArray, weight: float | None
) -> tuple[Measure, ...]:
    """What the published classes can say about the confidential numbers: D_Y, and D(lambda) if asked for."""
    numbers = [
        column.numbers
        for column in secret
        if column.kind in ("numeric", "ordinal") and column.numbers is not None and not column.missing.any()
    ]
    if not numbers:
        if weight is not None:
            raise InputError(
                "D(lambda) needs a confidential attribute of numbers without gaps", where="--dependence"
            )
        return ()
    d_y = loss.distortion_of_dependence(np.column_stack(numbers), labels)
    if weight is None:
        return (d_y,)
    d_x = replace(lost, name="D_X", source=d_y.source)
    return (d_x, d_y, loss.combined_distortion(d_x, d_y, weight))


def _require_numbers_in_both(
    before: Sequence[DataColumn],
    after: Sequence[DataColumn],
    nominal: Sequence[bool],
    original: DataFile,
    masked: DataFile,
    rows_of_original: IntArray,
    rows_of_masked: IntArray,
) -> None:
    """Refuse numbers that only one of the files has; rows are those of the people behind the columns."""
    for column, other, is_nominal in zip(before, after, nominal, strict=True):
        alike = column.numbers is not None and other.numbers is not None
        if not is_nominal and not (alike and (column.missing == other.missing).all()):
            _check_numbers(column, "original", lambda row: original.where(int(rows_of_original[row])))
            _check_numbers(other, "masked", lambda row: masked.where(int(rows_of_masked[row])))


def _check_numbers(column: DataColumn, which: str, place: Callable[[int], str]) -> None:
    """Raise InputError, naming the record, unless every value of the column is a number."""
    if column.numbers is not None and not column.missing.any():
        return
    texts = column.texts.tolist()
    row = next((i for i, text in enumerate(texts) if text is None), 0)
    if None not in texts:
        row = next((i for i, text in enumerate(texts) if not _is_number(text)), 0)
    found = "missing" if texts[row] is None else f"{quoted(texts[row])}, no number"
    raise InputError(
        f"the {which} {quoted(column.name)} is {found}",
        where=place(row),
        expected="a number in every record",
        remedy="Leave such records out of both files."
        if texts[row] is None
        else f"If these are categories or ranges, add --nominal with {column.name}.",
    )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _numbers(columns: Sequence[DataColumn], numeric: Sequence[int]) -> CodedMatrix:
    """The numeric columns, of the records that lack no number."""
    chosen = [(columns[index], columns[index].values) for index in numeric]
    complete = ~reduce(or_, (column.missing for column, _ in chosen))
    return CodedMatrix(
        values=[values for _, values in chosen if values is not None],
        codes=[column.codes if complete.all() else column.codes[complete] for column, _ in chosen],
    )


def _utility(
    original: DataFile,
    masked: DataFile,
    before: Sequence[DataColumn],
    after: Sequence[DataColumn],
    nominal: Sequence[bool],
    rows: IntArray | None,
    target: str,
    progress: StageProgress | None,
    executor: Executor,
) -> tuple[EmpiricalUtility, ...]:
    if not target:
        return ()
    masked.column(target)
    column = original.column(target)
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
        return empirical_utility(
            table(before), table(after), column.texts[given], progress=stage, executor=executor
        )
    except ValueError as error:
        raise InputError(str(error), where=f"--target {target}") from None
