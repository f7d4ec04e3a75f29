"""One door for every format."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from server.progress import Progress
from server.tables.counting import CountedFile
from server.tables.csv_file import CsvFile
from server.tables.csv_pieces import IrregularError, csv_pieces, layout_of
from server.tables.data_file import DataFile, Understood
from server.tables.decimal_sign import decimal_sign
from server.tables.excel_file import ExcelFile
from server.tables.missing import USUAL, MissingValues
from server.tables.parquet_file import ParquetFile, parquet_header, parquet_pieces
from server.tables.statistical_file import StatisticalFile
from shared.errors import InputError, ModelFileError

SUFFIXES: Final = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".parquet": "Parquet",
    ".sav": "SPSS",
    ".dta": "Stata",
    ".xlsx": "Excel",
}
_OPTIONS: Final = {"separator": "CSV", "decimal": "CSV", "encoding": "CSV", "sheet": "Excel"}
_MAGIC: Final = {
    b"PAR1": "Parquet",
    b"$FL2": "SPSS",
    b"$FL3": "SPSS",
    b"<stata_d": "Stata",
    b"PK\x03\x04": "Excel",
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


def found_form(path: Path) -> str:
    """Format of a file: by its first bytes where these say it, else by its name, else CSV."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError:
        start = b""  # whoever reads it says what is the matter
    by_bytes = next((form for magic, form in _MAGIC.items() if start.startswith(magic)), None)
    return by_bytes or SUFFIXES.get(path.suffix.lower(), "CSV")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is known about a file before it is read; what is None is found out.

    Attributes
    ----------
    separator, decimal, encoding, sheet : str or None
    missing : MissingValues
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    missing: MissingValues = USUAL

    def misplaced(self, forms: Collection[str]) -> tuple[str, str] | None:
        """An option that none of the formats has, and the format that has it."""
        for option, form in _OPTIONS.items():
            if getattr(self, option) and form not in forms:
                return option, form
        return None

    def of(self, form: str) -> Reading:
        """What concerns a format."""
        foreign: dict[str, Any] = {option: None for option, owner in _OPTIONS.items() if owner != form}
        return replace(self, **foreign)

    def again(self, file: DataFile) -> Reading:
        """How to read what ``file`` writes: what was found out is not found out again."""
        found: dict[str, Any] = dict(file.options())
        return replace(self, **found)


def open_data(
    path: Path,
    reading: Reading | None = None,
    *,
    wanted: Collection[str] | None = None,
    numeric_columns: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> DataFile:
    """Open a file of any format.

    Parameters
    ----------
    path : Path
    reading : Reading, optional
    wanted, numeric_columns, progress
        As `csv_file.CsvFile` has them; of an Excel file too the progress is that of its bytes.

    Raises
    ------
    ModelFileError
        For an option that does not belong to the format, or a file that cannot be used.
    """
    known = reading or Reading()
    form = _form(path, known, numbers_as_texts=numeric_columns is not None)
    if form == "CSV":
        return CsvFile(
            path,
            separator=known.separator,
            decimal=known.decimal,
            encoding=known.encoding,
            wanted=wanted,
            numeric_columns=numeric_columns,
            missing=known.missing,
            progress=progress,
        )
    if form == "Parquet":
        file: DataFile = ParquetFile(path, missing=known.missing)
    elif form == "Excel":
        file = ExcelFile(path, sheet=known.sheet, missing=known.missing, progress=progress)
    else:
        file = StatisticalFile(path, form, missing=known.missing)
    if numeric_columns is not None or form == "Excel":
        # Numbers may stand there as texts.
        sign = decimal_sign(file, numeric_columns=numeric_columns, decimal=known.decimal)
        file.understood = replace(file.understood, decimal=sign)
    return file


def open_counted(
    path: Path,
    reading: Reading | None = None,
    *,
    wanted: Collection[str],
    numeric_columns: Iterable[str],
    identity: str | None = None,
    markers: Collection[str] = (),
    whole: bool = True,
    progress: Progress | None = None,
) -> DataFile:
    """Open a file, with records that are equal in the wanted columns counted together where that is possible.

    Parameters
    ----------
    path, reading, wanted, numeric_columns, progress
        As `open_data` has them. Progress counts bytes of a CSV, and records of a Parquet file.
    identity : str, optional
        A column that names each person, with the ``markers`` that mean that it does not; it is not kept.
        Records that it does not tell apart are not counted together: the texts say who stands twice.
    whole : bool
        Whether `DataFile.equal_rows` is asked for.

    Raises
    ------
    ModelFileError
        As `open_data`, in the same words.

    Notes
    -----
    CSV and Parquet are counted in pieces, and memory grows with the distinct combinations: 10,000,000 records
    of four columns with 2,579,568 combinations take 0.7 GB (decision 0176). Files of other formats, and any
    that look irregular, are opened by `open_data`.
    """
    known, numeric = reading or Reading(), tuple(numeric_columns)
    form = _form(path, known, numbers_as_texts=True)
    columns = frozenset(wanted) | ({identity} if identity is not None else frozenset())
    try:
        if form == "CSV":
            found = _counted_csv(path, known, columns, identity or "", whole, progress)
        elif form == "Parquet":
            found = _counted_parquet(path, known, columns, identity or "", whole, progress)
        else:
            raise IrregularError
        sign = decimal_sign(found, numeric_columns=numeric, decimal=known.decimal)
        found.understood = replace(found.understood, decimal=sign)
        if identity is not None and not (identity in found.header and found.tells_apart(markers)):
            raise IrregularError
    except IrregularError:
        return open_data(path, known, wanted=columns, numeric_columns=numeric, progress=progress)
    return found


def _counted_csv(
    path: Path,
    known: Reading,
    columns: frozenset[str],
    identity: str,
    whole: bool,
    progress: Progress | None,
) -> CountedFile:
    layout = layout_of(path, separator=known.separator, encoding=known.encoding, wanted=columns)
    return CountedFile(
        source=path.name,
        form=CsvFile.form,
        understood=Understood(
            form="csv",
            separator=layout.separator,
            encoding=layout.encoding,
            encoding_guessed=layout.guessed,
        ),
        header=layout.header,
        pieces=csv_pieces(path, layout, layout.header if whole else columns, progress),
        wanted=columns,
        identity=identity,
        whole=whole,
        place="line",
        missing=known.missing,
    )


def _counted_parquet(
    path: Path,
    known: Reading,
    columns: frozenset[str],
    identity: str,
    whole: bool,
    progress: Progress | None,
) -> CountedFile:
    import pyarrow

    try:
        header = parquet_header(path)
        if len(set(header)) < len(header) or not columns & set(header):
            raise IrregularError
        return CountedFile(
            source=path.name,
            form=ParquetFile.form,
            understood=Understood(form="parquet"),
            header=header,
            pieces=parquet_pieces(path, None if whole else columns, progress),
            wanted=columns,
            identity=identity,
            whole=whole,
            place="row",
            missing=known.missing,
        )
    except (OSError, pyarrow.ArrowException):
        raise IrregularError from None


def _form(path: Path, known: Reading, *, numbers_as_texts: bool) -> str:
    """The format of a file that is there, if what is known about it belongs to the format."""
    form = found_form(path)
    stray = known.misplaced((form,))
    if stray is not None and not (stray[0] == "decimal" and numbers_as_texts):
        raise ModelFileError(f"--{stray[0]} is for {stray[1]}, not for {form}", where=str(path))
    if path.is_dir() or not path.exists():
        raise ModelFileError(
            f"the file cannot be read: {'is a directory' if path.is_dir() else 'no such file or directory'}",
            where=path.name,
            remedy=f"Check the name and the permissions of {path}.",
        )
    return form
