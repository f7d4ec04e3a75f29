"""Excel .xlsx: one new sheet with the published values; nothing else of the workbook comes along."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

import numpy as np

from server.arrays import IntArray
from server.progress import Progress
from server.tables.column import DataColumn, coded, number_text
from server.tables.data_file import DATED, DataFile, Replacement, Understood
from server.tables.missing import USUAL, MissingValues
from server.tables.row_order import value_codes
from server.wording import quoted
from shared.errors import ModelFileError
from shared.limits import EXACT_BOUND

_DAMAGE: Final = (
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

_BEGINNING: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip archive knows."""

_DIGITS: Final = 15
"""That Excel knows of a number; what follows is noise of the program that wrote it."""

_PADDING: Final = re.compile(r"(?:\[\$-[0-9A-Fa-f]+\])?(?P<zeros>0{2,})")
"""A number format that shows leading zeros, such as that of postcodes."""

_TITLE: Final = "Data"
"""Of the sheet that is written."""

_DATES: Final = (datetime.date, datetime.time, datetime.timedelta)


class ExcelFile(DataFile):
    """One sheet of a workbook: the first row that holds something is the header, empty ones are no records.

    Notes
    -----
    Formulas are refused, since their results would change with the values they use. Numbers whose format
    shows leading zeros, such as postcodes, are the texts that are seen. Kept are the names of published
    columns and, where most cells of a column have the same built-in number format, that format.
    Left behind are other sheets, the title of this one, formats and styles of single cells, formats that
    somebody defined (they can hold any text), widths, comments, names, filters, pictures and properties.
    """

    form = "Excel"

    def __init__(
        self,
        path: Path,
        *,
        sheet: str | None = None,
        missing: MissingValues = USUAL,
        progress: Progress | None = None,
    ) -> None:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException

        try:
            with _Watched(path, progress) as file:  # openpyxl leaves a damaged one open
                book = openpyxl.load_workbook(file)
                file.tell_all()
        except (*_DAMAGE, InvalidFileException) as error:
            raise ModelFileError(
                f"the file cannot be read as Excel .xlsx ({error})",
                where=path.name,
                remedy="Save it again as .xlsx; a text of cells with separators is called .csv.",
            ) from None
        extents = {sheet.title: _extent(sheet) for sheet in book.worksheets}
        filled = [name for name, (_, width) in extents.items() if width]
        # A masked workbook has one sheet of this title, whatever --sheet says of the original beside it.
        given = None if filled == [_TITLE] else sheet
        title = given or (filled[0] if len(filled) == 1 else "")
        if title not in filled:
            raise ModelFileError(
                f"there is no sheet {quoted(title)} with data" if title else "several sheets hold data",
                where=path.name,
                expected="one of " + ", ".join(quoted(name) for name in filled) if filled else "one sheet",
                remedy="Name the sheet with --sheet.",
            )
        self._sheet = book[title]
        last, width = extents[title]
        rows = [
            row
            for row in self._sheet.iter_rows(max_row=last, max_col=width)
            if any(cell.value is not None for cell in row)
        ]
        if len(rows) < 2:
            raise ModelFileError("there is no record under the header", where=f"{path.name}, {quoted(title)}")
        formula = next((c for row in rows for c in row if c.data_type == "f"), None)
        if formula is not None:
            raise ModelFileError(
                f"the cell {formula.coordinate} holds a formula",
                where=f"{path.name}, {quoted(title)}",
                expected="values only",
                remedy="Copy the sheet and paste it as values.",
            )
        merged = [span for span in self._sheet.merged_cells.ranges if span.min_row <= rows[-1][0].row]
        if merged:
            raise ModelFileError(
                f"the cells {merged[0].coord} are merged, so that all but the first have no value",
                where=f"{path.name}, {quoted(title)}",
                expected="one value a cell",
                remedy="Unmerge them and fill in the values.",
            )
        self._header, self._rows = rows[0], rows[1:]
        names = tuple(
            str(cell.value).strip() if cell.value is not None else f"(column {number})"
            for number, cell in enumerate(self._header, 1)
        )
        self._codes = frozenset(
            position
            for position in range(width)
            if any(_shown(row[position])[:1] == "0" for row in self._rows)
        )
        self._begin(path.name, names, len(self._rows), missing)
        self.understood = Understood(form="excel", sheet=title)

    def _place(self, row: int) -> str:
        """The row as Excel numbers it."""
        return f"row {self._rows[row][0].row}"

    def _read(self, name: str) -> DataColumn:
        """The column, its kind by what its cells hold."""
        cells = self._values(name)
        # A number and a text of the same digits are different values.
        pairs, codes = coded([(_text(value), _is_number(value)) for value in cells])
        distinct = tuple(text for text, _ in pairs)
        values = np.array(
            [float(text or 0) if number else np.nan for text, number in pairs], dtype=np.float64
        )
        dated = any(isinstance(value, _DATES) for value in cells)
        long = any(isinstance(value, int) and abs(value) >= EXACT_BOUND for value in cells)
        some = bool((~np.isnan(values)).any()) and not long
        return DataColumn(
            name=name,
            distinct=distinct,
            codes=codes,
            kind="other" if dated else "numeric" if some else "nominal",
            values=values if some and not dated else None,
            reason=DATED if dated else "",
        )

    def _values(self, name: str) -> list[Any]:
        position = self.names.index(name)
        values = [self._value(row, position) for row in range(self.n_records)]
        return [None if value == "" else value for value in values]

    def _value(self, row: int, position: int) -> Any:
        """Of a cell; in a column that shows leading zeros the text that is seen."""
        cell = self._rows[row][position]
        return (position in self._codes and _shown(cell)) or cell.value

    def options(self) -> dict[str, str]:
        """The title of the sheet that is written."""
        return {"sheet": _TITLE}

    def _keys(self, name: str) -> IntArray:
        return value_codes([f"{type(value).__name__} {value!r}" for value in self._values(name)])

    def _format(self, position: int) -> str:
        """The built-in number format that most cells of a column have."""
        from openpyxl.styles.numbers import is_builtin

        counts = Counter(row[position].number_format for row in self._rows)
        found, times = counts.most_common(1)[0]
        return found if found != "General" and is_builtin(found) and 2 * times > self.n_records else ""

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = _TITLE
        for column, name in enumerate(names, 1):
            position = self.names.index(name)
            new, form = replace.get(name), self._format(position)
            if self._header[position].value is not None:
                sheet.cell(1, column, name).data_type = "s"
            for line, row in enumerate(rows.tolist(), 2):
                if new is not None and new.dtype.kind == "f":
                    number = float(new[row])
                    value: Any = int(number) if number.is_integer() else None if np.isnan(number) else number
                elif new is not None and new.dtype.kind == "O":
                    value = new[row]
                else:
                    value = self._value(row if new is None else int(new[row]), position)
                cell = sheet.cell(line, column, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # a text that begins with = is no formula
                if form:
                    cell.number_format = form
        sheet.freeze_panes = "A2"
        save_timeless(book, path)


class _Watched(io.FileIO):
    """A file that tells how much of it was read; openpyxl, which takes nearly all the time, tells nothing."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        super().__init__(path)
        self._progress, self._done, self._total = progress, 0, max(1, path.stat().st_size)

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size)
        self._done = min(self._done + len(data), self._total)
        if self._progress is not None:
            self._progress(self._done, self._total)
        return data

    def tell_all(self) -> None:
        """Nothing more is read; pictures and the like were left out."""
        if self._progress is not None:
            self._progress(self._total, self._total)


def _extent(sheet: Any) -> tuple[int, int]:
    """Last row and last column that hold something; 0 if none does.

    Cells without a value, far out, have a format: to go through all up to them would make millions.
    """
    places = [place for place, cell in sheet._cells.items() if cell.value is not None]
    rows, columns = zip(*places, strict=True) if places else ((0,), (0,))
    return max(rows), max(columns)


def _shown(cell: Any) -> str:
    """Digits of a whole number whose format pads it with zeros; else nothing."""
    value = cell.value
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return ""
    padded = _PADDING.fullmatch(cell.number_format)
    return str(value).zfill(len(padded["zeros"])) if padded else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(float(f"{value:.{_DIGITS}g}"))
    # A whole number is written in full.
    return None if value is None else str(value)


def save_timeless(book: Any, path: Path) -> None:
    """Write a workbook without author and clock: the same cells give the same bytes."""
    moment = datetime.datetime(*_BEGINNING)
    book.properties.creator = "roomful"
    book.properties.created = moment
    written = io.BytesIO()
    book.save(written)
    with zipfile.ZipFile(written) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in parts.namelist():
            content = parts.read(name)
            if name == "docProps/core.xml":
                # openpyxl sets the time of the last change while it saves.
                content = re.sub(
                    rb"(<dcterms:modified[^>]*>)[^<]*",
                    rb"\g<1>" + moment.isoformat().encode() + b"Z",
                    content,
                )
            entry = zipfile.ZipInfo(name, date_time=_BEGINNING)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
