"""Before anything is divided: read, refuse what cannot be done, and encode."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.anonymize.constraints import Secret
from server.statistics.anonymize.encoding import Encoding, selected
from server.statistics.anonymize.generalization import as_categories, category_paths, check_hierarchy
from server.statistics.anonymize.methods import Method, check, estimate_seconds, find
from server.statistics.anonymize.ordinal import Orders, orders_of, ranked
from server.statistics.anonymize.people import People, people_of
from server.statistics.anonymize.record_values import per_record, per_value
from server.statistics.anonymize.request import Request
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.microaggregation.dependence import joined
from server.statistics.microaggregation.p3m import DEFAULT_IMPORTANCE
from server.statistics.microaggregation.preparation import Paths, group_means
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.tables.doubts import refuse_doubtful
from server.tables.files import Reading, form_of, open_data
from server.wording import quoted
from shared.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """A block of quasi-identifiers that is grouped on its own; without blocks there is one of all.

    Attributes
    ----------
    columns : tuple of int
        Quasi-identifiers.
    matrix : CodedMatrix
        Their columns of the matrix.
    secret : CodedMatrix or None
        Confidential attributes, which count beside them with the weight ``dependence`` where that is asked.
    dependence : float
    nominal : tuple of (first, end)
        Columns of nominal attributes within `space`.
    trees : tuple of (Paths or None)
        Their hierarchies.
    gaps : int array, shape (n,)
        Equal where the same numbers and positions are missing; 0 everywhere where none is.
    """

    columns: tuple[int, ...]
    matrix: CodedMatrix
    secret: CodedMatrix | None
    dependence: float
    nominal: tuple[tuple[int, int], ...]
    trees: tuple[Paths | None, ...]
    gaps: IntArray

    def space(self) -> FloatArray:
        """Matrix in which records are grouped, made each time that it is asked for: nothing else holds it."""
        space = self.matrix[:]
        return space if self.secret is None else joined(space, self.secret[:], self.dependence)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A file that is ready to be divided, after everything that can be refused was.

    Attributes
    ----------
    request : Request
    method : Method
    original : DataFile
    columns : tuple of DataColumn
        Quasi-identifiers of the records that take part; ordinal ones with positions as their numbers.
    nominal : tuple of bool
        Per quasi-identifier.
    orders : mapping of column to order
        Of ordinal quasi-identifiers and confidential attributes.
    rows : int array
        Records of the original that take part.
    people : People
        Of these records.
    encoding, X
        All quasi-identifiers as one matrix, coded.
    parts : tuple of Part
    secrets : tuple of Secret
        Confidential attributes whose diversity is asked for; else none.
    distances, importances : float array or None
        Per value or record, in standard deviations; None without ``--breach``.
    warnings : tuple of str
    digits : tuple of (int or None)
        Per quasi-identifier, decimals of what is published; None for categories and what is not rounded.
    """

    request: Request
    method: Method
    original: DataFile
    columns: tuple[DataColumn, ...]
    nominal: tuple[bool, ...]
    orders: Orders
    rows: IntArray
    people: People
    encoding: Encoding
    X: CodedMatrix
    parts: tuple[Part, ...]
    secrets: tuple[Secret, ...]
    distances: FloatArray | None
    importances: FloatArray | None
    warnings: tuple[str, ...]
    digits: tuple[int | None, ...]

    @property
    def left_out(self) -> frozenset[str]:
        """Columns that are not written."""
        own = self.request.unpublished
        return frozenset({*self.request.drop, *own, *_numbering(self.original, self.request)})

    def district_of(self, n: int) -> int:
        """Most records of a district of n rows of a matrix, or 0 if they are grouped whole."""
        constrained = self.request.constraints.given
        return 0 if self.method.whole or constrained else self.request.district_of(n)

    def divided(self, part: Part, divide: Callable[[FloatArray, People], IntArray]) -> IntArray:
        """Group of each record of a part, where ``divide`` groups the rows of a matrix.

        Records of one person or household are one row, at their mean; records that lack other numbers are
        never grouped together.
        """
        space = part.space()
        if self.people.units is not None:
            space = group_means(space, self.people.units)
            return divide(space, self.people.of_units())[self.people.units]
        if not part.gaps.any():
            return divide(space, self.people)
        labels = np.zeros(len(space), dtype=np.int64)
        groups = 0
        for pattern in range(int(part.gaps.max()) + 1):
            rows = np.flatnonzero(part.gaps == pattern)
            found = divide(space[rows], self.people.of(rows))
            labels[rows] = found + groups
            groups += int(found.max()) + 1
        return labels

    def estimate(self) -> float | None:
        """Seconds that the division will take, or None if it is over in a moment."""
        known: list[float] = []

        def measured(space: FloatArray, people: People) -> IntArray:
            seconds = estimate_seconds(
                self.method,
                space,
                people,
                blocks=part.nominal,
                trees=part.trees,
                options=self.request.options,
                district=self.district_of(len(space)),
            )
            known.extend([] if seconds is None else [seconds])
            return np.zeros(len(space), dtype=np.int64)

        for part in self.parts:
            self.divided(part, measured)
        return sum(known) if known else None


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
    if request.sampling_weight:
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
        warnings=_warnings(original, request, orders, rows),
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
    stage = None if progress is None else (lambda done, total: progress("reading", done, total))
    original = open_data(path, reading, progress=stage)
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


def sampling_weights(original: DataFile, name: str, rows: IntArray) -> FloatArray:
    """Sampling weights of some records.

    Raises
    ------
    InputError
        Naming the record, for what is no number above 0.
    """
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


def _warnings(original: DataFile, request: Request, orders: Orders, rows: IntArray) -> tuple[str, ...]:
    warnings = []
    left_out = original.n_records - len(rows)
    if left_out:
        warnings.append(f"{left_out} records without a quasi-identifier were left out (--missing drop).")
    if original.understood.encoding_guessed:
        warnings.append(
            f"{original.source} is read as {original.understood.encoding}, as in "
            f"{quoted(original.beyond_ascii(), 20)}: --encoding names another."
        )
    numbering = _numbering(original, request)
    if numbering:
        warnings.append(
            f"{', '.join(map(quoted, numbering))} numbers the records, as pandas stores it unasked; "
            "it would give their order away, and was left out."
        )
    roles = {*request.quasi_identifiers, *request.confidential}
    settled = {*request.nominal, *request.numeric, *request.ordinal, *request.hierarchies}
    for name in original.names:
        if name in roles - settled and (decided := original.column(name).decided):
            warnings.append(
                f"{quoted(name)} is taken {decided}. --numeric, --nominal and --ordinal say otherwise, and "
                f"--missing-values {name}=A,B which of its values are none."
            )
    used = {*_named(request), *numbering}
    untouched = [name for name in original.names if name not in used]
    if untouched:
        listed = ", ".join(quoted(name) for name in untouched)
        warnings.append(
            f"Published as they are, though named in no role: {listed}. Who knows them recognizes people: "
            "make them quasi-identifiers or leave them out with --drop."
        )
    if request.blocks:
        warnings.append(
            "Each block keeps the size rule by itself; all blocks together do not: who knows a person's "
            "values in two blocks may single her out."
        )
    for name in (name for name in request.median if name not in orders):
        warnings.append(
            f"The median of {quoted(name)} in a group is the true value of one of its members, though it does"
            " not say whose."
        )
    for name in request.unpublished:
        warnings.append(f"{quoted(name)} was left out: it is each person's own.")
    return tuple(warnings)


def _named(request: Request) -> set[str]:
    """Columns that have a role."""
    return {
        *request.quasi_identifiers,
        *request.confidential,
        *request.drop,
        request.counts,
        request.sampling_weight,
        *request.unpublished,
    }


def _numbering(original: DataFile, request: Request) -> tuple[str, ...]:
    """Columns that only number the records, unless somebody asked for them."""
    named = _named(request)
    return tuple(name for name in original.index_columns() if name not in named)


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
