"""The pool's file: nothing is lost, nothing is doubled, and nothing of time or order is in it."""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.databases import databases_at
from server.collection.storage.relay import POOL_NAME, RelayStore
from server.collection.storage.schema import RELAY_FIELDS, RELAY_ROWS
from shared.errors import SetupError, StorageError
from tests.postgres import PostgresServer, why_not
from tests.server.collection.relay.conftest import DIGEST, Opening
from tests.server.collection.relay.survey import take_all
from tests.server.collection.storage.raw_bytes import files_containing

EVERY_DATABASE_BUT = frozenset(
    {
        "test_the_real_schema_is_the_list_and_nothing_else",
        "test_a_deleted_message_leaves_no_byte",
        "test_once_it_is_quiet_the_file_is_the_same_whatever_came_first",
        "test_another_survey_or_a_damaged_file_is_refused",
        "test_a_pool_that_is_open_elsewhere_is_refused",
        "test_a_sweep_takes_transactions_out_of_a_pool",
        "test_ballots_that_were_passed_on_are_in_no_file_of_the_server",
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def store(opening: Opening) -> Iterator[RelayStore]:
    with opening() as found:
        yield found


def bodies(number: int) -> list[bytes]:
    return [secrets.token_bytes(1509) for _ in range(number)]


def test_the_real_schema_is_the_list_and_nothing_else(store: RelayStore, folder: Path) -> None:
    connection = sqlite3.connect(folder / POOL_NAME)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    columns = {f"{n}.{c[1]}" for n in names for c in connection.execute(f"PRAGMA table_info({n})")}
    numbered = {row[1] for row in connection.execute("PRAGMA table_list") if row[4] == 0}
    rows = {row[0] for row in connection.execute("SELECT name FROM survey")}
    connection.close()
    assert columns == {field.name for field in RELAY_FIELDS}
    assert rows == set(RELAY_ROWS)
    assert numbered <= {"sqlite_schema", "sqlite_temp_schema"}


def test_the_same_bytes_are_kept_once_wherever_they_are(store: RelayStore) -> None:
    one, other = bodies(2)
    for _ in range(3):
        store.accept(one)
    assert store.totals().waiting == 1
    store.take()
    store.accept(one)
    store.accept(other)
    totals = store.totals()
    assert (totals.waiting, totals.leaving) == (1, 1)


def test_what_comes_while_a_pool_leaves_waits_for_the_next(store: RelayStore) -> None:
    for body in bodies(3):
        store.accept(body)
    assert store.take() == 3
    store.accept(secrets.token_bytes(1509))
    assert len(store.leaving()) == 3
    assert store.totals().waiting == 1


def test_answered_messages_are_deleted_and_counted(store: RelayStore) -> None:
    sent = bodies(4)
    for body in sent:
        store.accept(body)
    store.take()
    keys = store.leaving()
    assert {store.body(key) for key in keys} == set(sent)
    store.settle(take_all(keys[:2]), {keys[2]: "ballot.form", keys[3]: "ballot.form"})
    totals = store.totals()
    assert (totals.waiting, totals.leaving, totals.passed) == (0, 0, 2)
    assert totals.refused == (("ballot.form", 2),)
    with pytest.raises(StorageError):
        store.body(keys[0])


def test_a_deleted_message_leaves_no_byte(store: RelayStore, folder: Path) -> None:
    body = secrets.token_bytes(1509)
    store.accept(body)
    assert files_containing(folder, body[:40]) == [POOL_NAME]
    store.take()
    store.settle(take_all(store.leaving()), {})
    store.sweep()
    assert files_containing(folder, body[:40]) == []
    assert files_containing(folder, body[700:740]) == []


def test_a_full_pool_refuses_and_keeps_what_it_has(opening: Opening) -> None:
    with opening(capacity=8) as store:
        first, second, third = bodies(3)
        store.accept(first)
        store.accept(second)
        with pytest.raises(StorageError) as caught:
            store.accept(third)
        assert caught.value.code == "storage.pool-full"
        store.accept(first)
        store.take()
        assert store.totals().leaving == 2


def test_who_fills_the_room_in_a_moment_shuts_nobody_out_for_the_whole_time(opening: Opening) -> None:
    """A quarter of the room is open at once, the rest in sixteen steps of the pool's time."""
    with opening(capacity=64, people=16) as store:
        accepted = []
        for step in range(17):
            store.note_waited(step)
            count = 0
            with contextlib.suppress(StorageError):
                for body in bodies(65):
                    store.accept(body)
                    count += 1
            accepted.append(count)
        assert accepted == [16] + [3] * 16


def test_the_room_is_bounded_while_the_collector_is_away(opening: Opening) -> None:
    with opening(capacity=8) as store:
        for _ in range(4):
            for body in bodies(2):
                store.accept(body)
            store.take()
        assert store.totals().leaving == 8
        with pytest.raises(StorageError) as caught:
            store.accept(bodies(1)[0])
        assert caught.value.code == "storage.pool-full"


@pytest.mark.parametrize("taken", [False, True])
def test_once_it_is_quiet_the_file_is_the_same_whatever_came_first(tmp_path: Path, taken: bool) -> None:
    sent = bodies(16)
    before, after = [], []
    for number, order in enumerate((sent, sorted(sent), sent[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        RelayStore.create(folder, digest=DIGEST)
        with RelayStore(folder, digest=DIGEST, capacity=100, people=400, quiet_seconds=60) as store:
            for body in order:
                store.accept(body)
            before.append((folder / POOL_NAME).read_bytes()[100:])
            if taken:
                store.take()
        after.append((folder / POOL_NAME).read_bytes()[100:])  # the first 100 hold counters of writes
    assert len(set(before)) == 3  # the danger is real
    assert len(set(after)) == 1
    assert (tmp_path / "0" / "pool.sqlite-journal").read_bytes() == b""


def test_nothing_is_lost_by_an_end_at_any_point(opening: Opening) -> None:
    sent = set(bodies(6))
    with opening() as store:
        for body in sorted(sent)[:3]:
            store.accept(body)
        store.take()
        for body in sorted(sent)[3:]:
            store.accept(body)
        store.note_waited(7)
        store.ask_flush(3)
    with opening() as again:
        assert (again.totals().waiting, again.totals().leaving) == (3, 3)
        assert again.waited() == 7
        assert again.flush_asked() == 3
        again.take()
        assert {again.body(key) for key in again.leaving()} == sent
        assert (again.waited(), again.flush_asked()) == (0, 0)


def test_another_survey_or_a_damaged_file_is_refused(folder: Path, store: RelayStore) -> None:
    with pytest.raises(StorageError) as caught:
        RelayStore(folder, digest="cd" * 32, capacity=9, people=400, quiet_seconds=60)
    assert caught.value.code == "storage.corrupt"
    connection = sqlite3.connect(folder / POOL_NAME)
    connection.execute("UPDATE survey SET value = 'x' WHERE name = 'waiting'")
    connection.commit()
    connection.close()
    with RelayStore(folder, digest=DIGEST, capacity=9, people=400, quiet_seconds=60) as store:
        with pytest.raises(StorageError) as caught:
            store.totals()
        assert caught.value.code == "storage.corrupt"


def test_refusals_are_known_without_asking_the_file_and_after_a_restart(opening: Opening) -> None:
    with opening(capacity=9) as store:
        assert store.refusals == frozenset()
        store.accept(secrets.token_bytes(1541))
        store.take()
        store.settle({}, {store.leaving()[0]: "state.closed"})
        assert store.refusals == {"state.closed"}
    with opening(capacity=9) as again:
        assert again.refusals == {"state.closed"}


def test_what_is_settled_twice_is_not_subtracted_twice(store: RelayStore) -> None:
    for body in bodies(2):
        store.accept(body)
    store.take()
    (first, _) = store.leaving()
    store.settle(take_all([first]), {})
    store.settle(take_all([first]), {})
    assert store.totals().leaving == 1


def test_a_pool_that_is_open_elsewhere_is_refused(
    tmp_path: Path, postgres: PostgresServer, request: pytest.FixtureRequest
) -> None:
    """Two relays would count the pool's time twice, and send what is on its way twice."""
    url = postgres.new_database()
    first, second = databases_at(url), databases_at(url)  # two processes have one each
    request.addfinalizer(first.end)
    request.addfinalizer(second.end)
    RelayStore.create(tmp_path, digest=DIGEST, databases=first)
    with RelayStore(tmp_path, digest=DIGEST, capacity=9, people=4, quiet_seconds=60, databases=first) as one:
        one.require_alone()
        with RelayStore(
            tmp_path, digest=DIGEST, capacity=9, people=4, quiet_seconds=60, databases=second
        ) as two:
            assert one.is_elsewhere()
            with pytest.raises(SetupError) as caught:
                two.require_alone()
            assert caught.value.code == "setup.relay-running"


def test_ballots_that_were_passed_on_are_in_no_file_of_the_server(tmp_path: Path) -> None:
    """The write-ahead log holds them in the order in which they came."""
    if reason := why_not():
        pytest.skip(reason)
    server = PostgresServer("wal_recycle = off")
    databases = databases_at(server.url)
    try:
        RelayStore.create(tmp_path, digest=DIGEST, databases=databases)
        with RelayStore(
            tmp_path, digest=DIGEST, capacity=100, people=4, quiet_seconds=60, databases=databases
        ) as store:
            came = bodies(25)
            for body in came:
                store.accept(body)
            store.take()
            assert any(files_containing(server.folder, body[:400]) for body in came)  # the danger is real
            store.settle({key: key for key in store.leaving()}, {})
            store.sweep()
            assert [body for body in came if files_containing(server.folder, body[:400])] == []
    finally:
        databases.end()
        server.end()


def test_a_sweep_takes_transactions_out_of_a_pool(
    tmp_path: Path, postgres: PostgresServer, request: pytest.FixtureRequest
) -> None:
    import psycopg

    url = postgres.new_database()
    databases = databases_at(url)
    request.addfinalizer(databases.end)
    RelayStore.create(tmp_path, digest=DIGEST, databases=databases)

    def rows() -> list[tuple[str, bytes]]:
        query = f"SELECT xmin::text, key FROM roomful_{DIGEST[:16]}_pool.waiting ORDER BY ctid"  # noqa: S608
        with psycopg.connect(url) as raw:
            return raw.execute(query).fetchall()

    with RelayStore(
        tmp_path, digest=DIGEST, capacity=100, people=4, quiet_seconds=60, databases=databases
    ) as store:
        for body in bodies(25):
            store.accept(body)
        assert len({row[0] for row in rows()}) > 10  # the danger is real
        store.sweep()
        found = rows()
        assert len(found) == 25
        assert len({row[0] for row in found}) == 1
        assert [row[1] for row in found] == sorted(row[1] for row in found)
