"""One code, one token, whatever happens."""

from __future__ import annotations

import shutil
import sqlite3
import threading

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import RegistrarStore
from server.collection.storage.schema import REGISTRAR_FIELDS
from shared.errors import RoomfulError, StateError, StorageError, SubmissionError, TokenError
from shared.roll import roll_hash
from tests.builders import small_envelope, small_model
from tests.invited import used_codes
from tests.server.collection.storage.ballots import store_of

CODES = used_codes(150)

EVERY_DATABASE_BUT = frozenset(
    {"test_a_restored_file_issues_nothing_more", "test_the_file_holds_hashes_and_nothing_else"}
)


@pytest.fixture
def registrar(data: DataDirectory) -> RegistrarStore:
    store = store_of(data)
    return data.registrar(store.id)


def _code(registrar: RegistrarStore, code: bytes, message: bytes) -> str:
    with pytest.raises(RoomfulError) as caught:
        registrar.spend(code, message)
    return caught.value.code


def test_a_code_is_spent_once(registrar: RegistrarStore) -> None:
    for _ in range(3):
        registrar.spend(CODES[0], b"blinded")
    assert _code(registrar, CODES[0], b"another") == "token.code"
    assert _code(registrar, b"?" * 32, b"blinded") == "token.code"
    assert (registrar.issued(), registrar.invited()) == (1, 150)
    assert registrar.used_codes() == CODES[:1]
    found = registrar.ask_for_waiting("2026-11-28")
    assert (found.waiting, found.issued) == (frozenset(map(roll_hash, CODES[1:])), 1)


def test_who_waits_is_asked_once_a_day_until_it_is_listed(registrar: RegistrarStore) -> None:
    registrar.ask_for_waiting("2026-11-28")
    for day in ("2026-11-28", "2026-11-27"):
        with pytest.raises(StateError, match="asked for on 2026-11-28") as caught:
            registrar.ask_for_waiting(day)
        assert caught.value.code == "state.reminder"
    registrar.ask_for_waiting("2026-11-29")
    registrar.note_waiting_listed()
    with pytest.raises(StateError, match="made already") as caught:
        registrar.ask_for_waiting("2026-11-30")
    assert caught.value.code == "state.reminder"


def test_many_devices_race_with_one_code(registrar: RegistrarStore) -> None:
    outcomes: list[str] = []

    def race(number: int) -> None:
        try:
            registrar.spend(CODES[0], bytes([number]))
            outcomes.append("issued")
        except TokenError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["issued"] + ["token.code"] * 19


def test_the_file_holds_hashes_and_nothing_else(data: DataDirectory, registrar: RegistrarStore) -> None:
    registrar.spend(CODES[0], b"a blinded message")
    path = next(data.path.glob("surveys/*/registrar.sqlite"))
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    found = {f"{t}.{column[1]}" for t in tables for column in connection.execute(f"PRAGMA table_info({t})")}
    rows = {row[0] for row in connection.execute("SELECT name FROM survey")}
    connection.close()
    assert found == {field.name for field in REGISTRAR_FIELDS}
    assert found == {"code.hash", "code.box", "code.proof", "code.request", "survey.name", "survey.value"}
    assert rows == {"specification", "generation"}
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"a blinded message" not in path.read_bytes()


def test_no_more_are_invited_than_were_signed(data: DataDirectory, registrar: RegistrarStore) -> None:
    survey = data.ids()[0]
    assert data.enrol(survey) == 150  # again: nothing changes
    with pytest.raises(StateError) as caught:
        registrar.add([[b"one more".ljust(32)]], people=150)
    assert caught.value.code == "state.invitations"
    assert registrar.invited() == 150


def test_a_restored_file_issues_nothing_more(data: DataDirectory, registrar: RegistrarStore) -> None:
    survey = data.ids()[0]
    path = next(data.path.glob("surveys/*/registrar.sqlite"))
    shutil.copy(path, data.path / "yesterday")
    registrar.spend(CODES[0], b"one")
    data.end()
    shutil.copy(data.path / "yesterday", path)
    restored = data.registrar(survey)
    for message in (b"one", b"two"):
        assert _code(restored, CODES[0], message) == "storage.rolled-back"
    with pytest.raises(StorageError):
        data.enrol(survey)


def test_an_open_survey_invites_nobody(data: DataDirectory) -> None:
    survey = data.publish(small_envelope(), small_model())
    with pytest.raises(SubmissionError):
        data.enrol(survey)
    with pytest.raises(StateError) as caught:
        data.registrar(survey)
    assert caught.value.code == "state.no-invitations"
