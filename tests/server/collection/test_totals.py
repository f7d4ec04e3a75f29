"""What is told of an open invited survey: once a day, and wrong on purpose."""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from server.cli.survey import issued
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.collection.totals import SCALE, arrived, draw_noise, told
from shared.errors import StorageError
from shared.period import Period
from tests.builders import small_envelope, small_model
from tests.invited import invited_envelope, roll
from tests.server.collection.storage.ballots import sealed
from tests.server.collection.storage.test_period import CLOSES, OPENS, WITHIN, Clock

DAY = date(2026, 11, 28)


def test_the_same_number_all_day_whatever_arrives(tmp_path: Path) -> None:
    path = tmp_path / "total"
    first = told(path, 100, most=1000, today=lambda: DAY)
    assert {told(path, 100 + more, most=1000, today=lambda: DAY) for more in range(200)} == {first}
    assert told(path, 300, most=1000, today=lambda: DAY - timedelta(days=1)) == first


def test_it_follows_the_truth_from_day_to_day(tmp_path: Path) -> None:
    path, chance = tmp_path / "total", random.Random(1)
    errors = [
        told(path, 20 * day, most=10_000, today=lambda day=day: DAY + timedelta(days=day), chance=chance)
        - 20 * day
        for day in range(14)
    ]
    assert max(map(abs, errors)) < 6 * SCALE * math.sqrt(2 * 14)
    assert len(set(errors)) > 1


def test_it_is_a_multiple_of_ten_between_none_and_all(tmp_path: Path) -> None:
    found = set()
    for number in range(60):
        chance = random.Random(number)
        for exact in (0, 50):
            path = tmp_path / f"{number}-{exact}"
            found.add(told(path, exact, most=50, today=lambda: DAY, chance=chance))
    assert found <= {0, 10, 20, 30, 40, 50}
    assert {0, 50} <= found


def test_the_noise_is_two_sided_geometric() -> None:
    chance = random.Random(3)
    drawn = Counter(draw_noise(chance) for _ in range(200_000))
    ratio = math.exp(-1 / SCALE)
    for n in range(12):
        expected = (1 - ratio) / (1 + ratio) * ratio**n * 200_000
        for value in (n, -n):
            assert abs(drawn[value] - expected) < 6 * math.sqrt(expected)
    assert abs(statistics.fmean(drawn.elements())) < 0.1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "total").write_text("yesterday many\n")
    with pytest.raises(StorageError) as caught:
        told(tmp_path / "total", 1, most=10)
    assert caught.value.code == "storage.corrupt"


def test_a_survey_tells_its_exact_total_only_when_it_is_closed(survey: SurveyStore) -> None:
    for number in range(13):
        survey.submit(sealed(number))
    first = arrived(survey)
    assert first is not None
    assert first % 10 == 0
    kept = survey.told("total-ballots")
    assert kept.is_file()
    survey.submit(sealed(13))
    assert arrived(survey) == first
    survey.close()
    assert arrived(survey) == 14
    assert not kept.exists()


def test_the_number_of_tokens_to_tell_is_kept_until_closing_too(
    data: DataDirectory, survey: SurveyStore
) -> None:
    """Left behind, it would say how many there were on the last day on which somebody asked."""
    data.enrol(survey.id)
    kept = survey.told("total-tokens")
    assert issued(data, survey).keys() == {"tokens_issued_about"}
    assert kept.is_file()
    survey.close()
    assert issued(data, survey) == {"tokens_issued": 0}
    assert not kept.exists()


def test_a_clock_beyond_the_signed_end_tells_no_exact_total(tmp_path: Path) -> None:
    """It may go back, and answers are taken again."""
    clock = Clock()
    clock.moment = WITHIN
    with DataDirectory(tmp_path / "data", quiet_seconds=60, now=clock) as data:
        envelope = invited_envelope(period=Period(opens=OPENS, closes=CLOSES))
        store = data.survey(data.publish(envelope, small_model(), roll().to_bytes()))
        store.open()
        clock.moment = CLOSES
        assert (store.state, store.met) == (State.OPEN, State.CLOSED)
        assert arrived(store) in range(0, 100, 10)
        assert store.told("total-ballots").is_file()
        store.close()
        assert arrived(store) == 0
        assert not store.told("total-ballots").exists()


def test_a_survey_that_is_open_to_everybody_tells_what_it_has(data: DataDirectory) -> None:
    store = data.survey(data.publish(small_envelope(), small_model()))
    assert arrived(store) == 0
    assert not list(data.path.parent.rglob("*total*"))
