"""Answers are deleted on the day that was promised, not before, and whatever happens in between."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from server import files
from server.collection.storage import database as db
from server.collection.storage import forgetting, registrar
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.retention import EARLIEST_DAY, Retention, utc_today
from server.collection.storage.server_keys import key_paths
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from shared.errors import SetupError, StateError, StorageError
from tests.invited import used_codes
from tests.server.collection.storage import ballots, sample
from tests.server.collection.storage.raw_bytes import files_containing
from tests.server.collection.storage.sample import Clock

CLOSED = date(2030, 1, 31)
DAYS = 365
DUE = CLOSED + timedelta(days=DAYS)
CANARY = "the-canary-of-the-retention"


@pytest.fixture
def clock() -> Clock:
    return Clock(CLOSED)


@pytest.fixture
def data(tmp_path: Path, clock: Clock) -> Iterator[DataDirectory]:
    """A data directory with a clock of its own."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60, today=clock) as directory:
        yield directory


@pytest.fixture
def closed(store: SurveyStore) -> SurveyStore:
    """A survey that was closed with fifty answers on CLOSED."""
    for number in range(50):
        store.submit(sample.message(remark=f"{CANARY}-{number}" + "x" * 150))
    store.close()
    return store


def _release(folder: Path) -> Path:
    folder.mkdir()
    (folder / "microdata.csv").write_text("a\n")
    return folder


@pytest.mark.parametrize("day", [CLOSED, DUE - timedelta(days=1)])
def test_nothing_is_deleted_before_the_day(closed: SurveyStore, clock: Clock, day: date) -> None:
    clock.day = day
    assert closed.expire() is None
    assert not closed.is_overdue()
    assert closed.total() == len(list(closed.answers())) == 50
    assert closed.retention == Retention(days=DAYS, closed_on=CLOSED, deleted_on=None)
    assert closed.retention.delete_on == DUE


def test_a_clock_long_before_closing_deletes_nothing_then_or_when_it_is_right(
    closed: SurveyStore, clock: Clock
) -> None:
    for day in (CLOSED - timedelta(days=400), CLOSED, DUE - timedelta(days=1)):
        clock.day = day
        assert closed.expire() is None
        assert not closed.is_overdue()
        assert closed.total() == 50
    assert closed.retention.delete_on == DUE


@pytest.mark.parametrize("day", [DUE, DUE + timedelta(days=1), date.max])
def test_everything_is_deleted_on_the_day_and_after(
    closed: SurveyStore, data: DataDirectory, clock: Clock, day: date
) -> None:
    assert files_containing(data.path, CANARY.encode()) == [f"surveys/{closed.id}/answers.sqlite"]
    clock.day = day
    assert closed.is_overdue()
    assert closed.expire() == 50
    assert files_containing(data.path, CANARY.encode()) == []
    assert closed.total() is None
    assert not closed.is_overdue()
    assert closed.retention == Retention(days=DAYS, closed_on=CLOSED, deleted_on=day)
    assert closed.state is State.CLOSED
    assert closed.published.digest == sample.digest()
    assert closed.settings()["user_version"] == db.CLEAN
    assert (closed.published.folder / "answers.sqlite").stat().st_size < 5 * 4096
    closed.check()


def test_deleting_twice_deletes_once(closed: SurveyStore, data: DataDirectory, clock: Clock) -> None:
    clock.day = DUE
    assert closed.expire() == 50
    clock.day = DUE + timedelta(days=9)
    assert closed.expire() is None
    with DataDirectory(data.path, today=clock) as elsewhere:
        assert elsewhere.expire() == ()
        assert elsewhere.settle() == ()
        assert elsewhere.survey(closed.id).retention.deleted_on == DUE


CODES = used_codes(5)


@pytest.fixture
def invited(data: DataDirectory) -> SurveyStore:
    """A closed survey on a server that is registrar and collector."""
    store = ballots.store_of(data)
    data.registrar(store.id).spend(CODES[0], b"blinded")
    data.registrar(store.id).ask_for_waiting("2030-01-30")
    store.submit(ballots.sealed(1))
    store.close()
    return store


def _secrets(store: SurveyStore) -> list[Path]:
    """Files with a private key, the proof of a code, or a request in them."""
    folder = store.published.folder
    keys = [path.read_bytes() for path in key_paths(folder) if path.is_file()] or [b"-----BEGIN"]
    found = [*keys, *CODES, hashlib.sha256(b"blinded").digest(), b"2030-01-30"]
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if any(secret in path.read_bytes() for secret in found)]


def test_keys_and_codes_are_deleted_with_the_ballots(
    invited: SurveyStore, data: DataDirectory, clock: Clock
) -> None:
    folder = invited.published.folder
    (folder / "keys" / ".new-interrupted").write_bytes((folder / "keys" / "tokens.pem").read_bytes())
    assert invited.expire() is None
    assert len(_secrets(invited)) == 4
    clock.day = DUE
    assert invited.expire() == 1
    assert _secrets(invited) == []
    assert not (folder / "keys").exists()
    assert (data.registrar(invited.id).issued(), data.registrar(invited.id).invited()) == (0, 0)
    assert invited.expire() is None


@pytest.mark.parametrize(
    "moment", ["before the keys", "between the keys", "before the codes", "before the sweep"]
)
def test_interrupted_deleting_of_keys_and_codes_is_taken_up_again(
    invited: SurveyStore, clock: Clock, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    clock.day = DUE

    def fail(*_: object) -> None:
        raise StorageError("the power failed", code="storage.disk")

    with monkeypatch.context() as patch:
        if moment == "before the keys":
            patch.setattr(files, "erase", fail)
        elif moment == "between the keys":
            patch.setattr(Path, "rmdir", fail)
        elif moment == "before the codes":
            patch.setattr(forgetting, "delete_codes", fail)
        else:
            patch.setattr(registrar.db, "sweep", lambda *_: None)
        with contextlib.suppress(StorageError):
            invited.expire()
    invited.expire()
    assert _secrets(invited) == []


def test_a_key_that_is_put_back_later_is_deleted_again(
    invited: SurveyStore, clock: Clock, tmp_path: Path
) -> None:
    clock.day = DUE
    assert invited.expire() == 1
    keys = invited.published.folder / "keys"
    keys.mkdir()
    other = tmp_path / "elsewhere.pem"
    other.write_bytes(b"somebody else's")
    (keys / "tokens.pem").symlink_to(other)
    assert invited.expire() is None
    assert not keys.exists()
    assert other.read_bytes() == b"somebody else's"


def test_a_clock_that_goes_back_brings_nothing_back(closed: SurveyStore, clock: Clock) -> None:
    clock.day = DUE
    closed.expire()
    clock.day = CLOSED
    assert closed.total() is None
    with pytest.raises(StateError) as caught:
        closed.answers()
    assert caught.value.code == "state.expired"


def test_answers_are_not_read_from_the_day_on_even_if_nobody_deleted_them(
    closed: SurveyStore, clock: Clock
) -> None:
    clock.day = DUE
    with pytest.raises(StateError) as caught:
        closed.answers()
    assert caught.value.code == "state.expired"
    assert str(DUE) in caught.value.message


def test_receipts_are_gone_and_a_replay_is_refused(store: SurveyStore, clock: Clock) -> None:
    message = sample.message()
    receipt = store.submit(message)
    store.close()
    assert store.has_receipt(receipt)
    clock.day = DUE
    assert store.expire() == 1
    assert not store.has_receipt(receipt)
    with pytest.raises(StateError) as caught:
        store.submit(message)
    assert caught.value.code == "state.closed"
    assert store.total() is None


def test_the_published_release_stays(closed: SurveyStore, clock: Clock, tmp_path: Path) -> None:
    closed.mark_released(_release(tmp_path / "release"))
    clock.day = DUE
    assert closed.expire() == 50
    assert closed.state is State.RELEASED
    assert [file.path.read_text() for file in closed.published.released_files()] == ["a\n"]


@pytest.mark.parametrize("closes", [False, True])
def test_without_closing_nothing_is_ever_due(store: SurveyStore, clock: Clock, closes: bool) -> None:
    """There is no day of opening to count from."""
    store.submit(sample.message())
    clock.day = date(2150, 1, 1)
    assert store.retention.delete_on is None
    assert store.expire() is None
    assert store.total() == 1
    if closes:
        store.close()
        assert store.retention.delete_on == clock.day + timedelta(days=DAYS)


def test_requests_never_delete(closed: SurveyStore, data: DataDirectory, clock: Clock) -> None:
    """What requests call leaves the answers alone; the server's own thread does it."""
    clock.day = DUE
    with DataDirectory(data.path, today=clock) as elsewhere:
        store = elsewhere.survey(closed.id)
        assert store.state is State.CLOSED
        assert store.total() == 50
        assert not store.has_receipt("0" * 64)
        with pytest.raises(StateError):
            store.submit(sample.message())
        assert store.total() == 50


def test_the_start_of_a_server_deletes(closed: SurveyStore, data: DataDirectory, clock: Clock) -> None:
    clock.day = DUE
    with DataDirectory(data.path, today=clock) as restarted:
        assert restarted.settle() == ()
        assert restarted.survey(closed.id).total() is None
    assert files_containing(data.path, CANARY.encode()) == []


def test_one_survey_that_fails_does_not_keep_the_others(
    closed: SurveyStore, data: DataDirectory, clock: Clock
) -> None:
    bad = data.publish(sample.envelope("Bad"), sample.MODEL)
    (data.path / "surveys" / bad / "answers.sqlite").write_bytes(b"not a database" * 100)
    clock.day = DUE
    with DataDirectory(data.path, today=clock) as elsewhere:
        assert [(name, error.code) for name, error in elsewhere.expire()] == [(bad, "storage.corrupt")]
    assert closed.total() is None


def test_a_clock_in_the_past_closes_nothing(store: SurveyStore, clock: Clock) -> None:
    clock.day = EARLIEST_DAY - timedelta(days=1)
    with pytest.raises(SetupError) as caught:
        store.close()
    assert caught.value.code == "setup.clock"
    assert store.state is State.OPEN
    clock.day = EARLIEST_DAY
    store.close()
    assert store.retention.closed_on == EARLIEST_DAY


def test_a_survey_closed_before_days_were_stored_counts_from_the_first_look(
    closed: SurveyStore, clock: Clock
) -> None:
    _execute(closed, "DELETE FROM survey WHERE name = 'closed_on'")
    clock.day = DUE
    assert closed.expire() is None
    assert closed.retention.closed_on == DUE
    assert closed.total() == 50


def test_a_day_that_is_none_is_damage(closed: SurveyStore) -> None:
    _execute(closed, "UPDATE survey SET value = 'yesterday' WHERE name = 'closed_on'")
    with pytest.raises(StorageError) as caught:
        closed.expire()
    assert caught.value.code == "storage.corrupt"


def test_a_sweep_that_fails_is_made_up_for(
    closed: SurveyStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_database: object) -> bool:
        raise StorageError("the disk is full", code="storage.full")

    clock.day = DUE
    with monkeypatch.context() as patch:
        patch.setattr(db, "sweep", full)
        with pytest.raises(StorageError):
            closed.expire()
    assert closed.total() is None
    assert closed.settings()["user_version"] == db.DIRTY
    assert closed.expire() is None
    assert closed.settings()["user_version"] == db.CLEAN


#: Deletes in a process of its own, which kills itself as soon as a statement that begins so is run.
KILLED = """
import os, signal, sys
from datetime import date
from pathlib import Path
from server.collection.storage import database as db
from server.collection.storage import forgetting, registrar
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import key_paths

folder, survey, day, beginning = sys.argv[1:]
connect = db.connect

def traced(path, **options):
    database = connect(path, **options)
    def look(statement):
        if statement.startswith(beginning):
            os.kill(os.getpid(), signal.SIGKILL)
    database.set_trace_callback(look)
    return database

with DataDirectory(Path(folder), today=lambda: date.fromisoformat(day)) as data:
    store = data.survey(survey)
    db.connect = traced
    store.expire()
"""


@pytest.mark.parametrize(
    ("statement", "deleted_before"),
    [
        ("BEGIN IMMEDIATE", False),
        ("DELETE FROM answer", False),
        ("DELETE FROM receipt", False),
        ("INSERT INTO survey", False),
        ("COMMIT", False),
        (f"PRAGMA user_version={db.SWEEPING}", True),
        ("VACUUM", True),
        (f"PRAGMA user_version={db.CLEAN}", True),
    ],
)
def test_killed_at_any_moment_the_next_one_ends_the_work(
    closed: SurveyStore, data: DataDirectory, clock: Clock, statement: str, deleted_before: bool
) -> None:
    clock.day = DUE
    data.end()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(data.path), closed.id, DUE.isoformat(), statement],
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    store = data.survey(sample.digest())
    assert store.total() == (None if deleted_before else 50)
    if deleted_before:  # freed pages are overwritten by the deletion itself, not by the sweep alone
        assert files_containing(data.path, CANARY.encode()) == []
    assert store.expire() == (None if deleted_before else 50)
    assert store.total() is None
    assert store.settings()["user_version"] == db.CLEAN
    assert files_containing(data.path, CANARY.encode()) == []
    store.check()


def test_the_real_clock_gives_a_day_in_utc() -> None:
    assert utc_today() >= EARLIEST_DAY


def _execute(store: SurveyStore, statement: str) -> None:
    connection = sqlite3.connect(store.published.folder / "answers.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
