"""Checkup sees what a database keeps beyond the list."""

from __future__ import annotations

import sqlite3

import pytest
from click.testing import CliRunner

from server.cli.checkup import checkup
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.inspecting import with_other_columns
from server.collection.storage.store import SurveyStore
from tests.server.collection.storage import ballots, sample


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE answer ADD COLUMN came_at TEXT",
        "ALTER TABLE answer ADD COLUMN copy TEXT GENERATED ALWAYS AS (cell) VIRTUAL",
        "CREATE TABLE log (line TEXT)",
        """CREATE TABLE "a table's ""odd"" name" (line TEXT UNIQUE)""",
        "CREATE VIRTUAL TABLE search USING fts5 (line)",
        "CREATE VIEW spy AS SELECT cell FROM answer",
        "CREATE INDEX by_cell ON answer (cell)",
        "CREATE TRIGGER note AFTER INSERT ON answer BEGIN SELECT 1; END",
    ],
)
def test_whatever_is_added_to_a_database_is_named(
    data: DataDirectory, store: SurveyStore, change: str
) -> None:
    store.submit(sample.message())
    assert with_other_columns(data) == ()
    connection = sqlite3.connect(store.published.folder / "answers.sqlite")
    connection.execute(change)
    connection.close()
    assert with_other_columns(data) == (f"{store.id}/answers.sqlite",)
    shown = CliRunner().invoke(checkup, ["--data", str(data.path)])
    assert f"FAILED  stored-fields: Something else is stored than was told: {store.id}/" in shown.output


def test_ballots_and_codes_of_an_invited_survey_are_the_list(data: DataDirectory) -> None:
    store = ballots.store_of(data)
    store.submit(ballots.sealed(0))
    assert (store.published.folder / "registrar.sqlite").is_file()
    assert with_other_columns(data) == ()
