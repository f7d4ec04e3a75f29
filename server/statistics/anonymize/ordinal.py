"""Ordered categories: positions to compute with, categories to publish.

A masked group publishes the median of its categories (decision 0129): it is a category of one of its members,
it does not ask whether the steps of the order are equal, and no outlier moves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from server.arrays import FloatArray, IntArray
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted, shortened_list
from shared.errors import InputError

Orders = Mapping[str, tuple[str, ...]]
"""DataColumn -> its values from low to high."""


def orders_of(
    file: DataFile, names: Sequence[str], *, given: Orders, otherwise: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Orders of those columns that are ordinal.

    Parameters
    ----------
    file : DataFile
        The original.
    names : sequence of str
        Columns that may be ordinal.
    given : mapping of column to order
        From the command line, as texts or value labels; an empty order stands for the file's own.
    otherwise : sequence of str
        Columns that are to be taken as numbers or as nominal, whatever the file says.

    Raises
    ------
    InputError
        For a column of another role, an order that lacks a value of the column or names one twice, and
        where the file knows no order.
    """
    for name in given:
        if name not in names:
            raise InputError(
                f"{quoted(name)} is neither a quasi-identifier nor confidential", where="--ordinal"
            )
    orders = {}
    for name in names:
        column = file.usable(name)
        if name in given:
            orders[name] = _given(column, given[name], file.source)
        elif column.kind == "ordinal" and name not in otherwise:
            orders[name] = column.order
    return orders


def _given(column: DataColumn, order: Sequence[str], source: str) -> tuple[str, ...]:
    name = quoted(column.name)
    present = sorted({text for text in column.texts.tolist() if text is not None})
    if not order:
        found = column.order
        if not found and column.kind == "numeric":
            raise InputError(
                f"{name} holds numbers, which have their order already",
                where="--ordinal",
                remedy="Leave --ordinal out, or name the order of its codes: NAME=1,2,3.",
            )
        if not found:
            raise InputError(
                f"the file knows no order of {name}",
                where=source,
                remedy=f"Name it: --ordinal {column.name}=LOW,...,HIGH.",
            )
        return found
    codes = {label: code for code, label in column.value_labels.items()}
    known = {*present, *column.value_labels}
    texts = tuple(value if value in known else codes.get(value, value) for value in order)
    double = next((value for value in texts if texts.count(value) > 1), None)
    if double is not None:
        raise InputError(f"the order of {name} names {quoted(double)} twice", where="--ordinal")
    lacking = next((text for text in present if text not in texts), None)
    if lacking is not None:
        raise InputError(
            f"{name} holds {quoted(lacking)}, which its order does not name",
            where="--ordinal",
            expected="every value of the column: " + shortened_list(tuple(present)),
        )
    return texts


def ranked(column: DataColumn, order: tuple[str, ...], source: str) -> DataColumn:
    """The column with positions in ``order`` as its numbers, NaN where missing.

    Raises
    ------
    InputError
        For a value that the order does not name.
    """
    position: dict[str | None, float] = {text: float(rank) for rank, text in enumerate(order)}
    position[None] = np.nan
    present = {column.distinct[code] for code in np.unique(column.codes).tolist()}
    unknown = next((text for text in column.distinct if text in present and text not in position), None)
    if unknown is not None:
        raise InputError(
            f"{quoted(column.name)} holds {quoted(unknown)}, which is not in the order of its categories",
            where=source,
            expected=shortened_list(order),
        )
    values = np.array([position.get(text, np.nan) for text in column.distinct], dtype=np.float64)
    return replace(column, kind="ordinal", values=values, order=order, reason="")


def nearest_categories(column: DataColumn, positions: FloatArray) -> IntArray:
    """For each mean position a record whose category is nearest; ties to the lower, NaN to none.

    Only categories that occur are published: a record lends its value, whatever the format calls it.
    """
    if column.numbers is None:
        raise ValueError(f"{column.name} has no positions")
    given = ~column.missing
    occurring, first = np.unique(column.numbers[given], return_index=True)
    record = np.flatnonzero(given)[first]
    middles = (occurring[1:] + occurring[:-1]) / 2
    nearest = record[np.searchsorted(middles, positions, side="left")]
    return np.where(np.isnan(positions), int(np.argmin(given)), nearest).astype(np.int64)
