"""Files of an older version are brought up to date, and those of a newer one are left alone."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from server.collection.storage import database as db
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import DATABASE_NAME, SurveyStore
from shared.errors import StorageError
from tests.server.collection.storage import sample
from tests.server.collection.storage.ballots import publish


def value(path: Path, pragma: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def mark(path: Path, layout: int) -> None:
    """As another version of the program, or another program, would have made it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id={layout}")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An open survey with three answers, which nobody has open now."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        for _ in range(3):
            store.submit(sample.message())
        return store.published.folder / DATABASE_NAME


def total(file: Path) -> int | None:
    with DataDirectory(file.parents[2], quiet_seconds=60) as data:
        store: SurveyStore = data.survey(file.parent.name)
        store.submit(sample.message())
        return store.total()


def test_new_files_have_the_layout_of_this_version(file: Path, tmp_path: Path) -> None:
    assert value(file, "application_id") == db.LAYOUT
    with DataDirectory(tmp_path / "invited") as data:
        publish(data)
    files = list((tmp_path / "invited").rglob("*.sqlite"))
    assert len(files) == 2
    assert {value(path, "application_id") for path in files} == {db.LAYOUT}


def test_a_file_without_a_version_is_the_first_and_keeps_its_answers(file: Path) -> None:
    mark(file, 0)
    assert total(file) == 4
    assert value(file, "application_id") == db.LAYOUT


@pytest.mark.parametrize("layout", [db.LAYOUT + 1, db.LAYOUT + 200])
def test_a_newer_file_is_refused_and_left_as_it_is(file: Path, layout: int) -> None:
    mark(file, layout)
    before = file.read_bytes()
    with pytest.raises(StorageError, match="newer version") as caught:
        total(file)
    assert caught.value.code == "storage.newer"
    assert file.read_bytes() == before


@pytest.mark.parametrize("layout", [1, db.LAYOUT + 2**16, -1])
def test_a_file_of_another_program_is_refused(file: Path, layout: int) -> None:
    mark(file, layout)
    with pytest.raises(StorageError, match="not a survey's") as caught:
        total(file)
    assert caught.value.code == "storage.corrupt"


def test_steps_are_done_once_in_order_by_however_many(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "LAYOUT", db.LAYOUT + 2)
    first = "INSERT INTO survey VALUES ('first', 'x')"
    monkeypatch.setattr(db, "_UPGRADES", {
        db.LAYOUT - 3: (),
        db.LAYOUT - 2: (first,),
        db.LAYOUT - 1: ("UPDATE survey SET value = value || 'y' WHERE name = 'first'",),
    })  # fmt: skip

    def look() -> None:
        db.connect(file).close()

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(db.connect(file)) as connection:
        assert connection.execute("SELECT value FROM survey WHERE name = 'first'").fetchall() == [("xy",)]
    assert total(file) == 4


def test_a_step_that_fails_leaves_nothing_half_done(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "LAYOUT", db.LAYOUT + 1)
    steps = ("INSERT INTO survey VALUES ('half', 'x')", "INSERT INTO nothing VALUES (1)")
    monkeypatch.setattr(db, "_UPGRADES", {db.LAYOUT - 1: steps})
    with pytest.raises(StorageError):
        db.connect(file)
    monkeypatch.undo()
    with closing(db.connect(file)) as connection:
        assert connection.execute("SELECT value FROM survey WHERE name = 'half'").fetchall() == []
    assert total(file) == 4
