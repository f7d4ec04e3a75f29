"""From a file to a masked file: read, encode, divide, publish, write, and count what was written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from server.anonymize.data_file import DataColumn, DataFile, Replacement
from server.anonymize.encoding import Encoding, selected
from server.anonymize.files import form_of, open_data
from server.anonymize.methods import Method, check, divide, estimate_seconds, find, refined
from server.anonymize.request import Request, StageProgress
from server.measures.disclosure_risk import equivalence_classes
from server.measures.diversity import coded
from server.microaggregation.dependence import joined
from server.microaggregation.dream import dream
from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray
from server.microaggregation.p3m import p3m
from server.microaggregation.preparation import group_means
from server.reading.table import quoted
from shared.errors import DesignError, InputError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Masked:
    """What was done.

    Parameters
    ----------
    request : Request
    method : Method
    original : DataFile
    nominal : tuple of bool
        Per quasi-identifier.
    rows : int array
        Records of the original that are in the masked file.
    labels : int array
        Group of each of them.
    unmet : tuple of str
        Attributes whose mean or variance P3M or DREAM could not keep.
    warnings : tuple of str
    """

    request: Request
    method: Method
    original: DataFile
    nominal: tuple[bool, ...]
    rows: IntArray
    labels: IntArray
    unmet: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A file that is ready to be divided, after everything that can be refused was."""

    request: Request
    method: Method
    original: DataFile
    columns: tuple[DataColumn, ...]
    nominal: tuple[bool, ...]
    rows: IntArray
    encoding: Encoding
    X: FloatArray
    space: FloatArray
    warnings: tuple[str, ...]

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """Columns of nominal attributes in ``space``, where records are grouped."""
        if self.request.dependence == 1:
            return ()
        return tuple((block.first, block.end) for block in self.encoding.blocks if block.nominal)

    def estimate(self) -> float | None:
        """Seconds that the division will take, or None if it is over in a moment."""
        return estimate_seconds(
            self.method, self.space, self.request.k, blocks=self.blocks, options=self.request.options
        )


def prepare(
    path: Path, out: Path, request: Request, *, progress: StageProgress | None = None, **reading: Any
) -> Prepared:
    """Read a file and refuse what cannot be done.

    Parameters
    ----------
    path, out : Path
        Of the same format.
    reading
        Options of `files.open_data`.

    Raises
    ------
    InputError
        With the reason and the remedy.
    """
    method = find(request.method)
    if form_of(path) != form_of(out):
        raise InputError(
            f"{path.name} is {form_of(path)} and {out.name} would be {form_of(out)}; files are not converted",
            expected=f"an --out that ends in {path.suffix}",
        )
    if out.exists() and path.exists() and out.samefile(path):
        raise InputError("the masked file would overwrite the original", where=str(out))
    stage = None if progress is None else (lambda done, total: progress("reading", done, total))
    original = open_data(path, progress=stage, **reading)
    for name in (*request.confidential, *request.drop):
        original.checked(name)
    columns = [original.checked(name) for name in request.quasi_identifiers]
    nominal = tuple(_is_nominal(column, request, original.source) for column in columns)
    rows = _complete(columns, nominal, request, original.source)
    columns = [selected(column, rows) for column in columns] if len(rows) < original.n_records else columns
    check(
        method,
        k=request.k,
        n_records=len(rows),
        nominal=nominal,
        options=request.options,
        seed=request.seed,
    )
    if request.breach != "none" and any(nominal):
        name = request.quasi_identifiers[nominal.index(True)]
        raise InputError(
            f"--breach {request.breach} moves numbers; {quoted(name)} is nominal",
            remedy="Leave --breach out, or name numeric quasi-identifiers only.",
        )
    encoding = Encoding.fit(columns, nominal)
    X = encoding.matrix(columns)
    return Prepared(
        request=request,
        method=method,
        original=original,
        columns=tuple(columns),
        nominal=nominal,
        rows=rows,
        encoding=encoding,
        X=X,
        space=_with_confidential(X, original, request, rows),
        warnings=_warnings(original, request, rows),
    )


def mask(prepared: Prepared, out: Path, *, progress: StageProgress | None = None) -> Masked:
    """Divide, publish and write.

    Notes
    -----
    Guarantee: the written file holds, for every combination of published quasi-identifiers, at least k
    records; it is counted on the values that are written. Otherwise DesignError, and no file.
    """
    request, n = prepared.request, prepared.original.n_records
    stage = None if progress is None else (lambda done, total: progress("grouping", done, total))
    labels = divide(
        prepared.method,
        prepared.space,
        request.k,
        blocks=prepared.blocks,
        options=request.options,
        seed=request.seed or 0,
        progress=stage,
    )
    if request.refine:
        polish = None if progress is None else (lambda done, total: progress("refining", done, total))
        labels = refined(prepared.space, labels, request.k, progress=polish)
    published, unmet = _published(prepared, labels)
    replace: dict[str, Replacement] = {}
    codes: list[IntArray] = []
    for column, is_nominal, block in zip(
        prepared.columns, prepared.nominal, prepared.encoding.blocks, strict=True
    ):
        if is_nominal:
            source = _modes(column, labels)[labels]
            codes.append(coded(column.texts[source])[0])
            new: Replacement = np.arange(n, dtype=np.int64)
            new[prepared.rows] = prepared.rows[source]
        else:
            values = published[:, block.first] * block.scale + block.centre[0]
            if not request.unrounded:
                values = _rounded(values, column, text=prepared.original.form == "CSV")
            new = np.full(n, np.nan)
            new[prepared.rows] = values[labels]
            codes.append(coded(new[prepared.rows])[0])
        replace[column.name] = new
    smallest = int(equivalence_classes(codes).sizes.min())
    if smallest < request.k:
        raise DesignError(
            f"a combination would be published for {smallest} records only, nothing was written"
        )
    rows = None if len(prepared.rows) == n else prepared.rows
    prepared.original.write(out, replace=replace, drop=request.drop, rows=rows)
    return Masked(
        request=request,
        method=prepared.method,
        original=prepared.original,
        nominal=prepared.nominal,
        rows=prepared.rows,
        labels=labels,
        unmet=unmet,
        warnings=prepared.warnings
        + tuple(f"The mean or the variance of {quoted(name)} could not be kept." for name in unmet),
    )


def _is_nominal(column: DataColumn, request: Request, source: str) -> bool:
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
    return column.kind == "nominal"


def _complete(
    columns: list[DataColumn], nominal: tuple[bool, ...], request: Request, source: str
) -> IntArray:
    """Records that take part."""
    complete = np.ones(len(columns[0].texts), dtype=bool)
    for column, is_nominal in zip(columns, nominal, strict=True):
        missing = column.missing
        if not missing.any() or (request.missing == "category" and is_nominal):
            continue
        if request.missing != "drop":
            number = "a number that is missing is no category" if request.missing == "category" else ""
            raise InputError(
                f"{int(missing.sum())} records have no {quoted(column.name)}"
                + (f"; {number}" if number else ""),
                where=source,
                expected="a value in every quasi-identifier",
                remedy="Fill them, leave these records out with --missing drop"
                + ("" if number or not is_nominal else ", or let them be a category with --missing category")
                + ".",
            )
        complete &= ~missing
    return np.flatnonzero(complete)


def _with_confidential(X: FloatArray, original: DataFile, request: Request, rows: IntArray) -> FloatArray:
    """The matrix in which records are grouped: (X, beta Y) if dependence is to be kept."""
    if request.dependence is None:
        return X
    parts = []
    for name in request.confidential:
        column = selected(original.column(name), rows)
        if column.kind != "numeric" or column.missing.any():
            raise InputError(
                f"--dependence needs numbers without gaps; the confidential {quoted(name)} has others",
                where=original.source,
            )
        parts.append(column)
    Y = Encoding.fit(parts, (False,) * len(parts)).matrix(parts)
    return joined(X, Y, request.dependence)


def _warnings(original: DataFile, request: Request, rows: IntArray) -> tuple[str, ...]:
    warnings = []
    left_out = original.n_records - len(rows)
    if left_out:
        warnings.append(f"{left_out} records without a quasi-identifier were left out (--missing drop).")
    used = {*request.quasi_identifiers, *request.confidential, *request.drop}
    untouched = [name for name in original.names if name not in used]
    if untouched:
        listed = ", ".join(quoted(name) for name in untouched)
        warnings.append(
            f"Published as they are, though named in no role: {listed}. Who knows them recognizes people: "
            "make them quasi-identifiers or leave them out with --drop."
        )
    for name in untouched:
        column = original.column(name)
        if column.decimals == 0 and len(set(column.texts.tolist())) > 0.9 * original.n_records > 9:
            warnings.append(
                f"{quoted(name)} is different for nearly every record: it looks like an identifier."
            )
    return tuple(warnings)


def _published(prepared: Prepared, labels: IntArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of the groups in the units of ``X``, and the attributes whose constraints are unmet."""
    request = prepared.request
    if request.breach == "none":
        return group_means(prepared.X, labels), ()
    method = p3m if request.breach == "p3m" else dream
    try:
        found = method(
            prepared.X, labels, minimum_distance=request.minimum_distance, trade_off=request.trade_off
        )
    except ValueError as error:
        raise InputError(str(error), where=f"--breach {request.breach}") from None
    return found.values, tuple(prepared.columns[index].name for index in found.unmet)


def _modes(column: DataColumn, labels: IntArray) -> IntArray:
    """For each group a record with its most frequent value; ties to the first value in text order."""
    codes, _ = coded(column.texts)
    codes = codes + 1  # missing becomes 0
    width = int(codes.max()) + 1
    pairs, first, counts = np.unique(labels * width + codes, return_index=True, return_counts=True)
    order = np.lexsort((pairs % width, -counts, pairs // width))
    groups = pairs[order] // width
    return np.asarray(first[order][np.r_[True, groups[1:] != groups[:-1]]], dtype=np.int64)


def _rounded(values: FloatArray, column: DataColumn, *, text: bool) -> FloatArray:
    """Whole numbers stay whole; text files keep their number of decimals."""
    if column.decimals == 0:
        return np.rint(values)
    return np.round(values, column.decimals) if text else values
