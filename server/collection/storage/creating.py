"""Making the files of new surveys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from server.collection.storage import database as db
from server.collection.storage.anchor import GENERATION, Anchor
from server.collection.storage.schema import StoredField, fields_of, tables
from server.collection.storage.states import State
from server.files import named_file_errors, sync_folder, write_new
from shared.envelope import encode_key

TEST: Final = "test"
"""Name of the row that marks a copy to be tried."""


def create_file(
    path: Path, *, fields: Iterable[StoredField], rows: Mapping[str, str], anchor: Anchor | None = None
) -> None:
    """Create a file with empty tables and the rows of its table ``survey``, unless it is there.

    Several processes may do so at once: one makes it, and none replaces what another has made.

    Parameters
    ----------
    path : Path
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
    work = path.with_suffix(".new")
    journal = work.with_name(work.name + "-journal")
    with db.turn(path), named_file_errors(path.name):
        if path.is_file():
            return
        for leftover in (work, journal):
            leftover.unlink(missing_ok=True)
        write_new(work, b"")  # so that it and its journal belong to the owner alone
        if anchor is not None:
            anchor.create()
            rows = {**rows, GENERATION: "0"}
        with closing(db.connect(work)) as connection, db.named_errors():
            connection.execute("BEGIN IMMEDIATE")
            for statement in tables(fields):
                connection.execute(statement)
            connection.executemany("INSERT INTO survey VALUES (?, ?)", rows.items())
            connection.execute("COMMIT")
        journal.unlink(missing_ok=True)
        work.replace(path)
        sync_folder(path.parent)


def create_database(
    path: Path,
    *,
    specification_digest: str,
    organizer_key: bytes,
    anchor: Anchor | None,
    is_test: bool = False,
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
    is_test : bool
        Whether it is a copy to be tried, for ever.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    rows = {
        "specification": specification_digest,
        "organizer_key": encode_key(organizer_key),
        "state": State.DRAFT.value,
        **({TEST: "yes"} if is_test else {}),
    }
    create_file(path, fields=fields_of(invited=anchor is not None), rows=rows, anchor=anchor)
