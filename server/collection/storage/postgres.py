"""Databases on PostgreSQL: a schema for each, so that several collectors share one.

What tells the order of arrival, and where it goes:

- ``xmin`` and ``ctid`` of a row: a sweep copies every table in key order, in one transaction, into a new
  table, and drops the old one. VACUUM FULL and CLUSTER would keep ``xmin`` in the row.
- dead rows, free space and indexes go with the old table.
- statistics of a column hold values of it, and lie in a catalogue where they outlive the table: no column
  has any, whoever runs ANALYZE.
- the write-ahead log keeps each transaction until its segment is removed, and the server's log what it is
  told to: both are settings of the server, which the checkup reads.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.types.numeric import Int8

from server.collection.storage.databases import Connection, Database, Rows
from server.collection.storage.schema import StoredField, tables
from shared.errors import StorageError

OLDEST_SERVER: Final = 150_000
LAYOUT: Final = 1
_TYPES: Final = (("BLOB", "bytea"), ("INTEGER", "bigint"), ("TEXT", 'text COLLATE "C"'))
_PLAIN_INSERT: Final = re.compile(r"INSERT INTO (.*) VALUES (\([?, ]+\))((?: ON CONFLICT DO NOTHING)?)")
_MOST_TOGETHER: Final = 256
_SESSION: Final = (
    "SET search_path TO {schema}; SET synchronous_commit TO on; SET client_min_messages TO error"
)
_SETTINGS: Final = (
    "fsync", "full_page_writes", "synchronous_commit", "track_commit_timestamp", "archive_mode", "wal_level",
    "max_wal_senders", "wal_recycle", "log_statement", "log_duration", "log_min_duration_statement",
    "log_min_duration_sample", "log_transaction_sample_rate", "log_parameter_max_length_on_error",
    "log_checkpoints", "log_lock_waits", "log_autovacuum_min_duration", "auto_explain.log_min_duration",
    "pgaudit.log", "pg_stat_statements.track",
)  # fmt: skip
"""The last ones are there only with their libraries, which every user sees so."""
_COPIES: Final = {"replication_slots": "pg_replication_slots", "replicas": "pg_stat_replication"}
_GRANTS: Final = {
    "pg_switch_wal": "has_function_privilege('pg_switch_wal()', 'EXECUTE')",
    "pg_checkpoint": "pg_has_role('pg_checkpoint', 'USAGE')",
}
_MISSING: Final = (
    "missing",
    "the database is not there",
    "Publish the survey; see the setting database.",
)
_AWAY: Final = ("failed", "the database server cannot be reached", "Start it; what was acknowledged is safe.")
_NAMED: Final[tuple[tuple[type[psycopg.Error], tuple[str, str, str]], ...]] = (
    (errors.DiskFull, ("full", "the disk is full", "Free some space; what was acknowledged is safe.")),
    (errors.LockNotAvailable, ("locked", "somebody else holds the database", "Try again.")),
    (errors.ReadOnlySqlTransaction, ("read-only", "the database cannot be written", "Name the main server.")),
    (errors.InsufficientPrivilege, ("read-only", "the database refuses the right", "Give the user rights.")),
    (errors.DataCorrupted, ("corrupt", "the database is damaged", "Restore a copy.")),
    (errors.IndexCorrupted, ("corrupt", "the database is damaged", "Restore a copy.")),
    (errors.UndefinedTable, _MISSING),
    (errors.InvalidSchemaName, _MISSING),
    (psycopg.OperationalError, _AWAY),
)  # fmt: skip


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn the driver's errors into :class:`StorageError`, without its words, which may hold values."""
    try:
        yield
    except psycopg.Error as error:
        other = ("failed", "the database failed", "Run roomful checkup.")
        code, message, remedy = next((said for kind, said in _NAMED if isinstance(error, kind)), other)
        raise StorageError(message, remedy=remedy, code=f"storage.{code}") from None


class PostgresConnection:
    """Implements :class:`server.collection.storage.databases.Connection`.

    Outside of a transaction everything only reads, so a lost connection is opened again and the statement
    repeated; inside of one it is lost with the transaction.
    """

    def __init__(self, server: Postgres, schema: str) -> None:
        self._server, self._schema = server, schema
        self.in_transaction = False
        self._raw = server.open(schema)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        with _named_errors():
            try:
                return self._execute(sql, parameters)
            except psycopg.OperationalError:
                if self.in_transaction or not self._raw.closed:
                    raise
            self._raw = self._server.open(self._schema)
            return self._execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Rows:
        """See :class:`Connection`.

        Rows of a plain INSERT go in together, in their order: by one statement for the server to read, or by
        COPY where there are many, where the driver would send a statement for each. Of a COPY of text that
        is broken off the server logs a row.
        """
        cursor, rows = self._raw.cursor(), list(parameters)
        plain = _PLAIN_INSERT.fullmatch(sql)
        with _named_errors():
            if plain is None or (plain[3] and len(rows) > _MOST_TOGETHER):
                cursor.executemany(_dialect(sql), rows)
            elif len(rows) > _MOST_TOGETHER:
                with cursor.copy(f"COPY {plain[1]} FROM STDIN (FORMAT BINARY)") as copy:
                    for row in rows:
                        copy.write_row([Int8(value) if isinstance(value, int) else value for value in row])
            elif rows:
                values = ", ".join([plain[2]] * len(rows))
                together = f"INSERT INTO {plain[1]} VALUES {values}{plain[3]}"  # noqa: S608 - our own names
                cursor.execute(_dialect(together), [value for row in rows for value in row])
        return cursor

    def close(self) -> None:
        self._raw.close()

    def _execute(self, sql: str, parameters: Sequence[Any]) -> Rows:
        return self._raw.execute(_dialect(sql), parameters or None)


class Postgres:
    """All databases of one server: implements :class:`server.collection.storage.databases.Databases`.

    Parameters
    ----------
    url : str
        As ``postgresql://user@host/name``.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._idle: list[psycopg.Connection[Any]] = []
        self.pids: set[int] = set()
        """Of the sessions that this process has or had."""

    def __call__(self, path: Path, survey: str) -> Database:
        return PostgresDatabase(server=self, path=path, schema=f"roomful_{survey}_{path.stem}")

    def open(self, schema: str) -> psycopg.Connection[Any]:
        """A connection of which each statement is a transaction, unless one is begun."""
        with _named_errors():
            raw = psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, connect_timeout=10,
                application_name=schema,
            )  # fmt: skip
            self.pids.add(raw.info.backend_pid)
            raw.execute(_SESSION.format(schema=schema))
        if raw.info.server_version < OLDEST_SERVER:
            raw.close()
            raise StorageError(
                "this PostgreSQL is too old", expected="version 15 or newer", code="storage.failed"
            )
        return raw

    @contextmanager
    def turn(self, key: int) -> Iterator[None]:
        """Hold a lock that ends with this process; connections for it are kept."""
        raw = self._locked(key)
        try:
            yield
        finally:
            try:
                raw.execute("SELECT pg_advisory_unlock(%s)", (key,))
            except psycopg.Error:  # the server has let go of it
                raw.close()
            else:
                with self._lock:
                    self._idle.append(raw)

    def end(self) -> None:
        """Let go of the connections that are kept."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _locked(self, key: int) -> psycopg.Connection[Any]:
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            raw = kept or self.open("public")
            try:
                with _named_errors():
                    raw.execute("SELECT pg_advisory_lock(%s)", (key,))
            except BaseException:
                raw.close()
                if kept is None:
                    raise
            else:
                return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresDatabase:
    """One schema; implements :class:`server.collection.storage.databases.Database`."""

    server: Postgres = field(repr=False)
    path: Path
    schema: str

    def exists(self) -> bool:
        connection = PostgresConnection(self.server, self.schema)
        try:
            return connection.execute("SELECT to_regclass('layout')").fetchone()[0] is not None
        finally:
            connection.close()

    def identity(self) -> object:
        """See :class:`Database`. The survey's folder stands for it: it is asked at every request."""
        try:
            return self.path.parent.stat().st_ino
        except FileNotFoundError:
            return None

    def create(self, fields: Iterable[StoredField], rows: Mapping[str, str]) -> None:
        fields = tuple(fields)
        connection = PostgresConnection(self.server, self.schema)
        try:
            with self.transaction(connection):
                connection.execute(f"CREATE SCHEMA {self.schema}")
                for statement in tables(fields):
                    for ours, theirs in _TYPES:
                        statement = statement.replace(f" {ours}", f" {theirs}")
                    connection.execute(statement)
                _keep_no_statistics(connection, sorted({field.table for field in fields}))
                connection.execute("CREATE TABLE layout (version bigint PRIMARY KEY, dirty boolean NOT NULL)")
                connection.execute("INSERT INTO layout VALUES (?, false)", (LAYOUT,))
                connection.executemany("INSERT INTO survey VALUES (?, ?)", rows.items())
        finally:
            connection.close()

    def connect(self) -> Connection:
        connection = PostgresConnection(self.server, self.schema)
        try:
            if connection.execute("SELECT version FROM layout").fetchone()[0] > LAYOUT:
                raise StorageError(
                    "a newer version of Roomful made this database",
                    remedy="Install that version again; nothing was changed.",
                    code="storage.newer",
                )
        except BaseException:
            connection.close()
            raise
        return connection

    def turn(self) -> contextlib.AbstractContextManager[None]:
        return self.server.turn(self._key("turn"))

    @contextmanager
    def transaction(self, connection: Any) -> Iterator[Connection]:
        """See :class:`Database`. Alone even if a turn has ended with its connection."""
        connection.execute("BEGIN")
        connection.in_transaction = True
        try:
            connection.execute("SELECT pg_advisory_xact_lock(?)", (self._key("write"),))
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(StorageError):
                connection.execute("ROLLBACK")
            raise
        finally:
            connection.in_transaction = False

    @contextmanager
    def snapshot(self, connection: Any) -> Iterator[Connection]:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.in_transaction = True
        try:
            yield connection
        finally:
            with contextlib.suppress(StorageError):
                connection.execute("COMMIT")
            connection.in_transaction = False

    def mark(self, connection: Connection) -> None:
        connection.execute("UPDATE layout SET dirty = true WHERE NOT dirty")

    def is_swept(self, connection: Connection) -> bool:
        return not connection.execute("SELECT dirty FROM layout").fetchone()[0]

    def sweep(self, connection: Any) -> bool:
        """See :class:`Database`.

        Guarantee: afterwards all rows of the database have the transaction number of the sweep, and lie in
        the order of their keys, in files that held no row before.
        """
        with self.transaction(connection):
            if self.is_swept(connection):
                return False
            connection.execute("SET LOCAL lock_timeout TO '5s'")
            names = sorted(self._tables(connection), key=lambda name: (name == "survey", name))
            for name in names:
                connection.execute(f"CREATE TABLE new_{name} (LIKE {name} INCLUDING ALL)")
                _keep_no_statistics(connection, [f"new_{name}"])
                connection.execute(f"INSERT INTO new_{name} SELECT * FROM {name} ORDER BY 1")  # noqa: S608
            connection.execute("DROP TABLE new_layout")
            connection.execute("CREATE TABLE new_layout (LIKE layout INCLUDING ALL)")
            connection.execute("INSERT INTO new_layout SELECT version, false FROM layout")
            # The survey's own table last: who reads two tables reads it last too.
            for name in names:
                connection.execute(f"DROP TABLE {name}")
                connection.execute(f"ALTER TABLE new_{name} RENAME TO {name}")
                connection.execute(f"ALTER INDEX new_{name}_pkey RENAME TO {name}_pkey")
        return True

    def empty(self, connection: Connection, table: str) -> None:
        """See :class:`Database`. A DELETE would copy each page into the write-ahead log."""
        connection.execute("SET LOCAL lock_timeout TO '5s'")
        connection.execute(f"TRUNCATE {table}")

    def drop(self, connection: Connection) -> None:
        connection.execute(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")

    @contextmanager
    def removing(self, connection: Connection) -> Iterator[Connection]:
        with self.transaction(connection) as removed:
            yield removed
            self.drop(removed)

    def is_used_elsewhere(self) -> bool:
        """See :class:`Database`. Each session bears the schema's name."""
        query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?"
        with contextlib.closing(PostgresConnection(self.server, "public")) as connection:
            found = connection.execute(query, (self.schema,)).fetchall()
        return any(pid not in self.server.pids for (pid,) in found)

    def forget_commits(self) -> None:
        """See :class:`Database`: only the log tells of single ones."""
        self.forget_log()

    def forget_log(self) -> None:
        """See :class:`Database`: lets the write-ahead log end here, if the user has the right to."""
        raw = self.server.open(self.schema)
        try:
            with _named_errors():
                for statement in ("SELECT pg_switch_wal()", "CHECKPOINT"):
                    with contextlib.suppress(errors.InsufficientPrivilege):
                        raw.execute(statement)
        finally:
            raw.close()

    def check(self, connection: Connection) -> None:
        """See :class:`Database`: reads every page, whose checksum the server compares if it has any."""
        for name in self._tables(connection):
            connection.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 - our own names

    def columns(self, connection: Connection) -> frozenset[str]:
        """See :class:`Database`; of views too."""
        query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ?"
        found = connection.execute(query, (self.schema,)).fetchall()
        return frozenset(f"{table}.{column}" for table, column in found if table != "layout")

    def settings(self, connection: Connection) -> dict[str, int | str]:
        found: dict[str, int | str] = {
            name: connection.execute("SELECT current_setting(?, true)", (name,)).fetchone()[0] or ""
            for name in _SETTINGS
        }
        for name, view in _COPIES.items():
            found[name] = connection.execute(f"SELECT count(*) FROM {view}").fetchone()[0]  # noqa: S608
        for name, right in _GRANTS.items():
            granted = connection.execute(f"SELECT {right}").fetchone()[0]
            found[name] = "granted" if granted else "missing"
        return found | {"user_version": int(not self.is_swept(connection))}

    def _tables(self, connection: Connection) -> list[str]:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = ?"
        return [str(row[0]) for row in connection.execute(query, (self.schema,)).fetchall()]

    def _key(self, purpose: str) -> int:
        digest = hashlib.sha256(f"{purpose} {self.schema}".encode()).digest()
        return int.from_bytes(digest[:8], signed=True)


def _keep_no_statistics(connection: Connection, names: Iterable[str]) -> None:
    query = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0"
    for name in names:
        columns = connection.execute(query, (name,)).fetchall()
        changes = ", ".join(f"ALTER {column} SET STATISTICS 0" for (column,) in columns)
        connection.execute(f"ALTER TABLE {name} {changes}")


def _dialect(sql: str) -> str:
    return sql.replace("?", "%s")
