"""The seam between what is stored and the program that stores it.

Stores speak the same few statements to every program; what differs lies behind :class:`Database`. SQLite is
here, because it is embedded; PostgreSQL is loaded only where it is configured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from server.collection.storage import database as db
from server.collection.storage.schema import StoredField, tables
from server.files import named_file_errors, sync_folder, write_new
from shared.errors import SetupError

UNNUMBERED: Final = " WITHOUT ROWID"
"""How SQLite's tables end: a row id would number the rows."""


class Rows(Protocol):
    """What a statement returned."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """All rows that are left, one by one."""


class Connection(Protocol):
    """Runs statements, whose values stand where the question marks are."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Rows:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Rows:
        """Run one statement for each of many rows."""

    def close(self) -> None:
        """Let go of it; what was begun is rolled back."""


class Database(Protocol):
    """One database of one survey. Every method raises :class:`shared.errors.StorageError` if it fails."""

    @property
    def path(self) -> Path:
        """The SQLite file, or where it would be: the database's name, beside the survey's other files."""

    def exists(self) -> bool:
        """Whether it was created, and not deleted since."""

    def identity(self) -> object:
        """What another database at the same place would not have; None if there is none."""

    def create(self, fields: Iterable[StoredField], rows: Mapping[str, str]) -> None:
        """Create empty tables and the rows of the table ``survey``; the caller has the turn."""

    def connect(self) -> Connection:
        """A new connection."""

    def turn(self) -> AbstractContextManager[None]:
        """Wait in line for the right to write, among all threads, processes and machines."""

    def transaction(self, connection: Connection) -> AbstractContextManager[Connection]:
        """A durable write transaction, alone; an exception rolls everything back."""

    def snapshot(self, connection: Connection) -> AbstractContextManager[Connection]:
        """A transaction whose readings are all of one moment."""

    def mark(self, connection: Connection) -> None:
        """Note in a transaction that rows may lie in the order they came."""

    def is_swept(self, connection: Connection) -> bool:
        """Whether nothing was marked since the last sweep."""

    def sweep(self, connection: Connection) -> bool:
        """Rewrite everything in key order; False if there was nothing to do, or another process wrote."""

    def empty(self, connection: Connection, table: str) -> None:
        """Delete all rows of a table in a transaction, and write them nowhere else by that."""

    def drop(self, connection: Connection) -> None:
        """Delete what does not go with the survey's folder, in a transaction."""

    def removing(self, connection: Connection) -> AbstractContextManager[Connection]:
        """A write transaction that ends with the whole database deleted, also for who has it open."""

    def is_used_elsewhere(self) -> bool:
        """Whether another process has it open, on any machine; False where nobody can know."""

    def forget_commits(self) -> None:
        """Make what counts commits tell nothing more, after closing; the caller has the turn."""

    def forget_log(self) -> None:
        """Let the log of what was written end here."""

    def check(self, connection: Connection) -> None:
        """Look for damage."""

    def columns(self, connection: Connection) -> frozenset[str]:
        """Every column that it has, as ``table.column``, but for its own mark.

        In a file also its indexes and triggers, by their names.
        """

    def settings(self, connection: Connection) -> dict[str, int | str]:
        """What durability and forgetting rest on, for the checkup."""


class Databases(Protocol):
    """Where all databases of a server are."""

    def __call__(self, path: Path, survey: str) -> Database:
        """The database that SQLite would keep in a file, of the survey with an id."""

    def end(self) -> None:
        """Let go of what is kept open for all of them."""


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """A file; implements :class:`Database` with :mod:`server.collection.storage.database`."""

    path: Path

    def exists(self) -> bool:
        return self.path.is_file()

    def identity(self) -> object:
        """See :class:`Database`; of a file that is held open, so that no other gets its number."""
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return None

    def create(self, fields: Iterable[StoredField], rows: Mapping[str, str]) -> None:
        """See :class:`Database`; it appears in full or not at all."""
        work = self.path.with_suffix(".new")
        journal = work.with_name(work.name + "-journal")
        with named_file_errors(self.path.name):
            for leftover in (work, journal):
                leftover.unlink(missing_ok=True)
            write_new(work, b"")  # so that it and its journal belong to the owner alone
            connection = db.connect(work)
            try:
                with db.transaction(connection):
                    for statement in tables(fields):
                        connection.execute(statement + UNNUMBERED)
                    connection.executemany("INSERT INTO survey VALUES (?, ?)", rows.items())
            finally:
                connection.close()
            journal.unlink(missing_ok=True)
            work.replace(self.path)
            sync_folder(self.path.parent)

    def connect(self) -> Connection:
        return db.connect(self.path)

    def turn(self) -> AbstractContextManager[None]:
        return db.turn(self.path)

    def transaction(self, connection: Any) -> AbstractContextManager[Connection]:
        return db.transaction(connection)

    def snapshot(self, connection: Any) -> AbstractContextManager[Connection]:
        return db.snapshot(connection)

    def mark(self, connection: Connection) -> None:
        """See :class:`Database`. What is marked is not written again."""
        if connection.execute("PRAGMA user_version").fetchone()[0] != db.DIRTY:
            connection.execute(f"PRAGMA user_version={db.DIRTY}")

    def is_swept(self, connection: Connection) -> bool:
        return bool(connection.execute("PRAGMA user_version").fetchone()[0] == db.CLEAN)

    def sweep(self, connection: Any) -> bool:
        return db.sweep(connection)

    def empty(self, connection: Connection, table: str) -> None:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names

    def drop(self, connection: Connection) -> None:
        """See :class:`Database`: the file goes with its folder."""

    @contextmanager
    def removing(self, connection: Any) -> Iterator[Connection]:
        """See :class:`Database`. Without tables, a file that is open somewhere takes nothing more."""
        with self.transaction(connection) as removed:
            yield removed
            for name in _tables(removed):
                removed.execute(f"DROP TABLE {name}")
        connection.close()
        with named_file_errors(self.path.name):
            for path in (self.path.with_name(self.path.name + "-journal"), self.path):
                path.unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def is_used_elsewhere(self) -> bool:
        """See :class:`Database`: of a file the folder's lock tells."""
        return False

    def forget_commits(self) -> None:
        db.forget_commits(self.path)

    def forget_log(self) -> None:
        """See :class:`Database`: the journal was cut at the end of each transaction."""

    def check(self, connection: Any) -> None:
        db.check_integrity(connection)

    def columns(self, connection: Connection) -> frozenset[str]:
        # Hidden columns, too; an index or a trigger has none and is named alone.
        query = (
            "SELECT entry.name || coalesce('.' || column.name, '') FROM sqlite_schema AS entry "
            "LEFT JOIN pragma_table_xinfo(entry.name) AS column"
        )
        return frozenset(str(row[0]) for row in connection.execute(query).fetchall())

    def settings(self, connection: Any) -> dict[str, int | str]:
        return db.settings(connection)


def _tables(connection: Connection) -> list[str]:
    query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    return [str(row[0]) for row in connection.execute(query).fetchall()]


class Embedded:
    """The default of :class:`Databases`: one SQLite file each."""

    def __call__(self, path: Path, survey: str = "") -> Database:  # noqa: ARG002 - the path says it
        return SqliteDatabase(path)

    def end(self) -> None:
        """See :class:`Databases`."""


embedded: Final = Embedded()


def databases_at(url: str) -> Databases:
    """Where the setting ``database`` leads; the driver is loaded only if it is PostgreSQL.

    Raises
    ------
    SetupError
        If the driver is not installed.
    """
    if not url:
        return embedded
    try:
        from server.collection.storage.postgres import Postgres
    except ImportError:
        raise SetupError(
            "the setting database names a PostgreSQL, and its driver is not installed",
            where="database",
            remedy="Install it: pip install 'psycopg[binary]'.",
            code="setup.config",
        ) from None
    return Postgres(url)
