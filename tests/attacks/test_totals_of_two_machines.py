"""The total that is wrong on purpose, asked for twice on one day: of two collectors, or around a restore.

Each machine drew a number of its own. Who asked both had two draws to take the mean of; and of machines that
were first asked at different moments the difference of what they told grew with the ballots in between.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.totals import arrived, told_until_closing
from tests.postgres import PostgresServer, why_not
from tests.server.collection.storage.ballots import publish, sealed

DAY = date(2030, 1, 31)
TRIALS = 3
"""Numbers drawn apart, 40 ballots apart, agree about once in a hundred times: three times hardly ever."""


def told_at(store: SurveyStore, exact: int) -> int:
    return told_until_closing(store, "total-ballots", exact, today=lambda: DAY)


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    own = PostgresServer()
    yield own
    own.end()


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_all_collectors_of_a_survey_tell_one_number(postgres: PostgresServer, tmp_path: Path) -> None:
    for trial in range(TRIALS):
        config = Config(database=postgres.new_database(), anchor_dir=str(tmp_path / f"anchors-{trial}"))
        homes = [tmp_path / f"{trial}-{machine}" for machine in range(2)]
        with config.open_data(homes[0]) as one, config.open_data(homes[1]) as other:
            first, second = publish(one), publish(other)
            first.open()
            assert second.state == "open"
            assert told_at(first, 100) == told_at(second, 140)


def test_a_restored_data_directory_tells_what_was_told(tmp_path: Path) -> None:
    """The copy is of the day before; the anchors, which lie elsewhere, are today's."""
    for trial in range(TRIALS):
        home, copy = tmp_path / f"data-{trial}", tmp_path / f"copy-{trial}"
        with DataDirectory(home) as data:
            store = publish(data)
            store.open()
            store.submit(sealed(1))
        shutil.copytree(home, copy)
        with DataDirectory(home) as data:
            before = told_at(data.survey(store.id), 100)
        shutil.rmtree(home)
        shutil.copytree(copy, home)
        with DataDirectory(home) as data:
            restored = data.survey(store.id)
            assert told_at(restored, 140) == before
            restored.close()
            assert arrived(restored) == 1
        assert not list(tmp_path.rglob("*total-*"))


def test_nothing_is_left_of_a_draft(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as data:
        store = publish(data)
        arrived(store)
        assert store.told("total-ballots").is_file()
        data.discard(store.id)
    assert not list(tmp_path.rglob("*total-*"))
