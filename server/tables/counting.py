"""A file whose records are counted as it is read: of those that are equal one is kept, and how many they are.

A register of millions repeats few combinations of values, and a design asks for nothing but how many people
stand behind each. Pieces of the file are counted one after the other, so that nothing holds all records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from server.arrays import Int32Array, IntArray
from server.tables.column import DataColumn, Kind
from server.tables.data_file import DataFile, Replacement, Understood
from server.tables.missing import MissingValues

_FEWEST_WAITING: Final = 1_000_000
"""Combinations of pieces that are gathered before they are counted together."""

_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """Some records of a file, one after the other.

    Attributes
    ----------
    columns : mapping of name to DataColumn
        In the file's order, the same in every piece.
    places : int array, shape (n,)
        Where each record stands in the file: ascending, also from piece to piece.
    """

    columns: Mapping[str, DataColumn]
    places: IntArray


class CountedFile(DataFile):
    """A file in which each row stands for all records that are equal in the columns that are kept.

    Parameters
    ----------
    source, form : str
    understood : Understood
    header : tuple of str
        All columns of the file.
    pieces : iterable of Piece
        Of all columns that are kept, of ``identity``, and of all others where ``whole`` is said.
    wanted : collection of str
        The columns to keep.
    identity : str
        A column that names each person; it is not kept. Empty if there is none.
    whole : bool
        Whether records that are equal in all columns are to be counted.
    place : str
        The word for a place: "line" or "row".
    missing : MissingValues

    Raises
    ------
    ModelFileError
        If there is no record.

    Notes
    -----
    Rows stand in the order in which they first appear, and so do the distinct texts of a column, as in a file
    that is read whole: messages name the same records. Equal identities and equal records are told by hashes
    of 64 bits, of which two are equal by chance among ten million records once in 10^5 files; identities that
    look equal are to be compared by their texts.
    """

    def __init__(
        self,
        *,
        source: str,
        form: str,
        understood: Understood,
        header: Sequence[str],
        pieces: Iterable[Piece],
        wanted: Collection[str],
        identity: str,
        whole: bool,
        place: str,
        missing: MissingValues,
    ) -> None:
        kept = tuple(name for name in header if name in wanted and name != identity)
        merged = {name: Merged(name) for name in kept}
        total = _Total(len(kept))
        identities: list[IntArray] = []
        records: list[IntArray] = []
        for piece in pieces:
            codes = [merged[name].codes(piece.columns[name]) for name in kept]
            if whole and len(kept) < len(header):
                records.append(_hashes(piece.columns.values(), len(piece.places)))
            if identity in header:
                identities.append(_identities(piece.columns[identity]))
            total.add(codes, piece.places)
        codes, places, times = total.finish()
        self._begin(source, kept, len(places), missing)
        self.form, self.understood, self.header = form, understood, tuple(header)
        self._exact = {name: merged[name].column(found) for name, found in zip(kept, codes, strict=True)}
        self.times = times
        self._places, self._word = places, place
        different = _distinct(records) if records else len(places)
        self._equal_rows = int(times.sum()) - different
        self._identities = identities

    def tells_apart(self, markers: Collection[str]) -> bool:
        """Whether the identity of every record differs from all others and is none of the markers.

        A no may be wrong, a yes is not: then the texts tell.
        """
        absent = [hash(text.strip()) for text in ("", *markers)]
        occurring = np.concatenate(self._identities)
        return _distinct(self._identities) == len(occurring) and not np.isin(absent, occurring).any()

    @property
    def equal_rows(self) -> int:
        """Records that equal an earlier one in every column of the file, also those that were not kept."""
        return self._equal_rows

    def _place(self, row: int) -> str:
        return f"{self._word} {int(self._places[row])}"

    def _read(self, name: str) -> DataColumn:
        raise KeyError(name)  # all are there from the beginning

    def _keys(self, name: str) -> IntArray:
        raise TypeError("a file that was counted is not written", name)

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        raise TypeError("a file that was counted is not written", path, replace, names, rows)


class Merged:
    """One column of several pieces."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._index: dict[str | None, int] = {}
        self._values: list[float] = []
        self._numbers = True
        self._kind: Kind = "nominal"
        self._reason = ""
        self._order: dict[str, None] = {}

    def codes(self, column: DataColumn) -> Int32Array:
        """Take the column of a piece, and return its codes in the whole column."""
        index, before = self._index, len(self._index)
        places = np.array([index.setdefault(text, len(index)) for text in column.distinct], np.int32)
        if column.values is None:
            self._numbers = False
        else:
            self._values += column.values[places >= before].tolist()
        if self._kind != "other":
            self._kind, self._reason = column.kind, column.reason
        self._order.update(dict.fromkeys(column.order))
        return places[column.codes]

    def column(self, codes: Int32Array) -> DataColumn:
        """The whole column; what is missing stands last, as where a file is read whole."""
        distinct, values = list(self._index), np.array(self._values)
        if None in self._index:
            at = self._index[None]
            order = np.r_[0:at, at + 1 : len(distinct), at].astype(np.int32)
            codes = np.argsort(order).astype(np.int32)[codes]
            distinct = [distinct[place] for place in order.tolist()]
            values = values[order] if self._numbers else values
        return DataColumn(
            name=self._name,
            distinct=tuple(distinct),
            codes=codes,
            kind=self._kind,
            values=values if self._numbers else None,
            reason=self._reason,
            order=tuple(self._order),
        )


class _Total:
    """Different combinations of codes, where each first stands, and how many records have it."""

    def __init__(self, width: int) -> None:
        self._counted = _Counts([np.zeros(0, np.int32)] * width, np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._waiting: list[_Counts] = []

    def add(self, codes: list[Int32Array], places: IntArray) -> None:
        self._waiting.append(_counted([_Counts(codes, places, np.ones(len(places), np.int64))]))
        if sum(len(part.places) for part in self._waiting) > len(self._counted.places) + _FEWEST_WAITING:
            self._together()

    def finish(self) -> tuple[list[Int32Array], IntArray, IntArray]:
        """Codes of each column, first places and counts, in the order of the places."""
        self._together()
        order = np.argsort(self._counted.places)
        found = self._counted
        return [codes[order] for codes in found.codes], found.places[order], found.times[order]

    def _together(self) -> None:
        parts, self._waiting = [self._counted, *self._waiting], []
        self._counted = _counted(parts)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    codes: list[Int32Array]
    places: IntArray
    times: IntArray


def _counted(parts: list[_Counts]) -> _Counts:
    """Equal combinations of several parts together; parts stand in the order of their places."""
    codes = [np.concatenate(columns) for columns in zip(*(part.codes for part in parts), strict=True)]
    places = np.concatenate([part.places for part in parts])
    times = np.concatenate([part.times for part in parts])
    if not len(places):
        return _Counts(codes, places, times)
    order = _order(codes, len(places))
    codes = [column[order] for column in codes]
    new = np.zeros(len(places), bool)
    new[0] = True
    for column in codes:
        new[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(new)
    # The order is stable, so the first of equal ones stands first in the file too.
    return _Counts(
        [column[starts] for column in codes], places[order[starts]], np.add.reduceat(times[order], starts)
    )


def _order(codes: list[Int32Array], n: int) -> IntArray:
    """A stable order in which equal combinations stand together."""
    spans = [int(column.max()) + 1 for column in codes]
    if sum(span.bit_length() for span in spans) > 62:
        return np.lexsort(codes).astype(np.int64)
    keys = np.zeros(n, np.int64)
    for column, span in zip(codes, spans, strict=True):
        keys *= span
        keys += column
    return np.argsort(keys, kind="stable")


def _identities(column: DataColumn) -> IntArray:
    """Hash of the identity of each record, blanks around it aside."""
    return np.array([hash((text or "").strip()) for text in column.distinct], np.int64)[column.codes]


def _hashes(columns: Iterable[DataColumn], n: int) -> IntArray:
    """Hash of all values of each record."""
    found = np.zeros(n, np.uint64)
    for column in columns:
        # A text that is empty is another value than none.
        own = np.array([hash((text,)) for text in column.distinct], np.int64).view(np.uint64)
        found *= _ODD
        found += own[column.codes]
    return found.view(np.int64)


def _distinct(parts: list[IntArray]) -> int:
    hashes = np.concatenate(parts)
    hashes.sort()
    return 1 + int(np.count_nonzero(hashes[1:] != hashes[:-1]))
