"""CSV: exact texts in, published texts out, with the same separator, encoding, line ends and decimal sign."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace as with_
from pathlib import Path
from typing import Any, Final

import numpy as np

from server.arrays import IntArray
from server.progress import Progress
from server.tables.column import DataColumn, is_too_long
from server.tables.csv_pieces import IrregularError, content_of, is_large, layout_of
from server.tables.data_file import DataFile, OfGroups, Replacement, Understood
from server.tables.decimal_sign import decimal_sign
from server.tables.delimited import Content, first_line_end, parse, read_bytes
from server.tables.missing import USUAL, MissingValues
from server.tables.row_order import value_codes
from server.tables.sniffing import MARKS, decode, sniff_separator
from server.wording import quoted
from shared.errors import ModelFileError

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_PIECE_RECORDS: Final = 65_536
"""Records that are written together."""
_PADDED: Final = re.compile(r"[+-]?0[0-9]")


class CsvFile(DataFile):
    """A delimited text file.

    Parameters
    ----------
    file : Path or bytes
        The file, or its contents.
    source : str
        Name for messages; by default the file's own.
    separator, decimal, encoding : str, optional
        What is known; otherwise found out.
    wanted : collection of str, optional
        The columns to keep; others are checked for shape and passed over. By default all.
    numeric_columns : iterable of str, optional
        Columns whose decimal sign is judged strictly, see `decimal_sign`.
    missing : MissingValues
    progress : callable, optional
        Called with the lines that are read and their total, now and then.

    Raises
    ------
    ModelFileError
        For files that cannot be opened, are empty, have only a header, are not text, have two columns of one
        name, records of another width than the header, quotes that never close, or doubtful numbers.

    Notes
    -----
    Cells are exact, blanks included; header names lose surrounding blanks, and unnamed columns are called
    ``(column 3)``. Wholly empty lines are not records. Quoting follows RFC 4180. Linear in the size of the
    file; about four seconds for a million records of six columns. A file of more than
    `csv_pieces.BLOCK_BYTES` is read by pieces, unless it is irregular, or ``wanted`` names its columns: what
    it holds is the same, and of its text nothing is held but the different cells of each column.

    A column is numeric if all its values are numbers; leading zeros, as postcodes have, make it nominal, and
    so do whole numbers of 2^53 or more, as identifiers are: they would lose digits.

    Kept are the names of published columns, separator, encoding, byte order mark, decimal sign and the line
    end of the header. Every cell is quoted by one rule, whatever was quoted in the original.
    """

    form = "CSV"

    def __init__(
        self,
        file: Path | bytes,
        *,
        source: str = "",
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        wanted: Collection[str] | None = None,
        numeric_columns: Iterable[str] | None = None,
        missing: MissingValues = USUAL,
        progress: Progress | None = None,
    ) -> None:
        name = source or (file.name if isinstance(file, Path) else "table")
        content = None
        if isinstance(file, Path) and wanted is None and is_large(file):
            content = self._by_pieces(file, separator, encoding, progress)
        if content is None:
            content = self._at_once(file, name, separator, encoding, wanted, progress)
        self._begin(name, tuple(content.columns), len(content.lines), missing)
        self.header = tuple(content.header)
        self._written_names, self._cells = content.header, content.columns
        self._equal_rows = content.equal_rows
        first, last, n = int(content.lines[0]), int(content.lines[-1]), len(content.lines)
        # Lines ascend: as many as there are records are one after the other.
        self._lines = range(first, last + 1) if last - first == n - 1 else content.lines
        self.decimal_given = decimal is not None
        sign = decimal_sign(self, numeric_columns=numeric_columns, decimal=decimal)
        self.understood = with_(self.understood, decimal=sign)

    def _by_pieces(
        self, path: Path, separator: str | None, encoding: str | None, progress: Progress | None
    ) -> Content | None:
        """A regular file, of whose text a piece is held at a time; None if the whole text must tell."""
        try:
            layout = layout_of(path, separator=separator, encoding=encoding, wanted=())
            content = content_of(path, layout, progress)
        except IrregularError:
            return None
        self._mark, self._line_end = layout.mark, layout.line_end
        self.understood = Understood(
            form="csv",
            separator=layout.separator,
            encoding=layout.encoding,
            encoding_guessed=layout.guessed,
        )
        return content

    def _at_once(
        self,
        file: Path | bytes,
        name: str,
        separator: str | None,
        encoding: str | None,
        wanted: Collection[str] | None,
        progress: Progress | None,
    ) -> Content:
        """A file whose whole text is looked at, which says what is the matter with it, and where."""
        data = read_bytes(file, source=name) if isinstance(file, Path) else file
        if not data:
            raise ModelFileError(
                "the file is empty", where=name, expected="a header line with the column names, then records"
            )
        self._mark = any(data.startswith(mark) for mark, _ in MARKS)
        asked = encoding is not None or self._mark
        text, encoding = decode(data, source=name, encoding=encoding)
        if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
            raise ModelFileError(
                f"the separator cannot be {quoted(separator)}",
                where=name,
                expected="one character, such as , ; or tab",
            )
        separator = separator or sniff_separator(text, wanted=wanted or ())
        self._line_end = first_line_end(text)
        guessed = not asked and encoding != "utf-8"
        self.understood = Understood(
            form="csv", separator=separator, encoding=encoding, encoding_guessed=guessed
        )
        return parse(text, separator, name, wanted, progress)

    def _place(self, row: int) -> str:
        return f"line {int(self._lines[row])}"

    @property
    def equal_rows(self) -> int:
        """Records that equal an earlier one in every column of the file, also those that were not kept."""
        return super().equal_rows if self._equal_rows is None else self._equal_rows

    def options(self) -> dict[str, str]:
        """Separator, decimal sign and encoding."""
        found = self.understood
        return {"separator": found.separator, "decimal": found.decimal, "encoding": found.encoding}

    def _read(self, name: str) -> DataColumn:
        distinct, codes = self._cells[name]
        return DataColumn(name=name, distinct=distinct, codes=codes)

    def _understand(self, column: DataColumn) -> DataColumn:
        """The kind of a column is found out from its texts."""
        found = super()._understand(column)
        given = [text for text in found.distinct if text is not None]
        other = "." if self.understood.decimal == "," else ","
        if not given or any(
            not _NUMBER.fullmatch(text) or _PADDED.match(text) or other in text for text in given
        ):
            return found
        if any(is_too_long(text) for text in given):
            return found
        values = [np.nan if text is None else float(self.number_text(text)) for text in found.distinct]
        return with_(found, kind="numeric", values=np.array(values, dtype=np.float64))

    def _keys(self, name: str) -> IntArray:
        column = self.exact(name)
        # Shorter spellings first: of "f" and "f " the one without the blank.
        return value_codes([f"{len(text or ''):9} {text or ''}" for text in column.distinct])[column.codes]

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        columns = [self._cells_of(name, replace.get(name)) for name in names]
        with path.open("w", encoding=self.understood.encoding, newline="") as file:
            if self._mark:
                file.write("\ufeff")
            writer = csv.writer(file, delimiter=self.understood.separator, lineterminator=self._line_end)
            writer.writerow([self._written_names[name] for name in names])
            # The writer would leave the only cell of a one-column record unquoted when it is empty.
            for first in range(0, len(rows), _PIECE_RECORDS):
                part = rows[first : first + _PIECE_RECORDS]
                cells = [of_rows(part).tolist() for of_rows in columns]
                writer.writerows(zip(*cells, strict=True))

    def _cells_of(self, name: str, new: Replacement | None) -> Callable[[IntArray], Any]:
        """What says the cells of a column in some records: texts are made once for each different value."""
        column = self.exact(name)
        texts = np.array([text or "" for text in column.distinct], dtype=object)
        if new is None:
            return lambda rows: texts[column.codes[rows]]
        if new.dtype.kind == "O":
            return lambda rows: new[rows]
        if new.dtype.kind == "i":
            trimmed = np.array([text.strip() for text in texts.tolist()], dtype=object)
            return lambda rows: trimmed[column.codes[new[rows]]]
        values, codes = np.unique(new.values if isinstance(new, OfGroups) else new, return_inverse=True)
        written = [
            "" if np.isnan(v) else np.format_float_positional(v + 0.0, unique=True, trim="-")
            for v in values.tolist()
        ]
        if self.understood.decimal == ",":
            written = [text.replace(".", ",") for text in written]
        of_value, code = np.array(written, dtype=object), codes.reshape(-1)
        places = with_(new, values=code) if isinstance(new, OfGroups) else code
        return lambda rows: of_value[places[rows]]
