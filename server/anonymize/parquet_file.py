"""Parquet through Arrow: types, field metadata and the pandas index that may stand in it are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.anonymize.data_file import (
    DataColumn,
    DataFile,
    Kind,
    Replacement,
    column_of_numbers,
    number_text,
)
from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray
from server.reading.table import quoted
from shared.errors import InputError


class ParquetFile(DataFile):
    """A Parquet file, read whole.

    Notes
    -----
    Integers, floats and decimals are numeric; texts, booleans and dictionaries nominal; ordered dictionaries
    ordinal; dates, times and nested values cannot be quasi-identifiers.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow
        import pyarrow.parquet

        self.source, self.form = path.name, "Parquet"
        try:
            # The file alone, not a partitioned data set that its folder might be.
            with pyarrow.parquet.ParquetFile(path) as file:
                self._arrow = file.read()
        except (OSError, pyarrow.ArrowException) as error:
            raise InputError(
                f"the file cannot be read as Parquet ({str(error).splitlines()[0][:120]})", where=self.source
            ) from None
        self.names, self.n_records = tuple(self._arrow.column_names), self._arrow.num_rows
        double = next((name for name, times in Counter(self.names).items() if times > 1), None)
        if double is not None:
            raise InputError(
                f"two columns are called {quoted(double)}", where=self.source, remedy="Rename one of them."
            )

    def column(self, name: str) -> DataColumn:
        """The column, its kind by its type."""
        import pyarrow
        import pyarrow.types as kinds

        chunked = self._arrow.column(name)
        kind = chunked.type
        order: tuple[str, ...] = ()
        labelled = kinds.is_dictionary(kind)
        if labelled:
            if kind.ordered:
                order = _order(chunked.unify_dictionaries())
            kind = kind.value_type
            chunked = chunked.cast(kind)
        if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind):
            numbers = _numbers(chunked, pyarrow)
            if kinds.is_integer(kind) and len(numbers) and np.nanmax(np.abs(numbers)) >= 2**53:
                return DataColumn(
                    name=name,
                    kind="other",
                    numbers=None,
                    texts=_texts(chunked),
                    reason="it holds integers of 2^53 or more, as identifiers are",
                )
            found: Kind = "ordinal" if order else "nominal" if labelled else "numeric"
            return column_of_numbers(name, numbers, kind=found, order=order)
        texts = _texts(chunked)
        simple = kinds.is_boolean(kind) or kinds.is_string(kind) or kinds.is_large_string(kind)
        if simple or kinds.is_string_view(kind) or kinds.is_null(kind):
            found = "ordinal" if order else "nominal"
            return DataColumn(name=name, kind=found, numbers=None, texts=texts, order=order)
        return DataColumn(name=name, kind="other", numbers=None, texts=texts, reason=f"its type is {kind}")

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import pyarrow
        import pyarrow.parquet

        arrays, fields = [], []
        for name in names:
            field = self._arrow.schema.field(name)
            new = replace.get(name)
            try:
                if new is not None and new.dtype.kind == "f":
                    array = _published(field.type, np.asarray(new[rows], dtype=np.float64), pyarrow)
                    field = field.with_type(array.type)
                elif new is None and len(rows) == self.n_records:
                    array = self._arrow.column(name)
                else:
                    array = self._arrow.column(name).take(pyarrow.array(rows if new is None else new[rows]))
            except pyarrow.ArrowNotImplementedError:
                raise InputError(
                    f"the column {quoted(name)} of type {field.type} cannot be divided into its records",
                    where=self.source,
                    remedy="Leave the column out with --drop, or convert it to another type.",
                ) from None
            except pyarrow.ArrowInvalid:
                raise InputError(
                    f"the published values of {quoted(name)} do not fit its type {field.type}",
                    where=self.source,
                    remedy="Convert the column to a wider type.",
                ) from None
            arrays.append(array)
            fields.append(field)
        schema = pyarrow.schema(fields, metadata=self._arrow.schema.metadata)
        pyarrow.parquet.write_table(pyarrow.table(arrays, schema=schema), path)


def _published(kind: Any, values: FloatArray, pyarrow: Any) -> Any:
    """Numbers in the type of their column; whole ones that are no longer whole as floats."""
    whole = bool((values == np.rint(values)).all())
    array = pyarrow.array(values)
    if pyarrow.types.is_decimal(kind):
        return pyarrow.array([round(value, kind.scale) for value in values.tolist()]).cast(kind, safe=False)
    if pyarrow.types.is_integer(kind):
        return array.cast(kind, safe=True) if whole else array
    return array.cast(kind, safe=False)


def _order(chunked: Any) -> tuple[str, ...]:
    """Texts of the categories of an ordered dictionary, from low to high."""
    values = chunked.chunk(0).dictionary.to_pylist() if chunked.num_chunks else []
    return tuple(number_text(float(v)) if isinstance(v, int | float) else str(v) for v in values)


def _numbers(chunked: Any, pyarrow: Any) -> FloatArray:
    values = chunked.cast(pyarrow.float64(), safe=False)
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _texts(chunked: Any) -> NDArray[np.object_]:
    return np.array([None if value is None else str(value) for value in chunked.to_pylist()], dtype=object)
