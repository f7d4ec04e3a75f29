"""What every format offers: columns to look at, and writing the same file with some values replaced.

A file is never converted. What is not replaced is written as it was read: texts, types, labels, order, index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray
from server.reading.table import nearest_name, quoted, shortened_list
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

    @abstractmethod
    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        """Write some columns of some records."""

    def write(
        self,
        path: Path,
        *,
        replace: Mapping[str, Replacement],
        drop: Collection[str] = (),
        rows: IntArray | None = None,
    ) -> None:
        """Write the file again with some columns replaced.

        Parameters
        ----------
        path : Path
            Not the file itself.
        replace : mapping of column name to replacement
            One entry per record of the file, left-out ones included.
        drop : collection of str
            Columns to leave out.
        rows : int array, optional
            Records to keep, ascending; by default all.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        names = tuple(name for name in self.names if name not in drop)
        kept = np.arange(self.n_records) if rows is None else rows
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


def number_text(value: float) -> str:
    """Shortest exact decimal text of a float, whole numbers without a point."""
    return np.format_float_positional(value + 0.0, unique=True, trim="-")
