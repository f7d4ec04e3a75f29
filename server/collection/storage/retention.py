"""How long answers are kept: until so many days after the day on which the survey was closed.

Days are dates in UTC. Of the closing, as of the deletion, the day is stored and no time of day. The clock is
an argument everywhere; :func:`utc_today` and :func:`utc_now` are the only places that read it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, Protocol

from server.collection.storage import database as db
from server.collection.storage.databases import Connection, Database
from server.collection.storage.forgetting import forget, is_remembered
from server.collection.storage.states import State, read_state
from shared.errors import SetupError, StateError, StorageError

Today = Callable[[], date]

CLOSED_ON: Final = "closed_on"
DELETED_ON: Final = "deleted_on"
EARLIER_ON: Final = "earlier_on"
EARLIEST_DAY: Final = date(2025, 1, 1)
"""No right clock shows an earlier day; a survey closed by such a clock would lose its answers at once."""
_LOG: Final = logging.getLogger("roomful.storage")


class Deleting(Protocol):
    """What a survey's submissions can do for their deletion."""

    def count(self, connection: Connection) -> int:
        """How many are stored."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Where they are."""


Now = Callable[[], str]
"""The moment, as :func:`shared.days.is_moment` writes it."""


def utc_now() -> str:
    """The moment of the real clock."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def utc_today() -> date:
    """The day of the real clock."""
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What is known of the keeping of one survey's answers.

    Attributes
    ----------
    days : int
        The promise of the signed specification: days after closing.
    closed_on : date or None
        The day of closing; None before it.
    deleted_on : date or None
        The day on which answers and receipts were deleted; None while they are there.
    earlier_on : date or None
        The first day before that of closing that a clock showed afterwards, so one of the two days is wrong;
        None once a clock has reached the day of closing.
    """

    days: int
    closed_on: date | None
    deleted_on: date | None
    earlier_on: date | None = None

    @property
    def delete_on(self) -> date | None:
        """The day on which the answers are to be deleted; None before closing."""
        first = self.earlier_on or self.closed_on
        return None if first is None else self._last(first)

    def is_due(self, today: date) -> bool:
        """Whether answers that must not be kept any longer are still there.

        Days count from the day of closing. As long as clocks show an earlier one, it was a wrong clock that
        closed, or one is wrong now: then they count from the first of those days, by such clocks alone.
        """
        if self.closed_on is None or self.deleted_on is not None:
            return False
        first = self.closed_on if today >= self.closed_on else self.earlier_on
        return first is not None and today >= self._last(first)

    def noted_earlier(self, today: date) -> date | None:
        """What :attr:`earlier_on` is after a clock showed this day."""
        if self.closed_on is None or today >= self.closed_on:
            return None
        return self.earlier_on or (today if today >= EARLIEST_DAY else None)

    def _last(self, first: date) -> date:
        return date.fromordinal(min(first.toordinal() + self.days, date.max.toordinal()))

    def require_kept(self, today: date) -> None:
        """Check that the answers may still be read.

        Raises
        ------
        StateError
            With the code ``state.expired`` if they are deleted, or are to be.
        """
        if self.deleted_on is not None or self.is_due(today):
            raise StateError(
                f"the answers of this survey were kept until {self.delete_on} and are deleted",
                remedy="A release that was published before stays. Nothing brings the answers back.",
                code="state.expired",
            )

    def to_object(self) -> dict[str, int | str | None]:
        """Days as text, for output."""
        days = {CLOSED_ON: self.closed_on, "delete_on": self.delete_on, DELETED_ON: self.deleted_on}
        texts = {name: None if day is None else day.isoformat() for name, day in days.items()}
        return {"retention_days": self.days, **texts}


def read_retention(connection: Connection, days: int) -> Retention:
    """What the survey's file says.

    Raises
    ------
    StorageError
        If it holds something that is not a day.
    """
    rows = connection.execute(
        "SELECT name, value FROM survey WHERE name IN (?, ?, ?)", (CLOSED_ON, DELETED_ON, EARLIER_ON)
    ).fetchall()
    try:
        found = {name: date.fromisoformat(value) for name, value in rows}
    except (TypeError, ValueError):
        raise StorageError("the database is not a survey's", code="storage.corrupt") from None
    return Retention(
        days=days,
        closed_on=found.get(CLOSED_ON),
        deleted_on=found.get(DELETED_ON),
        earlier_on=found.get(EARLIER_ON),
    )


def note_closing(connection: Connection, today: date) -> None:
    """Store the day of closing, inside the transaction that closes.

    Raises
    ------
    SetupError
        If the clock is plainly wrong; nothing is changed then.
    """
    if today < EARLIEST_DAY:
        raise SetupError(
            "the clock stands in the past, and the days until deletion would be counted from there",
            expected=f"{EARLIEST_DAY} or later",
            remedy="Set the clock and close again.",
            code="setup.clock",
        )
    connection.execute("INSERT INTO survey VALUES (?, ?)", (CLOSED_ON, today.isoformat()))


def note_deletion(connection: Connection, today: date) -> None:
    """Store the day of deletion, inside the transaction that deletes; state and digest stay."""
    connection.execute("INSERT INTO survey VALUES (?, ?)", (DELETED_ON, today.isoformat()))


def _note_earlier(connection: Connection, day: date | None) -> None:
    connection.execute("DELETE FROM survey WHERE name = ?", (EARLIER_ON,))
    if day is not None:
        connection.execute("INSERT INTO survey VALUES (?, ?)", (EARLIER_ON, day.isoformat()))


def delete_if_due(
    database: Database, registrar: Database, intake: Deleting, days: int, today: date
) -> int | None:
    """Delete what a survey's file holds, and keys and codes beside it, if the days are over.

    Parameters
    ----------
    database, registrar : Database
        The survey's, and that of its codes.
    intake : Deleting
        Counts and deletes what was submitted.
    days : int
        The promise of the signed specification.
    today : date
        The day in UTC.

    Returns
    -------
    int or None
        How many submissions this call deleted; None if there was nothing to delete.

    Raises
    ------
    StorageError
        If that fails. Whenever it is interrupted, the next call ends in the same file.
    """
    folder = database.path.parent
    with closing(database.connect()) as connection, db.named_errors():
        found, state = read_retention(connection, days), read_state(connection)
        swept = database.is_swept(connection)
    # Closed before days were stored: it counts from now.
    undated = found.closed_on is None and state in (State.CLOSED, State.RELEASED)
    deleted_before = found.deleted_on is not None
    unfinished = deleted_before and (not swept or is_remembered(folder, registrar))
    jumped = not deleted_before and found.noted_earlier(today) != found.earlier_on
    if not (undated or unfinished or jumped or found.is_due(today)):
        return None
    deleted = None
    with closing(database.connect()) as held, database.turn():
        with database.transaction(held) as connection:
            found = read_retention(connection, days)
            if undated and found.closed_on is None:
                note_closing(connection, today)
            if jumped:
                _note_earlier(connection, found.noted_earlier(today))
            if found.is_due(today):
                deleted = intake.count(connection)
                for table in intake.tables:
                    database.empty(connection, table)
                note_deletion(connection, today)
                database.mark(connection)  # so that whoever opens it after a crash sweeps it
        if deleted_before or deleted is not None:
            database.forget_log()  # before the sweep, so that it is made up for after a crash
        database.sweep(held)
    if deleted_before or deleted is not None:
        forget(folder, registrar)
    if deleted is not None:
        _LOG.info("answers-deleted")
    return deleted
