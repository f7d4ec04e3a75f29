"""The files of codes and for mail merge: the list of people with each person's code and link, and back.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, and a formula can send
the cells beside it, which are everybody's codes, to an address. Lists hold what people typed into forms. So
such a cell gets an apostrophe before that sign, also where it follows a separator that another program might
split at. Telephone numbers and negative numbers stay as they are.

References
----------
OWASP, CSV Injection.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from server.invitations.boxes import GROUP_COLUMN
from server.invitations.people import CODE_COLUMN, LINK_COLUMN, AddressLines
from server.tables.files import open_data
from server.tables.problems import Problems
from shared.errors import PeopleFileError, TokenError
from shared.invitation_code import InvitationCode

_NUMBER: Final = re.compile(r"[+-]([0-9][0-9 ()/.,\u00a0-]*)?")
_FORMULA: Final = re.compile(r"(^|[,;|\t\r\n])([\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_GUARDED: Final = re.compile(r"(^|[,;|\t\r\n])([\s\"]*)'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """One row of a mail-merge file.

    Attributes
    ----------
    cells : tuple of str
        The columns of the organizer's list.
    lines : tuple of str
        Name and address on the letter.
    code : InvitationCode
        Hers.
    group : int or None
        Her group in an election, from the column of that name.
    place : str
        Where she stands in the file, for messages.
    """

    cells: tuple[str, ...] = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)
    code: InvitationCode
    group: int | None
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailMerge:
    """A mail-merge file that was read again.

    Attributes
    ----------
    header : tuple of str
        Columns of the organizer's list.
    recipients : tuple of Recipient
        In the order of the file.
    separator : str
        Between its cells.
    """

    header: tuple[str, ...]
    recipients: tuple[Recipient, ...] = field(repr=False)
    separator: str


def guard(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; the same if it was none.

    Guarantee: neither the result nor any part of it after a separator begins with one of ``=+-@``, blanks and
    quotes aside, unless the whole cell is a number, a telephone number or a single sign.
    """
    return cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1\2'", cell)


def unguard(cell: str) -> str:
    """A cell as it was before :func:`guard`."""
    return _GUARDED.sub(r"\1\2", cell)


def format_mail_merge(
    header: Sequence[str], rows: Iterable[tuple[Sequence[str], InvitationCode, str | None]], separator: str
) -> bytes:
    """The file: all columns, then code and link; every cell in quotes, UTF-8 with a byte order mark.

    Before the survey is signed there are no links; then their column is left out.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of (cells, code, link)
        Each person's; all links are there, or none is.
    separator : str
        Between the cells.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    written = [([*map(guard, cells), code.text], link) for cells, code, link in rows]
    links = any(link is not None for _, link in written)
    writer.writerow([*map(guard, header), CODE_COLUMN, *([LINK_COLUMN] if links else [])])
    for cells, link in written:
        writer.writerow([*cells, *([] if link is None else [link])])
    return text.getvalue().encode("utf-8-sig")


def read_mail_merge(path: Path, *, lines: Sequence[str] = (), letters: bool = True) -> MailMerge:
    """Read a file with codes, also after a spreadsheet has saved it.

    Raises
    ------
    InputError
        With the code ``input.people`` if the column of the codes is missing, a code is damaged or stands
        twice; nothing of a code is repeated. As :func:`~server.tables.files.open_data` otherwise.
    """
    table = open_data(path)
    if CODE_COLUMN not in table.header:
        raise PeopleFileError(
            "there is no column with codes",
            where=table.source,
            expected=f"a column {CODE_COLUMN}, as in codes.csv of roomful codes",
        )
    kept = [name for name in table.header if name not in (CODE_COLUMN, LINK_COLUMN)]
    header = tuple(unguard(name) for name in kept)
    address = AddressLines.parse(lines, header, table.source) if letters else AddressLines(templates=())
    columns = [[unguard(cell or "") for cell in table.exact(name)] for name in kept]
    problems = Problems(table.source, "codes cannot be used")
    recipients, first = [], dict[str, str]()
    for row, text in enumerate(table.exact(CODE_COLUMN)):
        place = table.place_of(row)
        try:
            code = InvitationCode.parse(text or "")
        except TokenError as error:
            problems.add(error.message, place=place, remedy="Take the file as roomful codes wrote it.")
            continue
        if code.symbols in first:
            problems.add(f"the same code stands on {first[code.symbols]}", place=place)
        first.setdefault(code.symbols, place)
        cells = tuple(column[row] for column in columns)
        filled = address.fill({name: cell.strip() for name, cell in zip(header, cells, strict=True)})
        group = _group_of(dict(zip(header, cells, strict=True)).get(GROUP_COLUMN, ""))
        recipients.append(Recipient(cells=cells, lines=filled, code=code, group=group, place=place))
    problems.raise_if_any(PeopleFileError)
    return MailMerge(header=header, recipients=tuple(recipients), separator=table.understood.separator or ",")


def _group_of(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text.strip(), re.ASCII) else None
