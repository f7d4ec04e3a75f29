"""One code, one token, whatever happens."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from server.storage.data_directory import DataDirectory
from server.storage.registrar import RegistrarStore
from server.storage.schema import REGISTRAR_FIELDS
from shared.errors import RoomfulError, StateError, StorageError, SubmissionError, TokenError
from tests.builders import small_envelope, small_model
from tests.server.storage.ballots import store_of

CODES = tuple(bytes([number]) * 32 for number in range(1, 6))


@pytest.fixture
def registrar(data: DataDirectory) -> RegistrarStore:
    store = store_of(data)
    assert data.invite(store.id, CODES) == 5
    return data.registrar(store.id)


def _code(registrar: RegistrarStore, code: bytes, message: bytes) -> str:
    with pytest.raises(RoomfulError) as caught:
        registrar.spend(code, message)
    return caught.value.code


def test_a_code_is_spent_once(registrar: RegistrarStore) -> None:
    for _ in range(3):
        registrar.spend(CODES[0], b"blinded")
    assert _code(registrar, CODES[0], b"another") == "token.code-used"
    assert _code(registrar, b"?" * 32, b"blinded") == "token.code-unknown"
    assert (registrar.issued(), registrar.invited()) == (1, 5)
    found = registrar.fetched([*CODES, b"?" * 32])
    assert (found.waiting, found.known, found.issued) == (frozenset(CODES[1:]), 5, 1)
    assert (found.last_day, found.last_issued) == ("", 0)


def test_a_reminder_is_noted_by_day_and_only_once(registrar: RegistrarStore) -> None:
    registrar.spend(CODES[0], b"blinded")
    seen = registrar.fetched(CODES)
    registrar.note_reminder(seen, "2026-11-28", letters_to=Path("reminders"))
    noted = registrar.fetched(CODES)
    assert (noted.last_day, noted.last_issued) == ("2026-11-28", 1)
    with pytest.raises(StateError) as caught:
        registrar.note_reminder(seen, "2026-11-28", letters_to=Path("reminders"))
    assert caught.value.code == "state.reminder"
    assert registrar.fetched(CODES) == noted


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
    assert sorted(outcomes) == ["issued"] + ["token.code-used"] * 19


def test_the_file_holds_hashes_and_nothing_else(data: DataDirectory, registrar: RegistrarStore) -> None:
    registrar.spend(CODES[0], b"a blinded message")
    path = next(data.path.glob("surveys/*/registrar.sqlite"))
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    found = {f"{t}.{column[1]}" for t in tables for column in connection.execute(f"PRAGMA table_info({t})")}
    rows = {row[0] for row in connection.execute("SELECT name FROM survey")}
    connection.close()
    assert found == {field.name for field in REGISTRAR_FIELDS}
    assert found == {"code.hash", "code.request", "survey.name", "survey.value"}
    assert rows == {"specification", "generation"}
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"a blinded message" not in path.read_bytes()


def test_no_more_are_invited_than_were_signed(data: DataDirectory, registrar: RegistrarStore) -> None:
    survey = data.ids()[0]
    assert data.invite(survey, CODES) == 5  # again: nothing changes
    with pytest.raises(StateError) as caught:
        data.invite(survey, [number.to_bytes(32, "big") for number in range(10_000, 10_146)])
    assert caught.value.code == "state.invitations"
    assert registrar.invited() == 5


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
        data.invite(survey, [b"x" * 32])


def test_an_open_survey_invites_nobody(data: DataDirectory) -> None:
    survey = data.publish(small_envelope(), small_model())
    with pytest.raises(SubmissionError):
        data.invite(survey, CODES)
    with pytest.raises(StateError) as caught:
        data.registrar(survey)
    assert caught.value.code == "state.no-invitations"
