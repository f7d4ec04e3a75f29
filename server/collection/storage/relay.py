"""The relay's database: sealed ballots that wait in the pool, and those on their way to the collector.

No clock time is in it, no address and no order. Rows lie in the order of their hash. How long the pool has
waited is kept as a number of steps that the running process counts, so a wrong clock changes nothing.

The pool leaves by one transaction that moves every row from ``waiting`` to ``leaving``. What arrives later
waits for the next pool, and a relay that is killed goes on with exactly the rows that left together. What is
gone is remembered by its hash (:mod:`server.collection.storage.remembered`), so that nothing leaves twice.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from server.collection.storage import database as db
from server.collection.storage import remembered
from server.collection.storage.copying import require_arrived
from server.collection.storage.creating import create_tables
from server.collection.storage.databases import Connection, Databases, embedded
from server.collection.storage.intake import Stored
from server.collection.storage.schema import RELAY_FIELDS, RELAY_ROWS
from server.collection.storage.writer import GroupWriter
from shared.envelope import survey_id
from shared.errors import SetupError, StorageError

POOL_NAME: Final = "pool.sqlite"
STEPS: Final = 16
"""The pool's time is counted in sixteenths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A message as it came, under its key."""

    key: bytes
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """All that can be said of a pool.

    Attributes
    ----------
    waiting, leaving : int
        Messages in the pool, and on their way.
    passed : int
        Ballots that the collector says it took, each counted once, however often it was sealed and sent.
    refused : tuple of (str, int)
        Code and number of those that the collector refused for good.
    """

    waiting: int
    leaving: int
    passed: int
    refused: tuple[tuple[str, int], ...]


def opened(capacity: int, waited: int) -> int:
    """How much of the room is open to a pool that has waited so many sixteenths of its time.

    A quarter at once, the rest step by step: who fills the room in a second shuts others out until the next
    step, and not until the pool leaves.
    """
    first = -(-capacity // 4)
    return first + (capacity - first) * min(waited, STEPS) // STEPS


class _PoolIntake:
    """Takes messages in: implements :class:`server.collection.storage.intake.Intake`."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity

    def store(self, connection: Connection, group: Sequence[Sealed]) -> Stored:
        """Keep what is new; the same bytes again are here, or have been."""
        known = remembered.known(connection, [message.key for message in group])
        waiting = _number(connection, "waiting")
        free = min(
            opened(self._capacity, _number(connection, "waited")) - waiting,
            self._capacity - waiting - _number(connection, "leaving"),
        )
        fresh: dict[bytes, bytes] = {}
        outcomes: list[Exception | None] = []
        for message in group:
            if message.key in known or message.key in fresh:
                outcomes.append(None)
            elif len(fresh) >= free:
                outcomes.append(_full())
            else:
                fresh[message.key] = message.body
                outcomes.append(None)
        connection.executemany("INSERT INTO waiting VALUES (?, ?)", sorted(fresh.items()))
        if fresh:
            _set(connection, "waiting", waiting + len(fresh))
        return Stored(outcomes=tuple(outcomes), added=len(fresh))

    def count(self, connection: Connection) -> int:
        """How many wait."""
        return _number(connection, "waiting")


class RelayStore:
    """The pool of one survey. Safe for many threads, and for another process that asks it to empty itself.

    Parameters
    ----------
    folder : Path
        The survey's folder in the relay's directory.
    digest : str
        The survey's identity.
    capacity : int
        The most messages that it keeps, so that nobody fills the disk; see :func:`opened`.
    people : int
        Invitations: so many ballots are remembered for certain.
    quiet_seconds : float
        How long after the last message the file is rewritten in key order.
    databases : callable
        Where databases are.

    Raises
    ------
    StorageError
        If the file is damaged or another survey's.
    """

    def __init__(
        self,
        folder: Path,
        *,
        digest: str,
        capacity: int,
        people: int,
        quiet_seconds: float,
        databases: Databases = embedded,
    ) -> None:
        self._database = databases(folder / POOL_NAME, survey_id(digest))
        self._people = people
        self._lock = threading.Lock()
        self._connection = self._database.connect()
        try:
            require_arrived(self._connection, folder.name)
            with db.named_errors():
                known = _text(self._connection, "specification")
                codes = self._connection.execute("SELECT code FROM refused").fetchall()
            if known != digest:
                raise StorageError("the pool is another survey's", where=folder.name, code="storage.corrupt")
        except StorageError:
            self._connection.close()
            raise
        self._refusals = frozenset(str(row[0]) for row in codes)
        self._writer = GroupWriter(self._database, _PoolIntake(capacity), None, quiet_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @classmethod
    def create(cls, folder: Path, *, digest: str, databases: Databases = embedded) -> None:
        """Make an empty pool, unless there is one.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        rows = dict.fromkeys(RELAY_ROWS, "0") | {"specification": digest}
        database = databases(folder / POOL_NAME, survey_id(digest))
        create_tables(database, fields=RELAY_FIELDS, rows=rows)

    def is_elsewhere(self) -> bool:
        """Whether another process has the same pool open, as far as it can be known."""
        return self._database.is_used_elsewhere()

    def require_alone(self) -> None:
        """Check that no relay on another machine has the same pool; two would count its time twice.

        Raises
        ------
        SetupError
            With the code ``setup.relay-running``.
        """
        if self.is_elsewhere():
            raise SetupError(
                "another relay, or a command on another machine, has this pool open",
                where="database",
                remedy="End it, or give this relay another database.",
                code="setup.relay-running",
            )

    def accept(self, body: bytes) -> None:
        """Keep a message, durably; the same bytes again are welcome, and leave once.

        Raises
        ------
        StorageError
            If it could not be stored; with the code ``storage.pool-full`` if there are too many.
        """
        self._writer.store(Sealed(key=hashlib.sha256(body).digest(), body=body))

    def totals(self) -> Totals:
        """Numbers, and nothing else."""
        with self._lock, db.named_errors():
            connection = self._connection
            query = "SELECT code, number FROM refused WHERE number > 0 ORDER BY code"
            refused = connection.execute(query).fetchall()
            waiting, leaving, passed = (
                _number(connection, name) for name in ("waiting", "leaving", "passed")
            )
        return Totals(
            waiting=waiting,
            leaving=leaving,
            passed=passed,
            refused=tuple((str(code), int(number)) for code, number in refused),
        )

    @property
    def refusals(self) -> frozenset[str]:
        """Codes with which the collector has refused, kept in memory: asked for each message that comes."""
        return self._refusals

    def waited(self) -> int:
        """Steps that the pool has waited."""
        with self._lock, db.named_errors():
            return _number(self._connection, "waited")

    def note_waited(self, steps: int) -> None:
        """Keep how many steps the pool has waited."""
        with self._write() as connection:
            _set(connection, "waited", steps)

    def flush_asked(self) -> int:
        """How many must wait for the pool to be emptied at once; 0 if nobody asked for that."""
        with self._lock, db.named_errors():
            return _number(self._connection, "flush")

    def ask_flush(self, least: int) -> None:
        """Ask whoever runs the relay to empty the pool at once, or take that back.

        Parameters
        ----------
        least : int
            How many waited when the operator was warned of so few; a pool of fewer stays. 0 takes it back.
        """
        with self._write() as connection:
            _set(connection, "flush", least)

    def take(self) -> int:
        """Let the whole pool leave, in one transaction; returns how many are now on their way."""
        with self._write() as connection:
            connection.execute("INSERT INTO leaving SELECT key, body FROM waiting ORDER BY key")
            connection.execute("DELETE FROM waiting")
            leaving = _number(connection, "leaving") + _number(connection, "waiting")
            _set(connection, "leaving", leaving)
            _set(connection, "waiting", 0)
            _set(connection, "waited", 0)
            _set(connection, "flush", 0)
        return leaving

    def leaving(self) -> list[bytes]:
        """Keys of what is on its way."""
        with self._lock, db.named_errors():
            return [bytes(row[0]) for row in self._connection.execute("SELECT key FROM leaving")]

    def body(self, key: bytes) -> bytes:
        """A message that is on its way.

        Raises
        ------
        StorageError
            If it is not there.
        """
        with self._lock, db.named_errors():
            row = self._connection.execute("SELECT body FROM leaving WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise StorageError("a message vanished from the pool", code="storage.corrupt")
        return bytes(row[0])

    def settle(self, passed: Mapping[bytes, bytes], refused: Mapping[bytes, str]) -> None:
        """Delete what the collector has, and what it will never take; count both, remember their hashes.

        Once the collector says that the survey is over, all hashes are forgotten, and what it says that it
        has is no longer counted: it takes no new ballot then.

        Parameters
        ----------
        passed : mapping
            Keys that the collector has stored, and the receipt of each.
        refused : mapping
            Keys that it refused for good, and the code of the refusal.
        """
        with self._write() as connection:
            keys = sorted([*passed, *refused])
            left = connection.executemany("DELETE FROM leaving WHERE key = ?", [(key,) for key in keys])
            _set(connection, "leaving", _number(connection, "leaving") - left.rowcount)
            connection.executemany(
                "INSERT INTO refused VALUES (?, 1)"
                " ON CONFLICT (code) DO UPDATE SET number = refused.number + 1",
                [(code,) for code in refused.values()],
            )
            if not remembered.ENDED & self._refusals:
                new = remembered.remember(connection, passed=passed, refused=refused, people=self._people)
                _set(connection, "passed", _number(connection, "passed") + new)
            if remembered.ENDED & frozenset(refused.values()):
                remembered.forget(connection)
        self._refusals |= frozenset(refused.values())

    def note_ended(self, code: str) -> int:
        """Keep that the survey is over: delete what waits, counted as refused, and forget all hashes.

        Without a late message no refusal would ever say so. Nothing is done if that was known and none waits.

        Parameters
        ----------
        code : str
            Of :data:`~server.collection.storage.remembered.ENDED`.

        Returns
        -------
        int
            How many waited: nobody takes them any more, and their senders were told that they were taken.
        """
        if remembered.ENDED & self._refusals and not self.totals().waiting:
            return 0
        with self._write() as connection:
            late = _number(connection, "waiting")
            connection.execute("DELETE FROM waiting")
            for name in ("waiting", "waited", "flush"):
                _set(connection, name, 0)
            connection.execute(
                "INSERT INTO refused VALUES (?, ?)"
                " ON CONFLICT (code) DO UPDATE SET number = refused.number + excluded.number",
                (code, late),
            )
            remembered.forget(connection)
        self._refusals |= {code}
        self.sweep()
        return late

    def sweep(self) -> None:
        """Rewrite the file, so that not even its size tells how many there were."""
        with self._lock, self._database.turn():
            self._database.sweep(self._connection)
        self._database.forget_log()  # it may take long, and messages come meanwhile

    def end(self) -> None:
        """Store what waits, sweep, and let go of the file."""
        self._writer.end()
        with self._lock:
            self._connection.close()

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """A write transaction, in its turn among those who take messages in."""
        database = self._database
        with self._lock, database.turn(), database.transaction(self._connection) as connection:
            yield connection
            database.mark(connection)


def _text(connection: Connection, name: str) -> str:
    row = connection.execute("SELECT value FROM survey WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise StorageError("the pool's file is damaged", code="storage.corrupt")
    return str(row[0])


def _number(connection: Connection, name: str) -> int:
    text = _text(connection, name)
    if not text.isdecimal():
        raise StorageError("the pool's file is damaged", code="storage.corrupt")
    return int(text)


def _set(connection: Connection, name: str, value: int) -> None:
    connection.execute("UPDATE survey SET value = ? WHERE name = ?", (str(value), name))


def _full() -> StorageError:
    return StorageError(
        "the relay holds as many messages as it can",
        remedy="Send the same again later: there is room again step by step, and when the pool has left.",
        code="storage.pool-full",
    )
