"""Every field that the server keeps, in one place.

The tables are created from :data:`STORED_FIELDS`, and a test compares it with the schema of a real file, so
that no field can be added quietly. What respondents read about storage comes from the list ``stored`` of the
specification, one text ``stored.<word>`` each; a specification is published only if it has the word of every
field here. Adding a field means changing this list, the specification's, the texts, and that test.
"""

from __future__ import annotations

from collections.abc import Iterable
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


_KEY: Final = "BLOB PRIMARY KEY NOT NULL"

ANSWER_FIELDS: Final = (
    # A random 128-bit number drawn by the server. Rows lie in its order, which says nothing about arrival.
    StoredField(table="answer", column="key", declaration=_KEY),
    StoredField(table="answer", column="cell", declaration="INTEGER NOT NULL", told_as="cell"),
    # The confidential answers as JSON with sorted names, so that the client's own order leaves no trace.
    StoredField(table="answer", column="answers", declaration="TEXT NOT NULL", told_as="answers"),
    # SHA-256 of the message, whose padding has at least 128 random bits: nobody can guess a message from it.
    StoredField(table="receipt", column="digest", declaration=_KEY, told_as="receipt"),
)
"""Of an open survey's submissions."""

BALLOT_FIELDS: Final = (
    # 32 bytes drawn by the respondent's device, which the registrar never saw. Rows lie in their order.
    StoredField(table="ballot", column="token", declaration=_KEY, told_as="token"),
    # Of a one-time key that the device made for this token, which the registrar never saw either.
    StoredField(table="ballot", column="device_key", declaration="BLOB NOT NULL", told_as="token"),
    StoredField(table="ballot", column="token_signature", declaration="BLOB NOT NULL", told_as="token"),
    StoredField(table="ballot", column="cell", declaration="INTEGER NOT NULL", told_as="cell"),
    # The answers, sealed to the trustees and padded.
    StoredField(table="ballot", column="box", declaration="BLOB NOT NULL", told_as="sealed"),
    # By the one-time key, over all of the above.
    StoredField(table="ballot", column="signature", declaration="BLOB NOT NULL", told_as="sealed"),
)
"""Of an invited survey's submissions."""

SURVEY_FIELDS: Final = (
    # The rows of SURVEY_ROWS. The three days are dates in UTC without a time of day.
    StoredField(table="survey", column="name", declaration="TEXT PRIMARY KEY NOT NULL"),
    StoredField(table="survey", column="value", declaration="TEXT NOT NULL"),
)

CODE_FIELDS: Final = (
    # The roll's hash of a code; the code itself is on the letter and nowhere else.
    StoredField(table="code", column="hash", declaration=_KEY),
    # Of an election the box that the roll has it in, whose tokens alone it fetches; 0 in a survey.
    StoredField(table="code", column="box", declaration="INTEGER NOT NULL"),
    # The proof that its device showed, of which the former is the hash; NULL before.
    StoredField(table="code", column="proof", declaration="BLOB"),
    # SHA-256 of the blinded message that it fetched a token with; NULL before.
    StoredField(table="code", column="request", declaration="BLOB"),
)
"""Of an invited survey's codes, in the registrar's own file."""
REGISTRAR_FIELDS: Final = (*CODE_FIELDS, *SURVEY_FIELDS)

POOL_FIELDS: Final = (
    # SHA-256 of a sealed ballot, which is as random as the seal. Rows lie in its order.
    StoredField(table="waiting", column="key", declaration=_KEY),
    # The ballot as it came, sealed to the collector.
    StoredField(table="waiting", column="body", declaration="BLOB NOT NULL"),
    # Those that are on their way to the collector, mixed.
    StoredField(table="leaving", column="key", declaration=_KEY),
    StoredField(table="leaving", column="body", declaration="BLOB NOT NULL"),
    # The same of what the collector has, and of what it refused for good: nothing leaves twice.
    StoredField(table="passed", column="key", declaration=_KEY),
    StoredField(table="dropped", column="key", declaration=_KEY),
    # Receipts of the ballots that the collector has, in an order of their own: each ballot counts once.
    StoredField(table="taken", column="receipt", declaration=_KEY),
    # How many ballots the collector refused for good, by the code that it gave.
    StoredField(table="refused", column="code", declaration="TEXT PRIMARY KEY NOT NULL"),
    StoredField(table="refused", column="number", declaration="INTEGER NOT NULL"),
)
"""Of a relay's pool, in the relay's own file."""
RELAY_FIELDS: Final = (*POOL_FIELDS, *SURVEY_FIELDS)
RELAY_ROWS: Final = ("specification", "waiting", "leaving", "passed", "waited", "flush")
"""Rows of the table ``survey`` in a relay's file: the specification's digest; how many wait, leave and were
passed on; how many sixteenths of its time the pool has waited; how many must wait for the flush that was
asked for, 0 without one."""

STORED_FIELDS: Final = (*ANSWER_FIELDS, *BALLOT_FIELDS, *CODE_FIELDS, *POOL_FIELDS, *SURVEY_FIELDS)
"""Everything that is kept of any survey."""

SURVEY_ROWS: Final = (
    "specification", "organizer_key", "state", "closed_on", "earlier_on", "deleted_on", "generation",
)  # fmt: skip
"""The rows of the table ``survey``: the specification's digest, the organizer's public key, the state; from
closing on the day of closing, and the first day before it that a clock showed afterwards; once the answers
are deleted the day of that; and of an invited survey how many times something was stored, so that an old copy
of the file is noticed."""


def fields_of(*, invited: bool) -> tuple[StoredField, ...]:
    """The fields of one kind of survey."""
    return (*(BALLOT_FIELDS if invited else ANSWER_FIELDS), *SURVEY_FIELDS)


def tables(fields: Iterable[StoredField]) -> tuple[str, ...]:
    """The SQL that creates the tables of some fields."""
    columns: dict[str, list[str]] = {}
    for field in fields:
        columns.setdefault(field.table, []).append(f"{field.column} {field.declaration}")
    return tuple(f"CREATE TABLE {table} ({', '.join(c)})" for table, c in columns.items())
