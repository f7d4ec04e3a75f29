"""``roomful invite``, ``remind`` and ``status`` as the organizer of an invited survey uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.invite import invite, remind
from server.cli.survey import status
from server.storage.data_directory import DataDirectory
from shared.errors import RoomfulError
from tests.server.invitations.people_lists import codes_of, fetch, write_list
from tests.server.storage.ballots import DIGEST, store_of

ID = DIGEST[:16]
URL = "https://survey.example.org/"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with an open invited survey."""
    with DataDirectory(tmp_path / "data") as directory:
        store_of(directory)
    return tmp_path / "data"


def _invite(data: Path, people: Path, *words: str) -> Result:
    out = data.with_name("inv")
    options = [ID, "--list", str(people), "--out", str(out), "--data", str(data)]
    return CliRunner().invoke(invite, [*options, *words])


def _status(data: Path) -> str:
    return CliRunner().invoke(status, [ID, "--data", str(data)]).output


def test_from_list_to_reminder(data: Path, tmp_path: Path) -> None:
    made = _invite(data, write_list(tmp_path / "list.csv", 40), "--public-url", URL, "--language", "de")
    assert made.exit_code == 0
    assert "Invited 40 people; 40 of 150 in all." in made.output
    assert "WARNING" not in made.stderr
    with DataDirectory(data) as directory:
        fetch(directory, ID, codes_of(tmp_path / "inv")[:19])
    assert "at least 10 tokens issued" in _status(data)
    options = [ID, "--codes", str(tmp_path / "inv" / "mail-merge.csv"), "--data", str(data), "--json"]
    done = CliRunner().invoke(remind, [*options, "--out", str(tmp_path / "rem")])
    assert json.loads(done.stdout) == {
        "people": 21, "of": 40, "issued_at_least": 10,
        "folder": str(tmp_path / "rem"), "files": ["mail-merge.csv", "letters.pdf", "README.txt"],
        "finished_earlier": False,
    }  # fmt: skip
    again = CliRunner().invoke(remind, [*options, "--out", str(tmp_path / "again")])
    assert isinstance(again.exception, RoomfulError)
    assert again.exception.code == "state.reminder"
    with DataDirectory(data) as directory:
        directory.close(ID)
    assert "19 tokens issued" in _status(data)


def test_what_the_organizer_should_look_at_is_said(data: Path, tmp_path: Path) -> None:
    people = tmp_path / "list.csv"
    people.write_text("first\tlast\tnote\nAnn\tLee\t=1+1\nAnn\tLee\t2\n", "utf-8")
    made = _invite(data, people, "--line", "{first} {last}", "--separator", "tab")
    assert made.exit_code == 0
    assert "WARNING: the links lead to http://127.0.0.1" in made.stderr
    assert "the same name and address: line 2 and line 3" in made.stderr
    assert "could be read as formulas: 1" in made.stderr


def test_without_letters(data: Path, tmp_path: Path) -> None:
    people = tmp_path / "list.csv"
    people.write_text("mail\na@x.example\n", "utf-8")
    made = _invite(data, people, "--no-letters", "--json")
    assert json.loads(made.stdout)["files"] == ["mail-merge.csv", "README.txt"]
    assert {path.name for path in (tmp_path / "inv").iterdir()} == {"mail-merge.csv", "README.txt"}


def test_a_collector_alone_says_nothing_of_tokens(data: Path) -> None:
    assert "token" not in _status(data)
