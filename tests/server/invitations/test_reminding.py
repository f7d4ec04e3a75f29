"""Reminders show people in batches only, by day, and never as they fetch their tokens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from server.invitations import folder
from server.invitations.batches import least_batch, require_batch, shown_total
from server.invitations.inviting import invite
from server.invitations.mail_merge import read_mail_merge
from server.invitations.people import read_people
from server.invitations.reminding import Reminders, remind
from server.storage import data_directory
from server.storage.data_directory import DataDirectory
from server.storage.registrar import Fetched, RegistrarStore
from server.storage.store import SurveyStore
from shared.errors import InputError, StateError, StorageError
from shared.invitation_code import InvitationCode
from tests.server.invitations.people_lists import codes_of, fetch, read_rows, write_list
from tests.server.storage.ballots import DIGEST

URL = "https://survey.example.org/"
DAY = date(2026, 11, 28)
Remind = Callable[..., Reminders]


@pytest.fixture
def codes(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> list[InvitationCode]:
    people = write_list(tmp_path / "list.csv", 60)
    invite(data, survey.id, lambda: read_people(people), tmp_path / "inv", public_url=URL, letters=False)
    return codes_of(tmp_path / "inv")


@pytest.fixture
def run(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> Remind:
    def reminded(name: str, *, days: int = 0, codes: Path | None = None) -> Reminders:
        file = codes or tmp_path / "inv" / "mail-merge.csv"
        return remind(
            data, survey.id, lambda: read_mail_merge(file), tmp_path / name, public_url=URL,
            today=lambda: DAY + timedelta(days=days),
        )  # fmt: skip

    return reminded


def _refused(run: Remind, name: str, **options: object) -> str:
    with pytest.raises(StateError) as caught:
        run(name, **options)
    assert caught.value.code == "state.reminder"
    return caught.value.message


def test_those_get_a_letter_who_have_not_fetched(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    fetch(data, survey.id, codes[:13])
    made = run("rem")
    assert (made.people, made.of, made.issued_at_least) == (47, 60, 10)
    assert codes_of(tmp_path / "rem") == codes[13:]
    row = read_rows(tmp_path / "rem" / "mail-merge.csv")[0]
    assert row == read_rows(tmp_path / "inv" / "mail-merge.csv")[13]
    assert set(made.files) == {"mail-merge.csv", "letters.pdf", "README.txt"}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "rem").iterdir()} == {0o600}


def test_a_batch_is_needed_on_every_side(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    fetch(data, survey.id, codes[:9])
    assert "fewer than 10 of these people have fetched" in _refused(run, "a")
    fetch(data, survey.id, codes[9:10])
    run("b")
    assert "today already" in _refused(run, "c")
    fetch(data, survey.id, codes[10:19])
    assert "since the last reminder" in _refused(run, "d", days=1)
    fetch(data, survey.id, codes[19:20])
    run("e", days=1)
    fetch(data, survey.id, codes[20:51])
    assert "have not fetched" in _refused(run, "f", days=2)
    assert sorted(path.name for path in tmp_path.iterdir() if len(path.name) == 1) == ["b", "e"]
    assert not list(tmp_path.glob(".*"))


def test_nobody_asks_about_one_person(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    fetch(data, survey.id, codes[:30])
    lines = (tmp_path / "inv" / "mail-merge.csv").read_text("utf-8-sig").splitlines()
    part = tmp_path / "part.csv"
    for rows in (lines[1:2], lines[60:61], lines[1:31], lines[31:], lines[22:40]):
        part.write_text("\n".join([lines[0], *rows]), "utf-8")
        _refused(run, "x", codes=part)
    assert not (tmp_path / "x").exists()


def test_a_clock_that_was_set_back_gives_no_second_list(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind
) -> None:
    fetch(data, survey.id, codes[:20])
    run("a")
    fetch(data, survey.id, codes[20:40])
    assert "this clock says 2026-11-27" in _refused(run, "b", days=-1)


def test_other_codes_are_refused(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    fetch(data, survey.id, codes[:20])
    text = (tmp_path / "inv" / "mail-merge.csv").read_text("utf-8-sig")
    other = tmp_path / "other.csv"
    other.write_text(text.replace(codes[3].text, InvitationCode.create(b"another code").text), "utf-8")
    assert "not of this survey" in _refused(run, "a", codes=other)


def test_a_failure_to_write_costs_no_reminder(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    fetch(data, survey.id, codes[:20])
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError):
        run("there")
    run("a")


def test_only_an_open_survey_reminds(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind
) -> None:
    fetch(data, survey.id, codes[:20])
    survey.close()
    with pytest.raises(StateError) as caught:
        run("a")
    assert caught.value.code == "state.closed"


def test_nothing_is_kept_of_a_reminder_but_day_and_number(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind
) -> None:
    fetch(data, survey.id, codes[:20])
    run("a")
    found = data.registrar(survey.id).fetched([codes[0].hash(DIGEST)])
    assert (found.last_day, found.last_issued) == ("2026-11-28", 20)


@pytest.mark.parametrize(("k", "least"), [(3, 10), (10, 10), (25, 25)])
def test_a_batch_is_k_or_ten(k: int, least: int) -> None:
    assert least_batch(k) == least
    some = frozenset(number.to_bytes(32, "big") for number in range(least))
    found = Fetched(waiting=some, known=2 * least, issued=least, last_day="", last_issued=0)
    require_batch(found, given=2 * least, k=k, today="2026-11-28")
    with pytest.raises(StateError):
        require_batch(found, given=2 * least, k=least + 1, today="2026-11-28")


def test_totals_are_rounded_down() -> None:
    assert [shown_total(issued) for issued in (0, 9, 10, 99)] == [0, 0, 10, 90]


def _interrupt(run: Remind, name: str, patch: pytest.MonkeyPatch) -> None:
    """Stop a run after it was noted."""

    def interrupted(*_paths: Path) -> None:
        raise KeyboardInterrupt

    with patch.context() as inner:
        inner.setattr(folder, "finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(name)


@pytest.mark.parametrize(("again", "days"), [("rem", 0), ("other", 0), ("other", 1)])
def test_an_interruption_after_the_reminder_was_noted_is_finished(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, again: str, days: int,
) -> None:  # fmt: skip
    """Where it was begun, whatever --out says now; the next run is free again."""
    fetch(data, survey.id, codes[:13])
    _interrupt(run, "rem", monkeypatch)
    assert not (tmp_path / "rem").exists()
    fetch(data, survey.id, codes[13:33])
    made = run(again, days=days)
    assert (made.people, made.of, made.issued_at_least) == (47, None, 10)
    assert (made.folder, made.finished_earlier) == (str(tmp_path / "rem"), True)
    assert codes_of(tmp_path / "rem") == codes[13:]
    assert "today already" in _refused(run, "third")
    assert run("fourth", days=1).people == 27
    assert not list(tmp_path.glob(".*"))


def test_reminders_that_are_gone_cost_that_reminder_only(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    fetch(data, survey.id, codes[:13])
    _interrupt(run, "rem", monkeypatch)
    folder.discard(folder.unfinished(tmp_path / "rem", survey.id, reminders=True))
    assert "today already" in _refused(run, "rem")
    fetch(data, survey.id, codes[13:33])
    assert not run("rem", days=1).finished_earlier


def test_reminders_that_others_could_have_changed_are_named(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    fetch(data, survey.id, codes[:13])
    _interrupt(run, "rem", monkeypatch)
    work = folder.unfinished(tmp_path / "rem", survey.id, reminders=True)
    (work / "mail-merge.csv").chmod(0o666)
    with pytest.raises(InputError) as caught:
        run("rem")
    assert caught.value.code == "input.unfinished"
    assert str(work) in caught.value.where


def test_a_reminder_that_could_not_be_noted_leaves_nothing(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fail(*_arguments: object, **_options: object) -> None:
        raise StorageError("the disk is full", code="storage.full")

    fetch(data, survey.id, codes[:13])
    with monkeypatch.context() as patch:
        patch.setattr(RegistrarStore, "note_reminder", fail)
        with pytest.raises(StorageError):
            run("rem")
    assert not list(tmp_path.glob("*rem*"))
    assert not list(tmp_path.glob(".*"))
    assert run("rem").people == 47


def test_who_waits_for_another_run_is_told(
    data: DataDirectory, survey: SurveyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a moment, and nobody is told who need not wait."""
    monkeypatch.setattr(data_directory, "_SILENT_SECONDS", 0.01)
    told, entered = threading.Event(), threading.Event()

    def second() -> None:
        with DataDirectory(data.path) as own, own.inviting(survey.id, told.set):
            entered.set()

    with data.inviting(survey.id, lambda: pytest.fail("told without need")):
        thread = threading.Thread(target=second)
        thread.start()
        assert told.wait(20)
        assert not entered.is_set()
    thread.join(20)
    assert entered.is_set()


def test_a_reminder_leaves_the_letters_of_an_interrupted_invitation_alone(
    data: DataDirectory, survey: SurveyStore, codes: list[InvitationCode], run: Remind, tmp_path: Path
) -> None:
    """They may be the only copy of codes that are stored already."""
    letters = folder.unfinished(tmp_path / "rem", survey.id) / "mail-merge.csv"
    letters.parent.mkdir()
    letters.write_text("code")
    fetch(data, survey.id, codes[:13])
    run("rem")
    assert letters.read_text() == "code"
