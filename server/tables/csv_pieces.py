"""A delimited text in pieces, divided by Arrow where no quote stands in it, and by Python's reader elsewhere.

Rules and messages are those of `csv_file.CsvFile`. What looks irregular is not judged here: `IrregularError`
says that the file is to be read whole, which tells what is the matter, and where.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from server.arrays import Int32Array, IntArray
from server.progress import Progress
from server.tables.column import DataColumn
from server.tables.counting import Merged, Piece
from server.tables.delimited import (
    MAX_CELL_CHARACTERS,
    Content,
    Reader,
    cell_limit,
    chunks,
    first_line_end,
    header_of,
)
from server.tables.encodings import guessed_encoding
from server.tables.sniffing import MARKS, SAMPLE_CHARACTERS, sniff_separator
from shared.errors import ModelFileError

BLOCK_BYTES: Final = 1 << 24
_LONGEST_MARK: Final = max(len(mark) for mark, _ in MARKS)


_Coded: TypeAlias = tuple[Sequence[str], Sequence[int] | Int32Array]
"""Distinct texts of a column, and the place of each record's among them."""


class IrregularError(Exception):
    """The file is to be read whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What the beginning of a delimited text tells.

    Attributes
    ----------
    written, header : tuple of str
        The names as they are written, and as they are called.
    separator, encoding : str
    line_end : str
        The first one.
    mark : bool
        Whether the file begins with a byte order mark.
    guessed : bool
        Whether the encoding was guessed from words.
    """

    written: tuple[str, ...]
    header: tuple[str, ...]
    separator: str
    encoding: str
    line_end: str
    mark: bool
    guessed: bool


def is_large(path: Path) -> bool:
    """Whether a file has more than one block."""
    try:
        return path.stat().st_size > BLOCK_BYTES
    except OSError:
        return False  # whoever reads it says what is the matter


def layout_of(path: Path, *, separator: str | None, encoding: str | None, wanted: Collection[str]) -> Layout:
    """How a file is divided; parameters as `csv_file.CsvFile` has them.

    Raises
    ------
    IrregularError
        If the whole file must tell.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_LONGEST_MARK)
    except OSError:
        raise IrregularError from None
    mark = next((name for mark, name in MARKS if start.startswith(mark)), None)
    chosen = mark or encoding
    guessed = chosen is None and not _is_utf8(path)
    chosen = chosen or (guessed_encoding(path.read_bytes()) if guessed else "utf-8")
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise IrregularError
    sample = ""
    for block in _texts(path, chosen):
        sample += block
        if len(sample) > SAMPLE_CHARACTERS:
            break
    separator = separator or sniff_separator(sample, wanted=wanted)
    with cell_limit():
        written, header = _header(_reader(_lines(iter([sample])), separator), separator)
    if len(header) == 1:
        raise IrregularError  # which empty lines are records, the end of the file tells
    return Layout(
        written=written,
        header=header,
        separator=separator,
        encoding=chosen,
        line_end=first_line_end(sample),
        mark=mark is not None,
        guessed=guessed,
    )


def csv_pieces(
    path: Path, layout: Layout, columns: Collection[str], progress: Progress | None = None
) -> Iterator[Piece]:
    """Yield the records with the columns that are named; a place is the line on which a record begins.

    Raises
    ------
    IrregularError
        If the whole file must tell.
    """
    kept = [place for place, name in enumerate(layout.header) if name in columns]
    blocks = _whole_lines(_texts(path, layout.encoding, progress))
    records = 0
    with cell_limit():
        # 1. The header, which may be quoted and may go over several lines.
        lines = _lines(iter([next(blocks, "")]))
        reader = _reader(lines, layout.separator)
        _header(reader, layout.separator)
        line, rest = reader.line_num, "".join(lines)
        # 2. Records, by Arrow as long as nothing is quoted: then every end of a line ends a record.
        waiting = chain([rest] if rest else [], blocks)
        for block in waiting:
            if '"' in block:
                # 3. From the first quote on Python's reader goes on alone.
                for piece in _read_by_python(chain([block], waiting), layout, kept, line):
                    records += len(piece.places)
                    yield piece
            else:
                piece, line = _read_by_arrow(block, layout, kept, line)
                records += len(piece.places)
                yield piece
    if not records:
        raise IrregularError


def content_of(path: Path, layout: Layout, progress: Progress | None = None) -> Content:
    """The whole file, with all columns, as `delimited.parse` gives it: only its text is never there at once.

    Raises
    ------
    IrregularError
        If the whole text must tell.
    """
    merged = {name: Merged(name) for name in layout.header}
    codes: dict[str, list[Int32Array]] = {name: [] for name in layout.header}
    places: list[IntArray] = []
    for piece in csv_pieces(path, layout, layout.header, progress):
        for name, column in piece.columns.items():
            codes[name].append(merged[name].codes(column))
        places.append(piece.places)
    columns = {}
    for name in layout.header:
        column = merged[name].column(np.concatenate(codes.pop(name)))
        columns[name] = (tuple(text or "" for text in column.distinct), column.codes)
    return Content(
        header=dict(zip(layout.header, layout.written, strict=True)),
        columns=columns,
        lines=np.concatenate(places),
        equal_rows=None,
    )


def _texts(path: Path, encoding: str, progress: Progress | None = None) -> Iterator[str]:
    """The text of a file without its mark, in blocks."""
    size, read = path.stat().st_size, 0
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        with path.open("rb") as file:
            start = file.read(_LONGEST_MARK)
            file.seek(next((len(mark) for mark, _ in MARKS if start.startswith(mark)), 0))
            while data := file.read(BLOCK_BYTES):
                read += len(data)
                if progress is not None:
                    progress(min(read, size), size)
                yield _without_nul(decoder.decode(data))
        yield _without_nul(decoder.decode(b"", final=True))
    except (OSError, UnicodeError, LookupError, ValueError):
        raise IrregularError from None


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise IrregularError
    return text


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while data := file.read(BLOCK_BYTES):
                decoder.decode(data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _whole_lines(blocks: Iterator[str]) -> Iterator[str]:
    """The same text in blocks that end where a line does."""
    open_line = ""
    for block in blocks:
        end = block.rfind("\n") + 1
        if end:
            yield open_line + block[:end]
            open_line = block[end:]
        else:
            open_line += block
            if len(open_line) > BLOCK_BYTES:
                raise IrregularError
    if open_line:
        yield open_line


def _lines(blocks: Iterator[str]) -> Iterator[str]:
    for block in blocks:
        yield from io.StringIO(block, newline="")


def _reader(lines: Iterator[str], separator: str) -> Reader:
    return csv.reader(lines, delimiter=separator, strict=True)


def _header(reader: Reader, separator: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        return header_of(reader, "", separator)
    except ModelFileError:
        raise IrregularError from None


def _read_by_arrow(block: str, layout: Layout, kept: list[int], line: int) -> tuple[Piece, int]:
    """The records of a block of whole lines without quotes, behind ``line`` lines; and the lines so far."""
    import pyarrow
    import pyarrow.csv

    if "\r" in block:
        block = block.replace("\r\n", "\n").replace("\r", "\n")
    data = (block if block.endswith("\n") else block + "\n").encode()
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    begins = np.r_[0, ends[:-1] + 1]
    filled = np.flatnonzero(ends > begins)
    if not len(filled):
        return Piece(columns=_columns(layout, kept, [((), [])] * len(kept)), places=filled), line + len(ends)
    if int((ends - begins).max()) > MAX_CELL_CHARACTERS:
        raise IrregularError
    names = [str(place) for place in range(len(layout.header))]
    try:
        table = pyarrow.csv.read_csv(
            pyarrow.BufferReader(data),
            pyarrow.csv.ReadOptions(column_names=names, block_size=len(data) + 1, use_threads=False),
            pyarrow.csv.ParseOptions(delimiter=layout.separator, quote_char=False),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.string()),
                include_columns=[names[place] for place in kept] or None,
                strings_can_be_null=False,
            ),
        )
    except (pyarrow.ArrowException, ValueError):
        raise IrregularError from None
    if table.num_rows != len(filled):
        raise IrregularError
    found: list[_Coded] = []
    for place in kept:
        (chunk,) = table.column(names[place]).chunks
        encoded = chunk.dictionary_encode()
        # By the array protocol: to_numpy would load pandas.
        codes = np.asarray(np.from_dlpack(encoded.indices), np.int32)
        found.append((encoded.dictionary.to_pylist(), codes))
    return Piece(columns=_columns(layout, kept, found), places=line + 1 + filled), line + len(ends)


def _read_by_python(blocks: Iterator[str], layout: Layout, kept: list[int], line: int) -> Iterator[Piece]:
    try:
        for records, lines in chunks(_reader(_lines(blocks), layout.separator), "", behind=line):
            if set(map(len, records)) != {len(layout.header)}:
                raise IrregularError
            cells = list(zip(*records, strict=True))
            found: list[_Coded] = []
            for place in kept:
                index: dict[str, int] = {}
                codes = [index.setdefault(cell, len(index)) for cell in cells[place]]
                found.append((list(index), codes))
            yield Piece(columns=_columns(layout, kept, found), places=lines)
    except ModelFileError:
        raise IrregularError from None


def _columns(layout: Layout, kept: list[int], found: list[_Coded]) -> dict[str, DataColumn]:
    return {
        layout.header[place]: DataColumn(
            name=layout.header[place], distinct=tuple(distinct), codes=np.array(codes, np.int32)
        )
        for place, (distinct, codes) in zip(kept, found, strict=True)
    }
