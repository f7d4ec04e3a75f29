"""Taking back a draft, which nobody can have answered."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from server.collection.storage.anchor import Anchor
from server.collection.storage.databases import Database
from server.collection.storage.states import State, read_state, refusal

_TAKEN_BACK: Final = "taken back"
"""No state of :class:`State`: a process that waited to open the draft finds it, and refuses."""


def take_back(database: Database, others: Iterable[Database], anchors: Iterable[Anchor], away: Path) -> None:
    """Move a draft's folder out of the way, to be removed, so that nobody can open it any more.

    Parameters
    ----------
    database : Database
        The survey's.
    others : iterable of Database
        Its other ones.
    anchors : iterable of Anchor
        Of its databases, and what is kept beside them; they go first, so that the same survey can be
        published again.
    away : Path
        Where its folder goes, which a server clears away at its start.

    Raises
    ------
    StateError
        If it is no draft.
    StorageError, OSError
        If something cannot be written.
    """
    with closing(database.connect()) as held, database.turn(), database.transaction(held) as connection:
        state = read_state(connection)
        if state is not State.DRAFT:
            raise refusal(state, "delete the survey")
        connection.execute("UPDATE survey SET value = ? WHERE name = 'state'", (_TAKEN_BACK,))
        for anchor in anchors:
            anchor.path.unlink(missing_ok=True)
        for one in (*others, database):
            one.drop(connection)
        database.path.parent.rename(away)
