"""One door for every format, told apart by the suffix and checked by the contents."""

from __future__ import annotations

from pathlib import Path

from server.progress import Progress
from server.statistics.anonymize.csv_file import CsvFile
from server.statistics.anonymize.data_file import DataFile
from server.statistics.anonymize.excel_file import ExcelFile
from server.statistics.anonymize.parquet_file import ParquetFile
from server.statistics.anonymize.statistical_file import StatisticalFile
from shared.errors import InputError

SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".parquet": "Parquet",
    ".sav": "SPSS",
    ".dta": "Stata",
    ".xlsx": "Excel",
}


def form_of(path: Path) -> str:
    """Format that a name stands for.

    Raises
    ------
    InputError
        For a suffix that none of them has.
    """
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise InputError(
            f"the suffix {path.suffix or '(none)'!r} stands for no format that can be read and written",
            where=str(path),
            expected=", ".join(SUFFIXES),
        )
    return form


def open_data(
    path: Path,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    progress: Progress | None = None,
) -> DataFile:
    """Open a file.

    Raises
    ------
    InputError
        For a format that is not known, an option that does not belong to it, or a file that cannot be used.
    """
    form = form_of(path)
    given = {"--separator": separator, "--decimal": decimal, "--encoding": encoding}
    if form != "CSV" and (stray := next((name for name, value in given.items() if value), None)):
        raise InputError(f"{stray} is for CSV, not for {form}", where=str(path))
    if form != "Excel" and sheet:
        raise InputError(f"--sheet is for Excel, not for {form}", where=str(path))
    if not path.is_file():
        raise InputError(
            "there is no such file" if not path.is_dir() else "this is a folder",
            where=str(path),
            remedy="Check the name.",
        )
    if form == "CSV":
        file: DataFile = CsvFile(
            path, separator=separator, decimal=decimal, encoding=encoding, progress=progress
        )
    elif form == "Parquet":
        file = ParquetFile(path)
    elif form == "Excel":
        file = ExcelFile(path, sheet=sheet)
    else:
        file = StatisticalFile(path, form)
    if not file.n_records:
        raise InputError(
            "there is no record", where=file.source, remedy="Check that the export was complete."
        )
    return file
