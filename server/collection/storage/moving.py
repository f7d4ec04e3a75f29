"""Moving all surveys of a server, or all pools of a relay, from one database program to the other.

1. Each database is copied and compared, while nobody can write to it. The copy bears a note of where it was
   made of, and no server uses it.
2. The setting ``database`` is changed: this decides. Before it the old databases are what they were; from
   then on the new ones count, and nobody uses them yet.
3. Each old database is compared once more, and deleted in the same transaction.
4. The notes are taken away.

Whatever is interrupted, the same call again ends in the same databases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from server.collection.storage.copying import (
    MOVED_FROM,
    Contents,
    contents,
    copy,
    is_there,
    note_of,
    require_arrived,
    stored_fields,
)
from server.collection.storage.databases import Connection, Database, Databases
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.storage.relay import POOL_NAME
from server.collection.storage.store import DATABASE_NAME
from server.progress import StageProgress
from shared.errors import StateError, StorageError

NAMES: Final = (DATABASE_NAME, REGISTRAR_NAME, POOL_NAME)
"""Every database that a survey's folder may have, at a server or at a relay."""
COPYING: Final = "Copying"
COMPARING: Final = "Comparing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One database that was copied.

    Attributes
    ----------
    name : str
        ``<survey>/<file>``.
    contents : tuple of TableContents
        What old and new hold.
    """

    name: str
    contents: Contents


def all_of(databases: Databases, surveys: Iterable[Path]) -> Iterator[Database]:
    """Every database that surveys may have, by their folders; they need not exist."""
    for folder in surveys:
        for name in NAMES:
            yield databases(folder / name, folder.name)


def move(
    source: Databases,
    target: Databases,
    surveys: Iterable[Path],
    *,
    origin: str,
    decide: Callable[[], None] | None,
    say: Callable[[Moved], None],
    progress: StageProgress,
) -> None:
    """Move every database of some surveys; see above. No server of the folder runs meanwhile.

    Parameters
    ----------
    source, target : Databases
        From where, and to where.
    surveys : iterable of Path
        Their folders.
    origin : str
        What the note says of `source`.
    decide : callable or None
        Changes the setting; None if that was done and the rest was interrupted.
    say : callable
        Told of each database that was copied and compared.
    progress : callable
        Told of rows that were copied or compared, as stages :data:`COPYING` and :data:`COMPARING`.

    Guarantee: a row that a server acknowledged before, or acknowledges meanwhile, is in `source` until
    `decide` is called, and in `target` when this returns.

    Raises
    ------
    StateError
        With the code ``state.serving`` if somebody has one of the databases open.
    StorageError
        With the code ``storage.not-empty`` if `target` has one of the databases already;
        ``storage.layout``; or if it cannot be read or written.
    """
    pairs = list(zip(all_of(source, surveys), all_of(target, surveys), strict=True))
    if decide is not None:
        for old, new in pairs:
            if is_there(old):
                with closing(old.connect()) as connection:
                    require_arrived(connection, name_of(old))
                    stored_fields(old, connection)
            if is_there(new) and (note_of(new) != origin or not is_there(old)):
                raise _not_empty(new)
    for old, new in pairs:
        if is_there(old):
            require_unused(old, new)
            with closing(old.connect()) as held, old.turn(), old.transaction(held) as connection:
                say(Moved(name=name_of(old), contents=bring(old, connection, new, origin, progress)))
    if decide is not None:
        decide()
    for old, new in pairs:
        if is_there(old):
            require_unused(old, new)
            with closing(old.connect()) as held, old.turn(), old.removing(held) as connection:
                bring(old, connection, new, origin, progress)
        elif old.exists():  # emptied, and then interrupted
            with closing(old.connect()) as held, old.turn(), old.removing(held):
                pass
    for _, new in pairs:
        if is_there(new):
            arrive(new)


def require_unused(*found: Database) -> None:
    """Refuse databases that another process has open, as far as that can be known.

    Raises
    ------
    StateError
        With the code ``state.serving``.
    """
    for database in found:
        if is_there(database) and database.is_used_elsewhere():
            raise StateError(
                "a server or another command has this database open",
                where=name_of(database),
                remedy="End every server that uses it, on every machine, and repeat.",
                code="state.serving",
            )


def bring(
    old: Database, connection: Connection, new: Database, origin: str, progress: StageProgress
) -> Contents:
    """Make `new` a copy of `old`, unless it is one already; returns what both hold."""
    with new.turn():
        if is_there(new):
            wanted = contents(old, connection, partial(progress, COMPARING))
            with closing(new.connect()) as held:
                if _contents_of(new, held, progress) == wanted:
                    return wanted
                with new.removing(held):
                    pass
        wanted = copy(old, connection, new, {MOVED_FROM: origin}, partial(progress, COPYING))
        with closing(new.connect()) as held:
            if _contents_of(new, held, progress) != wanted:
                raise StorageError(
                    "the copy differs from the original; nothing was changed there",
                    where=name_of(new),
                    remedy="Check the disks, and repeat.",
                    code="storage.copy",
                )
    return wanted


def arrive(new: Database) -> None:
    """Let a copy be used."""
    with closing(new.connect()) as held, new.turn(), new.transaction(held) as connection:
        connection.execute("DELETE FROM survey WHERE name = ?", (MOVED_FROM,))


def _contents_of(database: Database, connection: Connection, progress: StageProgress) -> Contents | None:
    """None if it was never finished."""
    with database.snapshot(connection) as unchanging:
        return contents(database, unchanging, partial(progress, COMPARING))


def name_of(database: Database) -> str:
    """``<survey>/<file>``."""
    return f"{database.path.parent.name}/{database.path.name}"


def _not_empty(database: Database) -> StorageError:
    return StorageError(
        "there is a database of this survey already where it should go",
        where=name_of(database),
        expected="a place without it",
        remedy="Name another database, or delete that one if nobody needs it.",
        code="storage.not-empty",
    )
