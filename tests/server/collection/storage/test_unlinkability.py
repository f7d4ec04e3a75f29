"""What somebody learns who takes the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from server.collection.storage import database as db
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from shared.errors import StateError, StorageError
from shared.submission import decode
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing, order_in_pages
from tests.waiting import until


def _in_key_order(path: Path) -> bool:
    return all(keys == sorted(keys) for keys in order_in_pages(path))


def test_a_sweep_takes_the_order_of_arrival_out_of_the_pages(store: SurveyStore) -> None:
    path = store.published.folder / "answers.sqlite"
    for _ in range(60):
        store.submit(sample.message(remark="x" * 40))
    assert not _in_key_order(path)  # the danger is real: this test would notice it
    store.sweep()
    assert _in_key_order(path)
    assert sum(map(len, order_in_pages(path))) == 60


def test_the_database_is_swept_when_it_is_quiet(tmp_path: Path) -> None:
    with DataDirectory(tmp_path, quiet_seconds=0.2) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        for _ in range(40):
            store.submit(sample.message())
        until(lambda: store.settings()["user_version"] == 0)
        assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_at_closing(store: SurveyStore) -> None:
    for _ in range(40):
        store.submit(sample.message())
    store.close()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_when_the_store_ends(store: SurveyStore) -> None:
    for _ in range(40):
        store.submit(sample.message())
    store.end()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_before_serving_after_a_crash(store: SurveyStore, data: DataDirectory) -> None:
    for _ in range(40):
        store.submit(sample.message())
    assert store.settings()["user_version"] == 1
    with DataDirectory(data.path) as restarted:
        assert restarted.settle() == ()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_keys_say_nothing_about_arrival(store: SurveyStore) -> None:
    """The rank of each key among 200 is uniform: its correlation with arrival is that of chance."""
    for number in range(200):
        store.submit(sample.message(remark=f"{number:04}"))
    store.close()
    ranks = [int(answers["remark"]) for _, answers in store.answers()]
    concordant = sum(a < b for i, a in enumerate(ranks) for b in ranks[i + 1 :])
    pairs = 200 * 199 / 2
    tau = 2 * concordant / pairs - 1
    assert abs(tau) < 0.3  # six standard deviations


def test_padding_and_message_are_not_kept(store: SurveyStore, data: DataDirectory) -> None:
    message = sample.message(remark="the-canary-stays")
    store.submit(message)
    store.sweep()
    padding = message.rpartition(b'"padding":"')[2][:40]
    assert files_containing(data.path, b"the-canary-stays") == [f"surveys/{store.id}/answers.sqlite"]
    assert files_containing(data.path, padding) == []
    assert files_containing(data.path, message[:60]) == []
    assert decode(message, sample.MESSAGE_BYTES).cell == 0


def test_a_refused_submission_leaves_no_byte(store: SurveyStore, data: DataDirectory) -> None:
    store.submit(sample.message())
    store.close()
    with pytest.raises(StateError) as caught:
        store.submit(sample.message(remark="late-canary"))
    assert "late-canary" not in repr(caught.value) + str(caught.value)
    assert files_containing(data.path, b"late-canary") == []


def test_a_long_flood_is_swept_in_between(store: SurveyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of at most so many rows is in the pages, however long nobody pauses."""
    monkeypatch.setattr(store._writer, "_sweep_after", 30)
    monkeypatch.setattr("server.collection.storage.writer.SWEEP_ROWS", 30)
    for _ in range(31):
        store.submit(sample.message())
    assert store._writer._unswept == 1
    pages = order_in_pages(store.published.folder / "answers.sqlite")
    assert sum(a > b for keys in pages for a, b in pairwise(keys)) <= 1  # only the last one lies out of order


def test_a_sweep_that_fails_is_postponed_and_nothing_is_lost(
    store: SurveyStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_database: object) -> bool:
        raise StorageError("the disk is full", code="storage.full")

    with monkeypatch.context() as patch:
        patch.setattr(db, "sweep", full)
        patch.setattr(store._writer, "_sweep_after", 1)
        for _ in range(3):
            store.submit(sample.message())
    assert "sweep-postponed storage.full" in caplog.text
    assert store.total() == 3
    store.submit(sample.message())
    store.end()
    path = store.published.folder / "answers.sqlite"
    assert _in_key_order(path)


class _Overtaken:
    """A connection at whose VACUUM another writer comes in between."""

    def __init__(self, connection: sqlite3.Connection, meanwhile: Callable[[], object]) -> None:
        self._connection, self._meanwhile = connection, meanwhile

    def execute(self, statement: str) -> sqlite3.Cursor:
        result = self._connection.execute(statement)
        if statement == "VACUUM":
            self._meanwhile()
        return result

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


def test_a_sweep_that_another_writer_overtook_is_not_taken_for_done(store: SurveyStore) -> None:
    store.submit(sample.message())
    database = db.connect(store.published.folder / "answers.sqlite")
    overtaken = _Overtaken(database, lambda: store.submit(sample.message()))
    assert db.sweep(overtaken) is False  # type: ignore[arg-type] # all that it uses
    assert db.settings(database)["user_version"] == db.DIRTY
    assert db.sweep(database) is True
    assert db.sweep(database) is False  # nothing to do
    database.close()
    assert store.total() == 2
