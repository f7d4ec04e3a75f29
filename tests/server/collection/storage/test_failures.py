"""Damaged, locked, full and read-only: each has a name, and nothing is acknowledged that is not stored."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from server import files
from server.collection.storage import database as db
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from shared.errors import RoomfulError, StorageError
from tests.server.collection.storage import sample


def _reopened(store: SurveyStore, data: DataDirectory) -> SurveyStore:
    with DataDirectory(data.path) as fresh:
        return fresh.survey(store.id)


def test_a_full_database_acknowledges_nothing_and_recovers(store: SurveyStore) -> None:
    store.submit(sample.message())
    assert store._writer._connection is not None
    pages = store._writer._connection.execute("PRAGMA page_count").fetchone()[0]
    store._writer._connection.execute(f"PRAGMA max_page_count={pages}")

    def fill() -> None:
        for _ in range(200):
            store.submit(sample.message(remark="y" * 200))

    with pytest.raises(StorageError) as caught:
        fill()
    assert caught.value.code == "storage.full"
    total = store.total()
    store.check()
    store.submit(sample.message())  # there is space again: a new connection has no such limit
    assert store.total() == total + 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "storage.corrupt"),
        (b"text", "storage.corrupt"),
        (b"SQLite format 3\0" + b"\xff" * 9000, "storage.corrupt"),
    ],
)
def test_a_damaged_database_is_named(
    store: SurveyStore, data: DataDirectory, content: bytes, code: str
) -> None:
    (store.published.folder / "answers.sqlite").write_bytes(content)
    with pytest.raises(StorageError) as caught:
        _reopened(store, data)
    assert caught.value.code == code


def test_damage_in_the_middle_is_found_by_the_check(store: SurveyStore, data: DataDirectory) -> None:
    for _ in range(60):
        store.submit(sample.message(remark="z" * 200))
    store.end()
    path = store.published.folder / "answers.sqlite"
    content = bytearray(path.read_bytes())
    content[3 * 4096 : 3 * 4096 + 512] = b"\xaa" * 512
    path.write_bytes(content)
    with DataDirectory(data.path) as fresh:
        assert [error.code for _, error in fresh.settle()] == ["storage.corrupt"]


@pytest.mark.parametrize(
    ("step", "said", "state"),
    [("_step", "the survey is still open", State.OPEN), ("sweep", "the survey is closed", State.CLOSED)],
)
def test_closing_on_a_full_disk_says_what_it_left(
    store: SurveyStore, monkeypatch: pytest.MonkeyPatch, step: str, said: str, state: State
) -> None:
    def full(*_: object) -> None:
        raise StorageError("the disk is full", remedy="Free some space.", code="storage.full")

    with monkeypatch.context() as patch:
        patch.setattr(SurveyStore, step, full)
        with pytest.raises(StorageError, match=f"{said}.*: the disk is full") as caught:
            store.close()
    assert caught.value.code == "storage.full"
    assert store.state is state


@pytest.mark.parametrize("missing", ["answers.sqlite", "specification.dsse.json"])
def test_a_missing_file_is_named(store: SurveyStore, data: DataDirectory, missing: str) -> None:
    (store.published.folder / missing).unlink()
    with pytest.raises(RoomfulError) as caught:
        _reopened(store, data)
    assert caught.value.code in ("not-found", "storage.disk")


def test_a_database_that_another_process_holds_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.touch()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    database = None
    with pytest.raises(StorageError) as caught:
        database = db.connect(path, busy_seconds=0.1)
    assert caught.value.code == "storage.locked"
    assert database is None
    holder.close()


def test_an_unknown_state_in_the_database_is_damage(store: SurveyStore) -> None:
    connection = sqlite3.connect(store.published.folder / "answers.sqlite")
    connection.execute("UPDATE survey SET value = 'ajar' WHERE name = 'state'")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError) as caught:
        _ = store.state
    assert caught.value.code == "storage.corrupt"
    with pytest.raises(StorageError) as caught:
        store.submit(sample.message())
    assert caught.value.code == "storage.corrupt"


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (sqlite3.SQLITE_BUSY, "storage.locked"),
        (sqlite3.SQLITE_FULL, "storage.full"),
        (sqlite3.SQLITE_READONLY, "storage.read-only"),
        (sqlite3.SQLITE_IOERR | (4 << 8), "storage.disk"),
        (sqlite3.SQLITE_CORRUPT, "storage.corrupt"),
        (sqlite3.SQLITE_CANTOPEN, "storage.missing"),
        (sqlite3.SQLITE_MISUSE, "storage.failed"),
    ],
)
def test_results_of_the_driver_are_named_without_its_words(result: int, code: str) -> None:
    error = sqlite3.OperationalError("near 'the canary': syntax error")
    error.sqlite_errorcode = result
    named = db.storage_error(error)
    assert named.code == code
    assert "canary" not in str(named)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "storage.full"),
        (errno.EROFS, "storage.read-only"),
        (errno.EACCES, "storage.read-only"),
        (errno.EIO, "storage.disk"),
    ],
)
def test_errors_of_the_file_system_are_named(number: int, code: str) -> None:
    with pytest.raises(StorageError) as caught, files.named_file_errors("there"):
        raise OSError(number, "x")
    assert caught.value.code == code
    assert caught.value.where == "there"


def test_a_folder_appears_in_full_or_not_at_all(tmp_path: Path) -> None:

    def fail() -> None:
        with files.new_folder(tmp_path / "target") as work:
            files.write_new(work / "a", b"1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []
    with files.new_folder(tmp_path / "target") as work:
        files.write_new(work / "a", b"1")
    assert (tmp_path / "target" / "a").read_bytes() == b"1"


def test_replacing_a_file_keeps_the_old_one_on_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    files.replace(path, b"new")
    assert path.read_bytes() == b"new"

    def fail(_descriptor: int) -> None:
        raise OSError(errno.EIO, "x")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError):
        files.replace(path, b"newer")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
