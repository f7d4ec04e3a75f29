"""Making the databases of new surveys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Final

from server.collection.storage.anchor import GENERATION, Anchor
from server.collection.storage.databases import Database
from server.collection.storage.schema import StoredField, fields_of
from server.collection.storage.states import State
from shared.envelope import encode_key
from shared.errors import StateError

TEST: Final = "test"
"""Name of the row that marks a copy to be tried."""


def create_tables(
    database: Database,
    *,
    fields: Iterable[StoredField],
    rows: Mapping[str, str],
    anchor: Anchor | None = None,
) -> None:
    """Create empty tables and the rows of the table ``survey``, unless they are there.

    Several processes may do so at once: one makes them, and none replaces what another has made.

    Parameters
    ----------
    database : Database
        Where.
    fields : iterable of StoredField
        Its columns.
    rows : Mapping[str, str]
        Of the table ``survey``.
    anchor : Anchor or None
        Where its commits are counted a second time; begun at zero.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    with database.turn():
        if database.exists():
            return
        if anchor is not None:
            anchor.create()
            rows = {**rows, GENERATION: "0"}
        database.create(fields, rows)


def create_database(
    database: Database,
    *,
    specification_digest: str,
    organizer_key: bytes,
    anchor: Anchor | None,
    is_test: bool = False,
) -> None:
    """Create the database of a new survey in the state draft.

    Parameters
    ----------
    database : Database
        Where.
    specification_digest : str
        The survey's identity.
    organizer_key : bytes
        The Ed25519 public key that signed it.
    anchor : Anchor or None
        Of an invited survey; begun at zero.
    is_test : bool
        Whether it is a copy to be tried, for ever.

    Raises
    ------
    StorageError
        If it cannot be written.
    StateError
        If another collector that shares the database has another survey there.
    """
    rows = {
        "specification": specification_digest,
        "organizer_key": encode_key(organizer_key),
        "state": State.DRAFT.value,
        **({TEST: "yes"} if is_test else {}),
    }
    create_tables(database, fields=fields_of(invited=anchor is not None), rows=rows, anchor=anchor)
    with closing(database.connect()) as connection:
        found = dict(connection.execute("SELECT name, value FROM survey").fetchall())
    if any(found.get(name) != value for name, value in rows.items() if name != "state") or (
        (TEST in found) != is_test
    ):
        raise StateError(
            "another survey lies in this database with the same id, or a test copy of this one",
            where="database",
            remedy="Name another database.",
            code="state.other-digest",
        )
