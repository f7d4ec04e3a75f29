"""One database copied into another, of whatever program, and compared with it table by table.

Rows are read and written in the order of their keys, which are random: neither the copy nor its write-ahead
log tells in which order they came.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from server.collection.storage import database as db
from server.collection.storage.databases import Connection, Database
from server.collection.storage.schema import REGISTRAR_FIELDS, RELAY_FIELDS, StoredField, fields_of
from server.progress import Progress
from shared.errors import StorageError

MOVED_FROM: Final = "moved_from"
"""Row of the table ``survey`` in a copy that nobody may use yet: where its original is."""
BACKUP: Final = "backup"
"""What the row says if that is no database but a backup."""
_BATCH: Final = 1000
_KINDS: Final = (fields_of(invited=False), fields_of(invited=True), REGISTRAR_FIELDS, RELAY_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContents:
    """What one table holds.

    Attributes
    ----------
    table : str
        Its name.
    rows : int
        How many.
    sha256 : str
        Of each row in the order of the keys: Python's ``ascii()`` of the tuple of its values, and a newline.
    """

    table: str
    rows: int
    sha256: str


Contents = tuple[TableContents, ...]


def is_there(database: Database) -> bool:
    """Whether it exists, and was not emptied by a removal that was interrupted."""
    if not database.exists():
        return False
    with closing(database.connect()) as connection:
        return bool(database.columns(connection))


def note_of(database: Database) -> str | None:
    """Where a copy was made of that nobody may use yet; None for every other database."""
    with closing(database.connect()) as connection:
        row = connection.execute("SELECT value FROM survey WHERE name = ?", (MOVED_FROM,)).fetchone()
    return None if row is None else str(row[0])


def require_arrived(connection: Connection, where: str) -> None:
    """Refuse a copy that nobody may use yet.

    Raises
    ------
    StorageError
        With the code ``storage.moving``.
    """
    query = "SELECT count(*) FROM survey WHERE name = ?"
    with db.named_errors():
        found = connection.execute(query, (MOVED_FROM,)).fetchone()[0]
    if found:
        raise unfinished(where)


def unfinished(where: str) -> StorageError:
    """The error for a copy that nobody may use yet."""
    return StorageError(
        "this is a copy of another database, and its making was interrupted",
        where=where,
        remedy="Give the same command again, roomful move or restore: it finishes what it began.",
        code="storage.moving",
    )


def contents(database: Database, connection: Connection, progress: Progress | None = None) -> Contents:
    """Count and digest every table; the caller sees to it that nobody writes meanwhile.

    ``progress`` is told the rows that were read, and all of them. Errors as :func:`stored_fields`.
    """
    return _read(database, connection, progress, lambda _table, _columns, _rows: None)


def copy(
    source: Database,
    connection: Connection,
    target: Database,
    note: Mapping[str, str],
    progress: Progress | None = None,
) -> Contents:
    """Make `target` a copy of `source`, in two transactions; until the second it lacks rows.

    Parameters
    ----------
    source, connection : Database, Connection
        What is copied, in a transaction that lets nobody else write.
    target : Database
        It does not exist; the caller has its turn.
    note : mapping of str to str
        Rows that its table ``survey`` has besides.
    progress : callable, optional
        As of :func:`contents`.

    Returns
    -------
    Contents
        What was read of `source`.

    Guarantee: the rows of a table have one transaction number, and were written in the order of their keys
    into files that held none before. So a copy needs no sweep.
    """
    rows = dict(connection.execute("SELECT name, value FROM survey").fetchall())
    target.create(stored_fields(source, connection), dict(sorted({**rows, **note}.items())))
    with closing(target.connect()) as held, target.transaction(held) as written:

        def write(table: str, columns: Sequence[str], batch: Sequence[tuple[Any, ...]]) -> None:
            marks = ", ".join("?" * len(columns))
            insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our names
            if table != "survey":
                written.executemany(insert, batch)

        return _read(source, connection, progress, write)


def first_lacking(
    present: Database, connection: Connection, copied: Database, other: Connection
) -> str | None:
    """A table with a row that a copy lacks; None if it has all of them.

    Rows of the table ``survey`` are left out, and rows that are not complete: a code without its request.
    """
    known = _tables(copied, other)
    for table, columns in _tables(present, connection).items():
        if table == "survey":
            continue
        rows = _rows(other, table, columns) if table in known else iter(())
        candidate = next(rows, None)
        for row in _rows(connection, table, columns):
            while candidate is not None and candidate[0] < row[0]:
                candidate = next(rows, None)
            if None not in row and candidate != row:
                return table
    return None


def stored_fields(database: Database, connection: Connection) -> tuple[StoredField, ...]:
    """What a database really has, if that is what this version makes.

    Raises
    ------
    StorageError
        With the code ``storage.layout``.
    """
    found = database.columns(connection)
    for fields in _KINDS:
        if {field.name for field in fields} == found:
            return fields
    raise StorageError(
        "a database has other tables, columns, views, indexes or triggers than this version makes",
        where=f"{database.path.parent.name}/{database.path.name}",
        remedy="Open it once with the version that made it and then with this one, or remove what was added.",
        code="storage.layout",
    )


def _tables(database: Database, connection: Connection) -> dict[str, list[str]]:
    """Columns of each table, the key first."""
    columns: dict[str, list[str]] = {}
    for field in stored_fields(database, connection):
        columns.setdefault(field.table, []).append(field.column)
    return columns


def _read(
    database: Database,
    connection: Connection,
    progress: Progress | None,
    take: Callable[[str, Sequence[str], Sequence[tuple[Any, ...]]], None],
) -> Contents:
    """Count and digest every table, and let ``take`` have each batch of rows."""
    tables = _tables(database, connection)
    count = "SELECT count(*) FROM {}"
    total = sum(int(connection.execute(count.format(table)).fetchone()[0]) for table in tables)
    found, done = [], 0
    for table, columns in tables.items():
        digest, number = hashlib.sha256(), 0
        for batch in _batches(connection, table, columns):
            take(table, columns, batch)
            for row in batch:
                if row[0] != MOVED_FROM:
                    digest.update(f"{row!a}\n".encode("ascii"))
                    number += 1
            done += len(batch)
            if progress is not None:
                progress(done, total)
        found.append(TableContents(table=table, rows=number, sha256=digest.hexdigest()))
    return tuple(found)


def _rows(connection: Connection, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for batch in _batches(connection, table, columns):
        yield from batch


def _batches(connection: Connection, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    query = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - our own names
    order = f" ORDER BY {columns[0]} LIMIT {_BATCH}"
    batch = connection.execute(query + order).fetchall()
    while batch:
        yield batch
        last = batch[-1][0]
        batch = connection.execute(f"{query} WHERE {columns[0]} > ?{order}", (last,)).fetchall()
