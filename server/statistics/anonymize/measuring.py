"""Measure a masked file against its original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor
from server.progress import StageProgress, stage
from server.statistics.anonymize.confidential import confidential_measures
from server.statistics.anonymize.encoding import Block, Encoding, selected
from server.statistics.anonymize.evaluation import Evaluation, Settings
from server.statistics.anonymize.generalization import (
    as_categories,
    check_nodes,
    generalization_losses,
    place_nodes,
)
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.anonymize.ordinal import ranked
from server.statistics.anonymize.people import People
from server.statistics.anonymize.request import checked_blocks, require_quasi_identifiers
from server.statistics.measures import disclosure_risk as risk
from server.statistics.measures import diversity as d
from server.statistics.measures import information_loss as loss
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.measures.measure import Measure
from server.statistics.measures.moments import moments, probabilistic_information_loss
from server.statistics.measures.pieces import rows_of, total
from server.statistics.measures.population_risk import group_risks, population_risk
from server.statistics.measures.record_risk import RecordRisks, record_risks
from server.statistics.measures.utility import EmpiricalUtility, empirical_utility
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.errors import InputError


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
    _check_names(chosen, quasi_identifiers, confidential)
    if counts is not None and chosen.target:
        raise InputError(
            "records that count for several people cannot be divided into known and untouched ones",
            where="--target",
            remedy="Leave --target or --counts out, or repeat each record by its count.",
        )
    pairs = _paired(original, masked, quasi_identifiers, nominal, rows, counts, chosen)
    classes = risk.equivalence_classes(
        [column.ranks if confidential else column.codes for column in pairs.recorded], counts
    )
    labels, classes = classes.labels[pairs.each], _counted(classes, people)
    secret = [
        pairs.of_people(_taken(masked.usable(name), masked.source, chosen, None)) for name in confidential
    ]
    information, disclosure = _information_and_disclosure(
        pairs, secret, labels, people, chosen, progress, executor
    )
    found = [
        confidential_measures(
            column, labels, interval=chosen.interval, hierarchy=chosen.hierarchies.get(column.name)
        )
        for column in secret
    ]
    risks = () if chosen.weights is None else group_risks(classes.labels, chosen.weights, chosen.persons)
    before, after = (
        _risks_of_records(columns, counts, chosen) for columns in (pairs.originals, pairs.recorded)
    )
    return Evaluation(
        n_records=n,
        n_people=len(pairs.each),
        quasi_identifiers=tuple(zip(pairs.before, pairs.after, strict=True)),
        nominal=pairs.nominal,
        classes=classes.histogram(),
        anonymity=(
            *_anonymity(classes, people),
            *(population_risk(risks) if risks else ()),
            *after.measures(chosen.households),
            *((d.p_sensitivity([contingency for _, contingency in found]),) if found else ()),
        ),
        blocks=_anonymity_of_blocks(pairs, people, chosen),
        information=information,
        disclosure=disclosure,
        confidential=tuple(
            (column.name, measures) for column, (measures, _) in zip(secret, found, strict=True)
        ),
        utility=_utility(original, masked, pairs, rows, chosen.target, progress, executor),
        numeric=tuple(pairs.before[i].name for i in pairs.numeric),
        before=moments(_numbers(pairs.before, pairs.numeric)) if pairs.numeric else None,
        after=moments(_numbers(pairs.after, pairs.numeric)) if pairs.numeric else None,
        unit="" if people is None else people.unit,
        risks=risks,
        risks_before=before,
        risks_after=after,
        places=pairs.places,
        generalized=frozenset(chosen.generalized),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """The quasi-identifiers of both files, side by side.

    Attributes
    ----------
    originals, recorded : tuple of DataColumn
        Of the original and the masked file, one entry a record of the masked file.
    each : int array, shape (n_people,)
        Record of each person.
    before, after : tuple of DataColumn
        The same columns, one entry a person.
    nominal : tuple of bool
    places : int array, shape (n_records,)
        Record of the original behind each record.
    repeated : bool
        Whether records count for several people, or for none.
    """

    originals: tuple[DataColumn, ...]
    recorded: tuple[DataColumn, ...]
    each: IntArray
    before: tuple[DataColumn, ...]
    after: tuple[DataColumn, ...]
    nominal: tuple[bool, ...]
    places: IntArray
    repeated: bool

    @property
    def numeric(self) -> list[int]:
        """Which quasi-identifiers are numbers: neither nominal nor ordinal."""
        return [i for i, column in enumerate(self.before) if not self.nominal[i] and column.kind != "ordinal"]

    def of_people(self, column: DataColumn) -> DataColumn:
        """A column of records, one entry a person."""
        return selected(column, self.each) if self.repeated else column


def _paired(
    original: DataFile,
    masked: DataFile,
    names: Sequence[str],
    nominal: Sequence[bool] | None,
    rows: IntArray | None,
    counts: IntArray | None,
    chosen: Settings,
) -> _Pairs:
    """Take the quasi-identifiers out of both files; refuse those that cannot be compared."""
    recorded = tuple(_taken(masked.usable(name), masked.source, chosen, None) for name in names)
    for column in recorded:
        if tree := chosen.generalized.get(column.name):
            check_nodes(tree, column, masked.where)
    originals = tuple(_taken(original.usable(name), original.source, chosen, rows) for name in names)
    every = np.arange(masked.n_records)
    each = every if counts is None else np.repeat(every, counts)
    before, after = (
        columns if counts is None else tuple(selected(column, each) for column in columns)
        for columns in (originals, recorded)
    )
    kinds = [column.kind not in ("numeric", "ordinal") for column in before] if nominal is None else nominal
    places = every if rows is None else rows
    _require_numbers_in_both(before, after, kinds, original, masked, places[each], each)
    return _Pairs(
        originals=originals,
        recorded=recorded,
        each=each,
        before=before,
        after=after,
        nominal=tuple(kinds),
        places=places,
        repeated=counts is not None,
    )


def _matrices(
    pairs: _Pairs, generalized: Mapping[str, Hierarchy]
) -> tuple[Encoding, CodedMatrix, CodedMatrix]:
    """Both files in the scale of the original: published nodes of hierarchies as what is known of them."""
    encoding = Encoding.fit(pairs.before, pairs.nominal)
    originally = {column.name: column for column in pairs.before}

    def nodes_placed(block: Block, column: DataColumn, entries: FloatArray) -> None:
        if tree := generalized.get(block.name):
            place_nodes(entries, block, tree, originally[block.name], column)

    return encoding, encoding.matrix(pairs.before), encoding.matrix(pairs.after, nodes_placed)


def _information_and_disclosure(
    pairs: _Pairs,
    secret: Sequence[DataColumn],
    labels: IntArray,
    people: People | None,
    chosen: Settings,
    progress: StageProgress | None,
    executor: Executor,
) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """What the masked file lost, and how well its records can be linked to the original's.

    Parameters
    ----------
    secret : sequence of DataColumn
        Confidential attributes, one entry a person.
    labels : int array
        Published class of each person.
    """
    encoding, X, Y = _matrices(pairs, chosen.generalized)
    known = [
        column
        for block in encoding.blocks
        if not chosen.known or block.name in chosen.known
        for column in range(block.first, block.end)
    ]
    linkage = risk.distance_linkage(
        X, Y, known=known, scaled=True, progress=stage(progress, "linking"), executor=executor
    )
    information = [loss.sse_over_sst(X, Y, scaled=True), loss.euclidean_loss(X, Y, scaled=True)]
    disclosure = [linkage]
    columns = [encoding.blocks[i].first for i in pairs.numeric]
    varying = [column for column in columns if X.varies(column)]
    if varying:
        parts = probabilistic_information_loss(X[:, varying], Y[:, varying])
        information += parts
        intervals = _intervals(X[:, columns], Y[:, columns], pairs.each, chosen)
        disclosure += [*intervals, risk.scoring_index(parts[0], linkage, intervals[1])]
    if chosen.record_distances is not None:
        disclosure.append(_apart(X, Y, chosen.record_distances[pairs.each]))
    information += _dependence(information[0], secret, labels, chosen.dependence)
    if people is not None and people.levels:
        chances = people.chances[pairs.each]
        information.append(loss.expected_distortion_of_published(X, Y, chances, scaled=True))
    if chosen.generalized:
        own = [column for column in pairs.after if column.name in chosen.generalized]
        information += generalization_losses(chosen.generalized, own)
    return tuple(information), tuple(disclosure)


def _intervals(X: CodedMatrix, Y: CodedMatrix, each: IntArray, chosen: Settings) -> tuple[Measure, ...]:
    """How near published numbers are to the true ones: SDID, its average over widths, and SL."""
    return (
        risk.interval_disclosure(X, Y, width=chosen.width),
        risk.average_interval_disclosure(X, Y),
        risk.satisfaction_level(
            X,
            Y,
            minimum_distance=chosen.width if chosen.distances is None else chosen.distances[each],
            importance=None if chosen.importances is None else chosen.importances[each],
        ),
    )


def _anonymity_of_blocks(
    pairs: _Pairs, people: People | None, chosen: Settings
) -> tuple[tuple[tuple[str, ...], tuple[Measure, ...]], ...]:
    """The blocks, each with its measures, as if nothing else were published."""
    counts = None if people is None else people.counts
    codes = {column.name: column.codes for column in pairs.recorded}
    return tuple(
        (
            names,
            _anonymity(
                _counted(risk.equivalence_classes([codes[name] for name in names], counts), people), people
            ),
        )
        for names in chosen.blocks
    )


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
    require_quasi_identifiers(chosen.known, quasi_identifiers, "--known")
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
    pairs: _Pairs,
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
    if target in {other.name for other in pairs.before}:
        raise InputError(f"{quoted(target)} is masked itself, so it cannot be the target")
    given = ~column.missing

    def table(columns: Sequence[DataColumn]) -> dict[str, NDArray[Any]]:
        return {
            c.name: (c.texts if is_nominal or c.numbers is None else c.numbers)[given]
            for c, is_nominal in zip(columns, pairs.nominal, strict=True)
        }

    try:
        return empirical_utility(
            table(pairs.before),
            table(pairs.after),
            column.texts[given],
            progress=stage(progress, "learning"),
            executor=executor,
        )
    except ValueError as error:
        raise InputError(str(error), where=f"--target {target}") from None
