"""Making the files of new surveys."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from server.storage import database as db
from server.storage.anchor import GENERATION, Anchor
from server.storage.files import write_new
from server.storage.schema import StoredField, fields_of, tables
from server.storage.states import State
from shared.envelope import encode_key


def create_file(path: Path, *, fields: Iterable[StoredField], rows: Iterable[tuple[str, str]]) -> None:
    """Create a file that must not exist, with empty tables and the rows of its table ``survey``.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    write_new(path, b"")  # so that it and its journal belong to the owner alone
    with closing(db.connect(path).conn) as connection, db.named_errors():
        connection.execute("BEGIN IMMEDIATE")
        for statement in tables(fields):
            connection.execute(statement)
        connection.executemany("INSERT INTO survey VALUES (?, ?)", rows)
        connection.execute("COMMIT")


def create_database(
    path: Path, *, specification_digest: str, organizer_key: bytes, anchor: Anchor | None
) -> None:
    """Create the file of a new survey in the state draft.

    Parameters
    ----------
    path : Path
        Where.
    specification_digest : str
        The survey's identity.
    organizer_key : bytes
        The Ed25519 public key that signed it.
    anchor : Anchor or None
        Of an invited survey; begun at zero.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    rows = [
        ("specification", specification_digest),
        ("organizer_key", encode_key(organizer_key)),
        ("state", State.DRAFT.value),
    ]
    if anchor is not None:
        anchor.create()
        rows.append((GENERATION, "0"))
    create_file(path, fields=fields_of(invited=anchor is not None), rows=rows)
