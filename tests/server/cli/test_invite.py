"""``roomful codes``, ``invite``, ``remind`` and ``status`` as those who run an invited survey use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.invite import codes, invite, remind
from server.cli.survey import status
from server.collection.storage.data_directory import DataDirectory
from shared.errors import RoomfulError
from tests.invited import invited_envelope
from tests.server.collection.storage.ballots import DIGEST, publish, store_of
from tests.server.invitations.people_lists import codes_of, fetch, write_codes, write_list

ID = DIGEST[:16]
URL = "https://survey.example.org/"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with an open invited survey, and the files of whoever holds the codes."""
    with DataDirectory(tmp_path / "data") as directory:
        store_of(directory)
    (tmp_path / "survey.dsse.json").write_bytes(invited_envelope())
    write_codes(tmp_path / "codes.csv")
    return tmp_path / "data"


def _invite(folder: Path, out: str, *words: str) -> Result:
    given = ["--codes", str(folder / "codes.csv"), "--out", str(folder / out), "--public-url", URL]
    return CliRunner().invoke(invite, [str(folder), *given, *words])


def _status(data: Path) -> str:
    return CliRunner().invoke(status, [ID, "--data", str(data)]).output


def test_from_codes_to_reminders(data: Path, tmp_path: Path) -> None:
    made = _invite(tmp_path, "letters", "--language", "de")
    assert made.exit_code == 0, made.exception
    assert "Invitations for 150 of 150 people." in made.output
    assert "WARNING" not in made.stderr
    with DataDirectory(data) as directory:
        fetch(directory, ID, 0, 29)
    assert "tokens issued" in _status(data)
    assert ", about " in _status(data)
    options = [ID, "--data", str(data), "--json"]
    done = CliRunner().invoke(remind, [*options, "--out", str(tmp_path / "waiting.txt")])
    assert json.loads(done.stdout) == {"people": 121, "of": 150, "file": str(tmp_path / "waiting.txt")}
    again = CliRunner().invoke(remind, [*options, "--out", str(tmp_path / "again")])
    assert isinstance(again.exception, RoomfulError)
    assert again.exception.code == "state.reminder"
    reminded = _invite(tmp_path, "reminders", "--waiting", str(tmp_path / "waiting.txt"))
    assert "Reminders for 121 of 150 people." in reminded.output
    assert len(codes_of(tmp_path / "reminders")) == 121
    with DataDirectory(data) as directory:
        directory.close(ID)
    assert "29 tokens issued" in _status(data)


def test_what_the_list_is_warned_of(tmp_path: Path) -> None:
    people = tmp_path / "list.csv"
    people.write_text("first\tlast\tnote\nAnn\tLee\t=1+1\nAnn\tLee\t2\n", "utf-8")
    made = CliRunner().invoke(codes, [str(people), "--out", str(tmp_path / "codes"), "--separator", "tab"])
    assert made.exit_code == 0, made.exception
    assert "could be read as formulas: 1" in made.stderr
    assert "Made codes for 2 people" in made.output


def test_codes_in_json(tmp_path: Path) -> None:
    people = write_list(tmp_path / "list.csv", 3)
    made = CliRunner().invoke(codes, [str(people), "--out", str(tmp_path / "codes"), "--json"])
    found = json.loads(made.stdout)
    assert (found["people"], found["files"]) == (3, ["codes.csv", "roll.txt", "README.txt"])


def test_links_that_only_this_machine_can_reach_are_warned_of(data: Path, tmp_path: Path) -> None:
    made = _invite(tmp_path, "letters", "--no-letters", "--public-url", "http://127.0.0.1:8000/")
    assert "WARNING: links lead to http://127.0.0.1" in made.stderr


def test_without_letters(data: Path, tmp_path: Path) -> None:
    made = _invite(tmp_path, "letters", "--no-letters", "--json")
    assert json.loads(made.stdout)["files"] == ["mail-merge.csv", "README.txt"]
    assert {path.name for path in (tmp_path / "letters").iterdir()} == {"mail-merge.csv", "README.txt"}


def test_another_organizers_survey_is_refused(data: Path, tmp_path: Path) -> None:
    made = _invite(tmp_path, "letters", "--key", "A" * 43)
    assert isinstance(made.exception, RoomfulError)


def test_a_collector_alone_says_nothing_of_tokens(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as directory:
        publish(directory, token_key=False).open()
    assert "token" not in _status(tmp_path / "data")
