"""What PostgreSQL keeps: every acknowledged answer, and nothing of the order in which they came."""

from __future__ import annotations

import hashlib
import http.client
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from server.collection.config import Config
from server.collection.storage.anchor import Anchor
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import databases_at
from server.collection.storage.inspecting import with_other_columns
from server.collection.storage.registrar import REGISTRAR_NAME, RegistrarStore, delete_codes
from server.collection.storage.schema import fields_of
from server.collection.storage.store import DATABASE_NAME, SurveyStore
from shared.errors import SetupError, StateError, StorageError
from tests.conftest import PROJECT
from tests.postgres import PostgresServer, why_not
from tests.programs import free_port
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing
from tests.server.collection.web.process import ServerProcess
from tests.server.collection.web.token_requests import ask
from tests.waiting import until

GUIDE = (PROJECT / "docs" / "operator-guide.md").read_text()
pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    own = PostgresServer("wal_recycle = off")
    yield own
    own.end()


@pytest.fixture
def config(server: PostgresServer) -> Iterator[Config]:
    yield Config(database=server.url, quiet_seconds=60)
    with _admin(server) as raw:
        for (schema,) in raw.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'roomful%'"
        ).fetchall():
            raw.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def data(config: Config, tmp_path: Path) -> Iterator[DataDirectory]:
    with config.open_data(tmp_path / "data") as directory:
        yield directory


@pytest.fixture
def store(data: DataDirectory) -> SurveyStore:
    survey = data.survey(data.publish(sample.envelope(), sample.MODEL))
    survey.open()
    return survey


@pytest.mark.parametrize("number", [1, 256, 257, 2000])
def test_many_rows_go_in_as_they_are(data: DataDirectory, store: SurveyStore, number: int) -> None:
    """Few by one statement, many by COPY, whose text has signs of its own."""
    database = data.database(store.id, DATABASE_NAME)
    texts = ("", "a\tb\nc\\N", "\\.", "\u00e4'\"", "NULL")
    rows = [(n.to_bytes(16, "big"), n % 12, texts[n % len(texts)]) for n in range(number)]
    with closing(database.connect()) as connection:
        with database.transaction(connection) as written:
            written.executemany("INSERT INTO answer (key, cell, answers) VALUES (?, ?, ?)", rows)
        assert connection.execute("SELECT * FROM answer ORDER BY key").fetchall() == rows
        with pytest.raises(StorageError), database.transaction(connection) as written:
            written.executemany("INSERT INTO answer VALUES (?, ?, ?)", rows)


def _admin(server: PostgresServer) -> Any:
    import psycopg

    return psycopg.connect(server.url, autocommit=True)


def _rows(server: PostgresServer, store: SurveyStore, table: str) -> list[tuple[str, str, bytes]]:
    """Transaction, place and key of each row."""
    query = f"SELECT xmin::text, ctid::text, t.* FROM roomful_{store.id}_answers.{table} t ORDER BY t.ctid"  # noqa: S608
    with _admin(server) as raw:
        return list(raw.execute(query))


def _pages(server: PostgresServer, store: SurveyStore, table: str) -> bytes:
    with _admin(server) as raw:
        name = f"roomful_{store.id}_answers.{table}"
        raw.execute("CHECKPOINT")
        place = raw.execute("SELECT pg_relation_filepath(%s)", (name,)).fetchone()[0]
    return (server.data / place).read_bytes()


def test_no_file_lies_in_the_data_directory(store: SurveyStore, data: DataDirectory) -> None:
    store.submit(sample.message())
    assert not list(data.path.rglob("*.sqlite*"))


def test_the_real_schema_is_the_list_and_the_layout(
    store: SurveyStore, data: DataDirectory, server: PostgresServer
) -> None:
    with _admin(server) as raw:
        found = raw.execute(
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = %s",
            (f"roomful_{store.id}_answers",),
        ).fetchall()
    ours = {field.name for field in fields_of(invited=False)} | {"layout.version", "layout.dirty"}
    assert {name for (name,) in found} == ours
    assert with_other_columns(data) == ()
    with _admin(server) as raw:
        raw.execute(f"ALTER TABLE roomful_{store.id}_answers.answer ADD COLUMN at timestamp DEFAULT now()")
    assert with_other_columns(data) == (f"{store.id}/answers.sqlite",)


def test_a_sweep_takes_transactions_and_places_out(store: SurveyStore, server: PostgresServer) -> None:
    for _ in range(60):
        store.submit(sample.message())
    before = _rows(server, store, "answer")
    assert len({row[0] for row in before}) == 60  # the danger is real: each tells when it came
    assert [row[2] for row in before] != sorted(row[2] for row in before)
    old = {int(row[0]) for row in before}
    store.sweep()
    for table in ("answer", "receipt", "survey", "layout"):
        after = _rows(server, store, table)
        assert len({row[0] for row in after}) == 1
        assert [row[2] for row in after] == sorted(row[2] for row in after)
        page = _pages(server, store, table)[:8192]
        # The raw headers, also of dead rows, as they lie on the disk: t_xmin is the first number of a tuple.
        lower = int.from_bytes(page[12:14], "little")
        pointers = [int.from_bytes(page[at : at + 4], "little") for at in range(24, lower, 4)]
        headers = {int.from_bytes(page[p & 0x7FFF :][:4], "little") for p in pointers}
        assert headers == {int(after[0][0])}
        assert not headers & old
        places = [p & 0x7FFF for p in pointers]
        assert places == sorted(places, reverse=True)  # one after the other, by key
    assert store.settings()["user_version"] == 0


def test_the_canary_of_a_deleted_answer_is_in_no_table(store: SurveyStore, server: PostgresServer) -> None:
    store.submit(sample.message(remark="the-canary-stays"))
    assert b"the-canary-stays" in _pages(server, store, "answer")
    with _admin(server) as raw:
        raw.execute(f"DELETE FROM roomful_{store.id}_answers.answer")  # noqa: S608
    assert b"the-canary-stays" in _pages(server, store, "answer")  # as a dead row
    store.sweep()
    assert _pages(server, store, "answer") == b""


def test_deleted_answers_are_in_no_file_of_the_server(
    config: Config, server: PostgresServer, tmp_path: Path
) -> None:
    """A DELETE, and the first look at rows that were, copy whole pages into the write-ahead log."""
    clock = sample.Clock(date(2030, 1, 31))
    with DataDirectory(
        tmp_path / "data", quiet_seconds=60, today=clock, databases=databases_at(config.database)
    ) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        for _ in range(30):
            receipt = store.submit(sample.message(remark="the-canary-of-the-log" + "x" * 150))
        store.close()
        with _admin(server) as raw:
            raw.execute("CHECKPOINT")
        assert files_containing(server.folder, b"the-canary-of-the-log")
        clock.day = store.retention.delete_on or date.max
        assert store.expire() == 30
        assert files_containing(server.folder, b"the-canary-of-the-log") == []
        assert files_containing(server.folder, bytes.fromhex(receipt)) == []


def test_what_a_killed_server_left_is_found_as_the_guide_says(
    store: SurveyStore, server: PostgresServer
) -> None:
    """Files of a copy that was never committed stay, and no table has them."""
    find = "SELECT file FROM" + GUIDE.partition("    SELECT file FROM")[2].partition(";")[0]
    for _ in range(30):
        store.submit(sample.message(remark="the-canary-of-a-killed-server"))
    with closing(_admin(server)) as raw:
        raw.execute("CHECKPOINT")
        assert raw.execute(find).fetchall() == []
        raw.execute(f"SET search_path TO roomful_{store.id}_answers")
        raw.execute("BEGIN")
        raw.execute("CREATE TABLE new_answer (LIKE answer INCLUDING ALL)")
        raw.execute("INSERT INTO new_answer SELECT * FROM answer ORDER BY 1")
        with _admin(server) as other:
            other.execute("CHECKPOINT")
        server.stop()
    server.start()
    store.sweep()
    with _admin(server) as raw:
        raw.execute("CHECKPOINT")
        left = {name for (name,) in raw.execute(find).fetchall()}
    found = files_containing(server.folder, b"the-canary-of-a-killed-server")
    assert left & {Path(path).name for path in found}


def test_no_statistics_hold_answers(store: SurveyStore, server: PostgresServer) -> None:
    """They lie in a catalogue, as dead rows too, when the table is gone; PostgreSQL makes them by itself."""
    query = (
        "SELECT tablename, attname FROM pg_stats WHERE schemaname LIKE 'roomful%' AND tablename <> 'layout'"
    )
    for number in range(60):
        store.submit(sample.message(remark=f"the-canary-of-statistics-{number % 3}"))
    with _admin(server) as raw:
        raw.execute("ANALYZE")
        assert raw.execute(query).fetchall() == []
        store.sweep()
        raw.execute("ANALYZE")
        assert raw.execute(query).fetchall() == []


def test_codes_that_are_deleted_are_in_no_file_of_the_server(
    data: DataDirectory, server: PostgresServer, tmp_path: Path
) -> None:
    database = data.database("ab" * 8, REGISTRAR_NAME)
    anchor = Anchor(path=tmp_path / "anchor", name="registrar")
    RegistrarStore.create(database, digest="ab" * 32, anchor=anchor)
    codes = [hashlib.sha256(b"%d" % number).digest() for number in range(50)]
    with RegistrarStore(database, digest="ab" * 32, anchor=anchor, quiet_seconds=60) as store:
        store.add([codes], people=50)
        with _admin(server) as raw:
            raw.execute("CHECKPOINT")
        assert files_containing(server.folder, codes[0])
        delete_codes(database)
        assert files_containing(server.folder, codes[0]) == []


def test_many_rows_that_are_refused_stand_in_no_log(
    data: DataDirectory, store: SurveyStore, server: PostgresServer
) -> None:
    """Of a COPY of text that breaks off the server logs a row, and when it came."""
    rows = [(n.to_bytes(16, "big"), "the-canary-of-the-copy", "") for n in range(300)]  # no number
    database = data.database(store.id, DATABASE_NAME)
    with (
        closing(database.connect()) as connection,
        pytest.raises(StorageError),
        database.transaction(connection) as written,
    ):
        written.executemany("INSERT INTO answer (key, cell, answers) VALUES (?, ?, ?)", rows)
    log = (server.folder / "log").read_bytes()
    assert b"COPY answer" in log
    assert b"the-canary-of-the-copy" not in log


def test_closing_ends_the_submissions_and_sweeps(store: SurveyStore) -> None:
    message = sample.message(cell=1, health="bad", remark="x")
    receipt = store.submit(message)
    store.close()
    assert store.settings()["user_version"] == 0
    assert store.submit(message) == receipt  # a repeat
    with pytest.raises(StateError):
        store.submit(sample.message())
    assert list(store.answers()) == [(1, {"health": "bad", "remark": "x"})]
    assert store.total() == 1


def test_two_collectors_share_one_survey(store: SurveyStore, config: Config, tmp_path: Path) -> None:
    with config.open_data(tmp_path / "second") as second:
        other = second.survey(second.publish(sample.envelope(), sample.MODEL))
        messages = [sample.message() for _ in range(200)]
        with ThreadPoolExecutor(16) as pool:
            one = pool.map(store.submit, messages)
            two = pool.map(other.submit, messages)
            receipts = {*one, *two}
        assert len(receipts) == store.total() == other.total() == 200  # each once, though both got it
        store.close()
        with pytest.raises(StateError):
            other.submit(sample.message())


def test_a_database_that_restarts_loses_nothing_acknowledged(config: Config, tmp_path: Path) -> None:
    own = PostgresServer()
    try:
        with Config(database=own.url, quiet_seconds=60).open_data(tmp_path / "own") as data:
            store = data.survey(data.publish(sample.envelope(), sample.MODEL))
            store.open()
            acknowledged: list[str] = []
            done = threading.Event()

            def flood(_number: int) -> None:
                while not done.is_set():
                    try:
                        acknowledged.append(store.submit(sample.message()))
                    except StorageError:
                        done.wait(0.05)

            with ThreadPoolExecutor(9) as pool:
                for number in range(8):
                    pool.submit(flood, number)
                while len(acknowledged) < 50:
                    done.wait(0.01)
                own.stop()
                own.start()
                reached = len(acknowledged)
                while len(acknowledged) < reached + 50:
                    done.wait(0.01)
                done.set()
            assert len(set(acknowledged)) == len(acknowledged)
            assert all(map(store.has_receipt, acknowledged))
            with closing(store._database.connect()) as connection:
                answers = connection.execute("SELECT count(*) FROM answer").fetchone()[0]
            assert store.total() == answers >= len(acknowledged)
    finally:
        own.end()


@pytest.mark.parametrize("number", [0, 1, 3, 1024, 1025])
def test_any_number_of_rows_is_inserted_whole(store: SurveyStore, number: int) -> None:
    rows = [(n.to_bytes(16, "big"), 2**40 * (n % 2), f"{n} (?, ?) %s") for n in range(number)]
    insert = "INSERT INTO answer VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    with closing(store._database.connect()) as held:
        with store._database.transaction(held) as connection:
            for _ in range(2):
                connection.executemany(insert, rows)
        assert held.execute("SELECT key, cell, answers FROM answer ORDER BY key").fetchall() == rows


def test_a_draft_that_is_taken_back_can_be_published_again(data: DataDirectory) -> None:
    survey = data.publish(sample.envelope(), sample.MODEL)
    data.discard(survey)
    assert data.survey(data.publish(sample.envelope(), sample.MODEL)).state == "draft"


def test_a_test_copy_is_not_taken_for_the_survey(store: SurveyStore, config: Config, tmp_path: Path) -> None:
    with config.open_data(tmp_path / "trial") as trial, pytest.raises(StateError) as caught:
        trial.publish(sample.envelope(), sample.MODEL, is_test=True)
    assert caught.value.code == "state.other-digest"


def test_an_address_of_something_else_is_refused() -> None:
    with pytest.raises(SetupError):
        Config(database="mysql://x/y")


def test_a_collector_that_is_killed_loses_nothing_acknowledged(
    store: SurveyStore, data: DataDirectory, config: Config, tmp_path: Path
) -> None:
    ports = (free_port(), free_port())
    with config.open_data(tmp_path / "second") as second:
        second.publish(sample.envelope(), sample.MODEL)
    path = f"/api/v1/surveys/{store.id}/submissions"
    environment = {"ROOMFUL_SERVER_DATABASE": config.database}
    acknowledged: list[str] = []
    done = threading.Event()

    def flood(number: int) -> None:
        while not done.is_set():
            number += 1
            message = sample.message()
            try:
                answer = ask(ports[number % 2], message, path=path)
            except (OSError, http.client.HTTPException):
                done.wait(0.02)
                continue
            if answer[0] == 201:
                acknowledged.append(hashlib.sha256(message).hexdigest())

    def more(number: int) -> None:
        reached = len(acknowledged)
        until(lambda: len(acknowledged) >= reached + number)

    with (
        ServerProcess(data.path, ports[0], environment=environment, processes=1) as first,
        ServerProcess(tmp_path / "second", ports[1], environment=environment, processes=1),
        ThreadPoolExecutor(8) as pool,
    ):
        try:
            for number in range(8):
                pool.submit(flood, number)
            more(100)
            for worker in first.workers():
                os.kill(worker, signal.SIGKILL)
            more(100)
        finally:
            done.set()
    assert len(set(acknowledged)) == len(acknowledged) >= 200
    assert all(map(store.has_receipt, acknowledged))
    store.close()
    assert len(list(store.answers())) == store.total()
