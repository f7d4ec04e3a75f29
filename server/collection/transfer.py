"""What a server or a relay keeps, taken as a whole to another database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from server.collection.config import FILE_NAME, PREFIX, Config, set_database
from server.collection.storage.copying import BACKUP, is_there, note_of, unfinished
from server.collection.storage.databases import databases_at
from server.collection.storage.holding import holding
from server.collection.storage.moving import Moved, all_of, move
from server.progress import StageProgress, quiet
from shared.errors import NotFoundError, SetupError, StateError

_SETTING: Final = f"{PREFIX}DATABASE"
_ID: Final = re.compile(r"[0-9a-f]{16}")


def move_data(
    config: Config,
    data: Path,
    target: str,
    environment: Mapping[str, str],
    say: Callable[[Moved], None],
    progress: StageProgress = quiet,
) -> None:
    """Move all databases of a directory to where `target`, a value of the setting ``database``, leads.

    Parameters
    ----------
    config : Config
        As it is now.
    data : Path
        A server's or a relay's directory.
    target : str
        The setting that shall be; empty for SQLite.
    environment : mapping
        Must not set ``database``: the file decides.
    say : callable
        Told of each database that was copied and compared.
    progress : callable
        Told of rows, as by :func:`server.collection.storage.moving.move`.

    Raises
    ------
    SetupError
        If the setting cannot be changed, or holds a password.
    StateError
        With the code ``state.serving`` if a server runs; ``state.moved`` if there is nothing to move.
    StorageError
        See :func:`server.collection.storage.moving.move`.
    """
    wished = replace(config, database=target)
    if _SETTING in environment:
        raise SetupError(
            f"the variable {_SETTING} names the database, and would after the move",
            where=_SETTING,
            remedy=f"Put the setting into {FILE_NAME} and unset the variable.",
            code="setup.config",
        )
    for url in (config.database, wished.database):
        _require_no_password(url)
    surveys = surveys_in(data)
    with alone_in(data):
        old = config.database
        decide: Callable[[], None] | None = partial(set_database, data, target)
        if old == target:
            found = {
                note_of(database) for database in all_of(databases_at(target), surveys) if is_there(database)
            } - {None}
            if len(found) != 1:
                raise StateError(
                    "all surveys are there already",
                    where="database",
                    remedy="Nothing is to be done.",
                    code="state.moved",
                )
            old, decide = str(found.pop()), None
            if old == BACKUP:
                raise unfinished("database")
        source, there = databases_at(old), databases_at(target)
        try:
            move(source, there, surveys, origin=old, decide=decide, say=say, progress=progress)
        finally:
            source.end()
            there.end()


def surveys_in(data: Path) -> tuple[Path, ...]:
    """The folders of all surveys of a server or a relay.

    Raises
    ------
    NotFoundError
        If there is none.
    """
    folder = data / "surveys"
    found = tuple(sorted(path for path in folder.glob("*") if _ID.fullmatch(path.name) and path.is_dir()))
    if not found:
        raise NotFoundError(
            "there is no survey in this directory",
            where=str(data),
            remedy="Name the data directory of a server, or that of a relay.",
        )
    return found


@contextmanager
def alone_in(data: Path) -> Iterator[None]:
    """Work in a directory while no server does.

    Raises
    ------
    StateError
        With the code ``state.serving``.
    StorageError
        With the code ``storage.foreign`` if it is another user's.
    """
    with holding(data, alone=True) as alone:
        if not alone:
            raise StateError(
                "a server runs on this directory",
                where=str(data),
                remedy="End it, and every other one that uses the same database, and repeat.",
                code="state.serving",
            )
        yield


def _require_no_password(url: str) -> None:
    if urlsplit(url).password is not None or re.search(r"[?&]password=", url):
        raise SetupError(
            "the address of the database holds a password",
            where="database",
            remedy="Put it into ~/.pgpass of the server's user, which keeps it out of other files.",
            code="setup.config",
        )
