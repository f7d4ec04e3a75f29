"""What every format offers: columns to look at, and a new file of the same format with the published values.

A file is never converted, and never copied either: every column is written anew from the values that are
published. What else a format carries (dictionaries, statistics, notes, styles, names of columns that were
left out) could hold what is to be hidden; each format says what it keeps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.statistics.anonymize.row_order import published_order, value_codes
from server.wording import nearest_name, quoted, shortened_list
from shared.errors import InputError

Kind = Literal["numeric", "ordinal", "nominal", "other"]
LARGEST = 1e100
"""Of a number that takes part: sums of squares of such numbers are finite."""

Replacement = FloatArray | IntArray
"""Numbers to write (float64), or for each record the row whose value to write (int64)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataColumn:
    """A column as the library sees it.

    Parameters
    ----------
    name : str
    kind : {"numeric", "ordinal", "nominal", "other"}
        What it is taken for; ``other`` cannot be a quasi-identifier, for ``reason``.
    numbers : float array, shape (n,), or None
        NaN where missing; None if some value is no number. Of a column that `ordinal.ranked` made: positions
        in ``order``.
    texts : object array, shape (n,)
        Every value as text, None where missing.
    label : str
        The file's own description.
    value_labels : mapping of text to str
        Names of values, as statistical files have them.
    decimals : int
        Most decimals of a number in the file; 0 if all are whole.
    reason : str
        Why it is "other".
    order : tuple of str
        Values from low to high, as texts, where the file knows an order; else empty.
    """

    name: str
    kind: Kind
    numbers: FloatArray | None
    texts: NDArray[np.object_]
    label: str = ""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    decimals: int = 0
    reason: str = ""
    order: tuple[str, ...] = ()

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Records without a value."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        return np.array([text is None for text in self.texts.tolist()], dtype=bool)

    def shown(self, text: str | None) -> str:
        """A value for people: its label beside its code."""
        if text is None:
            return "(missing)"
        label = self.value_labels.get(text)
        return f"{label} ({text})" if label else text


class DataFile(ABC):
    """An opened file."""

    source: str
    form: str
    names: tuple[str, ...]
    n_records: int

    @abstractmethod
    def column(self, name: str) -> DataColumn:
        """Return a column that exists."""

    def place(self, row: int) -> str:
        """Where a record stands, for messages."""
        return f"{self.source}, record {row + 1}"

    def understood(self) -> dict[str, str]:
        """Options with which the same file, written again, is read the same way."""
        return {}

    def index_columns(self) -> tuple[str, ...]:
        """Columns that only number the records, as a program adds them unasked."""
        return ()

    @abstractmethod
    def _keys(self, name: str) -> IntArray:
        """For each record a number that is equal, and in order, where its value as it would be written is.

        The value itself decides, never the place where it stands.
        """

    @abstractmethod
    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        """Write some columns of some records, in the order of ``rows``."""

    def _lenders(self, name: str, new: IntArray) -> IntArray:
        """The same values from records that depend on the value alone.

        A record that lends its value would lend its spelling with it: blanks around a text, a number that is
        stored as a text. Of all records with a value the one with the least spelling lends it.
        """
        texts, keys = self.column(name).texts.tolist(), self._keys(name).tolist()
        least: dict[str | None, int] = {}
        for row, text in enumerate(texts):
            if text not in least or keys[row] < keys[least[text]]:
                least[text] = row
        return np.array([least[texts[row]] for row in new.tolist()], dtype=np.int64)

    def order(
        self, replace: Mapping[str, Replacement], *, drop: Collection[str] = (), rows: IntArray
    ) -> IntArray:
        """The records of ``rows`` in an order that only what is published of them decides.

        Parameters as `write`.

        Notes
        -----
        Guarantee: two files whose published records are the same, in whatever order, are written in the same
        order; the order therefore says nothing that the records do not say.
        """
        keys = []
        for name in self.names:
            if name in drop:
                continue
            new = replace.get(name)
            if new is None:
                keys.append(self._keys(name)[rows])
            elif new.dtype.kind == "i":
                # By text: which record lends the value, and how that one spells it, must not show.
                keys.append(value_codes([text or "" for text in self.column(name).texts.tolist()])[new[rows]])
            else:
                keys.append(np.unique(new[rows], return_inverse=True)[1].reshape(-1))
        return rows[published_order(keys)] if keys else rows

    def write(
        self,
        path: Path,
        *,
        replace: Mapping[str, Replacement],
        drop: Collection[str] = (),
        rows: IntArray | None = None,
    ) -> None:
        """Write a new file of the same format from published values.

        Parameters
        ----------
        path : Path
            Not the file itself.
        replace : mapping of column name to replacement
            One entry per record of the file, left-out ones included.
        drop : collection of str
            Columns to leave out.
        rows : int array, optional
            Records to keep, in the order to write them; by default all, in theirs.

        Raises
        ------
        InputError
            If the file cannot be written.

        Notes
        -----
        Guarantee: the file holds the names of the columns that are not dropped, the values of ``rows`` in
        them, replaced where there is a replacement, and what the class of the format says that it keeps.
        """
        names = tuple(name for name in self.names if name not in drop)
        kept = np.arange(self.n_records) if rows is None else rows
        replace = {
            name: self._lenders(name, np.asarray(new, dtype=np.int64)) if new.dtype.kind == "i" else new
            for name, new in replace.items()
            if name in names
        }
        temporary = path.with_name(f".{path.name}.partial")
        try:
            self._write(temporary, replace, names, kept)
            temporary.replace(path)
        except OSError as error:
            raise InputError(
                f"the file cannot be written: {(error.strerror or str(error)).lower()}",
                where=str(path),
                remedy="Check that the folder exists and may be written to.",
            ) from None
        finally:
            temporary.unlink(missing_ok=True)

    def usable(self, name: str) -> DataColumn:
        """`checked`, and refused if its numbers are infinite, or too large for their squares."""
        column = self.checked(name)
        if column.numbers is not None and len(column.numbers):
            size = np.nan_to_num(np.abs(column.numbers))
            if size.max() > LARGEST:
                raise InputError(
                    f"{quoted(name)} is {quoted(column.texts[int(size.argmax())])}, too large for computing",
                    where=self.place(int(size.argmax())),
                    expected=f"numbers up to {LARGEST:g}",
                    remedy="Replace it by a missing value or by the largest value that is meant.",
                )
        return column

    def checked(self, name: str) -> DataColumn:
        """Return a column, or raise InputError naming the nearest one."""
        if name not in self.names:
            raise InputError(
                f"there is no column {quoted(name)}",
                where=self.source,
                expected="one of " + shortened_list(self.names),
                remedy=nearest_name(name, self.names)
                + (
                    "Correct the name, or set --separator."
                    if self.form == "CSV" and len(self.names) == 1
                    else "Correct the name."
                ),
            )
        return self.column(name)


def column_of_numbers(name: str, numbers: FloatArray, **more: Any) -> DataColumn:
    """A column of numbers, with its texts and decimals."""
    distinct, codes = np.unique(numbers, return_inverse=True)
    texts = np.array([None if np.isnan(v) else number_text(v) for v in distinct.tolist()], dtype=object)
    decimals = max((len(t.partition(".")[2]) for t in texts.tolist() if t is not None), default=0)
    more.setdefault("kind", "numeric")
    return DataColumn(name=name, numbers=numbers, texts=texts[codes.reshape(-1)], decimals=decimals, **more)


def of_single(numbers: FloatArray) -> FloatArray:
    """Numbers stored with 32 bits, as the shortest decimal that means them: 1.62, not 1.6200000047683716."""
    distinct, codes = np.unique(numbers.astype(np.float32), return_inverse=True)
    exact = [np.nan if np.isnan(v) else float(np.format_float_scientific(v)) for v in distinct]
    return np.array(exact, dtype=np.float64)[codes.reshape(-1)]


def number_text(value: float) -> str:
    """Shortest exact decimal text of a float, whole numbers without a point."""
    return np.format_float_positional(value + 0.0, unique=True, trim="-")
