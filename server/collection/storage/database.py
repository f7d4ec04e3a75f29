"""Opening the SQLite file with the settings that durability and unlinkability need.

Settings and the reason for each:

- rollback journal, ``journal_mode=TRUNCATE``: a write-ahead log would keep pages in the order of arrival.
  With ``synchronous=FULL`` SQLite syncs the truncated journal too, so that a commit survives a power cut;
  with ``DELETE`` it would take ``EXTRA`` to sync the directory.
- ``secure_delete=ON``: freed bytes are overwritten.
- ``temp_store=MEMORY``: VACUUM builds its copy in memory, never in a temporary folder.
- the header counts commits; after closing :func:`forget_commits` puts fixed numbers there.
- ``application_id``: that this is a file of ours, and the version of its layout.
- ``user_version``: 1 while pages may still hold rows in the order they came, 2 during a sweep, 0 after it.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from server.files import named_file_errors
from shared.errors import StorageError

BUSY_SECONDS: Final = 20.0
DIRTY: Final = 1
SWEEPING: Final = 2
CLEAN: Final = 0
_MARK: Final = int.from_bytes(b"RM\0\0")
LAYOUT: Final = _MARK + 2
"""The ``application_id`` of the files that this version makes. Files of the first layout have none."""
_FIRST_LAYOUT: Final = _MARK + 1
_UPGRADES: Final[dict[int, tuple[str, ...]]] = {_FIRST_LAYOUT: ()}
"""The statements that make a file of each layout one of the next."""
_HEADER_BYTES: Final = 100
_COUNTERS: Final = {24: 2**31, 40: 2**30, 92: 2**31}
"""Place in the header -> what stands there after closing; the first and the last must be equal."""

_SETTINGS: Final = (
    "PRAGMA journal_mode=TRUNCATE",
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
)

_OTHER: Final = ("failed", "the database failed", "Run roomful checkup.")
_LOCKED: Final = ("locked", "another process holds the database", "End it, or try again.")
_READ_ONLY: Final = ("read-only", "the database cannot be written", "Give the server's user the right.")
_RESTORE: Final = "Restore a copy; do not write to this one."
_NAMED: Final = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: ("full", "the disk is full", "Free some space; what was acknowledged is safe."),
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: ("missing", "the database cannot be opened", "Check its place and rights."),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "the database is damaged", _RESTORE),
    sqlite3.SQLITE_ERROR: ("corrupt", "the database is not a survey's", _RESTORE),
    sqlite3.SQLITE_NOTADB: ("corrupt", "the file is not a database", _RESTORE),
    sqlite3.SQLITE_IOERR: ("disk", "the disk failed to read or write", "Check the disk."),
}
"""SQLite's primary result codes: our code, the sentence and the remedy."""


def storage_error(error: sqlite3.Error) -> StorageError:
    """Name a failure of the driver; the driver's own words, which may hold values, are left out."""
    result = getattr(error, "sqlite_errorcode", None)
    code, message, remedy = _NAMED.get((result or 0) & 0xFF, _OTHER)
    return StorageError(message, remedy=remedy, code=f"storage.{code}")


@contextmanager
def named_errors() -> Iterator[None]:
    """Turn every error of the driver into a :class:`StorageError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise storage_error(error) from error


def connect(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a file that exists with the settings above.

    Parameters
    ----------
    path : Path
        The SQLite file.
    busy_seconds : float
        How long to wait for another process.

    Raises
    ------
    StorageError
        If it is missing, damaged, not a database, or cannot be locked; with the code ``storage.newer`` if a
        newer version of this program made it. An older one's is brought up to date.
    """
    with named_errors():
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            for setting in _SETTINGS:
                connection.execute(setting).fetchall()
            if _layout(connection) != LAYOUT:
                _upgrade(connection)
        except (sqlite3.Error, StorageError):
            connection.close()
            raise
        return connection


def _layout(connection: sqlite3.Connection) -> int:
    found = int(connection.execute("PRAGMA application_id").fetchone()[0])
    return found or _FIRST_LAYOUT


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file up to date, wholly or not at all; several processes may try."""
    with transaction(connection):
        layout = _layout(connection)
        if layout > LAYOUT and layout - _MARK < 2**16:
            raise StorageError(
                "a newer version of Roomful made this file",
                remedy="Install that version again; nothing was changed.",
                code="storage.newer",
            )
        if layout not in (*_UPGRADES, LAYOUT):
            raise StorageError("the database is not a survey's", remedy=_RESTORE, code="storage.corrupt")
        for step in range(layout, LAYOUT):
            for statement in _UPGRADES[step]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={LAYOUT}")


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait in line for the right to write to a survey's file.

    Several processes write in turns. SQLite would let each poll and the unlucky one starve; the operating
    system wakes them in order. Correctness does not rest on it: SQLite's own locks still hold.
    """
    with named_file_errors(path.name):
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with named_file_errors(path.name):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A write transaction: the lock is taken at once, and an exception rolls everything back."""
    with named_errors():
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A transaction whose readings are all of one moment."""
    with named_errors():
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("COMMIT")


def sweep(connection: sqlite3.Connection) -> bool:
    """Rewrite the file in the order of its keys, so that no page keeps the order of arrival.

    A b-tree page holds its cells where they happened to be written; only VACUUM writes them anew.

    Returns
    -------
    bool
        False if there was nothing to do, or another process wrote meanwhile (it will sweep in its turn).
    """
    with named_errors():
        if connection.execute("PRAGMA user_version").fetchone()[0] == CLEAN:
            return False
        connection.execute(f"PRAGMA user_version={SWEEPING}")
        connection.execute("VACUUM")
        with transaction(connection):
            untouched = bool(connection.execute("PRAGMA user_version").fetchone()[0] == SWEEPING)
            if untouched:
                connection.execute(f"PRAGMA user_version={CLEAN}")
        return untouched


def forget_commits(path: Path) -> None:
    """Put fixed numbers where the file's header counts commits and rewritings.

    The counter at byte 24 tells how many groups were stored, hence something of when people answered. Fixed
    numbers that no counting reaches make every other connection read the file anew. Whoever calls has the
    turn, and no connection of this process may be reading: closing the file ends this process's locks on it.

    References
    ----------
    SQLite, "Database File Format", 1.3.7 (file change counter), 1.3.9 (schema cookie), 1.3.17
    (version-valid-for).
    """
    with closing(connect(path)) as connection, named_errors(), named_file_errors(path.name):
        connection.execute("BEGIN EXCLUSIVE")
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            header = bytearray(os.pread(descriptor, _HEADER_BYTES, 0))
            for place, value in _COUNTERS.items():
                header[place : place + 4] = value.to_bytes(4, "big")
            os.pwrite(descriptor, header, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def driver_version() -> tuple[int, ...]:
    """The version of the SQLite library."""
    return sqlite3.sqlite_version_info


def settings(connection: sqlite3.Connection) -> dict[str, int | str]:
    """The durability settings as SQLite reports them, for the checkup."""
    names = ("journal_mode", "synchronous", "secure_delete", "temp_store", "user_version")
    with named_errors():
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


def check_integrity(connection: sqlite3.Connection) -> None:
    """Read the whole file.

    Raises
    ------
    StorageError
        With the code ``storage.corrupt`` if SQLite finds damage.
    """
    with named_errors():
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise StorageError(
                "the database is damaged",
                remedy="Restore a copy; do not write to this one.",
                code="storage.corrupt",
            )
