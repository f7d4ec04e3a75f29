"""From a prepared file to a masked file: divide, publish, write, and count what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from server.arrays import FloatArray, IntArray, TextArray
from server.executor import THREADS, Executor
from server.progress import StageProgress, stage
from server.statistics.anonymize.constraints import united, unkept
from server.statistics.anonymize.generalization import group_nodes
from server.statistics.anonymize.group_values import breach_free, group_medians, modes, variance_restored
from server.statistics.anonymize.methods import Method, divide
from server.statistics.anonymize.ordinal import nearest_categories
from server.statistics.anonymize.people import People
from server.statistics.anonymize.prepared import Part, Prepared
from server.statistics.anonymize.rounding import rounded
from server.statistics.measures.disclosure_risk import equivalence_classes
from server.statistics.measures.diversity import coded
from server.statistics.microaggregation.districts import districts, in_districts, mended
from server.statistics.microaggregation.lower_bound import least_sse
from server.statistics.microaggregation.preparation import group_means, sse
from server.tables.data_file import OfGroups, Replacement
from server.wording import quoted
from shared.errors import DesignError

_SLACK: Final = 1e-9
"""P3M publishes many values at exactly their distance."""
_NOTICEABLE: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Masked:
    """What was done.

    Attributes
    ----------
    prepared : Prepared
    groups : tuple of int arrays
        For each part the group of each record.
    unmet : tuple of str
        Attributes whose mean or variance P3M could not keep.
    rows : int array
        Record of the original behind each record of the written file, in the order written. Nobody but the
        report may have it: with the original it undoes the order.
    classes : int array
        Of each record of the written file, which share all published quasi-identifiers.
    gap : float or None
        With ``refine``, how far the loss of the groups is above a proven lower bound at most, in percent;
        None if there is no such bound.
    districts : int
        Parts of the file within which records were grouped; with blocks, of all of them together. 0 if it was
        grouped whole.
    factors : mapping of str to float
        By which the means of numbers were moved away from the mean of all, to restore their variance.
    warnings : tuple of str
    """

    prepared: Prepared
    groups: tuple[IntArray, ...]
    unmet: tuple[str, ...]
    rows: IntArray
    classes: IntArray
    gap: float | None
    districts: int
    factors: Mapping[str, float]
    warnings: tuple[str, ...]

    @property
    def labels(self) -> IntArray:
        """Group of each record; with blocks, records that share the group of every block."""
        return equivalence_classes(self.groups).labels


def mask(
    prepared: Prepared,
    out: Path,
    *,
    progress: StageProgress | None = None,
    executor: Executor = THREADS,
) -> Masked:
    """Divide, publish and write; ``executor`` groups districts.

    Notes
    -----
    Guarantee: in the written file the size rule accepts the people of every combination of published
    quasi-identifiers, of every block where there are blocks; it is asked about the values that are written.
    Otherwise DesignError, and no file. The order of the records is a function of the published ones, unless
    ``keep_order`` was asked for.
    """
    noted = _Noted()
    groups: list[IntArray] = []
    classes: list[IntArray] = []
    for number, part in enumerate(prepared.parts):
        told = _of_part(progress, number, prepared)
        labels = prepared.divided(part, _divider(prepared, part, noted, executor, told))
        labels = _constrained(prepared, part, labels)
        classes.append(_publish(prepared, part, labels, noted, told))
        _require_safe(prepared, classes[-1])
        groups.append(labels)
    original, drop, replace = prepared.original, prepared.left_out, noted.replace
    rows = prepared.rows
    if not prepared.request.keep_order:
        rows = original.order(replace, drop=drop, rows=rows)
    original.write(out, replace=replace, drop=drop, rows=rows)
    return Masked(
        prepared=prepared,
        groups=tuple(groups),
        unmet=tuple(noted.unmet),
        rows=rows,
        classes=_of_file(equivalence_classes(classes).labels, prepared)[rows],
        gap=_gap(noted.losses),
        districts=sum(noted.districts),
        factors=noted.factors,
        warnings=(*prepared.warnings, *noted.warnings(prepared)),
    )


@dataclass(slots=True, kw_only=True, eq=False)
class _Noted:
    """What the parts of a file add up to, noted while they are divided and published.

    Attributes
    ----------
    replace : dict of str to Replacement
        What is written in place of each quasi-identifier.
    losses : list of (float, float)
        Of refined groups the loss, and its least.
    districts : list of int
        How many there were, each time that records were grouped by them.
    factors : dict of str to float
        As of `Masked`.
    unmet : list of str
        Likewise.
    unheld : int
        Values of importance 1 that are not at their distance.
    undone : list of str
        Warnings of distances that rounding undid.
    """

    replace: dict[str, Replacement] = field(default_factory=dict)
    losses: list[tuple[float, float]] = field(default_factory=list)
    districts: list[int] = field(default_factory=list)
    factors: dict[str, float] = field(default_factory=dict)
    unmet: list[str] = field(default_factory=list)
    unheld: int = 0
    undone: list[str] = field(default_factory=list)

    def warnings(self, prepared: Prepared) -> tuple[str, ...]:
        """What the organizer should know of it."""
        return (
            *_cut(self.districts),
            *_stretched(self.factors),
            *_outside(prepared, self.replace, self.factors),
            *(f"The mean or the variance of {quoted(name)} could not be kept." for name in self.unmet),
            *_unheld(self.unheld),
            *self.undone,
        )


def _publish(
    prepared: Prepared, part: Part, labels: IntArray, noted: _Noted, progress: StageProgress | None
) -> IntArray:
    """Note what the groups of a part publish; the class of each record, which publishes the same.

    Two groups are one class where rounding, or a mode, makes them alike.
    """
    apart = _kept_apart(prepared, part, labels, noted, progress)
    of_record = _of_file(labels, prepared)
    codes: list[IntArray] = []
    for index in part.columns:
        values, code = _of_groups(prepared, index, labels, apart, noted)
        codes.append(code)
        noted.replace[prepared.columns[index].name] = OfGroups(values=values, groups=of_record)
    return equivalence_classes(codes).labels[labels]


def _of_groups(
    prepared: Prepared, index: int, labels: IntArray, apart: FloatArray | None, noted: _Noted
) -> tuple[FloatArray | IntArray | TextArray, IntArray]:
    """What each group publishes of a quasi-identifier, and a code that is equal where that is equal.

    Numbers and nodes are published as they are; of a category the record that has it.
    """
    column = prepared.columns[index]
    if tree := prepared.request.hierarchies.get(column.name):
        nodes = group_nodes(tree, column, labels)
        return nodes, coded(nodes)[0]
    if prepared.nominal[index] or column.kind == "ordinal":
        if prepared.nominal[index]:
            source = modes(column, labels, prepared.people.weights)
        else:
            source = nearest_categories(column, _exact(prepared, index, labels, apart))
        return prepared.rows[source], column.ranks[source]
    numbers = _numbers(prepared, index, labels, apart, noted)
    return numbers, coded(numbers)[0]


def _numbers(
    prepared: Prepared, index: int, labels: IntArray, apart: FloatArray | None, noted: _Noted
) -> FloatArray:
    """The number that each group publishes: exact, with its variance restored where asked, and rounded."""
    request, name, digits = prepared.request, prepared.columns[index].name, prepared.digits[index]
    exact = _exact(prepared, index, labels, apart)
    if request.restore_variance and name not in request.median:
        exact, noted.factors[name] = _restored(prepared, index, labels, exact)
    published = exact if digits is None else rounded(exact, digits)
    if request.breach == "p3m" and prepared.distances is not None:
        block = prepared.encoding.blocks[index]
        true = prepared.X.values[block.first][prepared.X.codes[block.first]] * block.scale + block.centre[0]
        least = prepared.distances[:, index] * block.scale * (1 - _SLACK)
        kept = [float((np.abs(values[labels] - true) >= least).mean()) for values in (exact, published)]
        noted.undone += _undone(name, *kept)
    return published


def _require_safe(prepared: Prepared, classes: IntArray) -> None:
    """Ask the size rule, and what was asked of every group, of the values that are to be written.

    Raises
    ------
    DesignError
        If a class fails: a defect, for the groups did not.
    """
    failing = prepared.people.failing(classes)
    if len(failing):
        fewest = int(np.bincount(classes)[failing].min())
        raise DesignError(f"a combination would be published for {fewest} records only, nothing was written")
    if prepared.secrets and unkept(
        classes, prepared.secrets, prepared.request.constraints, prepared.people.counts
    ):
        raise DesignError("a group would be published that does not keep what is asked")


def _of_file(labels: IntArray, prepared: Prepared) -> IntArray:
    """Groups of the records that take part, for all records of the file; -1 for the others."""
    if len(labels) == prepared.original.n_records:
        return labels
    found = np.full(prepared.original.n_records, -1, dtype=np.int64)
    found[prepared.rows] = labels
    return found


def _exact(prepared: Prepared, index: int, labels: IntArray, apart: FloatArray | None) -> FloatArray:
    """What the groups publish before rounding: medians of positions, and of numbers means or medians.

    They are those of the column itself, which no scale touches.
    """
    column, block = prepared.columns[index], prepared.encoding.blocks[index]
    if apart is not None:
        return np.asarray(apart[:, block.first] * block.scale + block.centre[0], dtype=np.float64)
    if column.numbers is None:
        raise ValueError(f"{column.name} holds no numbers")
    if column.kind == "ordinal" or column.name in prepared.request.median:
        return group_medians(column.numbers, labels, prepared.people.weights)
    means = group_means(np.nan_to_num(column.numbers)[:, None], labels, prepared.people.weights)[:, 0]
    means[labels[column.missing]] = np.nan  # all of the group lack it
    return means


def _restored(
    prepared: Prepared, index: int, labels: IntArray, means: FloatArray
) -> tuple[FloatArray, float]:
    column = prepared.columns[index]
    if column.numbers is None:
        raise ValueError(f"{column.name} holds no numbers")
    return variance_restored(column.name, means, column.numbers, labels, prepared.people.counts)


def _stretched(factors: Mapping[str, float]) -> tuple[str, ...]:
    """What restoring the variance costs."""
    if not factors:
        return ()
    parts = [f"{quoted(name)} {factor:.3f} times as far" for name, factor in factors.items()]
    return (
        "The variance was restored by moving means away from the mean of all, so that they are no means of "
        f"their groups any more: {', '.join(parts)}. Covariances are not restored.",
    )


def _outside(
    prepared: Prepared, replace: Mapping[str, Replacement], factors: Mapping[str, float]
) -> tuple[str, ...]:
    """Values beyond all that occur, which restoring the variance can make."""
    warnings = []
    for column in prepared.columns:
        if column.name in factors and column.numbers is not None:
            low, high = float(np.nanmin(column.numbers)), float(np.nanmax(column.numbers))
            published = np.asarray(replace[column.name][prepared.rows], dtype=np.float64)
            beyond = int(((published < low) | (published > high)).sum())
            if beyond:
                warnings.append(
                    f"{beyond} records get a {quoted(column.name)} outside of {low:g} to {high:g}, which "
                    "nobody has: the variance was restored."
                )
    return tuple(warnings)


def _constrained(prepared: Prepared, part: Part, labels: IntArray) -> IntArray:
    """The groups, united until they keep what is asked of confidential attributes."""
    if not prepared.secrets:
        return labels
    return united(
        part.space(),
        labels,
        prepared.secrets,
        prepared.request.constraints,
        people=prepared.people.counts,
        gaps=part.gaps,
    )


def _divider(
    prepared: Prepared,
    part: Part,
    noted: _Noted,
    executor: Executor,
    progress: StageProgress | None,
) -> Callable[[FloatArray, People], IntArray]:
    """How the method divides the rows of a matrix, by districts where it is large."""
    request = prepared.request
    grouped = partial(
        _grouped,
        method=prepared.method,
        blocks=part.nominal,
        trees=part.trees,
        options=request.options,
        seed=request.seed or 0,
        refine=request.refine,
        effort=request.effort,
    )

    def divided(space: FloatArray, people: People) -> IntArray:
        most = prepared.district_of(len(space))
        if most:
            found = districts(space, most, people.enough)
            noted.districts.append(len(found))
            rule, counts = people.for_algorithm(uneven=False)
            labels = in_districts(
                found,
                grouped,
                task_of=lambda rows: (space[rows], people.of(rows)),
                progress=stage(progress, "grouping"),
                executor=executor,
            )
            if len(people.levels) < 2:
                labels = mended(
                    space,
                    labels,
                    found,
                    rule,
                    most=most,
                    counts=counts,
                    progress=stage(progress, "mending"),
                    executor=executor,
                )
        else:
            labels = grouped((space, people), progress=progress)
        if request.refine and len(people.rule.minimum) == 1:
            least = least_sse(space, people.rule.minimum[0], people.counts)
            noted.losses.append((sse(space, labels, people.counts), least))
        return labels

    return divided


def _grouped(
    records: tuple[FloatArray, People],
    method: Method,
    *,
    progress: StageProgress | None = None,
    **how: Any,
) -> IntArray:
    """The groups of some records: one task, which may be done in another process."""
    return divide(method, *records, progress=progress, **how)


def _cut(districts: list[int]) -> tuple[str, ...]:
    if not districts:
        return ()
    return (
        f"The records were grouped within {sum(districts)} districts of similar ones, each on its own; "
        "--district 0 groups them all together, and takes longer.",
    )


def _gap(losses: list[tuple[float, float]]) -> float | None:
    """Percent above the lower bound, of all parts together."""
    loss, least = (sum(pair[i] for pair in losses) for i in (0, 1))
    return max(0.0, 100 * (loss / least - 1)) if least > 0 else None


def _of_part(progress: StageProgress | None, number: int, prepared: Prepared) -> StageProgress | None:
    """Progress of one block among several."""
    parts = len(prepared.parts)
    if progress is None or parts == 1:
        return progress
    return lambda stage, done, total: progress(f"{stage} {number + 1}/{parts}", done, total)


def _kept_apart(
    prepared: Prepared, part: Part, labels: IntArray, noted: _Noted, progress: StageProgress | None
) -> FloatArray | None:
    """Values of a part's groups, in the units of ``X``, that prevent a breach; None where none is asked."""
    if prepared.distances is None or prepared.importances is None:
        return None
    values, unmet, unheld = breach_free(
        prepared.X[:],
        labels,
        breach=prepared.request.breach,
        chosen=list(part.columns),
        distances=prepared.distances,
        importances=prepared.importances,
        trade_off=prepared.request.distances.trade_off,
        counts=prepared.people.counts,
        weights=prepared.people.weights,
        progress=stage(progress, "keeping apart"),
    )
    noted.unmet += [prepared.columns[index].name for index in unmet]
    noted.unheld += unheld
    return values


def _unheld(count: int) -> tuple[str, ...]:
    """A warning where distances that were to be kept exactly are not."""
    if not count:
        return ()
    return (
        f"{count} values of importance 1 are not published at their minimum distance: others of their groups,"
        " or the mean and the variance, ask for something else.",
    )


def _undone(name: str, before: float, after: float) -> tuple[str, ...]:
    """A warning if rounding brings published values back near the true ones, from shares that kept away."""
    if before - after < _NOTICEABLE:
        return ()
    return (
        f"Rounding {quoted(name)} brings published values back near the true ones: {after:.1%} of them keep"
        f" their minimum distance, unrounded {before:.1%}. Add --unrounded, or ask for a smaller distance.",
    )
