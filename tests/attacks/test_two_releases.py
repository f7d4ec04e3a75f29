"""A survey is released twice, and somebody subtracts the tables from one another.

One directory releases once. A copy of it does not know that it is one: made while the survey took answers,
closed and released by itself, it shows whose answers came afterwards. Nothing in a copy could tell.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from server.collection.backup import back_up, put_back
from server.collection.storage.data_directory import DataDirectory
from server.release.workflow import release_survey
from shared import strict_json
from shared.envelope import survey_digest
from shared.errors import StateError
from shared.submission import encode
from tests.server.collection.storage import sample
from tests.server.release.survey import MODEL, answers, document

COUNTS = (20, 12, 6, 9, 5, 30)
PAYLOAD = strict_json.dumps(document())


def submit(data: DataDirectory, survey: str, cell: int, remark: str, chance: random.Random) -> None:
    store = data.survey(survey)
    given = store.specification.questionnaire.accept(answers(chance, remark=remark))
    length = store.specification.message_bytes
    store.submit(encode(survey_digest(PAYLOAD), cell, given, os.urandom(length), length))


def filled(folder: Path) -> tuple[DataDirectory, str]:
    """An open survey with answers in every cell."""
    data = DataDirectory(folder, quiet_seconds=60)
    survey = data.publish(sample.sign(PAYLOAD), MODEL)
    data.open(survey)
    chance = random.Random(7)
    for cell, count in enumerate(COUNTS):
        for _ in range(count):
            submit(data, survey, cell, "Nothing.", chance)
    return data, survey


def rows(data: DataDirectory, survey: str, out: Path) -> Counter[tuple[str, ...]]:
    """The released rows, of a survey that was closed; one stands for one person."""
    release_survey(data, survey, out, random.SystemRandom().shuffle)
    with (out / "microdata.csv").open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    return Counter(tuple(value for name, value in row.items() if name != "weight") for row in found)


def test_one_directory_releases_once(tmp_path: Path) -> None:
    data, survey = filled(tmp_path / "data")
    with data:
        data.close(survey)
        rows(data, survey, tmp_path / "first")
        with pytest.raises(StateError) as caught:
            release_survey(data, survey, tmp_path / "second", list.sort)
        assert caught.value.code == "state.released"


def test_a_copy_that_was_made_after_closing_says_the_same(tmp_path: Path) -> None:
    data, survey = filled(tmp_path / "data")
    with data:
        data.close(survey)
        back_up(data, tmp_path / "backup", (survey,))
        first = rows(data, survey, tmp_path / "first")
    with DataDirectory(tmp_path / "again", quiet_seconds=60) as again:
        put_back(again, tmp_path / "backup")
        assert rows(again, survey, tmp_path / "second") == first


def test_a_copy_of_an_open_survey_shows_who_came_after(tmp_path: Path) -> None:
    """It goes through. What helps is to have no copies of an open survey: see the limitations."""
    data, survey = filled(tmp_path / "data")
    with data:
        shutil.copytree(data.path, tmp_path / "copy")
        with DataDirectory(tmp_path / "copy", quiet_seconds=60) as copy:
            copy.close(survey)
            before = rows(copy, survey, tmp_path / "first")
        submit(data, survey, 3, "hers", random.Random(8))
        data.close(survey)
        (late,) = (rows(data, survey, tmp_path / "second") - before).elements()
        assert "hers" in late
