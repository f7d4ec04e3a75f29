"""Encoding and separator of a delimited text, found out from the text itself."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from server.tables.encodings import guessed_encoding
from server.wording import quoted
from shared.errors import ModelFileError

SEPARATORS: Final = ("\t", ";", ",")
SEPARATOR_WORDS: Final = {"\t": "tab", ";": "semicolon", ",": "comma"}
NAMED_SEPARATOR: Final = re.compile(r"(?i:sep)=(?P<separator>[^\r\n])")
"""What programs write above the header, for Excel."""
SAMPLE_RECORDS: Final = 500
SAMPLE_CHARACTERS: Final = 400_000

MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECIMAL_COMMA_PAIR: Final = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")


def decode(data: bytes, *, source: str, encoding: str | None = None) -> tuple[str, str]:
    """Return the text of a file and the encoding it was read in.

    Parameters
    ----------
    data : bytes
        The whole file.
    source : str
        Its name for messages.
    encoding : str, optional
        What the organizer knows; a byte order mark is surer.

    Returns
    -------
    text, encoding : str
        A byte order mark decides and is removed. Without one the text is UTF-8 if it is valid UTF-8; else
        what its words look like, see `encodings.guessed_encoding`.

    Raises
    ------
    ModelFileError
        If the bytes are not text, or not in the encoding asked for.
    """
    marked = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), None)
    if marked is not None:
        data = data[len(marked[0]) :]
    chosen = marked[1] if marked else encoding or _encoding_of(data)
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"this is not {chosen} text",
            where=f"{source}, line {data.count(bytes([10]), 0, error.start) + 1}, byte {error.start + 1}",
            remedy="Name its encoding (--encoding, or encoding in [model]), or save the file as UTF-8.",
        ) from None
    except (LookupError, ValueError):
        raise ModelFileError(
            f"there is no encoding {quoted(chosen)}",
            where=source,
            expected='"utf-8", "cp1250", "cp932" or another encoding of text that Python knows',
        ) from None
    nul = text.find("\0")
    if nul >= 0:
        raise ModelFileError(
            "there is a NUL character, so this is not a text file as spreadsheets write it",
            where=f"{source}, line {_line_of(text, nul)}",
            expected="CSV text",
            remedy="Export the table again as CSV (UTF-8); of UTF-16 without a byte order mark say so:"
            " --encoding utf-16-le.",
        )
    return text, chosen


def _encoding_of(data: bytes) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return guessed_encoding(data)
    return "utf-8"


def _line_of(text: str, position: int) -> int:
    before = text[:position]
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")


def sniff_separator(text: str, *, wanted: Iterable[str] = ()) -> str:
    """Return the separator of a delimited text.

    Parameters
    ----------
    text : str
        The whole text or its beginning.
    wanted : iterable of str
        Column names that the file should have; a separator under which more of them appear wins.

    Returns
    -------
    str
        Tab, semicolon or comma. For a file of one column one that its cells do not hold, comma if possible.
        Where the first line names it (``sep=;``), that one.

    Notes
    -----
    Every candidate is tried with the real parser on the first records. In order of weight: names that are
    wanted and appear, all records as wide as the header, few cells that still hold another candidate
    (decimal commas excepted), the width of the header.
    """
    if named := NAMED_SEPARATOR.fullmatch(re.split("[\r\n]", text[:8], maxsplit=1)[0]):
        return named["separator"]
    sample, cut = text[:SAMPLE_CHARACTERS], len(text) > SAMPLE_CHARACTERS
    names = frozenset(wanted)

    def rank(separator: str) -> tuple[float, ...]:
        records: list[list[str]] = []
        try:
            reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator, strict=True)
            records.extend(record for record in islice(reader, SAMPLE_RECORDS) if record)
        except csv.Error:
            # A quote in the wrong place can be the file's fault or the separator's: it counts against it.
            records.append([])
        if cut and len(records) < SAMPLE_RECORDS:
            records = records[:-1]
        if not records:
            return (0.0, 0.0, 0.0, 0.0)
        header = [name.strip() for name in records[0]]
        found = len(names.intersection(header))
        even = sum(len(record) == len(header) for record in records) / len(records)
        if len(header) < 2:
            # Below every candidate that divides the header.
            return (float(found), 0.0, even, 1.0)
        others = tuple(other for other in SEPARATORS if other != separator)
        cells = [cell for record in records for cell in record]
        glued = sum(
            any(other in cell for other in others) and not _DECIMAL_COMMA_PAIR.fullmatch(cell)
            for cell in cells
        )
        return (float(found), even, 1 - glued / len(cells), float(len(header)))

    ranks = {separator: rank(separator) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: ranks[separator])
    if ranks[best][3] > 1:
        return best
    return max((",", ";", "\t"), key=lambda separator: ranks[separator])
