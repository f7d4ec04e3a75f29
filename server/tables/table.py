"""What every reader returns: exact text in columns, and where each record stood.

A column is kept as its distinct texts and one small integer per record. Population files repeat few values
very often, so this is compact at a million records, and whatever is computed from a value (an attribute's
vector, a rate) is computed once per distinct text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from server.wording import nearest_name, quoted, shortened_list
from shared.errors import ModelFileError


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """How a file was understood; shown to the organizer so that she can correct it.

    ``separator`` is empty for formats without one. ``decimal`` is the sign between units and tenths.
    """

    form: str
    separator: str = ""
    decimal: str = "."
    encoding: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise ValueError("the decimal sign is a point or a comma")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """One column: ``texts[codes[row]]`` is the exact text of a record.

    Parameters
    ----------
    name : str
        As the header has it, without surrounding blanks.
    texts : tuple of (str or None)
        Distinct texts in order of first appearance; None only where the format itself knows nulls.
    codes : ndarray of int32, shape (n_records,)
        Read-only index into ``texts``.
    """

    name: str
    texts: tuple[str | None, ...]
    codes: NDArray[np.int32]

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str | None, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str | None, ...] | None:
        if isinstance(row, slice):
            return tuple(self.texts[code] for code in self.codes[row].tolist())
        return self.texts[int(self.codes[row])]

    def __iter__(self) -> Iterator[str | None]:
        return (self.texts[code] for code in self.codes.tolist())

    def first_row(self, code: int) -> int:
        """Row in which a distinct text first appears."""
        return int(np.argmax(self.codes == code))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A file as text.

    Parameters
    ----------
    source : str
        Name of the file for messages.
    header : tuple of str
        Every column name of the file, also those that were not kept.
    columns : tuple of Column
        The kept columns, in the file's order, all of equal length.
    places : ndarray of int64, shape (n_records,)
        Physical line on which each record begins (``place`` = "line"), or its number from 1 ("row").
    place : str
        The word for ``places``.
    understood : Understood
        Separator, decimal sign and encoding.
    written_header : tuple of str
        The column names as they stand in the file, with their blanks, and empty where there is none; the
        same as ``header`` for formats in which every name counts.
    equal_rows : int or None
        Records that equal an earlier one in every column of the file, also those that were not kept; None
        where that was not counted.
    """

    source: str
    header: tuple[str, ...]
    columns: tuple[Column, ...]
    places: NDArray[np.int64]
    place: str
    understood: Understood
    written_header: tuple[str, ...] = ()
    equal_rows: int | None = None

    def __post_init__(self) -> None:
        if len({len(column) for column in self.columns} | {len(self.places)}) != 1:
            raise ValueError("columns and places differ in length")
        self.places.flags.writeable = False

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.places)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kept columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str, *, purpose: str = "") -> Column:
        """Return a column by its name.

        Parameters
        ----------
        name : str
            Exact name.
        purpose : str
            What wants the column, for the message.

        Raises
        ------
        ModelFileError
            If there is none; the message suggests the nearest name.
        """
        for column in self.columns:
            if column.name == name:
                return column
        wanted = f" for {purpose}" if purpose else ""
        raise ModelFileError(
            f"there is no column {quoted(name)}{wanted}",
            where=self.source,
            expected="one of " + shortened_list(self.header),
            remedy=nearest_name(name, self.header)
            + "Correct the name, or the separator if the columns above look glued together.",
        )

    def where(self, row: int, column: str = "") -> str:
        """Place of a record for messages, such as ``town.csv, line 7, column "age"``."""
        return f"{self.source}, {self.place_of(row, column)}"

    def place_of(self, row: int, column: str = "") -> str:
        """As `where`, without the file."""
        text = f"{self.place} {int(self.places[row])}"
        return f"{text}, column {quoted(column)}" if column else text

    def number_text(self, text: str) -> str:
        """Return a number's text with the decimal point that the attributes expect."""
        return text.replace(",", ".") if self.understood.decimal == "," else text
