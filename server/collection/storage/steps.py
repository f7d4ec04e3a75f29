"""From one state of a survey to the next, in one transaction."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Final

from server.collection.storage.anchor import Anchor, next_generation
from server.collection.storage.databases import Connection, Database
from server.collection.storage.retention import Today, note_closing
from server.collection.storage.states import NOT_CLOSED, State, read_state, require_step
from shared.errors import StorageError

_LOG: Final = logging.getLogger("roomful.storage")


def take_step(
    database: Database, target: State, *, anchor: Anchor | None, today: Today, election: bool = False
) -> None:
    """Make a survey `target`, durably; with closing its day is stored.

    Parameters
    ----------
    database : Database
        The survey's.
    target : State
        The state that follows.
    anchor : Anchor or None
        Where the commits of an invited survey are counted a second time.
    today : callable
        The day in UTC.
    election : bool
        Whether it is one, whose codes are exchanged before it is open.

    Raises
    ------
    StateError
        If the survey does not stand just before `target`.
    SetupError
        If it is to be closed and the clock is plainly wrong.
    StorageError
        If it cannot be written, or is an old copy that is to be opened.
    """
    with closing(database.connect()) as held, database.turn():
        with database.transaction(held) as connection:
            require_step(read_state(connection), target, election=election)
            generation = (
                None
                if anchor is None
                else count_commit(connection, anchor, restored=target not in NOT_CLOSED)
            )
            connection.execute("UPDATE survey SET value = ? WHERE name = 'state'", (target.value,))
            if target is State.CLOSED:
                note_closing(connection, today())
        if anchor is not None and generation is not None:
            anchor.note(generation)
    _LOG.info("survey-%s", target.value)


def count_commit(connection: Connection, anchor: Anchor, *, restored: bool) -> int | None:
    """Count a commit; None if it is not counted.

    A restored file may still be closed and released, because it takes nothing more by that, and may take
    back ballots that it had accepted, which it may lack just because it was restored. Such a commit is not
    counted, so that the newest file can be put back.

    Parameters
    ----------
    connection : Connection
        Inside the transaction.
    anchor : Anchor
    restored : bool
        Whether a restored file may make this commit.
    """
    try:
        return next_generation(connection, anchor)
    except StorageError as error:
        if not restored or error.code not in ("storage.rolled-back", "storage.anchor-missing"):
            raise
        return None
