"""Backups of surveys: a folder with SQLite copies of their databases, whatever program keeps them.

Two copies of an open survey tell which answers came between them, and so when somebody answered. So a survey
is copied when it takes nothing more; or, if asked for, when every cell got at least k answers since the last
copy, or none.

::

    BACKUP/backup.json       format, surveys, SHA-256 of every other file
    BACKUP/surveys/ID/...    what lies in DATA/surveys/ID
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server import files
from server.collection.storage.anchor import GENERATION, Anchor
from server.collection.storage.copying import BACKUP, MOVED_FROM, first_lacking, is_there, note_of, unfinished
from server.collection.storage.data_directory import RESTORED, DataDirectory
from server.collection.storage.databases import Connection, Database, embedded
from server.collection.storage.moving import arrive, bring, name_of, require_unused
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.storage.retention import DELETED_ON
from server.collection.storage.states import NOT_CLOSED, State, as_state
from server.collection.storage.store import DATABASE_NAME, SurveyStore
from server.progress import StageProgress, quiet
from shared.errors import InputError, StateError, StorageError

MANIFEST: Final = "backup.json"
FORMAT: Final = "roomful-backup/1"
_NAMES: Final = {DATABASE_NAME: "answers", REGISTRAR_NAME: "registrar"}
"""File of a database -> name of its anchor."""
_SAVED: Final = ".backup-"
"""How the name of a backup begins until it is whole, and that of the one which gives way."""
_MAX_MANIFEST_BYTES: Final = 2**26


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A backup.

    Attributes
    ----------
    digest : str
        SHA-256 of its ``backup.json``, hence of everything in it.
    surveys : mapping of str to mapping
        By id: the state, and the day on which its answers are to be deleted, if that is known.
    """

    digest: str
    surveys: Mapping[str, Mapping[str, str | None]]


def back_up(
    data: DataDirectory,
    out: Path,
    surveys: Sequence[str],
    *,
    while_open: bool = False,
    progress: StageProgress = quiet,
) -> Saved:
    """Copy surveys into a new folder; one that is a backup already is replaced as a whole.

    Guarantee: without `while_open`, nothing is copied of which a later copy could have more answers. With it,
    whoever has this copy and the replaced one, or none, finds in every cell no new answer or at least k.

    Parameters
    ----------
    data : DataDirectory
        A server may run on it.
    out : Path
        The backup.
    surveys : sequence of str
        Ids; all if it is empty.
    while_open : bool
        Whether surveys may be copied that still take answers.
    progress : callable
        Told of rows, as by :func:`server.collection.storage.moving.move`.

    Raises
    ------
    StateError
        With the code ``state.backup`` if a survey takes answers, and that would be told.
    InputError
        If `out` is there and is no backup.
    NotFoundError, StorageError
        If a survey is missing or damaged, or something cannot be read or written.
    """
    files.clear_abandoned(out.absolute().parent, _SAVED)
    stores = [data.survey(name) for name in (surveys or data.ids())]
    before = read_manifest(out) if out.exists() else None
    for store in stores:
        store.expire()
        if not while_open:
            _require_ended(store, store.state)
    replaced = before is not None
    with (
        files.named_file_errors(out.name),
        files.new_folder(out.absolute(), replaced=replaced, prefix=_SAVED) as work,
    ):
        found: dict[str, dict[str, str | None]] = {}
        for store in stores:
            folder = work / "surveys" / store.id
            _copy_files(store.published.folder, folder)
            for name in _NAMES:
                _save(data.database(store.id, name), embedded(folder / name), progress)
            # Of the copy, as more may have come since anybody looked.
            _require_hidden(store, folder, out / "surveys" / store.id, while_open=while_open)
            delete_on = store.retention.delete_on
            day = None if delete_on is None else delete_on.isoformat()
            found[store.id] = {"state": store.state, "delete_on": day}
        document = {"format": FORMAT, "surveys": found, "files": dict(_digests(work))}
        text = json.dumps(document, indent=1, sort_keys=True).encode()
        files.write_new(work / MANIFEST, text)
    return Saved(digest=hashlib.sha256(text).hexdigest(), surveys=found)


def put_back(
    data: DataDirectory, backup: Path, *, older: bool = False, progress: StageProgress = quiet
) -> Saved:
    """Restore every survey of a backup, unless something newer is there; no server runs meanwhile.

    That it is older is known by what is there: a row that the backup lacks, a later state, more commits; and
    by the anchors, which lie elsewhere. Where neither is left, a survey that took answers when it was copied
    is taken for older.

    Parameters
    ----------
    data : DataDirectory
        Where.
    backup : Path
        As :func:`back_up` made it.
    older : bool
        Whether an older copy may replace a newer one. Receipts that were given since are lost. Anchors stay
        as they are, so that an invited survey takes nothing more, and no code is used twice.
    progress : callable
        As of :func:`back_up`.

    Raises
    ------
    InputError
        With the code ``input.backup`` if it is no backup, or was changed.
    StorageError
        With the code ``storage.older-backup``; nothing was changed then.
        With the code ``storage.moving`` if a move was interrupted.
    StateError
        With the code ``state.serving`` if somebody has a database open.
    """
    saved = read_manifest(backup)
    inside = data.path / "surveys"
    with files.named_file_errors(backup.name):
        inside.mkdir(mode=0o700, parents=True, exist_ok=True)
        data.clear_restored()
    with files.named_file_errors(backup.name), files.held_folder(inside / "restored", RESTORED) as work:
        for survey in saved.surveys:
            _copy_files(backup / "surveys" / survey, work / "surveys" / survey, databases=True)
        if dict(_digests(work)) != _document(backup)["files"]:
            raise _changed(backup)
        pairs = [
            (embedded(work / "surveys" / survey / name), data.database(survey, name))
            for survey in saved.surveys
            for name in _NAMES
        ]
        pairs = [(old, new) for old, new in pairs if is_there(old)]
        for old, new in pairs:
            require_unused(new)
            if is_there(new) and note_of(new) not in (None, BACKUP):
                raise unfinished(name_of(new))  # perhaps the only copy
            if not older:
                anchor = data.anchor(new.path.parent.name, _NAMES[new.path.name])
                _require_newest(old, new, anchor)
        for survey in saved.surveys:
            _copy_files(work / "surveys" / survey, inside / survey)
        for old, new in pairs:
            with closing(old.connect()) as held, old.transaction(held) as connection:
                bring(old, connection, new, BACKUP, progress)
        for _, new in pairs:
            if note_of(new) is not None:
                arrive(new)
    return saved


def read_manifest(backup: Path) -> Saved:
    """What a backup says of itself.

    Raises
    ------
    InputError
        With the code ``input.backup``.
    """
    data, document = _read(backup), _document(backup)
    return Saved(digest=hashlib.sha256(data).hexdigest(), surveys=document["surveys"])


def _document(backup: Path) -> Any:
    try:
        document = json.loads(_read(backup))
        good = document["format"] == FORMAT and isinstance(document["files"], dict)
        good = good and all(set(one) == {"state", "delete_on"} for one in document["surveys"].values())
    except (ValueError, TypeError, KeyError, AttributeError):
        good = False
    if not good:
        raise _no_backup(backup, f"{MANIFEST} is not one of this version")
    return document


def _read(backup: Path) -> bytes:
    return files.read_bounded(backup / MANIFEST, _MAX_MANIFEST_BYTES, lambda text: _no_backup(backup, text))


def _require_ended(store: SurveyStore, state: State) -> None:
    if state in NOT_CLOSED - {State.DRAFT}:
        raise StateError(
            "this survey takes answers: two copies of it tell which of them came in between",
            where=store.id,
            remedy="Name the closed surveys, or close it first. A mirrored disk keeps answers without copies."
            " If you need one now, say so (--while-open).",
            code="state.backup",
        )


def _require_hidden(store: SurveyStore, copy: Path, replaced: Path, *, while_open: bool) -> None:
    """Check that a copy does not show when fewer than k people of a cell answered."""
    new, last = embedded(copy / DATABASE_NAME), embedded(replaced / DATABASE_NAME)
    with closing(new.connect()) as connection:
        state = as_state(_survey(connection)["state"])
    if not while_open:
        _require_ended(store, state)
    if state not in NOT_CLOSED - {State.DRAFT}:
        return
    old = _cells(last) if is_there(last) else {}
    k = store.specification.k
    few = sum(0 < number - old.get(cell, 0) < k for cell, number in _cells(new).items())
    if few:
        raise StateError(
            f"{few} cells got fewer than {k} answers since the last copy: both would show when they came",
            where=store.id,
            remedy="Wait for more answers, or until it is closed.",
            code="state.backup",
        )


def _cells(database: Database) -> dict[int, int]:
    with closing(database.connect()) as connection:
        table = "ballot" if "ballot.cell" in database.columns(connection) else "answer"
        query = f"SELECT cell, count(*) FROM {table} GROUP BY cell"  # noqa: S608 - one of our own names
        return {int(cell): int(number) for cell, number in connection.execute(query).fetchall()}


def _save(source: Database, target: Database, progress: StageProgress) -> None:
    if not is_there(source):
        return
    with closing(source.connect()) as held, source.turn(), source.transaction(held) as connection:
        bring(source, connection, target, BACKUP, progress)
    for leftover in (target.path.with_suffix(".lock"), target.path.with_name(f"{target.path.name}-journal")):
        leftover.unlink(missing_ok=True)


def _require_newest(saved: Database, present: Database, anchor: Anchor) -> None:
    with closing(saved.connect()) as copied:
        rows = _survey(copied)
        if is_there(present) and note_of(present) is None:
            with closing(present.connect()) as connection:
                now = _survey(connection)
                table = first_lacking(present, connection, saved, copied)
            if table is not None:
                raise _older(present, f"it lacks rows of the table {table} that are there now")
            if _rank(now) > _rank(rows):
                raise _older(present, "what is there now took a later step, or deleted its answers")
            if int(now.get(GENERATION, 0)) > int(rows.get(GENERATION, 0)):
                raise _older(present, "what is there now counts more commits")
        elif GENERATION not in rows and as_state(rows["state"]) in NOT_CLOSED - {State.DRAFT}:
            raise _older(present, "it took answers when it was copied, and those that came since are lost")
    if GENERATION in rows and int(rows[GENERATION]) < anchor.read():
        raise _older(present, "its anchor has counted more commits")


def _rank(rows: Mapping[str, str]) -> tuple[int, bool]:
    states = list(State)
    return states.index(as_state(rows.get("state", State.DRAFT))), DELETED_ON in rows


def _survey(connection: Connection) -> dict[str, str]:
    found = connection.execute("SELECT name, value FROM survey").fetchall()
    return {name: value for name, value in found if name != MOVED_FROM}


def _copy_files(source: Path, target: Path, *, databases: bool = False) -> None:
    """The plain files of a survey's folder; what is there already gives way."""
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if any(part.startswith(".new-") for part in inside.parts) or path.is_symlink():
            continue
        if path.is_dir():
            (target / inside).mkdir(mode=0o700, exist_ok=True)
        elif databases or not path.name.endswith((".sqlite", ".sqlite-journal", ".lock")):
            with files.new_file(target / inside) as work:
                shutil.copyfile(path, work)


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                yield path.relative_to(folder).as_posix(), hashlib.file_digest(stream, "sha256").hexdigest()


def _older(present: Database, why: str) -> StorageError:
    return StorageError(
        f"the backup is older than what it would replace: {why}",
        where=name_of(present),
        remedy="Restore the newest backup. If there is none and the rest is lost, say so (--older): receipts"
        " that were given since are lost then, and an invited survey takes nothing more.",
        code="storage.older-backup",
    )


def _no_backup(backup: Path, why: str) -> InputError:
    return InputError(
        f"this is no backup: {why}",
        where=str(backup),
        expected="a folder that roomful backup made",
        code="input.backup",
    )


def _changed(backup: Path) -> InputError:
    return InputError(
        f"files of the backup are not as {MANIFEST} says",
        where=str(backup),
        remedy="Take another copy of it.",
        code="input.backup",
    )
