"""The end of the days: by the running server, and by the command line, in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.retention import utc_today
from server.collection.web.repeating import repeating
from shared import strict_json
from shared.envelope import survey_digest
from shared.submission import encode
from tests import programs
from tests.programs import COMMAND, free_port
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing
from tests.server.collection.web.process import ServerProcess
from tests.waiting import PATIENCE_SECONDS, let_midnight_pass, until
from tests.warm import run_roomful

CANARY = b"the-canary-of-the-end"
DAYS = 2
PAYLOAD = strict_json.dumps(sample.document() | {"retention_days": DAYS})
SURVEY = survey_digest(PAYLOAD)[:16]


class Office:
    """A folder and the commands run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    def run(self, *words: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command on the data directory; its exit code must be `code`, None for any."""
        done = run_roomful((*words, "--data", "data"), self.folder)
        assert code in (None, done.returncode), done.stdout + done.stderr
        return done

    def days_pass(self, days: int) -> None:
        """As if the survey had been closed so many days earlier."""
        connection = sqlite3.connect(self.data / "surveys" / SURVEY / "answers.sqlite")
        with connection:
            day = str(utc_today() - timedelta(days=days))
            assert connection.execute("UPDATE survey SET value = ? WHERE name = 'closed_on'", (day,)).rowcount
        connection.close()

    def holding(self) -> list[str]:
        """Files that hold an answer."""
        return files_containing(self.data, CANARY)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a closed survey with seven answers, kept for two days."""
    let_midnight_pass()
    folder = tmp_path_factory.mktemp("closed")
    signed = folder / "design"
    signed.mkdir()
    (signed / "survey.dsse.json").write_bytes(sample.sign(PAYLOAD))
    (signed / "model.csv").write_bytes(sample.MODEL)
    office = Office(folder)
    office.run("publish", "design")
    office.run("open", SURVEY, "--yes")
    with DataDirectory(office.data) as data:
        for number in range(7):
            answers = {"health": "good", "remark": f"{CANARY.decode()}-{number}"}
            store = data.survey(SURVEY)
            length = store.specification.message_bytes
            store.submit(encode(survey_digest(PAYLOAD), 0, answers, os.urandom(length), length))
    closed = office.run("close", SURVEY, "--yes").stdout
    assert f"Release them before {utc_today() + timedelta(days=DAYS)}" in closed
    return folder


@pytest.fixture
def office(tmp_path: Path, closed: Path) -> Office:
    """A copy of the closed survey."""
    let_midnight_pass()
    shutil.copytree(closed, tmp_path, dirs_exist_ok=True)
    return Office(tmp_path)


def test_expire_deletes_on_its_day_and_says_so(office: Office) -> None:
    office.days_pass(DAYS - 1)
    assert office.run("expire").stdout == f"{SURVEY}  answers to be deleted on {_day(1)}\n"
    assert "7  Small survey" in office.run("status").stdout
    assert office.holding()
    office.days_pass(DAYS)
    assert office.run("expire", SURVEY).stdout == f"{SURVEY}  answers deleted on {_day()} (7 just now)\n"
    assert office.holding() == []
    assert office.run("expire").stdout == f"{SURVEY}  answers deleted on {_day()}\n"
    found = json.loads(office.run("expire", SURVEY, "--json").stdout)
    assert found == {
        "id": SURVEY, "deleted_answers": None, "retention_days": DAYS, "closed_on": _day(-DAYS),
        "delete_on": _day(), "deleted_on": _day(),
    }  # fmt: skip
    line = office.run("status").stdout
    assert line.split() == f"{SURVEY} closed deleted Small survey (answers deleted on {_day()})".split()
    assert json.loads(office.run("status", SURVEY, "--json").stdout)["total"] is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("status",), 0),
        (("status", SURVEY, "--json"), 0),
        (("publish", "design"), 0),
        (("open", SURVEY, "--yes"), 6),
        (("close", SURVEY, "--yes"), 6),
        (("release", SURVEY, "--out", "release"), 6),
        (("checkup",), None),
    ],
)
def test_every_command_deletes_first(office: Office, words: tuple[str, ...], code: int | None) -> None:
    office.days_pass(DAYS)
    if code is None:  # whether this installation passes is not the question here
        done = office.run(*words, code=None)
        assert "PASSED  retention" in done.stdout
    else:
        assert f"{SURVEY}: answers deleted on {_day()}, 7 in number." in office.run(*words, code=code).stderr
    assert office.holding() == []


def test_expired_answers_are_not_released_and_a_release_stays(office: Office) -> None:
    office.run("release", SURVEY, "--out", "first")
    office.days_pass(DAYS)
    office.run("expire")
    assert (office.data / "surveys" / SURVEY / "release" / "microdata.csv").is_file()
    assert '"state": "released"' in office.run("status", SURVEY, "--json").stdout


def test_a_release_after_the_days_is_refused_by_name(office: Office) -> None:
    office.days_pass(DAYS + 1)
    done = office.run("release", SURVEY, "--out", "late", "--json", code=6)
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "state.expired"
    assert not (office.folder / "late").exists()


def test_a_damaged_survey_does_not_keep_the_others(office: Office) -> None:
    with DataDirectory(office.data) as data:
        bad = data.publish(sample.envelope("Bad"), sample.MODEL)
    (office.data / "surveys" / bad / "answers.sqlite").write_bytes(b"x" * 5000)
    office.days_pass(DAYS)
    done = office.run("expire", "--json", code=9)
    assert [row["deleted_answers"] for row in json.loads(done.stdout)] == [7]
    assert "storage.corrupt" in done.stderr
    assert office.holding() == []


def test_an_empty_data_directory_has_nothing_to_delete(tmp_path: Path) -> None:
    empty = Office(tmp_path)
    assert empty.run("expire").stdout == "No survey in data.\n"
    assert json.loads(empty.run("expire", "--json").stdout) == []


def test_a_server_deletes_at_its_start(office: Office) -> None:
    office.days_pass(DAYS)
    with ServerProcess(office.data, free_port()) as server:
        assert office.holding() == []
        until(lambda: len(server.workers()) == 2)
        assert server.stop() == 0
    assert "answers-deleted" in server.output
    assert CANARY.decode() not in server.output


def test_a_running_server_deletes_by_itself(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a shorter hour."""
    shorter = "import server.collection.web.serving as s; s.EXPIRY_SECONDS = 0.2; "
    monkeypatch.setattr(programs, "COMMAND", [*COMMAND[:2], shorter + COMMAND[2]])
    with ServerProcess(office.data, free_port()) as server:
        assert office.holding()
        office.days_pass(DAYS)
        until(lambda: not office.holding())
        assert server.stop() == 0
    assert server.output.count("answers-deleted") == 1
    assert "failed" not in server.output


def test_repeating_goes_on_after_an_error_and_stops_with_its_block(caplog: pytest.LogCaptureFixture) -> None:
    times: list[int] = []
    enough = threading.Event()

    def act() -> None:
        times.append(len(times))
        if len(times) == 3:
            enough.set()
        raise ValueError("a canary")

    with repeating(act, every_seconds=0.01, name="expiry"):
        assert times == []
        assert enough.wait(PATIENCE_SECONDS)
    done = len(times)
    time.sleep(0.05)
    assert len(times) == done
    assert "expiry-failed ValueError" in caplog.text
    assert "canary" not in caplog.text


def _day(after: int = 0) -> str:
    return str(utc_today() + timedelta(days=after))
