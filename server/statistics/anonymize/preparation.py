"""Before anything is divided: read, refuse what cannot be done, and encode."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress, stage
from server.statistics.anonymize.constraints import Secret
from server.statistics.anonymize.encoding import Encoding, selected
from server.statistics.anonymize.file_warnings import file_warnings
from server.statistics.anonymize.generalization import as_categories, category_paths, check_hierarchy
from server.statistics.anonymize.methods import check, find
from server.statistics.anonymize.ordinal import Orders, orders_of, ranked
from server.statistics.anonymize.people import People, people_of
from server.statistics.anonymize.prepared import Part, Prepared
from server.statistics.anonymize.record_values import per_record, per_value
from server.statistics.anonymize.request import Request
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.microaggregation.p3m import DEFAULT_IMPORTANCE
from server.statistics.microaggregation.preparation import Paths
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.tables.doubts import refuse_doubtful
from server.tables.files import Reading, form_of, open_data
from server.wording import quoted
from shared.errors import InputError


def prepare(
    path: Path,
    out: Path,
    request: Request,
    reading: Reading | None = None,
    *,
    progress: StageProgress | None = None,
) -> Prepared:
    """Read a file and refuse what cannot be done.

    Parameters
    ----------
    path, out : Path
        Of the same format.
    reading : Reading, optional

    Raises
    ------
    InputError, DesignError
        With the reason and the remedy.
    """
    method = find(request.method)
    original = _open(path, out, reading, progress)
    for name in request.drop:
        original.column(name)
    for name in request.confidential:
        refuse_doubtful_confidential(original, name, request.nominal, request.ordinal)
    everything = [original.usable(name) for name in request.quasi_identifiers]
    orders = orders_of(
        original,
        (*request.quasi_identifiers, *request.confidential),
        given=request.ordinal,
        otherwise=(*request.nominal, *request.numeric, *request.hierarchies),
    )
    nominal = tuple(_is_nominal(column, request, orders, original) for column in everything)
    rows = _complete(everything, request, original.source)
    if not len(rows):
        raise InputError("every record lacks a quasi-identifier", where=original.source)
    if request.hierarchies and not method.trees:
        raise InputError(
            f"the method {method.name} does not cut along hierarchies",
            where="--hierarchy",
            remedy="Add --method mondrian.",
        )
    columns = [_published(column, rows, request, orders, original) for column in everything]
    parts = _blocks(request)
    check(
        method,
        k=request.k,
        parts=[[nominal[index] for index in part] for part in parts],
        options=request.options,
        seed=request.seed,
        effort=request.effort,
        district=request.district,
    )
    people = people_of(
        original,
        rows,
        k=request.k,
        counts=request.counts,
        participation=request.participation,
        person=request.person,
        household=request.household,
    )
    people.check()
    sampling_weights(original, request.sampling_weight, rows)
    gaps = [_gaps(columns, nominal, part, people, request, original.source) for part in parts]
    _refuse_unfit_options(columns, nominal, request)
    encoding = Encoding.fit(columns, nominal, people.counts)
    X = encoding.matrix(columns)
    secret = _confidential(original, request, orders, rows, people)
    distances, importances = _distances(request, rows, original)
    return Prepared(
        request=request,
        method=method,
        original=original,
        columns=tuple(columns),
        nominal=nominal,
        orders=orders,
        rows=rows,
        people=people,
        encoding=encoding,
        X=X,
        parts=tuple(
            _part(X, encoding, part, secret, request, columns, missing)
            for part, missing in zip(parts, gaps, strict=True)
        ),
        secrets=_secrets(original, request, orders, rows, people.counts),
        distances=distances,
        importances=importances,
        warnings=file_warnings(original, request, orders, rows),
        digits=tuple(
            None if is_nominal or column.kind == "ordinal" or request.unrounded else request.digits.of(column)
            for column, is_nominal in zip(columns, nominal, strict=True)
        ),
    )


def _open(path: Path, out: Path, reading: Reading | None, progress: StageProgress | None) -> DataFile:
    """The original, if its masked copy can be written in the same form to another place."""
    if form_of(path) != form_of(out):
        raise InputError(
            f"{path.name} is {form_of(path)} and {out.name} would be {form_of(out)}; files are not converted",
            expected=f"an --out that ends in {path.suffix}",
        )
    if out.exists() and path.exists() and out.samefile(path):
        raise InputError("the masked file would overwrite the original", where=str(out))
    original = open_data(path, reading, progress=stage(progress, "reading"))
    _refuse_other_separator(path, out, original)
    return original


def _published(
    column: DataColumn, rows: IntArray, request: Request, orders: Orders, original: DataFile
) -> DataColumn:
    """A quasi-identifier of the records that take part, as it is grouped and published."""
    taken = selected(column, rows) if len(rows) < original.n_records else column
    if column.name in request.hierarchies:
        check_hierarchy(request.hierarchies[column.name], taken, original)
        taken = as_categories(taken)
    order = orders.get(column.name)
    return taken if order is None else ranked(taken, order, original.source)


def _refuse_unfit_options(columns: Sequence[DataColumn], nominal: Sequence[bool], request: Request) -> None:
    """Refuse options that need numbers, or an order, of columns that have none."""
    for column, is_nominal in zip(columns, nominal, strict=True):
        name, is_category = quoted(column.name), is_nominal or column.kind == "ordinal"
        if request.breach != "none" and is_category:
            raise InputError(
                f"--breach {request.breach} moves numbers; {name} is "
                + ("nominal" if is_nominal else "ordinal"),
                remedy="Leave --breach out, or name numeric quasi-identifiers only.",
            )
        if column.name in request.digits.by_attribute and is_category:
            raise InputError(f"{name} publishes categories, which have no decimals", where="--digits")
        if column.name in request.median and is_nominal:
            raise InputError(f"{name} is nominal, so it has no median", where="--median")
    if request.restore_variance and all(
        is_nominal or column.kind == "ordinal" or column.name in request.median
        for column, is_nominal in zip(columns, nominal, strict=True)
    ):
        raise InputError(
            "no quasi-identifier publishes means",
            where="--restore-variance",
            expected="a number that is not under --median",
        )


def refuse_doubtful_confidential(
    original: DataFile, name: str, nominal: Sequence[str], orders: Collection[str]
) -> None:
    """As of a quasi-identifier: one odd text makes categories of numbers, and every figure another one."""
    if name in nominal or name in orders:
        original.column(name)
        return
    refuse_doubtful(original.usable(name), original)


def _blocks(request: Request) -> tuple[tuple[int, ...], ...]:
    names = request.quasi_identifiers
    if not request.blocks:
        return (tuple(range(len(names))),)
    return tuple(tuple(names.index(name) for name in block) for block in request.blocks)


def _part(
    X: CodedMatrix,
    encoding: Encoding,
    columns: tuple[int, ...],
    secret: CodedMatrix | None,
    request: Request,
    every: Sequence[DataColumn],
    gaps: IntArray,
) -> Part:
    """The block's own columns of the matrix, joined with the confidential attributes where asked."""
    chosen, first = list[int](), 0
    nominal: list[tuple[int, int]] = []
    trees: list[Paths | None] = []
    for index in columns:
        block = encoding.blocks[index]
        chosen += list(range(block.first, block.end))
        if block.nominal:
            nominal.append((first, first + block.end - block.first))
            tree = request.hierarchies.get(block.name)
            trees.append(None if tree is None else category_paths(tree, every[index], block))
        first += block.end - block.first
    if request.dependence == 1:
        nominal, trees = [], []
    return Part(
        columns=columns,
        matrix=X[:, chosen],
        secret=secret,
        dependence=request.dependence or 0.0,
        nominal=tuple(nominal),
        trees=tuple(trees),
        gaps=gaps,
    )


def _is_nominal(column: DataColumn, request: Request, orders: Orders, original: DataFile) -> bool:
    source = original.source
    if column.name in request.hierarchies:
        return True
    if column.kind == "other":
        raise InputError(
            f"the column {quoted(column.name)} cannot be a quasi-identifier: {column.reason}",
            where=source,
            remedy="Turn it into a number or a category first (of a date: the year, or the age).",
        )
    if column.name in request.nominal:
        return True
    if column.name in request.numeric:
        if column.numbers is None:
            raise InputError(
                f"the column {quoted(column.name)} holds values that are no numbers", where=source
            )
        return False
    if column.name in orders:
        return False
    refuse_doubtful(column, original)
    return column.kind == "nominal"


def _complete(columns: list[DataColumn], request: Request, source: str) -> IntArray:
    """Records that take part."""
    complete = np.ones(len(columns[0]), dtype=bool)
    for column in columns:
        missing = column.missing
        if not missing.any() or (request.missing == "category" and column.name not in request.hierarchies):
            continue
        if request.missing == "category":
            raise InputError(
                f"{int(missing.sum())} records have no {quoted(column.name)}, and a gap is no node of its "
                "hierarchy",
                where=source,
                remedy="Fill them, or leave these records out with --missing drop.",
            )
        if request.missing != "drop":
            raise InputError(
                f"{int(missing.sum())} records have no {quoted(column.name)}",
                where=source,
                expected="a value in every quasi-identifier",
                remedy="Fill them, leave these records out with --missing drop, or let them be a category"
                " with --missing category.",
            )
        complete &= ~missing
    return np.flatnonzero(complete)


def _gaps(
    columns: Sequence[DataColumn],
    nominal: Sequence[bool],
    part: Sequence[int],
    people: People,
    request: Request,
    source: str,
) -> IntArray:
    """Which records lack the same numbers, as numbers from 0; each kind must be enough for a group.

    A category that is missing is a category of its own and needs no group of its own.
    """
    codes = np.zeros(people.by_level.shape[0], dtype=np.int64)
    for index in part:
        if not nominal[index]:
            codes = 2 * np.unique(codes, return_inverse=True)[1].reshape(-1) + columns[index].missing
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    if not codes.any():
        return codes
    if request.breach != "none" or request.person or request.household or request.dependence is not None:
        raise InputError(
            "numbers are missing, and --missing category groups such records apart: not with --breach, "
            "--dependence, --person or --household",
            where=source,
            remedy="Fill them, or leave these records out with --missing drop.",
        )
    few = people.failing(codes)
    if len(few):
        rows = np.flatnonzero(codes == few[0])
        lacking = [columns[i].name for i in part if not nominal[i] and columns[i].missing[rows[0]]]
        what = f"lack {', '.join(map(quoted, lacking))}" if lacking else "lack no number"
        raise InputError(
            f"{len(rows)} records {what}, too few for a group of their own",
            where=source,
            expected=f"at least {min(people.rule.minimum)} that lack the same numbers",
            remedy="Fill them, or leave these records out with --missing drop.",
        )
    return codes


def sampling_weights(original: DataFile, name: str, rows: IntArray) -> FloatArray | None:
    """Sampling weights of some records; None where no column holds them.

    Raises
    ------
    InputError
        Naming the record, for what is no number above 0.
    """
    if not name:
        return None
    column = original.usable(name)
    numbers = column.numbers
    if numbers is None:
        refuse_doubtful(column, original)
        raise InputError(f"the column {quoted(name)} holds values that are no numbers", where=original.source)
    bad = ~(numbers[rows] > 0)
    if bad.any():
        row = int(rows[np.argmax(bad)])
        raise InputError(
            f"{quoted(name)} is {quoted(column[row]) if column[row] is not None else 'missing'}",
            where=original.where(row),
            expected="a number above 0: how many people of the population the record stands for",
        )
    return numbers[rows]


def _confidential(
    original: DataFile, request: Request, orders: Orders, rows: IntArray, people: People
) -> CodedMatrix | None:
    """Confidential attributes as they count in grouping, or None if dependence is not to be kept."""
    if request.dependence is None:
        return None
    parts = []
    for name in request.confidential:
        column = selected(original.column(name), rows)
        if name in orders:
            column = ranked(column, orders[name], original.source)
        if column.kind not in ("numeric", "ordinal") or column.missing.any():
            raise InputError(
                f"--dependence needs numbers without gaps; the confidential {quoted(name)} has others",
                where=original.source,
                remedy=f"Give its order with --ordinal {name}=LOW,...,HIGH, or leave it out.",
            )
        parts.append(column)
    return Encoding.fit(parts, (False,) * len(parts), people.counts).matrix(parts)


def _secrets(
    original: DataFile, request: Request, orders: Orders, rows: IntArray, people: IntArray | None
) -> tuple[Secret, ...]:
    found = []
    for name in request.confidential if request.constraints.given else ():
        column = selected(original.column(name), rows)
        if name in orders:
            column = ranked(column, orders[name], original.source)
        elif name in request.nominal:
            column = replace(column, kind="nominal", values=None)
        found.append(Secret.of(column, people))
    return tuple(found)


def _distances(
    request: Request, rows: IntArray, original: DataFile
) -> tuple[FloatArray | None, FloatArray | None]:
    """Minimum distances and importances per value (p3m) or record (p3m-record)."""
    given, names = request.distances, request.quasi_identifiers
    if request.breach == "none":
        return None, None
    if request.breach == "p3m-record":
        distances = np.full(len(rows), given.common)
        if given.file is not None:
            distances = per_record(given.file, "--minimum-distances", rows, original)
        importances = np.full(len(rows), DEFAULT_IMPORTANCE)
        if given.importances is not None:
            importances = per_record(given.importances, "--importances", rows, original)
        return distances, importances
    common = np.array([given.by_attribute.get(name, given.common) for name in names])
    distances = np.tile(common, (len(rows), 1))
    if given.file is not None:
        distances = per_value(given.file, "--minimum-distances", names, common, rows, original)
    importances = np.full((len(rows), len(names)), DEFAULT_IMPORTANCE)
    if given.importances is not None:
        usual = importances[0]
        importances = per_value(given.importances, "--importances", names, usual, rows, original)
    return distances, importances


def _refuse_other_separator(path: Path, out: Path, original: DataFile) -> None:
    """Programs expect tabs in what is called .tsv, and a file keeps its separator."""
    separator = original.options().get("separator")
    renamed = out.suffix.lower() == ".tsv" and path.suffix.lower() != ".tsv"
    if renamed and separator not in (None, "\t"):
        raise InputError(
            f"{out.name} would not hold tabs, but the separator {separator!r} of {path.name}; files are not"
            " converted",
            expected=f"an --out that ends in {path.suffix}",
        )
