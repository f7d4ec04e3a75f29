"""A number per record, and per attribute, from a file beside the data: minimum distances and importances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from server.arrays import FloatArray, IntArray
from server.tables.data_file import DataFile
from server.tables.files import open_data
from server.wording import quoted, shortened_list
from shared.errors import InputError


def per_value(
    path: Path, option: str, names: Sequence[str], defaults: FloatArray, rows: IntArray, original: DataFile
) -> FloatArray:
    """Numbers per record and attribute (n x d).

    Parameters
    ----------
    path : Path
        Any format that can be read, with the records of the data in their order and a column for each
        attribute that is to differ from its default.
    option : str
        For messages.
    names : sequence of str, length d
    defaults : float array, shape (d,)
    rows : int array, shape (n,)
        Records that take part.

    Raises
    ------
    InputError
        Naming the record, for a missing value or what is no number; for a column that is no attribute, or
        another number of records.
    """
    file = _open(path, option, original)
    strange = next((name for name in file.names if name not in names), None)
    if strange is not None:
        raise InputError(
            f"the column {quoted(strange)} is not among the quasi-identifiers",
            where=f"{option}, {file.source}",
            expected="columns among " + shortened_list(tuple(names)),
        )
    values = np.tile(defaults, (len(rows), 1))
    for index, name in enumerate(names):
        if name in file.names:
            values[:, index] = _column(file, name, option)[rows]
    return values


def per_record(path: Path, option: str, rows: IntArray, original: DataFile) -> FloatArray:
    """Numbers per record (n): the only column of a file. Parameters and errors as `per_value`."""
    file = _open(path, option, original)
    if len(file.names) != 1:
        raise InputError(
            f"there are {len(file.names)} columns",
            where=f"{option}, {file.source}",
            expected="one: p3m-record knows one number for the whole record",
        )
    return _column(file, file.names[0], option)[rows]


def _open(path: Path, option: str, original: DataFile) -> DataFile:
    file = open_data(path)
    if file.n_records != original.n_records:
        raise InputError(
            f"there are {file.n_records} records, and {original.n_records} in {original.source}",
            where=f"{option}, {file.source}",
            expected="the same records in the same order",
        )
    return file


def _column(file: DataFile, name: str, option: str) -> FloatArray:
    column = file.column(name)
    numbers = column.numbers
    if numbers is None or np.isnan(numbers).any():
        bad = (
            column.missing
            if numbers is not None
            else np.array([not _number(t) for t in column.texts.tolist()])
        )
        row = int(np.argmax(bad))
        text = column.texts[row]
        raise InputError(
            f"{quoted(name)} is {quoted(text) if text is not None else 'missing'}",
            where=f"{option}, {file.where(row)}",
            expected="a number for every record",
        )
    return numbers


def _number(text: str | None) -> bool:
    try:
        float((text or "").replace(",", "."))
    except ValueError:
        return False
    return True
