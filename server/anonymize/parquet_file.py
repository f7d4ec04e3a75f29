"""Parquet through Arrow: types, field metadata and the pandas index that may stand in it are kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from server.anonymize.data_file import (
    DataColumn,
    DataFile,
    Kind,
    Replacement,
    column_of_numbers,
    number_text,
)
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
            found: Kind = "ordinal" if order else "nominal" if labelled else "numeric"
            return column_of_numbers(name, numbers, kind=found, order=order)
        texts = np.array(
            [None if value is None else str(value) for value in chunked.to_pylist()], dtype=object
        )
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
        import pyarrow.types as kinds

        arrays, fields = [], []
        for name in names:
            field = self._arrow.schema.field(name)
            new = replace.get(name)
            if new is None:
                array = self._arrow.column(name).take(pyarrow.array(rows))
            elif new.dtype.kind == "i":
                array = self._arrow.column(name).take(pyarrow.array(new[rows]))
            else:
                whole = bool((new == np.rint(new)).all())
                if kinds.is_decimal(field.type):
                    array = pyarrow.array([round(v, field.type.scale) for v in new[rows].tolist()])
                    array = array.cast(field.type, safe=False)
                elif kinds.is_integer(field.type) and not whole:
                    field = field.with_type(pyarrow.float64())
                    array = pyarrow.array(new[rows])
                else:
                    array = pyarrow.array(new[rows]).cast(field.type, safe=kinds.is_integer(field.type))
            arrays.append(array)
            fields.append(field)
        schema = pyarrow.schema(fields, metadata=self._arrow.schema.metadata)
        pyarrow.parquet.write_table(pyarrow.table(arrays, schema=schema), path)


def _order(chunked: Any) -> tuple[str, ...]:
    """Texts of the categories of an ordered dictionary, from low to high."""
    values = chunked.chunk(0).dictionary.to_pylist() if chunked.num_chunks else []
    return tuple(number_text(float(v)) if isinstance(v, int | float) else str(v) for v in values)


def _numbers(chunked: Any, pyarrow: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = chunked.cast(pyarrow.float64(), safe=False)
    numbers = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
    if pyarrow.types.is_integer(chunked.type) and len(numbers) and np.nanmax(np.abs(numbers)) >= 2**53:
        raise InputError(
            f"the column of type {quoted(str(chunked.type))} holds integers of 2^53 or more",
            expected="numbers that floating point holds exactly",
            remedy="Such long numbers are usually identifiers: drop the column or leave it as it is.",
        )
    return numbers
