"""Nothing is stored that is not told."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.schema import SURVEY_ROWS, fields_of
from server.collection.storage.store import SurveyStore
from shared.specification import STORED
from tests.server.collection.storage import sample

PROJECT = Path(__file__).resolve().parents[4]


def _connect(store: SurveyStore) -> sqlite3.Connection:
    return sqlite3.connect(store.published.folder / "answers.sqlite")


def _survey_rows(store: SurveyStore) -> dict[str, str]:
    connection = _connect(store)
    rows = dict(connection.execute("SELECT name, value FROM survey").fetchall())
    connection.close()
    return rows


def test_the_real_schema_is_the_list_and_nothing_else(store: SurveyStore) -> None:
    """A new table, column, index, trigger or view fails here, on purpose."""
    store.submit(sample.message())
    connection = _connect(store)
    objects = connection.execute("SELECT type, name FROM sqlite_schema").fetchall()
    assert {kind for kind, _ in objects} == {"table"}
    found = {
        f"{table}.{column[1]}"
        for _, table in objects
        for column in connection.execute(f"PRAGMA table_info({table})")
    }
    connection.close()
    assert found == {field.name for field in fields_of(invited=False)}
    assert found == {
        "answer.key", "answer.cell", "answer.answers", "receipt.digest", "survey.name", "survey.value",
    }  # fmt: skip


def test_no_table_numbers_its_rows(store: SurveyStore) -> None:
    connection = _connect(store)
    tables = connection.execute("PRAGMA table_list").fetchall()
    connection.close()
    ours = {row[1]: row[4] for row in tables if not row[1].startswith("sqlite_")}
    assert ours == {"answer": 1, "receipt": 1, "survey": 1}  # 1: WITHOUT ROWID


def test_the_survey_table_has_the_named_rows_only(store: SurveyStore) -> None:
    rows = _survey_rows(store)
    assert set(rows) == {"specification", "organizer_key", "state"}
    assert rows["specification"] == sample.digest()
    assert rows["state"] == "open"


def test_closing_and_deletion_add_a_day_each_and_no_time(data: DataDirectory) -> None:
    day = date(2030, 1, 31)
    with DataDirectory(data.path, today=lambda: day) as directory:
        store = directory.survey(directory.publish(sample.envelope(), sample.MODEL))
        store.open()
        store.close()
        assert set(_survey_rows(store)) == set(SURVEY_ROWS) - {"earlier_on", "deleted_on", "generation"}
        day = date(2031, 1, 31)
        assert store.expire() == 0
        rows = _survey_rows(store)
    assert set(rows) == set(SURVEY_ROWS) - {"earlier_on", "generation"}
    assert (rows["closed_on"], rows["deleted_on"]) == ("2030-01-31", "2031-01-31")
    assert (rows["state"], rows["specification"]) == ("closed", sample.digest())


def test_every_field_from_a_respondent_has_its_word_in_the_specification() -> None:
    """From these words the statement "what the server stores" is made."""
    words: set[str] = set()
    for kind in ("open", "invited"):
        own = {field.told_as for field in fields_of(invited=kind == "invited") if field.told_as}
        assert own == set(STORED[kind])
        words |= own
    for path in sorted((PROJECT / "respondent_client" / "web" / "texts").glob("*.json")):
        texts = json.loads(path.read_text("utf-8"))
        assert all(texts[f"stored.{word}"] for word in words), path.name


def test_nothing_but_known_files_lies_beside_the_database(store: SurveyStore) -> None:
    store.submit(sample.message())
    store.sweep()
    assert {path.name for path in store.published.folder.iterdir()} == {
        "specification.dsse.json", "model.csv", "answers.sqlite", "answers.sqlite-journal", "answers.lock",
    }  # fmt: skip
    assert (store.published.folder / "answers.sqlite-journal").read_bytes() == b""
    assert (store.published.folder / "answers.lock").read_bytes() == b""
