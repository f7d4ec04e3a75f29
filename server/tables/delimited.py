"""A delimited text as people really have it: divided into exact cells, or refused with the line."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from server.progress import Progress
from server.tables.problems import SHOWN, Problems
from server.tables.sniffing import NAMED_SEPARATOR, SEPARATOR_WORDS
from server.wording import quoted
from shared.errors import ModelFileError

MAX_CELL_CHARACTERS: Final = 131_072
_CHUNK_RECORDS: Final = 65_536


class Reader(Protocol):
    """What csv.reader returns; its own type has no public name."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """A delimited text, divided.

    Attributes
    ----------
    header : mapping of name to its spelling in the file
        Every column, in the file's order.
    columns : mapping of name to (distinct texts, codes)
        Those that were kept.
    lines : int array, shape (n_records,)
        Physical line on which each record begins.
    equal_rows : int or None
        Records that equal an earlier one in every column; None where all columns were kept, which tell.
    """

    header: Mapping[str, str]
    columns: Mapping[str, tuple[tuple[str, ...], NDArray[np.int32]]]
    lines: NDArray[np.int64]
    equal_rows: int | None


def read_bytes(path: Path, *, source: str) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    ModelFileError
        If it cannot be opened, with the reason in plain words.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        reason = "is a directory" if path.is_dir() else (error.strerror or str(error)).lower()
        raise ModelFileError(
            f"the file cannot be read: {reason}",
            where=source,
            remedy=f"Check the name and the permissions of {path}.",
        ) from None


def parse(
    text: str,
    separator: str,
    source: str,
    wanted: Collection[str] | None,
    progress: Progress | None,
) -> Content:
    """Divide a text; parameters and errors as those of `csv_file.CsvFile`."""
    with cell_limit():
        return _divided(text, separator, source, wanted, progress)


@contextmanager
def cell_limit() -> Iterator[None]:
    """Hold cells to our limit: csv has one for the whole process, and other libraries raise it."""
    before = csv.field_size_limit(MAX_CELL_CHARACTERS)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _divided(
    text: str,
    separator: str,
    source: str,
    wanted: Collection[str] | None,
    progress: Progress | None,
) -> Content:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    written, header = header_of(reader, source, separator)
    if len(header) == 1:
        # An empty line between two records is a record without a value; behind the last it is none.
        reader = csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), delimiter=separator, strict=True)
        header_of(reader, source, separator)
    kept = [index for index, name in enumerate(header) if wanted is None or name in wanted]
    indices: list[dict[str, int]] = [{} for _ in kept]
    codes: list[list[NDArray[np.int32]]] = [[] for _ in kept]
    places: list[NDArray[np.int64]] = []
    seen: set[int] = (
        set()
    )  # hashes of 64 bits: among a million records two differ but look equal once in 10^7
    ragged = Problems(source, "records have another width than the header")
    n_lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    for records, lines in chunks(reader, source, one_column=len(header) == 1):
        if progress is not None:
            progress(min(reader.line_num, n_lines), n_lines)
        if set(map(len, records)) != {len(header)}:
            _note_ragged(ragged, records, lines, len(header), separator)
            continue
        seen.update(hash(tuple(record)) for record in records)
        cells = list(zip(*records, strict=True))
        for slot, column in enumerate(kept):
            index = indices[slot]
            # setdefault with the length numbers distinct texts in order of first appearance.
            codes[slot].append(
                np.array([index.setdefault(cell, len(index)) for cell in cells[column]], np.int32)
            )
        places.append(lines)
    ragged.raise_if_any()
    if not places:
        raise ModelFileError(
            "there is a header but no record",
            where=source,
            expected="one line per person (or per group, with a count column) after the header",
            remedy="Check that the export was complete.",
        )
    lines = np.concatenate(places)
    return Content(
        header=dict(zip(header, written, strict=True)),
        columns={
            header[column]: (tuple(index), np.concatenate(parts))
            for column, index, parts in zip(kept, indices, codes, strict=True)
        },
        lines=lines,
        equal_rows=len(lines) - len(seen),
    )


def first_line_end(text: str) -> str:
    """As the lines of a text end; a line feed if there is no second line."""
    found = re.search("\r\n|\r|\n", text)
    return found.group() if found else "\n"


def header_of(reader: Reader, source: str, separator: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names as they are written, and as they are called."""
    try:
        names = next(
            (record for record in reader if record and not NAMED_SEPARATOR.fullmatch(separator.join(record))),
            None,
        )
    except csv.Error as error:
        raise _broken(error, source, 1, reader.line_num) from None
    if names is None:
        raise ModelFileError(
            "the file has only empty lines", where=source, expected="a header line with the column names"
        )
    header = tuple(name.strip() or f"(column {number})" for number, name in enumerate(names, 1))
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated:
        name = repeated[0]
        numbers = [str(number) for number, other in enumerate(header, 1) if other == name]
        more = f", and {len(repeated) - 1} more names are repeated" if len(repeated) > 1 else ""
        raise ModelFileError(
            f"the columns {' and '.join(numbers)} are both called {quoted(name)}{more}",
            where=f"{source}, line {reader.line_num}",
            expected="a header in which every column has its own name",
            remedy="Rename or remove one of them. If the file has no header, add one"
            f" ({SEPARATOR_WORDS.get(separator, separator)} between the names).",
        )
    return tuple(names), header


def chunks(
    reader: Reader, source: str, *, behind: int = 0, one_column: bool = False
) -> Iterator[tuple[list[list[str]], NDArray[np.int64]]]:
    """Yield records in blocks, each with the physical line on which every record begins.

    ``behind`` so many lines of the file the reader's first one stands. An empty line is no record, or with
    ``one_column`` one of an empty cell.
    """
    while True:
        before = reader.line_num
        records: list[list[str]] = []
        ends: list[int] = []
        try:
            for record in islice(reader, _CHUNK_RECORDS):
                records.append(record or [""] if one_column else record)
                ends.append(reader.line_num)
        except csv.Error as error:
            begins = (ends[-1] if ends else before) + 1
            raise _broken(error, source, begins, reader.line_num) from None
        if not records:
            return
        lines = np.concatenate(([before], np.array(ends[:-1], np.int64))) + 1 + behind
        if not all(records):
            filled = [index for index, record in enumerate(records) if record]
            records, lines = [records[index] for index in filled], lines[filled]
        if records:
            yield records, lines


def _broken(error: csv.Error, source: str, begins: int, line: int) -> ModelFileError:
    words = str(error)
    if "field larger" in words:
        message = f"a cell has more than {MAX_CELL_CHARACTERS} characters, so a quote probably never closes"
    elif "unexpected end" in words:
        message = "a quote is opened and never closed"
    else:
        message = "after a closing quote something else than the separator follows"
    where = f"{source}, line {begins}" if line <= begins else f"{source}, lines {begins} to {line}"
    return ModelFileError(
        message,
        where=where,
        expected="cells in double quotes, with quotes inside them doubled",
        remedy="Export the table again, or correct the quotes on that line.",
    )


def _note_ragged(
    problems: Problems, records: list[list[str]], lines: NDArray[np.int64], width: int, separator: str
) -> None:
    word = SEPARATOR_WORDS.get(separator, quoted(separator))
    for record, line in zip(records, lines.tolist(), strict=True):
        if len(record) == width:
            continue
        if problems.total >= SHOWN:
            problems.add("", place="")
            continue
        extra = ""
        if len(record) > width:
            extra = f", beginning with {quoted(separator.join(record[width:]).strip() or record[width])}"
        problems.add(
            f"the record has {len(record)} cells, the header {width}{extra}",
            place=f"line {line}",
            remedy=f"Put cells that contain the separator ({word}) into double quotes, or name the"
            " separator (--separator, or separator in [model]) if another one was meant.",
        )
