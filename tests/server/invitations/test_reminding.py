"""The registrar's list of those who wait: one for each survey, and never about few people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import Fetched
from server.collection.storage.store import SurveyStore
from server.invitations.reminding import WaitingList, least_batch, list_waiting, require_batch
from shared.errors import InputError, RoomfulError, StateError
from shared.roll import Roll, roll_hash
from tests.builders import small_envelope, small_model
from tests.invited import ROLL_ID, code
from tests.server.collection.storage.ballots import publish
from tests.server.invitations.people_lists import fetch

DAY = date(2026, 11, 28)
Listed = Callable[..., WaitingList]


@pytest.fixture
def run(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> Listed:
    def listed(name: str = "waiting.txt", *, days: int = 0) -> WaitingList:
        return list_waiting(data, survey.id, tmp_path / name, today=lambda: DAY + timedelta(days=days))

    return listed


def _refused(run: Listed, **options: int) -> str:
    with pytest.raises(StateError) as caught:
        run(**options)
    assert caught.value.code == "state.reminder"
    assert "roomful invite --reminder" in caught.value.remedy
    return caught.value.message


def test_those_are_listed_who_have_not_fetched(
    data: DataDirectory, survey: SurveyStore, run: Listed, tmp_path: Path
) -> None:
    fetch(data, survey.id, 0, 33)
    assert run() == WaitingList(people=117, of=150, file=str(tmp_path / "waiting.txt"))
    found = Roll.parse((tmp_path / "waiting.txt").read_bytes())
    assert set(found.hashes) == {roll_hash(code(n).proof(ROLL_ID)) for n in range(33, 150)}
    assert (tmp_path / "waiting.txt").stat().st_mode & 0o777 == 0o600


def test_there_is_one_list_for_ever(data: DataDirectory, survey: SurveyStore, run: Listed) -> None:
    fetch(data, survey.id, 0, 20)
    run()
    fetch(data, survey.id, 20, 80)
    for days in (0, 1, 400):
        with pytest.raises((StateError, InputError)):
            run(days=days)
        assert "made already" in _refused(run, name=f"other-{days}", days=days)  # type: ignore[arg-type]


def test_it_is_asked_for_once_a_day(data: DataDirectory, survey: SurveyStore, run: Listed) -> None:
    fetch(data, survey.id, 0, 19)
    assert "fewer than 20 people have fetched" in _refused(run)
    fetch(data, survey.id, 19, 20)
    assert "asked for on 2026-11-28" in _refused(run)
    assert "asked for on 2026-11-28" in _refused(run, days=-1)
    assert run(days=1).people == 130


def test_as_many_must_wait(data: DataDirectory, survey: SurveyStore, run: Listed) -> None:
    fetch(data, survey.id, 0, 131)
    assert "fewer than 20 people have not fetched" in _refused(run)


def test_a_file_that_is_there_costs_nothing(
    data: DataDirectory, survey: SurveyStore, run: Listed, tmp_path: Path
) -> None:
    fetch(data, survey.id, 0, 20)
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError):
        run("there")
    run()


def test_only_an_open_survey_of_invited_people_reminds(
    data: DataDirectory, survey: SurveyStore, run: Listed, tmp_path: Path
) -> None:
    survey.close()
    with pytest.raises(StateError) as caught:
        run()
    assert caught.value.code == "state.closed"
    open_to_all = data.publish(small_envelope(), small_model())
    with pytest.raises(RoomfulError) as refused:
        list_waiting(data, open_to_all, tmp_path / "list")
    assert refused.value.code == "ballot.open-survey"


def test_a_collector_knows_of_nobody(data: DataDirectory, tmp_path: Path) -> None:
    store = publish(data, token_key=False)
    store.open()
    with pytest.raises(StateError) as caught:
        list_waiting(data, store.id, tmp_path / "list")
    assert caught.value.code == "state.no-invitations"


@pytest.mark.parametrize(
    ("k", "people", "least"), [(3, 50, 20), (10, 200, 20), (25, 100, 50), (10, 1000, 100), (10, 1001, 101)]
)
def test_a_batch_is_more_than_twice_the_accomplices_or_a_tenth(k: int, people: int, least: int) -> None:
    assert least_batch(k, people) == least
    some = frozenset(number.to_bytes(32, "big") for number in range(least))
    require_batch(Fetched(waiting=some, issued=least), k=k, people=people)
    for waiting, issued in ((some, least - 1), (frozenset(list(some)[1:]), least)):
        with pytest.raises(StateError):
            require_batch(Fetched(waiting=waiting, issued=issued), k=k, people=people)


def test_a_small_survey_has_no_list(data: DataDirectory) -> None:
    some = frozenset(number.to_bytes(32, "big") for number in range(19))
    with pytest.raises(StateError, match="too few for a list"):
        require_batch(Fetched(waiting=some, issued=20), k=3, people=39)
