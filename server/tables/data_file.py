"""What every format offers: columns to look at, and a new file of the same format with the published values.

A file is never converted, and never copied either: every column is written anew from the values that are
published. What else a format carries (dictionaries, statistics, notes, styles, names of columns that were
left out) could hold what is to be hidden; each format says what it keeps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as with_
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray, TextArray
from server.files import SHARED, new_file
from server.tables.column import DataColumn, NumberTexts
from server.tables.missing import MissingValues, is_missing
from server.tables.row_order import places_of, published_order, value_codes
from server.wording import nearest_name, quoted, shortened_list
from shared.decimals import parse_decimal
from shared.errors import InputError, ModelFileError

DATED: Final = "it holds dates or times"
LARGEST: Final = 1e100
"""Of a number that takes part: sums of squares of such numbers are finite."""

RESOLUTION: Final = 2.0**-40
"""Of the middle half of a column beside its farthest number: float64 keeps 52 bits, and sums lose some."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OfGroups:
    """What records publish together: one value for each group, instead of one for each record.

    Attributes
    ----------
    values : float, int or object array, shape (m,)
        As of a `Replacement`.
    groups : int array, shape (n,)
        Group of each record of the file.
    """

    values: FloatArray | IntArray | TextArray
    groups: IntArray

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        return self.values.dtype

    def __getitem__(self, rows: Any) -> Any:
        """What some records publish."""
        return self.values[self.groups[rows]]


Replacement = FloatArray | IntArray | TextArray | OfGroups
"""Numbers to write (float64), for each record the row whose value to write (int64), or texts (object)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """How a file was understood; shown to whoever gave it, so that it can be corrected.

    ``separator``, ``encoding`` and ``sheet`` are empty for formats without them. ``decimal`` is the sign
    between units and tenths in numbers that stand there as texts. ``encoding_guessed`` says that words alone
    told the encoding.
    """

    form: str
    separator: str = ""
    decimal: str = "."
    encoding: str = ""
    encoding_guessed: bool = False
    sheet: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise ValueError("the decimal sign is a point or a comma")


class DataFile(ABC):
    """An opened file.

    Attributes
    ----------
    source : str
        Its name for messages.
    form : str
        Name of the format.
    header, names : tuple of str
        All columns, and those that are kept.
    n_records : int
    understood : Understood
    missing : MissingValues
        What counts as missing in `column`, beside what the format itself knows.
    times : int array, shape (n_records,), or None
        How many records of the file each one stands for, where equal ones were counted together (`counting`);
        None where each is one.
    """

    source: str
    form: str
    header: tuple[str, ...]
    names: tuple[str, ...]
    n_records: int
    understood: Understood
    missing: MissingValues
    times: IntArray | None = None
    _exact: dict[str, DataColumn]
    _typed: dict[str, DataColumn]

    def _begin(self, source: str, names: tuple[str, ...], n_records: int, missing: MissingValues) -> None:
        """Set what all formats have; refuse names that stand twice, and files without a record."""
        double = next((name for name, times in Counter(names).items() if times > 1), None)
        if double is not None:
            raise ModelFileError(
                f"two columns are called {quoted(double)}", where=source, remedy="Rename one of them."
            )
        if not n_records:
            raise ModelFileError(
                "there is no record", where=source, remedy="Check that the export was complete."
            )
        self.source, self.header, self.names, self.n_records = source, names, names, n_records
        self.missing, self._exact, self._typed = missing, {}, {}

    @abstractmethod
    def _read(self, name: str) -> DataColumn:
        """A column as the format has it: exact texts, None only where the format itself knows nothing."""

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

    def exact(self, name: str, *, purpose: str = "") -> DataColumn:
        """A column with its exact texts, blanks included.

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
        if name not in self._exact:
            if name not in self.names:
                wanted = f" for {purpose}" if purpose else ""
                raise ModelFileError(
                    f"there is no column {quoted(name)}{wanted}",
                    where=self.source,
                    expected="one of " + shortened_list(self.header),
                    remedy=nearest_name(name, self.header)
                    + "Correct the name"
                    + (
                        ", or the separator (--separator, or separator in [model]) if the columns above look"
                        " glued together."
                        if self.understood.separator
                        else "."
                    ),
                )
            self._exact[name] = self._read(name)
        return self._exact[name]

    def column(self, name: str) -> DataColumn:
        """A column as statistics see it: without blanks around texts, missing values known, its kind found.

        Raises
        ------
        ModelFileError
            As `exact`.
        """
        if name not in self._typed:
            self._typed[name] = self._understand(self.exact(name))
        return self._typed[name]

    @property
    def columns(self) -> tuple[DataColumn, ...]:
        """All kept columns, with exact texts."""
        return tuple(self.exact(name) for name in self.names)

    def usable(self, name: str) -> DataColumn:
        """`column`, and refused if a number is infinite, or so far off that the others look equal."""
        column = self.column(name)
        numbers = column.numbers
        if numbers is None or np.isnan(numbers).all():
            return column
        size = np.nan_to_num(np.abs(numbers))
        row, message, expected = int(size.argmax()), "too large for computing", f"numbers up to {LARGEST:g}"
        if size[row] <= LARGEST:
            away = np.nan_to_num(np.abs(numbers - np.nanmedian(numbers)))
            spread = _middle(numbers)
            if away.max() * RESOLUTION < spread or spread == 0:
                return column
            row = int(away.argmax())
            message = f"so far off that the others, half of them within {spread:.3g}, look equal"
            expected = f"numbers within {spread / RESOLUTION:.3g} of each other"
        raise InputError(
            f"{quoted(name)} is {quoted(column[row])}, {message}",
            where=self.where(row),
            expected=expected,
            remedy=f"Correct it, or declare it missing: --missing-values {name}={column[row]}.",
        )

    def _understand(self, column: DataColumn) -> DataColumn:
        markers, numbers = self.missing.of(column.name), self.missing.numbers_of(column.name)
        counted = column.values if isinstance(column.distinct, NumberTexts) else None
        if counted is not None and not np.isin(_floats(markers), counted).any():
            return column  # nothing stands around a number, and no number is missing
        trimmed: list[str | None] = []
        for text in column.distinct:
            absent = text is None or is_missing(text, markers)
            if text is not None and numbers and not absent:
                absent = parse_decimal(self.number_text(text.strip())) in numbers
            trimmed.append(None if text is None or absent else text.strip())
        index: dict[str | None, int] = {}
        places = np.array([index.setdefault(text, len(index)) for text in trimmed], np.int32)
        values = column.values
        if values is not None:
            given = np.array([text is not None for text in trimmed], dtype=bool)
            known = values[given]
            values = np.full(len(index), np.nan)
            values[places[given]] = known
            values = None if np.isnan(known).any() else values
        column = with_(column, distinct=tuple(index), codes=places[column.codes], values=values)
        return with_(column, kind="nominal") if values is None and column.kind == "numeric" else column

    def number_text(self, text: str) -> str:
        """A number's text with a decimal point."""
        return text.replace(",", ".") if self.understood.decimal == "," else text

    def place_of(self, row: int, column: str = "") -> str:
        """Where a record stands in the file, such as ``line 7, column "age"``."""
        place = self._place(row)
        return f"{place}, column {quoted(column)}" if column else place

    def where(self, row: int, column: str = "") -> str:
        """`place_of` behind the name of the file, for messages."""
        return f"{self.source}, {self.place_of(row, column)}"

    def _place(self, row: int) -> str:
        return f"row {row + 1}"

    @property
    def equal_rows(self) -> int:
        """Records that equal an earlier one in every column."""
        keys = np.zeros(self.n_records, np.int64)
        for name in self.names:
            column = self.exact(name)
            keys = np.unique(keys * len(column.distinct) + column.codes, return_inverse=True)[1].reshape(-1)
        return self.n_records - len(np.unique(keys))

    def options(self) -> dict[str, str]:
        """Options with which the same file, written again, is read the same way."""
        return {}

    def beyond_ascii(self) -> str:
        """A text that shows whether the encoding is right; empty if all are ASCII."""
        texts = (text for column in self.columns for text in (column.name, *column.distinct))
        return next((text for text in texts if text is not None and not text.isascii()), "")

    def behind(self, rows: IntArray | NDArray[np.bool_]) -> int:
        """How many records of the file some rows stand for, given by their numbers or by a mask."""
        if self.times is not None:
            return int(self.times[rows].sum())
        return int(rows.sum()) if rows.dtype == np.bool_ else len(rows)

    def calls_categories(self, name: str) -> bool:
        """Whether the file itself says that the values of a column are categories."""
        return bool(self.column(name).value_labels)

    def index_columns(self) -> tuple[str, ...]:
        """Columns that only number the records, as a program adds them unasked."""
        return ()

    def _lenders(self, name: str, new: IntArray) -> IntArray:
        """The same values from records that depend on the value alone.

        A record that lends its value would lend its spelling with it: blanks around a text, a number that is
        stored as a text. Of all records with a value the one with the least spelling lends it.
        """
        codes, keys = self.column(name).codes, self._keys(name)
        order = np.lexsort((keys, codes))
        first = np.flatnonzero(np.r_[True, np.diff(codes[order]) != 0])
        lender = np.zeros(int(codes.max()) + 1, np.int64)
        lender[codes[order[first]]] = order[first]
        return np.asarray(lender[codes[new]], dtype=np.int64)

    def _lent(self, name: str, new: Replacement) -> Replacement:
        """The same, with `_lenders`."""
        if isinstance(new, OfGroups):
            return with_(new, values=self._lenders(name, np.asarray(new.values, dtype=np.int64)))
        return self._lenders(name, np.asarray(new, dtype=np.int64))

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
        keys: list[IntArray] = []
        together: list[IntArray] = []
        groups: IntArray | None = None

        def settle() -> None:
            """Neighbouring columns of the same groups are one key: the place of the group among them."""
            if groups is not None:
                keys.append(places_of(together)[groups[rows]])
                together.clear()

        for name in self.names:
            if name in drop:
                continue
            new = replace.get(name)
            if isinstance(new, OfGroups):
                if new.groups is not groups:
                    settle()
                    groups = new.groups
                together.append(self._keys_of(name, new.values))
                continue
            settle()
            groups = None
            keys.append(self._keys(name)[rows] if new is None else self._keys_of(name, new[rows]))
        settle()
        return rows[published_order(keys)] if keys else rows

    def _keys_of(self, name: str, values: FloatArray | IntArray | TextArray) -> IntArray:
        """Numbers in the order of published values."""
        if values.dtype.kind == "i":
            # By text: which record lends the value, and how that one spells it, must not show.
            column = self.column(name)
            return value_codes([text or "" for text in column.distinct])[column.codes[values]]
        if values.dtype.kind == "O":
            return value_codes(values.tolist())
        return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)

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
            name: self._lent(name, new) if new.dtype.kind == "i" else new
            for name, new in replace.items()
            if name in names
        }
        try:
            with new_file(path, mode=SHARED) as work:
                self._write(work, replace, names, kept)
        except OSError as error:
            raise InputError(
                f"the file cannot be written: {(error.strerror or str(error)).lower()}",
                where=path.name,
                remedy="Check that the folder exists and may be written to, and that the disk has room.",
            ) from None


def _floats(texts: Collection[str]) -> FloatArray:
    """The numbers among some texts."""
    found = []
    for text in texts:
        with suppress(ValueError):
            found.append(float(text))
    return np.array(found, dtype=np.float64)


def _middle(numbers: FloatArray) -> float:
    """Spread of the middle half of the records, or of the distinct values if those are all equal."""
    low, high = np.nanquantile(numbers, (0.25, 0.75))
    if low == high:
        low, high = np.nanquantile(np.unique(numbers), (0.25, 0.75))
    return float(high - low)
