"""Excel .xlsx: one sheet of values, with number formats and widths; nothing hidden comes along."""

from __future__ import annotations

import datetime
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

import numpy as np

from server.anonymize.data_file import DataColumn, DataFile, Replacement, column_of_numbers
from server.microaggregation.need import IntArray
from server.reading.table import quoted
from shared.errors import InputError

_DAMAGE = (
    OSError,
    EOFError,
    BadZipFile,
    zlib.error,
    ParseError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    RuntimeError,
)
"""What openpyxl lets through when parts of a workbook are damaged or encrypted."""

_DATES = (datetime.date, datetime.time, datetime.timedelta)


class ExcelFile(DataFile):
    """One sheet of a workbook: the first row is the header.

    Notes
    -----
    Formulas are refused, since their results would change with the values they use. Only the sheet itself is
    written: other sheets, comments, names and pictures could still hold what is to be hidden.
    """

    def __init__(self, path: Path, *, sheet: str | None = None) -> None:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException

        self.source, self.form = path.name, "Excel"
        try:
            with path.open("rb") as file:  # openpyxl leaves a damaged one open
                book = openpyxl.load_workbook(file)
        except (*_DAMAGE, InvalidFileException) as error:
            raise InputError(f"the file cannot be read as Excel .xlsx ({error})", where=self.source) from None
        filled = [s.title for s in book.worksheets if s.max_row > 1 or s.cell(1, 1).value is not None]
        title = sheet or (filled[0] if len(filled) == 1 else "")
        if title not in filled:
            raise InputError(
                f"there is no sheet {quoted(title)} with data" if title else "several sheets hold data",
                where=self.source,
                expected="one of " + ", ".join(quoted(name) for name in filled) if filled else "one sheet",
                remedy="Name the sheet with --sheet.",
            )
        self._sheet = book[title]
        rows = list(self._sheet.iter_rows())
        while rows and all(cell.value is None for cell in rows[-1]):
            rows.pop()
        width = max((i + 1 for row in rows for i, c in enumerate(row) if c.value is not None), default=0)
        if len(rows) < 2 or not width:
            raise InputError("there is no record under the header", where=f"{self.source}, {quoted(title)}")
        formula = next((c for row in rows for c in row[:width] if c.data_type == "f"), None)
        if formula is not None:
            raise InputError(
                f"the cell {formula.coordinate} holds a formula",
                where=f"{self.source}, {quoted(title)}",
                expected="values only",
                remedy="Copy the sheet and paste it as values.",
            )
        merged = [span for span in self._sheet.merged_cells.ranges if span.min_row <= len(rows)]
        if merged:
            raise InputError(
                f"the cells {merged[0].coord} are merged, so that all but the first have no value",
                where=f"{self.source}, {quoted(title)}",
                expected="one value a cell",
                remedy="Unmerge them and fill in the values.",
            )
        self._header, self._rows = rows[0][:width], [row[:width] for row in rows[1:]]
        self.names = tuple(
            str(cell.value).strip() if cell.value is not None else f"(column {number})"
            for number, cell in enumerate(self._header, 1)
        )
        double = next((name for name, times in Counter(self.names).items() if times > 1), None)
        if double is not None:
            raise InputError(f"two columns are called {quoted(double)}", where=self.source)
        self.n_records = len(self._rows)

    def place(self, row: int) -> str:
        """File and row of the sheet."""
        return f"{self.source}, row {row + 2}"

    def column(self, name: str) -> DataColumn:
        """The column, its kind by what its cells hold."""
        position = self.names.index(name)
        values = [row[position].value for row in self._rows]
        given = [value for value in values if value is not None and value != ""]
        if given and all(isinstance(v, int | float) and not isinstance(v, bool) for v in given):
            numbers = [np.nan if v is None or v == "" else float(v) for v in values]
            return column_of_numbers(name, np.array(numbers, dtype=np.float64))
        texts = np.array([None if v is None or v == "" else str(v) for v in values], dtype=object)
        dated = any(isinstance(value, _DATES) for value in given)
        return DataColumn(
            name=name,
            kind="other" if dated else "nominal",
            numbers=None,
            texts=texts,
            reason="it holds dates or times" if dated else "",
        )

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = self._sheet.title
        for column, name in enumerate(names, 1):
            position = self.names.index(name)
            new = replace.get(name)
            head = sheet.cell(1, column, self._header[position].value)
            head.number_format = self._header[position].number_format
            letter = self._header[position].column_letter
            if letter in self._sheet.column_dimensions:
                sheet.column_dimensions[head.column_letter].width = self._sheet.column_dimensions[
                    letter
                ].width
            for line, row in enumerate(rows.tolist(), 2):
                old = self._rows[row][position]
                if new is None:
                    value = old.value
                elif new.dtype.kind == "i":
                    value = self._rows[int(new[row])][position].value
                else:
                    value = int(new[row]) if float(new[row]).is_integer() else float(new[row])
                cell = sheet.cell(line, column, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # a text that begins with = is no formula
                cell.number_format = old.number_format
        sheet.freeze_panes = self._sheet.freeze_panes
        book.save(path)
