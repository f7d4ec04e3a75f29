"""The submissions of one survey."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sqlite_utils import Database

from server.storage import database as db
from server.storage.files import write_new
from server.storage.group_commit import GroupCommitter
from server.storage.published import SPECIFICATION_NAME, PublishedSurvey, stamp
from server.storage.retention import (
    DELETED_ON,
    Retention,
    Today,
    delete_answers,
    note_closing,
    read_retention,
)
from server.storage.schema import create_statements
from server.storage.states import State, refusal, require_step
from shared.envelope import decode_key, encode_key, survey_id
from shared.errors import StateError, StorageError, VerificationError
from shared.specification import Specification
from shared.submission import decode, validate

DATABASE_NAME: Final = "answers.sqlite"
QUIET_SECONDS: Final = 3.0
#: Sweep when this many rows came since the last sweep, or a quarter of all rows, whichever is more.
SWEEP_ROWS: Final = 4096
_LOG = logging.getLogger("roomful.storage")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    receipt: bytes
    cell: int
    answers: str


def create_database(path: Path, *, specification_digest: str, organizer_key: bytes) -> None:
    """Create the file of a new survey in the state draft.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    write_new(path, b"")  # so that it and its journal belong to the owner alone
    database = db.connect(path)
    try:
        with db.transaction(database) as connection:
            for statement in create_statements():
                connection.execute(statement)
            connection.executemany(
                "INSERT INTO survey VALUES (?, ?)",
                (
                    ("specification", specification_digest),
                    ("organizer_key", encode_key(organizer_key)),
                    ("state", State.DRAFT.value),
                ),
            )
    finally:
        database.conn.close()


class SurveyStore:
    """What one survey has been told, and where it stands.

    Safe for use by many threads, and by several processes at once: the state is read inside the transaction
    that writes, so a survey that another process closes takes nothing more.

    Parameters
    ----------
    folder : Path
        The survey's folder in the data directory.
    quiet_seconds : float
        How long after the last submission the file is rewritten in key order.
    today : callable
        The clock: the day in UTC. Asked at closing and for the retention, never at a submission.

    Raises
    ------
    StorageError, VerificationError
        If the folder is not a survey, is damaged, or its specification is not the one that was published.
    """

    def __init__(self, folder: Path, *, today: Today, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._today = today
        self._path = folder / DATABASE_NAME
        self._reader = db.connect(self._path)
        self._reading = threading.Lock()
        try:
            self._organizer_key = decode_key(self._value("organizer_key"))
            self._digest = self._value("specification")
            self._specification_path = str(folder / SPECIFICATION_NAME)
            self._stamp = stamp(self._specification_path)
            self._published = self._load(folder)
        except BaseException:
            self._reader.conn.close()
            raise
        self._quiet_seconds = quiet_seconds
        self._starting = threading.Lock()
        self._committer: GroupCommitter[_Row] | None = None
        self._writer: Database | None = None
        self._unswept = 0
        self._sweep_after = SWEEP_ROWS
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    # What was published

    @property
    def published(self) -> PublishedSurvey:
        """The published files: envelope, model, released tables.

        Raises
        ------
        VerificationError
            If somebody changed the specification's file since; signatures may be added to a draft.
        """
        found = stamp(self._specification_path)
        if found != self._stamp:
            self._published = self._load(self._published.folder)
            self._stamp = found
        return self._published

    @property
    def id(self) -> str:
        """The first 16 hex digits of the specification's digest."""
        return survey_id(self._digest)

    @property
    def specification(self) -> Specification:
        """The verified specification."""
        return self.published.specification

    # Where it stands

    @property
    def state(self) -> State:
        """The state as of now, whoever set it."""
        return _as_state(self._value("state"))

    def total(self) -> int | None:
        """The number of submissions, or None if they were deleted: then nobody knows any more.

        There is no count of anything smaller while a survey is open.
        """
        total, deleted = self._one(
            "SELECT (SELECT count(*) FROM receipt), (SELECT count(*) FROM survey WHERE name = ?)",
            (DELETED_ON,),
        )
        return None if deleted else int(total)

    @property
    def retention(self) -> Retention:
        """How long the answers are kept."""
        days = self.specification.retention_days
        with self._reading, db.named_errors():
            return read_retention(self._reader.conn, days)

    def is_overdue(self) -> bool:
        """Whether answers are there that should have been deleted."""
        return self.retention.is_due(self._today())

    def has_receipt(self, receipt: str) -> bool:
        """Whether the submission with this receipt is stored; False for anything that is not a receipt."""
        try:
            digest = bytes.fromhex(receipt)
        except ValueError:
            return False
        return bool(self._one("SELECT count(*) FROM receipt WHERE digest = ?", (digest,))[0])

    def check(self) -> None:
        """Read the whole file for damage.

        Raises
        ------
        StorageError
            With the code ``storage.corrupt``.
        """
        with self._reading:
            db.check_integrity(self._reader)

    def settings(self) -> dict[str, int | str]:
        """The durability settings as SQLite reports them."""
        with self._reading:
            return db.settings(self._reader)

    # Steps

    def open(self) -> None:
        """Make a draft take submissions. There is no way back.

        Raises
        ------
        StateError
            If it is not a draft.
        """
        self._step(State.OPEN)

    def close(self) -> None:
        """End the submissions for good.

        Guarantee: for every submission, either it is stored before this returns, or it is never stored.
        The day is stored with it: from there the days until the deletion of the answers count.

        Raises
        ------
        StateError
            If it is not open.
        SetupError
            If the clock is plainly wrong.
        """
        self._step(State.CLOSED)
        self.sweep()

    def mark_released(self, release_folder: Path) -> None:
        """Copy the released files into the survey's folder and end its life.

        Raises
        ------
        StateError
            If it is not closed.
        StorageError
            If the files cannot be copied; the state stays closed.
        """
        require_step(self.state, State.RELEASED)
        self._published.take_release(release_folder)
        self._step(State.RELEASED)

    def sweep(self) -> None:
        """Rewrite the file in key order now, unless that is already so."""
        database = db.connect(self._path)
        try:
            with db.turn(self._path):
                db.sweep(database)
        finally:
            database.conn.close()

    def expire(self) -> int | None:
        """Delete all answers and receipts if their days are over; before that day do nothing.

        Returns
        -------
        int or None
            How many answers this call deleted; None if there was nothing to delete.

        Raises
        ------
        StorageError
            If that fails; then all are still there, or all are gone and the file is yet to be swept.

        Notes
        -----
        Guarantee: whenever this is interrupted, calling it again ends in the same file. State, digest and the
        published release stay.
        """
        today, found = self._today(), self.retention
        # Closed before days were stored: it counts from now.
        undated = found.closed_on is None and self.state in (State.CLOSED, State.RELEASED)
        unswept = found.deleted_on is not None and self.settings()["user_version"] != db.CLEAN
        if not (undated or unswept or found.is_due(today)):
            return None
        deleted = None
        database = db.connect(self._path)
        try:
            with db.turn(self._path):
                with db.transaction(database) as connection:
                    found = read_retention(connection, found.days)
                    if undated and found.closed_on is None:
                        note_closing(connection, today)
                    if found.is_due(today):
                        deleted = delete_answers(connection, today)
                db.sweep(database)
        finally:
            database.conn.close()
        if deleted is not None:
            _LOG.info("answers-deleted")
        return deleted

    # Submissions

    def submit(self, message: bytes) -> str:
        """Store one submission durably.

        Parameters
        ----------
        message : bytes
            The submission as sent.

        Returns
        -------
        str
            The receipt, SHA-256 of the message in hex. The same message again gives the same receipt and is
            stored once, also after closing.

        Raises
        ------
        SubmissionError
            If the message is malformed or does not belong to the survey.
        StateError
            If the survey is not open at the moment of storing.
        StorageError
            If it could not be stored.

        Notes
        -----
        Guarantee: a receipt is returned only for a submission that is on the disk.
        """
        submission = decode(message)
        accepted = validate(submission, self.specification, self._digest)
        digest = hashlib.sha256(message).digest()
        answers = json.dumps(accepted, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._line().store(_Row(receipt=digest, cell=submission.cell, answers=answers))
        return digest.hex()

    def answers(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The cell and the answers of each submission, in the random order of their keys.

        Raises
        ------
        StateError
            If the survey is not closed: nobody looks at answers before the release. With the code
            ``state.expired`` from the day on which they are to be deleted, whether they are already or not.
        """
        state = self.state
        if state not in (State.CLOSED, State.RELEASED):
            raise refusal(state, "read answers")
        self.retention.require_kept(self._today())
        return self._rows()

    def end(self) -> None:
        """Store what waits, sweep, and let go of the file."""
        with self._starting:
            self._ended = True
            committer = self._committer
        if committer is not None:
            committer.end()
        if self._writer is not None:
            self._writer.conn.close()
            self._writer = None
        with self._reading:
            self._reader.conn.close()

    # Inside

    def _load(self, folder: Path) -> PublishedSurvey:
        published = PublishedSurvey.load(folder, organizer_key=self._organizer_key)
        if published.digest != self._digest:
            raise VerificationError(
                "the specification file is not the one that was published",
                where=folder.name,
                remedy="Put the published file back; a published specification cannot change.",
                code="verification.specification-changed",
            )
        return published

    def _one(self, query: str, parameters: Sequence[bytes | str]) -> tuple[Any, ...]:
        with self._reading, db.named_errors():
            row = self._reader.conn.execute(query, parameters).fetchone()
        if row is None:
            raise StorageError(
                "the database is not a survey's", where=self._path.name, code="storage.corrupt"
            )
        return tuple(row)

    def _value(self, name: str) -> str:
        return str(self._one("SELECT value FROM survey WHERE name = ?", (name,))[0])

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        database = db.connect(self._path)
        try:
            with db.named_errors():
                for cell, answers in database.conn.execute("SELECT cell, answers FROM answer ORDER BY key"):
                    yield cell, json.loads(answers)
        finally:
            database.conn.close()

    def _step(self, target: State) -> None:
        database = db.connect(self._path)
        try:
            with db.turn(self._path), db.transaction(database) as connection:
                require_step(_read_state(connection), target)
                connection.execute("UPDATE survey SET value = ? WHERE name = 'state'", (target.value,))
                if target is State.CLOSED:
                    note_closing(connection, self._today())
        finally:
            database.conn.close()
        _LOG.info("survey-%s", target.value)

    def _line(self) -> GroupCommitter[_Row]:
        committer = self._committer
        if committer is None:
            with self._starting:
                if self._ended:
                    raise StorageError("the server is stopping", code="storage.stopping")
                if self._committer is None:
                    self._committer = GroupCommitter(
                        self._commit,
                        self._quiet,
                        turn=lambda: db.turn(self._path),
                        name="roomful-writer",
                        quiet_seconds=self._quiet_seconds,
                    )
                committer = self._committer
        return committer

    def _commit(self, group: Sequence[_Row]) -> list[Exception | None]:
        """Store a group in one transaction; runs on the writer's thread only, in its turn."""
        try:
            if self._writer is None:
                self._writer = db.connect(self._path)
            if self._unswept >= self._sweep_after:
                self._sweep_in_turn(self._writer)
            outcomes, added = _store_group(self._writer, group)
        except StorageError as error:
            _LOG.error("submissions-not-stored %s", error.code)
            if self._writer is not None:
                self._writer.conn.close()
                self._writer = None
            raise
        self._unswept += added
        return outcomes

    def _quiet(self) -> bool:
        if self._writer is None:
            return True
        try:
            with db.turn(self._path):
                return self._sweep_in_turn(self._writer)
        except StorageError as error:
            _LOG.warning("sweep-postponed %s", error.code)
            return False

    def _sweep_in_turn(self, writer: Database) -> bool:
        try:
            db.sweep(writer)
            self._sweep_after = max(SWEEP_ROWS, (self.total() or 0) // 4)
        except StorageError as error:
            _LOG.warning("sweep-postponed %s", error.code)
            return False
        self._unswept = 0
        return True


def _read_state(connection: sqlite3.Connection) -> State:
    row = connection.execute("SELECT value FROM survey WHERE name = 'state'").fetchone()
    if row is None:
        raise StorageError("the database is not a survey's", code="storage.corrupt")
    return _as_state(row[0])


def _as_state(text: str) -> State:
    try:
        return State(text)
    except ValueError:
        raise StorageError("the database is not a survey's", code="storage.corrupt") from None


def _store_group(database: Database, group: Sequence[_Row]) -> tuple[list[Exception | None], int]:
    """Insert what is new, in an order that has nothing to do with arrival.

    Rows go in by their random keys and receipts by their digests: two orders independent of each other and
    of time, so that not even a page written by one group pairs an answer with its receipt.
    """
    with db.transaction(database) as connection:
        state = _read_state(connection)
        marks = ",".join("?" * len(group))
        known = {
            bytes(row[0])
            for row in connection.execute(
                f"SELECT digest FROM receipt WHERE digest IN ({marks})",  # noqa: S608 - only question marks
                [row.receipt for row in group],
            )
        }
        fresh = {row.receipt: row for row in group if row.receipt not in known}
        if fresh and state is State.OPEN:
            keyed = sorted((os.urandom(16), row.cell, row.answers) for row in fresh.values())
            connection.executemany("INSERT INTO answer VALUES (?, ?, ?)", keyed)
            connection.executemany("INSERT INTO receipt VALUES (?)", [(digest,) for digest in sorted(fresh)])
            if connection.execute("PRAGMA user_version").fetchone()[0] != db.DIRTY:
                connection.execute(f"PRAGMA user_version={db.DIRTY}")
            return [None] * len(group), len(fresh)
    refused: StateError | None = None if state is State.OPEN else refusal(state, "take submissions")
    return [None if row.receipt in known else refused for row in group], 0
