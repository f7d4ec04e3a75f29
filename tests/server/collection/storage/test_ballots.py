"""Ballots of an invited survey: one token, one ballot, whatever happens."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.schema import SURVEY_ROWS, fields_of
from server.collection.storage.server_keys import check_keys, install_keys
from server.collection.storage.store import SurveyStore
from shared.edwards import L
from shared.errors import (
    InputError,
    KeyFileError,
    RoomfulError,
    StateError,
    SubmissionError,
    TokenError,
)
from shared.token import Token
from tests.builders import small_envelope, small_model
from tests.invited import (
    COLLECTOR_KEY,
    HPKE,
    TOKEN_KEY_FILE,
    invited_envelope,
    roll,
    seal_ballot,
    sign_message,
)
from tests.server.collection.storage.ballots import DIGEST, ballot, collector_pem, publish, sealed, store_of

EVERY_DATABASE_BUT = frozenset({"test_the_real_schema_is_the_list_and_nothing_else"})


@pytest.fixture
def invited(data: DataDirectory) -> SurveyStore:
    return store_of(data)


def _code(store: SurveyStore, message: bytes) -> str:
    with pytest.raises(RoomfulError) as caught:
        store.submit(message)
    return caught.value.code


def test_a_ballot_is_stored_sealed_and_once(invited: SurveyStore) -> None:
    one = ballot(1, cell=3)
    receipts = {invited.submit(seal_ballot(DIGEST, one)) for _ in range(3)}
    assert receipts == {one.receipt}
    assert invited.total() == 1
    invited.close()
    assert list(invited.ballots()) == [one]
    assert invited.ballot_receipts() == (one.receipt,)
    assert invited.submit(seal_ballot(DIGEST, one)) == one.receipt  # also after closing


def test_the_real_schema_is_the_list_and_nothing_else(invited: SurveyStore) -> None:
    invited.submit(sealed(1))
    connection = sqlite3.connect(invited.published.folder / "answers.sqlite")
    objects = connection.execute("SELECT type, name FROM sqlite_schema").fetchall()
    found = {
        f"{table}.{column[1]}"
        for _, table in objects
        for column in connection.execute(f"PRAGMA table_info({table})")
    }
    rows = {row[0] for row in connection.execute("SELECT name FROM survey")}
    without_rowid = {row[1]: row[4] for row in connection.execute("PRAGMA table_list")}
    connection.close()
    assert {kind for kind, _ in objects} == {"table"}
    assert found == {field.name for field in fields_of(invited=True)}
    assert found == {
        "ballot.token", "ballot.device_key", "ballot.token_signature", "ballot.cell", "ballot.box",
        "ballot.signature", "survey.name", "survey.value",
    }  # fmt: skip
    assert rows == set(SURVEY_ROWS) - {"closed_on", "earlier_on", "deleted_on"}
    assert (without_rowid["ballot"], without_rowid["survey"]) == (1, 1)


def test_one_token_counts_once(invited: SurveyStore) -> None:
    invited.submit(sealed(1, health="good"))
    assert _code(invited, sealed(1, health="poor")) == "token.spent"
    assert _code(invited, sealed(1, cell=2, health="good")) == "token.spent"
    assert invited.total() == 1


def test_two_clients_race_with_one_token(invited: SurveyStore) -> None:
    """One wins, the others are told; the winner's ballot is the one that is kept."""
    health = ("good", "fair", "poor")
    ballots = [ballot(7, cell=cell, health=word) for cell in range(4) for word in health]
    outcomes: list[str] = []

    def race(number: int) -> None:
        try:
            outcomes.append(invited.submit(seal_ballot(DIGEST, ballots[number])))
        except TokenError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(len(ballots))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("token.spent") == len(ballots) - 1
    invited.close()
    assert [found.receipt for found in invited.ballots()] == [c for c in outcomes if c != "token.spent"]


def raised(signature: bytes) -> bytes:
    """The same signature with L added to S: other bytes, and the equation still holds."""
    return signature[:32] + (int.from_bytes(signature[32:], "little") + L).to_bytes(32, "little")


def with_key(device_key: bytes) -> Token:
    """A token that the registrar signed, with any bytes as its key."""
    unsigned = Token(prefix=b"z" * 32, device_key=device_key, signature=bytes(384))
    return replace(unsigned, signature=sign_message(unsigned.message(DIGEST)))


def test_every_defect_is_refused_by_name_and_nothing_is_stored(invited: SurveyStore) -> None:
    good = ballot(1)
    other_survey = seal_ballot("00" * 32, good)
    forged = replace(good, token=replace(good.token, prefix=b"x" * 32))
    of_small_order = replace(good, token=with_key(b"\x01" + bytes(31)), signature=b"\x01" + bytes(63))
    short = HPKE.encrypt(good.to_bytes()[:-1], COLLECTOR_KEY.public_key(), b"roomful-ballot/1")
    flipped = bytearray(sealed(1))
    flipped[-1] ^= 1
    for message, code in (
        (b"", "ballot.sealed"),
        (b"\x00" * len(sealed(1)), "ballot.sealed"),
        (short, "ballot.sealed"),
        (bytes(flipped), "ballot.sealed"),
        (other_survey, "ballot.sealed"),
        (seal_ballot(DIGEST, replace(good, cell=8)), "ballot.cell"),
        (seal_ballot(DIGEST, forged), "token.signature"),
        (seal_ballot(DIGEST, replace(good, cell=7)), "ballot.signature"),
        (seal_ballot(DIGEST, replace(good, box=ballot(2).box)), "ballot.signature"),
        (seal_ballot(DIGEST, replace(good, token=ballot(2).token)), "ballot.signature"),
        (seal_ballot(DIGEST, replace(good, signature=bytes(64))), "ballot.signature"),
        (seal_ballot(DIGEST, replace(good, signature=raised(good.signature))), "ballot.signature"),
        (seal_ballot(DIGEST, of_small_order), "token.device-key"),
    ):
        assert _code(invited, message) == code
    assert invited.total() == 0


def test_nobody_reads_ballots_before_closing_or_answers_ever(invited: SurveyStore) -> None:
    invited.submit(sealed(1))
    with pytest.raises(StateError):
        invited.ballots()
    with pytest.raises(StateError) as asked:
        invited.has_receipt(ballot(1).receipt)
    assert asked.value.code == "state.board"
    invited.close()
    with pytest.raises(StateError) as caught:
        invited.answers()
    assert caught.value.code == "state.sealed"


def test_a_closed_survey_takes_no_new_ballot(invited: SurveyStore) -> None:
    invited.submit(sealed(1))
    invited.close()
    assert _code(invited, sealed(2)) == "state.closed"
    assert _code(invited, sealed(1, cell=2)) == "token.spent"
    assert invited.total() == 1


def test_an_open_survey_has_no_ballots(data: DataDirectory) -> None:
    store = data.survey(data.publish(small_envelope(), small_model()))
    store.open()
    store.close()
    with pytest.raises(StateError) as caught:
        store.ballots()
    assert caught.value.code == "state.open-survey"


def test_a_server_without_the_collectors_key_takes_no_ballot(data: DataDirectory) -> None:
    store = publish(data, collector_key=False)
    store.open()
    assert _code(store, sealed(1)) == "state.role"


def test_keys_must_suit_the_survey(data: DataDirectory, tmp_path: Path) -> None:
    store = data.survey(data.publish(invited_envelope(), small_model(), roll().to_bytes()))
    with pytest.raises(InputError, match="would have no part"):
        check_keys(store.published, token_key=None, collector_key=None)
    with pytest.raises(KeyFileError):
        check_keys(store.published, token_key=collector_pem(tmp_path), collector_key=None)
    with pytest.raises(KeyFileError):
        check_keys(store.published, token_key=None, collector_key=TOKEN_KEY_FILE)
    install_keys(store.published, token_key=TOKEN_KEY_FILE, collector_key=None)
    keys = store.published.folder / "keys"
    assert keys.stat().st_mode & 0o777 == 0o700
    assert [(path.name, path.stat().st_mode & 0o777) for path in keys.iterdir()] == [("tokens.pem", 0o600)]
    check_keys(store.published, token_key=None, collector_key=None)  # they are there already
    open_survey = data.survey(data.publish(small_envelope(), small_model()))
    with pytest.raises(InputError, match="open to everybody"):
        check_keys(open_survey.published, token_key=TOKEN_KEY_FILE, collector_key=None)


def test_ballots_are_deleted_when_their_days_are_over(tmp_path: Path) -> None:
    day = date(2030, 1, 1)
    with DataDirectory(tmp_path / "data", today=lambda: day) as data:
        store = store_of(data)
        store.submit(sealed(1))
        store.close()
        day = date(2031, 6, 1)
        assert store.expire() == 1
        assert store.total() is None
        assert _code(store, sealed(1)) == "state.closed"  # although the key is deleted with the ballots
        folder = store.published.folder
    assert ballot(1).box not in (folder / "answers.sqlite").read_bytes()


def test_a_ballot_of_an_unknown_kind_is_named(invited: SurveyStore) -> None:
    with pytest.raises(SubmissionError):
        invited.submit(b'{"protocol":"roomful-submission/1"}')
