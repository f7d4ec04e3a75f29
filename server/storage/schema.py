"""Every field that the server keeps, in one place.

The tables are created from :data:`STORED_FIELDS`, and a test compares it with the schema of a real file, so
that no field can be added quietly. What respondents read about storage comes from the list ``stored`` of the
specification, one text ``stored.<word>`` each; a specification is published only if it has the word of every
field here. Adding a field means changing this list, the specification's, the texts, and that test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredField:
    """One column of one table.

    Attributes
    ----------
    table, column : str
        Where it lies in the SQLite file.
    declaration : str
        The SQL type and constraints.
    told_as : str or None
        The word for it in the specification's list ``stored``; None for the survey's own fields and for the
        random key, which no respondent brings.
    """

    table: str
    column: str
    declaration: str
    told_as: str | None = None

    @property
    def name(self) -> str:
        """The stable name of the field, ``table.column``."""
        return f"{self.table}.{self.column}"


STORED_FIELDS: Final = (
    # A random 128-bit number drawn by the server. Rows lie in its order, which says nothing about arrival.
    StoredField(table="answer", column="key", declaration="BLOB PRIMARY KEY NOT NULL"),
    StoredField(table="answer", column="cell", declaration="INTEGER NOT NULL", told_as="cell"),
    # The confidential answers as JSON with sorted names, so that the client's own order leaves no trace.
    StoredField(table="answer", column="answers", declaration="TEXT NOT NULL", told_as="answers"),
    # SHA-256 of the message, whose padding has at least 128 random bits: nobody can guess a message from it.
    StoredField(table="receipt", column="digest", declaration="BLOB PRIMARY KEY NOT NULL", told_as="receipt"),
    # The rows of SURVEY_ROWS. The two days are dates in UTC without a time of day.
    StoredField(table="survey", column="name", declaration="TEXT PRIMARY KEY NOT NULL"),
    StoredField(table="survey", column="value", declaration="TEXT NOT NULL"),
)

#: The rows of the table ``survey``: the specification's digest, the organizer's public key, the state; from
#: closing on the day of closing; and once the answers are deleted the day of that.
SURVEY_ROWS: Final = ("specification", "organizer_key", "state", "closed_on", "deleted_on")


def create_statements() -> tuple[str, ...]:
    """The SQL that creates every table, WITHOUT ROWID: a row id would number the submissions."""
    tables: dict[str, list[str]] = {}
    for field in STORED_FIELDS:
        tables.setdefault(field.table, []).append(f"{field.column} {field.declaration}")
    return tuple(
        f"CREATE TABLE {table} ({', '.join(columns)}) WITHOUT ROWID" for table, columns in tables.items()
    )
