"""The thread that stores what comes to one database, group by group."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final, Generic

from server.collection.storage import database as db
from server.collection.storage.anchor import Anchor, current_generation, next_generation
from server.collection.storage.databases import Connection, Database
from server.collection.storage.group_commit import GroupCommitter
from server.collection.storage.intake import Intake, R, Stored
from shared.errors import StorageError

SWEEP_ROWS: Final = 4096
"""Sweep when this many rows came since the last sweep, or a quarter of all rows, whichever is more."""
_LOG: Final = logging.getLogger("roomful.storage")


class GroupWriter(Generic[R]):
    """Stores rows durably, and rewrites the database in key order when it is quiet.

    Parameters
    ----------
    database : Database
        Where.
    intake : Intake
        How rows are stored in it.
    anchor : Anchor or None
        Where its commits are counted a second time; None for an open survey.
    quiet_seconds : float
        How long after the last row the database is rewritten.
    """

    def __init__(
        self, database: Database, intake: Intake[R], anchor: Anchor | None, quiet_seconds: float
    ) -> None:
        self._database, self._intake, self._anchor = database, intake, anchor
        self._quiet_seconds = quiet_seconds
        self._starting = threading.Lock()
        self._committer: GroupCommitter[R] | None = None
        self._connection: Connection | None = None
        self._unswept = 0
        self._sweep_after = SWEEP_ROWS
        self._ended = False

    def store(self, row: R) -> None:
        """Wait until a row is on the disk.

        Raises
        ------
        StateError, TokenError
            If it is refused.
        StorageError
            If it could not be stored.
        """
        self._line().store(row)

    def end(self) -> None:
        """Store what waits, sweep, and let go of the database."""
        with self._starting:
            self._ended = True
            committer = self._committer
        if committer is not None:
            committer.end()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _line(self) -> GroupCommitter[R]:
        committer = self._committer
        if committer is None:
            with self._starting:
                if self._ended:
                    raise StorageError("the server is stopping", code="storage.stopping")
                if self._committer is None:
                    self._committer = GroupCommitter(
                        self._commit,
                        self._quiet,
                        turn=self._database.turn,
                        name="roomful-writer",
                        quiet_seconds=self._quiet_seconds,
                    )
                committer = self._committer
        return committer

    def _commit(self, group: Sequence[R]) -> Sequence[Exception | None]:
        """Store a group in one transaction; runs on the writer's thread only, in its turn."""
        try:
            if self._connection is None:
                self._connection = self._database.connect()
            if self._unswept >= self._sweep_after:
                self._sweep_in_turn(self._connection)
            stored = self._store_group(self._connection, group)
        except StorageError as error:
            _LOG.error("submissions-not-stored %s", error.code)
            self._unswept += len(group)  # they may be in the file, although nobody is told so
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            raise
        self._unswept += stored.added
        return stored.outcomes

    def _store_group(self, held: Connection, group: Sequence[R]) -> Stored:
        """Store what is new of a group. What changes nothing costs no write, whoever sends it."""
        generation = None
        with self._database.transaction(held) as connection:
            if self._anchor is not None:
                generation = current_generation(connection, self._anchor)
            stored = self._intake.store(connection, group)
            if stored.added:
                if self._anchor is not None:
                    generation = next_generation(connection, self._anchor)
                self._database.mark(connection)
        # Also if nothing was added: an acknowledgement may repeat one that a crash kept from being noted.
        if self._anchor is not None and generation is not None:
            self._anchor.note(generation)
        return stored

    def _quiet(self) -> bool:
        if self._connection is None and not self._unswept:
            return True
        try:
            with self._database.turn():
                if self._connection is None:
                    self._connection = self._database.connect()
                return self._sweep_in_turn(self._connection)
        except StorageError as error:
            _LOG.warning("sweep-postponed %s", error.code)
            return False

    def _sweep_in_turn(self, connection: Connection) -> bool:
        try:
            self._database.sweep(connection)
            with db.named_errors():
                self._sweep_after = max(SWEEP_ROWS, self._intake.count(connection) // 4)
        except StorageError as error:
            _LOG.warning("sweep-postponed %s", error.code)
            return False
        self._unswept = 0
        return True
