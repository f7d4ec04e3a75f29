"""Parquet read to the same exact text as CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from server.tables.decimal_sign import with_decimal_sign
from server.tables.table import Column, Table, Understood
from server.wording import quoted
from shared.errors import ModelFileError

MAGIC = b"PAR1"


def read_parquet(
    path: Path,
    *,
    source: str = "",
    wanted: Collection[str] | None = None,
    numeric_columns: Iterable[str] | None = None,
    decimal: str | None = None,
) -> Table:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    source : str
        Name for messages; by default the file's own.
    wanted : collection of str, optional
        The columns to keep; columns of other types than those below are no error unless they are wanted.
    numeric_columns, decimal : optional
        As in `read_delimited`; they matter for columns of text that hold numbers.

    Returns
    -------
    Table
        Integers and decimals as their digits, booleans as ``true`` and ``false``, text and dictionaries of
        text as they are, nulls and NaN as None. Floats become the shortest decimal text that reads back as
        the same float of the column's width, so 23.4 stays ``23.4``.

    Raises
    ------
    ModelFileError
        If the file cannot be opened, is not Parquet, has no record or repeated names, or if a wanted column
        holds times, binary, nested values or infinities.
    """
    import pyarrow
    import pyarrow.parquet

    name = source or path.name
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            header = tuple(str(field) for field in file.schema_arrow.names)
            if len(set(header)) < len(header):
                double = next(field for field in header if header.count(field) > 1)
                raise ModelFileError(
                    f"two columns are called {quoted(double)}", where=name, remedy="Rename one of them."
                )
            kept = [field for field in header if wanted is None or field in wanted]
            arrow = file.read(columns=kept)
            equal_rows = _equal_rows(file)
    except OSError as error:
        reason = "is a directory" if path.is_dir() else (error.strerror or "it is damaged").lower()
        raise ModelFileError(
            f"the file cannot be read: {reason}",
            where=name,
            remedy=f"Check the name and permissions of {path}.",
        ) from None
    except pyarrow.ArrowException as error:
        raise ModelFileError(
            f"this is not a Parquet file that can be read ({str(error).splitlines()[0][:120]})",
            where=name,
            remedy="Write the table again, as Parquet or CSV.",
        ) from None
    if not arrow.num_rows:
        raise ModelFileError("there is no record", where=name, remedy="Check that the export was complete.")
    return with_decimal_sign(
        Table(
            source=name,
            header=header,
            columns=tuple(_column(field, arrow.column(field), name) for field in kept),
            places=np.arange(1, arrow.num_rows + 1, dtype=np.int64),
            place="row",
            understood=Understood(form="parquet"),
            equal_rows=equal_rows,
        ),
        numeric_columns=numeric_columns,
        decimal=decimal,
    )


def _equal_rows(file: Any) -> int | None:
    """Records equal to an earlier one in every column; None if a column cannot be compared."""
    import pyarrow

    try:
        whole = file.read()
        return int(whole.num_rows - whole.group_by(whole.column_names).aggregate([]).num_rows)
    except pyarrow.ArrowException:
        return None


def _column(name: str, chunked: Any, source: str) -> Column:  # pyarrow ships no types
    import pyarrow
    import pyarrow.types as kinds

    kind = chunked.type
    if kinds.is_dictionary(kind):
        chunked = chunked.cast(kind.value_type)
        kind = kind.value_type
    accepted = (
        kinds.is_integer,
        kinds.is_floating,
        kinds.is_decimal,
        kinds.is_boolean,
        kinds.is_string,
        kinds.is_large_string,
        kinds.is_string_view,
        kinds.is_null,
    )
    if not any(accepts(kind) for accepts in accepted):
        raise ModelFileError(
            f"the column {quoted(name)} has the type {kind}, which has no exact text",
            where=source,
            expected="integers, decimals, floats, booleans or text",
            remedy="Convert the column to text or to a number (for a date: the year, or the age).",
        )
    if kinds.is_null(kind):
        return Column(name=name, texts=(None,), codes=np.zeros(len(chunked), np.int32))
    if kinds.is_string_view(kind):
        chunked = chunked.cast(pyarrow.large_string())
    width = np.float32 if kinds.is_float32(kind) else np.float16 if kinds.is_float16(kind) else np.float64
    encoded = pyarrow.chunked_array(chunked).combine_chunks().dictionary_encode()
    # Different values can have one text (0.0 and -0.0; all that is missing), so codes go through the text.
    index: dict[str | None, int] = {}
    codes = [
        index.setdefault(_text(value, width, name, source), len(index))
        for value in encoded.dictionary.to_pylist()
    ]
    if encoded.null_count:
        codes.append(index.setdefault(None, len(index)))
    positions = encoded.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)
    return Column(name=name, texts=tuple(index), codes=np.array(codes, np.int32)[positions])


def _text(value: object, width: type[np.floating[Any]], name: str, source: str) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return None
        if value in (float("inf"), float("-inf")):
            raise ModelFileError(
                f"the column {quoted(name)} holds an infinite value",
                where=source,
                expected="finite numbers or nulls",
                remedy="Replace it by a null or by the largest value that is meant.",
            )
        value = Decimal(np.format_float_positional(width(value), unique=True, trim="-"))
        return format(value + 0, "f")
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)
