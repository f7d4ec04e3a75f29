"""Parquet through Arrow: types and orders of categories are kept; dictionaries and metadata are not."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace as with_
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np

from server.arrays import FloatArray, Int32Array, IntArray
from server.progress import Progress
from server.tables.column import DataColumn, Kind, NumberTexts, number_text
from server.tables.counting import Piece
from server.tables.data_file import DATED, DataFile, OfGroups, Replacement, Understood
from server.tables.missing import USUAL, MissingValues
from server.tables.row_order import value_codes
from server.wording import quoted
from shared.errors import InputError, ModelFileError
from shared.limits import EXACT_BOUND

PIECE_RECORDS: Final = 1 << 20
"""Records that are read or written together; also of a row group, as Arrow divides what it writes at once."""


class ParquetFile(DataFile):
    """A Parquet file, of which one column after the other is read when it is asked for.

    Notes
    -----
    Integers, floats and decimals are numeric; texts, booleans and dictionaries nominal; ordered dictionaries
    ordinal; dates, times and nested values cannot be quasi-identifiers.

    Kept are names and types of published columns, and of a dictionary the published categories with their
    order. Left behind are the dictionaries of the original (which list every value that it had), metadata of
    file and fields (names of dropped columns, pandas and GeoPandas attributes), the division into row groups,
    and types of other libraries, which can carry metadata: their storage is written. Statistics are computed
    by the writer from what it writes.
    """

    form = "Parquet"

    def __init__(self, path: Path, *, missing: MissingValues = USUAL) -> None:
        import pyarrow
        import pyarrow.parquet

        self._path = path
        try:
            # The file alone, not a partitioned data set that its folder might be.
            with pyarrow.parquet.ParquetFile(path) as file:
                self._schema, n_records = file.schema_arrow, file.metadata.num_rows
            self._state = _state(path)
        except (OSError, pyarrow.ArrowException) as error:
            raise self._unreadable(str(error)) from None
        self._begin(path.name, tuple(self._schema.names), n_records, missing)
        self.understood = Understood(form="parquet")

    def _unreadable(self, reason: str) -> ModelFileError:
        return ModelFileError(
            f"the file cannot be read as Parquet ({reason.splitlines()[0][:120]})",
            where=self._path.name,
            remedy="Write the table again, as Parquet or CSV.",
        )

    def _arrow(self, name: str) -> Any:
        """A column as Arrow has it, read each time that it is asked for: nothing holds the whole file."""
        import pyarrow
        import pyarrow.parquet

        try:
            if _state(self._path) != self._state:
                raise ModelFileError(
                    "the file was changed while it was read",
                    where=self.source,
                    remedy="Let nothing write to it, and start again.",
                )
            with pyarrow.parquet.ParquetFile(self._path) as file:
                return file.read(columns=[name]).column(name)
        except (OSError, pyarrow.ArrowException) as error:
            raise self._unreadable(str(error)) from None

    def _read(self, name: str) -> DataColumn:
        """The column, its kind by its type."""
        return _column(name, self._arrow(name))

    def calls_categories(self, name: str) -> bool:
        import pyarrow.types

        return bool(pyarrow.types.is_dictionary(self._schema.field(name).type))

    def index_columns(self) -> tuple[str, ...]:
        """Row numbers that pandas stores without being asked."""
        described = (self._schema.metadata or {}).get(b"pandas", b"{}")
        try:
            listed = json.loads(described)["index_columns"]
        except (ValueError, KeyError, TypeError):
            return ()
        unnamed = re.compile(r"__index_level_[0-9]+__")
        return tuple(name for name in self.names if name in listed and unnamed.fullmatch(name))

    def _keys(self, name: str) -> IntArray:
        return value_codes([repr(value) for value in self._plain(name).to_pylist()])

    def _plain(self, name: str) -> Any:
        """The values of a column as an array without dictionary, metadata or types of other libraries."""
        import pyarrow

        chunked = self._arrow(name)
        kind = _plain_type(chunked.type)
        try:
            if pyarrow.types.is_nested(kind):
                plain = pyarrow.array(chunked.to_pylist(), type=kind)
            else:
                if isinstance(chunked.type, pyarrow.BaseExtensionType):
                    chunked = pyarrow.chunked_array(
                        [chunk.storage for chunk in chunked.chunks], type=chunked.type.storage_type
                    )
                plain = chunked.cast(kind).combine_chunks()
            return plain.combine_chunks() if isinstance(plain, pyarrow.ChunkedArray) else plain
        except (pyarrow.ArrowException, ValueError, TypeError):
            raise InputError(
                f"the column {quoted(name)} of type {chunked.type} cannot be divided into its records",
                where=self.source,
                remedy="Leave the column out with --drop, or convert it to another type.",
            ) from None

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import pyarrow
        import pyarrow.parquet

        # Each column as different values and, for each record, which of them it has.
        columns = [self._to_write(name, replace.get(name), rows, pyarrow) for name in names]
        schema = pyarrow.schema([(name, array.type) for name, (array, _) in zip(names, columns, strict=True)])
        with pyarrow.parquet.ParquetWriter(path, schema) as writer:
            for first in range(0, len(rows), PIECE_RECORDS):
                part = slice(first, first + PIECE_RECORDS)
                arrays = [array.take(pyarrow.array(places[part])) for array, places in columns]
                writer.write_table(pyarrow.table(arrays, schema=schema), row_group_size=PIECE_RECORDS)

    def _to_write(
        self, name: str, new: Replacement | None, rows: IntArray, pyarrow: Any
    ) -> tuple[Any, IntArray]:
        """Values of a column in the type in which it is published, and the place of each record's."""
        kind = self._schema.field(name).type
        if new is None:
            values, places = self._plain(name), rows
        elif isinstance(new, OfGroups):
            values, places = new.values, new.groups[rows]
        else:
            values, places = new[rows], np.arange(len(rows))
        if new is not None and new.dtype.kind == "f":
            try:
                return _published(_plain_type(kind), np.asarray(values, dtype=np.float64), pyarrow), places
            except pyarrow.ArrowInvalid:
                raise InputError(
                    f"the published values of {quoted(name)} do not fit its type {kind}",
                    where=self.source,
                    remedy="Convert the column to a wider type.",
                ) from None
        if new is not None and new.dtype.kind == "O":
            return pyarrow.array(values.tolist(), pyarrow.string()), places
        array = values if new is None else self._plain(name).take(pyarrow.array(values))
        if pyarrow.types.is_floating(array.type):
            array = _without_payloads(array, pyarrow)
        if pyarrow.types.is_dictionary(kind):
            order = _order_of_values(self._arrow(name)) if kind.ordered else None
            if new is None:  # only what occurs is published
                array, places = array.take(pyarrow.array(rows)), np.arange(len(rows))
            array = _categories(array, order, pyarrow)
        return array, places


def parquet_pieces(
    path: Path, columns: Collection[str] | None, progress: Progress | None = None
) -> Iterator[Piece]:
    """Yield the records with the columns that are named, or with all.

    A place is the number of a record, from 1. OSError or ArrowException if the file cannot be read.
    """
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        names = [name for name in file.schema_arrow.names if columns is None or name in columns]
        total, read = file.metadata.num_rows, 0
        for batch in file.iter_batches(batch_size=PIECE_RECORDS, columns=names):
            places = np.arange(read + 1, read + len(batch) + 1)
            read += len(batch)
            if progress is not None:
                progress(read, total)
            yield Piece(
                columns={name: _column(name, pyarrow.chunked_array([batch.column(name)])) for name in names},
                places=places,
            )


def parquet_header(path: Path) -> tuple[str, ...]:
    """Names of the columns; errors as of `parquet_pieces`."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return tuple(file.schema_arrow.names)


def _column(name: str, chunked: Any) -> DataColumn:
    """A column of Arrow, its kind by its type."""
    import pyarrow
    import pyarrow.types as kinds

    kind = chunked.type
    order: tuple[str, ...] = ()
    labelled = kinds.is_dictionary(kind)
    if labelled:
        if kind.ordered:
            order = tuple(_text(value, np.float64) or "" for value in _order_of_values(chunked))
        kind = kind.value_type
        chunked = chunked.cast(kind)
    if kinds.is_string_view(kind):
        chunked = chunked.cast(pyarrow.large_string())
    is_number = kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)
    simple = kinds.is_boolean(kind) or kinds.is_string(kind) or kinds.is_large_string(kind)
    if not (is_number or simple or kinds.is_string_view(kind) or kinds.is_null(kind)):
        texts = [None if value is None else str(value) for value in chunked.to_pylist()]
        dated = kinds.is_temporal(kind)
        reason = DATED if dated else f"its type is {kind}"
        return DataColumn.of(name, texts, kind="other", reason=reason)
    number_kind: Kind = "ordinal" if order else "nominal" if labelled else "numeric"
    values, codes = _encoded(chunked)
    if kinds.is_float64(kind) or kinds.is_integer(kind):
        numbers = np.full(int(codes.max(initial=-1)) + 1, np.nan)
        # By the array protocol: to_numpy would load pandas.
        numbers[: len(values)] = np.from_dlpack(values)
        if kinds.is_float64(kind) or np.nanmax(np.abs(numbers), initial=0) < EXACT_BOUND:
            numbers, codes = _different(numbers + 0.0, codes)
            return DataColumn(
                name=name,
                distinct=NumberTexts(numbers),
                codes=codes,
                kind=number_kind,
                values=numbers,
                order=order,
            )
    width = np.float32 if kinds.is_float32(kind) else np.float16 if kinds.is_float16(kind) else np.float64
    # Different values can have one text (0.0 and -0.0; all that is missing): codes go through it.
    index: dict[str | None, int] = {}
    places = [index.setdefault(_text(value, width), len(index)) for value in values.to_pylist()]
    if codes.max(initial=-1) == len(values):
        places.append(index.setdefault(None, len(index)))
    found = DataColumn(
        name=name,
        distinct=tuple(index),
        codes=np.array(places, np.int32)[codes],
        kind="ordinal" if order else "nominal",
        order=order,
    )
    if not is_number:
        return found
    if kinds.is_integer(kind):
        return with_(found, kind="other", reason="it holds integers of 2^53 or more, as identifiers are")
    own = np.array([np.nan if text is None else float(text) for text in index], dtype=np.float64)
    return with_(found, kind=number_kind, values=own)


def _encoded(chunked: Any) -> tuple[Any, Int32Array]:
    """Distinct values of a column of Arrow, in the order of their first appearance, and each record's place.

    What is null has the place behind the last.
    """
    import pyarrow

    encoded = pyarrow.chunked_array(chunked).dictionary_encode()
    values = encoded.chunk(0).dictionary if encoded.num_chunks else pyarrow.array([], chunked.type)
    codes = np.empty(len(encoded), np.int32)
    first = 0
    for chunk in encoded.chunks:
        own = codes[first : first + len(chunk)]
        own.fill(len(values))
        known = np.from_dlpack(chunk.is_valid().cast(pyarrow.uint8()))
        own[known == 1] = np.from_dlpack(chunk.indices.drop_null())
        first += len(chunk)
    return values, codes


def _different(numbers: FloatArray, codes: Int32Array) -> tuple[FloatArray, Int32Array]:
    """The same numbers with one zero and one NaN, each at its first place."""
    places = np.arange(len(numbers))
    for alike in (np.flatnonzero(numbers == 0), np.flatnonzero(np.isnan(numbers))):
        places[alike] = alike[:1]
    kept = places == np.arange(len(numbers))
    if kept.all():
        return numbers, codes
    return numbers[kept], (np.cumsum(kept) - 1).astype(np.int32)[places][codes]


def _plain_type(kind: Any) -> Any:
    """The type without dictionaries, metadata of fields and types of other libraries, at any depth."""
    import pyarrow
    import pyarrow.types as kinds

    def field(of: Any) -> Any:
        return pyarrow.field(of.name, _plain_type(of.type))

    if isinstance(kind, pyarrow.BaseExtensionType):
        return _plain_type(kind.storage_type)
    if kinds.is_dictionary(kind) or kinds.is_run_end_encoded(kind):
        return _plain_type(kind.value_type)
    if kinds.is_struct(kind):
        return pyarrow.struct([field(kind.field(i)) for i in range(kind.num_fields)])
    if kinds.is_map(kind):
        return pyarrow.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if kinds.is_fixed_size_list(kind):
        return pyarrow.list_(_plain_type(kind.value_type), kind.list_size)
    if kinds.is_large_list(kind) or kinds.is_large_list_view(kind):
        return pyarrow.large_list(_plain_type(kind.value_type))
    if kinds.is_list(kind) or kinds.is_list_view(kind):
        return pyarrow.list_(_plain_type(kind.value_type))
    if kinds.is_string_view(kind):
        return pyarrow.string()
    return pyarrow.binary() if kinds.is_binary_view(kind) else kind


def _without_payloads(array: Any, pyarrow: Any) -> Any:
    """The same numbers with one kind of NaN: its spare bits can hold anything."""
    missing = pyarrow.compute.is_nan(array)
    return pyarrow.compute.if_else(missing, pyarrow.scalar(float("nan"), array.type), array)


def _categories(array: Any, order: list[object] | None, pyarrow: Any) -> Any:
    """Values as a dictionary of those that occur, in their order or by value."""
    occurring = pyarrow.compute.unique(array).drop_null().to_pylist()
    among = set(occurring)
    values = sorted(occurring, key=repr) if order is None else [value for value in order if value in among]
    dictionary = pyarrow.array(values, type=array.type)
    codes = pyarrow.compute.index_in(array, value_set=dictionary)
    return pyarrow.DictionaryArray.from_arrays(codes, dictionary, ordered=order is not None)


def _order_of_values(chunked: Any) -> list[object]:
    """Categories of an ordered dictionary, from low to high."""
    unified = chunked.unify_dictionaries()
    return list(unified.chunk(0).dictionary.to_pylist()) if unified.num_chunks else []


def _published(kind: Any, values: FloatArray, pyarrow: Any) -> Any:
    """Numbers in the type of their column; whole ones that are no longer whole as floats."""
    missing = np.isnan(values)
    whole = bool((values == np.rint(values))[~missing].all())
    array = pyarrow.array(values, mask=missing)
    if pyarrow.types.is_decimal(kind):
        listed = [None if v != v else round(v, kind.scale) for v in values.tolist()]
        return pyarrow.array(listed, pyarrow.float64()).cast(kind, safe=False)
    if pyarrow.types.is_integer(kind):
        return array.cast(kind, safe=True) if whole else array
    return array.cast(kind, safe=False)


def _state(path: Path) -> tuple[int, int, int]:
    """What tells that a file is no longer the one that was opened."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _text(value: object, width: type[np.floating[Any]]) -> str | None:
    """Exact text of a value: of a float the shortest decimal that reads back as the same of its width."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return None if value != value else number_text(width(value))
    return None if value is None else format(value, "f") if isinstance(value, Decimal) else str(value)
