"""The organizer's list of people: any table with a header, and which of its columns stand on a letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from server.progress import Progress
from server.tables.data_file import DataFile
from server.tables.files import Reading, open_data
from server.tables.problems import Problems
from server.wording import nearest_name, quoted, shortened_list
from shared.errors import InputError, PeopleFileError

CODE_COLUMN: Final = "code"
LINK_COLUMN: Final = "link"
MAX_LINES: Final = 6
"""Lines that fit into the window of an envelope."""

_KNOWN_LINES: Final = (
    (("organization", "organisation", "company", "firma", "unternehmen"),),
    (
        ("title", "titel", "anrede"),
        ("first name", "firstname", "first_name", "given name", "vorname"),
        ("last name", "lastname", "last_name", "surname", "family name", "nachname", "familienname"),
    ),
    (("name", "full name", "fullname", "full_name"),),
    (
        ("street", "address", "straße", "strasse", "anschrift", "adresse"),
        ("house number", "house_number", "hausnummer"),
    ),
    (("postcode", "postal code", "zip", "plz", "postleitzahl"), ("town", "city", "ort", "stadt", "wohnort")),
    (("country", "land", "staat"),),
)
"""Columns that are taken for lines of the address, line by line; every word is compared without case."""
_PLACE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressLines:
    """What stands in the window of the envelope, as lines with column names in braces."""

    templates: tuple[str, ...]

    @classmethod
    def parse(cls, templates: Sequence[str], header: tuple[str, ...], source: str) -> AddressLines:
        """Read lines such as ``{first name} {last name}``; without any, find known columns.

        Raises
        ------
        InputError
            With the code ``input.address``, for a column that the list does not have, or no known column.
        """
        if not templates:
            return cls(templates=_known(header, source))
        if len(templates) > MAX_LINES:
            raise _refused(
                f"{len(templates)} lines do not fit into the window", source, f"at most {MAX_LINES}"
            )
        for template in templates:
            for name in _PLACE.findall(template):
                if name not in header:
                    raise InputError(
                        f"there is no column {quoted(name)}",
                        where=f"{source}, --line {quoted(template)}",
                        expected="one of " + shortened_list(header),
                        remedy=nearest_name(name, header) + "Correct the name in --line.",
                        code="input.address",
                    )
            if not _PLACE.search(template):
                raise _refused(f"the line {quoted(template)} names no column", source, 'such as "{name}"')
        return cls(templates=tuple(templates))

    def fill(self, cells: dict[str, str]) -> tuple[str, ...]:
        """One person's lines; those that remain empty are left out."""
        lines = (_PLACE.sub(lambda found: cells[found[1]], template) for template in self.templates)
        return tuple(line for line in (" ".join(line.split()) for line in lines) if line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One row of the list.

    Attributes
    ----------
    cells : tuple of str
        All columns, exactly as they were.
    lines : tuple of str
        Name and address on the letter.
    place : str
        Where the row stood, for messages.
    """

    cells: tuple[str, ...] = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """A list of people.

    Attributes
    ----------
    header : tuple of str
        Names of the columns.
    rows : tuple of Person
        In the order of the list.
    separator : str
        Between the cells of the list; the mail-merge file has the same, because the same program opens it.
    notes : tuple of str
        What the organizer should look at, though it is allowed.
    """

    header: tuple[str, ...]
    rows: tuple[Person, ...] = field(repr=False)
    separator: str
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)


def read_people(
    path: Path,
    *,
    lines: Sequence[str] = (),
    letters: bool = True,
    separator: str | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> People:
    """Read the list of people to invite.

    Parameters
    ----------
    path : Path
        A delimited text file with a header; separator, byte order mark and encoding are found out.
    lines : sequence of str
        Lines of the address, with names of columns in braces; by default known columns.
    letters : bool
        Whether anybody gets a letter; without, no column needs to be an address.
    separator, encoding : str, optional
        What the organizer knows.

    Raises
    ------
    InputError
        With the code ``input.people``, for equal rows, rows without name and address, or columns called
        code or link; ``input.address`` as :meth:`AddressLines.parse`; as
        :func:`~server.tables.files.open_data` for everything else that a file can be.
    """
    table = open_data(path, Reading(separator=separator, encoding=encoding), progress=progress)
    for name in table.header:
        if name.casefold() in (CODE_COLUMN, LINK_COLUMN):
            raise PeopleFileError(
                f"the list has a column {quoted(name)} already",
                where=table.source,
                expected="a list without the columns that this command adds",
                remedy="Rename it; if the list was made by roomful invite, take the list it was made from.",
            )
    address = AddressLines.parse(lines, table.header, table.source) if letters else AddressLines(templates=())
    rows = tuple(_people(table, address))
    notes = _look(table, rows, letters=letters)
    return People(header=table.header, rows=rows, separator=table.understood.separator or ",", notes=notes)


def _people(table: DataFile, address: AddressLines) -> list[Person]:
    columns = [[cell or "" for cell in column] for column in table.columns]
    people = []
    for row, cells in enumerate(zip(*columns, strict=True)):
        named = {name: cell.strip() for name, cell in zip(table.header, cells, strict=True)}
        people.append(Person(cells=cells, lines=address.fill(named), place=table.place_of(row)))
    return people


def _look(table: DataFile, rows: tuple[Person, ...], *, letters: bool) -> tuple[str, ...]:
    """Refuse what cannot be meant; name what may be a mistake."""
    problems = Problems(table.source, "rows cannot be used")
    first: dict[tuple[str, ...], str] = {}
    addressed: dict[tuple[str, ...], str] = {}
    alike: list[str] = []
    for person in rows:
        cells = tuple(" ".join(cell.split()).casefold() for cell in person.cells)
        if not any(cells):
            problems.add("the row is empty", place=person.place, remedy="Remove the row.")
        elif cells in first:
            problems.add(
                f"the same person stands on {first[cells]}",
                place=person.place,
                remedy="Remove one of the two rows, or add a column that tells them apart.",
            )
        elif letters and not person.lines:
            problems.add(
                "there is neither name nor address",
                place=person.place,
                remedy="Fill the row in, or remove it.",
            )
        first.setdefault(cells, person.place)
        if letters and person.lines in addressed:
            alike.append(f"{addressed[person.lines]} and {person.place}")
        addressed.setdefault(person.lines, person.place)
    problems.raise_if_any(PeopleFileError)
    if not alike:
        return ()
    more = f", and {len(alike) - 3} more" if len(alike) > 3 else ""
    return ("the same name and address: " + "; ".join(alike[:3]) + more,)


def _known(header: tuple[str, ...], source: str) -> tuple[str, ...]:
    folded = {name.casefold(): name for name in reversed(header)}
    lines = []
    for line in _KNOWN_LINES:
        found = [next((folded[word] for word in words if word in folded), None) for words in line]
        if any(found):
            lines.append(" ".join(f"{{{name}}}" for name in found if name))
    if not lines:
        raise _refused(
            "no column is known as name or address",
            source,
            "columns such as name, street, postcode, town, or --line for each line of the address,"
            ' such as --line "{first} {last}"',
            remedy="The columns are " + shortened_list(header) + ". Without letters: --no-letters.",
        )
    return tuple(lines)


def _refused(message: str, source: str, expected: str, remedy: str = "Correct --line.") -> InputError:
    return InputError(message, where=source, expected=expected, remedy=remedy, code="input.address")
