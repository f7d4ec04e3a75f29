"""CSV: exact texts in, published texts out, with the same separator, encoding, line ends and decimal sign."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from server.arrays import IntArray
from server.progress import Progress
from server.statistics.anonymize.data_file import DataColumn, DataFile, Replacement
from server.statistics.anonymize.row_order import value_codes
from server.tables.delimited import read_bytes, read_delimited
from shared.errors import InputError, ModelFileError

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "."})
_START = 1 << 20
"""Bytes in which the first line ends."""

_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class CsvFile(DataFile):
    """A delimited text file.

    Notes
    -----
    Cells with surrounding blanks count as their trimmed text. Empty cells and ``? NA N/A NaN NULL .`` are
    missing. A column is numeric if all others are numbers; leading zeros, as postcodes have, make it nominal.

    Kept are the names of published columns, separator, encoding, byte order mark, decimal sign and the line
    end of the header. Every cell is quoted by one rule, whatever was quoted in the original.
    """

    def __init__(
        self,
        path: Path,
        *,
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.source, self.form = path.name, "CSV"
        data = read_bytes(path, source=path.name)
        self._mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
        try:
            self._table = read_delimited(
                data,
                source=path.name,
                separator=separator,
                decimal=decimal,
                encoding=encoding,
                progress=progress,
            )
        except ModelFileError as error:
            # The same reader serves survey.toml, where these are settings and no options.
            remedy = re.sub(
                r"(separator|encoding|decimal)(?: =( \S+))? in \[model\]", r"--\1\2", error.remedy
            )
            raise InputError(
                error.message, where=error.where, expected=error.expected, remedy=remedy, code=error.code
            ) from None
        self.names, self.n_records = self._table.names, self._table.n_records
        start = data[:_START].decode(self._table.understood.encoding, errors="ignore")
        line_end = re.search("\r\n|\r|\n", start)
        self._line = line_end.group() if line_end else "\n"
        self.decimal_given = decimal is not None
        self._decimal = self._table.understood.decimal

    def place(self, row: int) -> str:
        """File and line."""
        return self._table.where(row)

    def understood(self) -> dict[str, str]:
        """Separator, decimal sign and encoding."""
        found = self._table.understood
        return {"separator": found.separator, "decimal": found.decimal, "encoding": found.encoding}

    def column(self, name: str) -> DataColumn:
        """The column, its kind found out from the texts."""
        column = self._table.column(name)
        trimmed = [(text or "").strip() for text in column.texts]
        given = [None if text in _MISSING else text for text in trimmed]
        present = [text for text in given if text is not None]
        texts = np.array(given, dtype=object)[column.codes]
        fits = all(_NUMBER.fullmatch(text) for text in present)
        other_sign = "." if self._decimal == "," else ","
        padded = any(re.match(r"[+-]?0[0-9]", text) for text in present)
        if not present or not fits or padded or any(other_sign in text for text in present):
            return DataColumn(name=name, kind="nominal", numbers=None, texts=texts)
        plain = [None if text is None else text.replace(",", ".") for text in given]
        numbers = np.array([np.nan if text is None else float(text) for text in plain], dtype=np.float64)
        decimals = max(_decimals(text) for text in plain if text is not None)
        return DataColumn(
            name=name, kind="numeric", numbers=numbers[column.codes], texts=texts, decimals=decimals
        )

    def _keys(self, name: str) -> IntArray:
        column = self._table.column(name)
        # Shorter spellings first: of "f" and "f " the one without the blank.
        return value_codes([f"{len(text or ''):9} {text or ''}" for text in column.texts])[column.codes]

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        columns: list[list[str]] = []
        for name in names:
            column = self._table.column(name)
            texts = np.array([text or "" for text in column.texts], dtype=object)
            trimmed = np.array([text.strip() for text in texts.tolist()], dtype=object)
            new = replace.get(name)
            if new is None:
                cells = texts[column.codes[rows]]
            elif new.dtype.kind == "i":
                cells = trimmed[column.codes[new[rows]]]
            else:
                distinct, codes = np.unique(new[rows], return_inverse=True)
                written = [
                    np.format_float_positional(v + 0.0, unique=True, trim="-") for v in distinct.tolist()
                ]
                if self._decimal == ",":
                    written = [text.replace(".", ",") for text in written]
                cells = np.array(written, dtype=object)[codes.reshape(-1)]
            columns.append(cells.tolist())
        understood = self._table.understood
        with path.open("w", encoding=understood.encoding, newline="") as file:
            if self._mark:
                file.write("\ufeff")
            writer = csv.writer(file, delimiter=understood.separator, lineterminator=self._line)
            header = dict(zip(self._table.header, self._table.written_header, strict=True))
            writer.writerow([header[name] for name in names])
            # The writer would leave the only cell of a one-column record unquoted when it is empty.
            writer.writerows(zip(*columns, strict=True))


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2].rstrip("0"))
    return max(digits - int(exponent or 0), 0)
