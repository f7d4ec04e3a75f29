"""Somebody reads from the file of a closed survey in how many groups people answered.

SQLite counts commits in the header of its file, and rewritings of the file beside it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from tests.server.collection.storage import sample

COUNTERS = (slice(24, 28), slice(40, 44), slice(92, 96))
PEOPLE = 24


def closed(folder: Path, groups: int) -> Path:
    """The file of a closed survey of 24 people, who answered in so many quiet periods."""
    with DataDirectory(folder, quiet_seconds=30) as data:
        survey = data.publish(sample.envelope(), sample.MODEL)
        data.open(survey)
        store = data.survey(survey)
        for number in range(PEOPLE):
            store.submit(sample.message(cell=number % 2))
            if number % (PEOPLE // groups) == 0:
                store.sweep()
        data.close(survey)
        assert store.total() == PEOPLE
        assert len(list(store.answers())) == PEOPLE
        store.check()
        (path,) = folder.rglob("answers.sqlite")
    return path


def test_the_header_of_a_closed_survey_counts_nothing(tmp_path: Path) -> None:
    few, many = (closed(tmp_path / str(groups), groups).read_bytes() for groups in (1, 24))
    assert [few[place] for place in COUNTERS] == [many[place] for place in COUNTERS]


def test_others_go_on_reading_and_see_what_comes_after(tmp_path: Path) -> None:
    with DataDirectory(tmp_path, quiet_seconds=30) as data:
        survey = data.publish(sample.envelope(), sample.MODEL)
        data.open(survey)
        data.survey(survey).submit(sample.message())
        (path,) = tmp_path.rglob("answers.sqlite")
        other = sqlite3.connect(path)
        state = "SELECT value FROM survey WHERE name = 'state'"
        assert other.execute(state).fetchone() == ("open",)
        data.close(survey)
        assert other.execute(state).fetchone() == ("closed",)
        assert other.execute("SELECT count(*) FROM answer").fetchone() == (1,)
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        with other:
            other.execute("INSERT INTO survey VALUES ('x', 'y')")
        assert data.survey(survey).total() == 1
        other.close()


@pytest.mark.parametrize("place", COUNTERS, ids=["changes", "schema", "valid for"])
def test_later_steps_count_from_the_same_number(tmp_path: Path, place: slice) -> None:
    paths = [closed(tmp_path / str(groups), groups) for groups in (1, 6)]
    for path in paths:
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE survey SET value = 'released' WHERE name = 'state'")
        connection.close()
    one, other = (path.read_bytes()[place] for path in paths)
    assert one == other
