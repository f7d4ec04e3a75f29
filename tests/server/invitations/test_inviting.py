"""Inviting: letters that count, hashes and nothing else on the server, interruptions without residue."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.invitations import folder, inviting
from server.invitations.inviting import Invitations, invite
from server.invitations.people import read_people
from server.storage import files
from server.storage.data_directory import DataDirectory
from server.storage.store import SurveyStore
from shared.errors import InputError, RoomfulError, StateError, StorageError
from shared.invitation import Invitation
from tests.builders import small_envelope, small_model
from tests.server.invitations.people_lists import codes_of, fetch, read_rows, write_list
from tests.server.storage.ballots import DIGEST, publish
from tests.server.web.process import COMMAND

URL = "https://survey.example.org/"


def _invite(data: DataDirectory, people: Path, out: Path, **options: Any) -> Invitations:
    return invite(data, DIGEST[:16], lambda: read_people(people), out, public_url=URL, **options)


def _hashes(out: Path) -> list[bytes]:
    return [code.hash(DIGEST) for code in codes_of(out)]


def test_everybody_gets_a_code_that_the_registrar_knows(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    made = _invite(data, write_list(tmp_path / "list.csv", 12), out)
    assert (made.people, made.total, made.allowed) == (12, 12, 150)
    rows = read_rows(out / "mail-merge.csv")
    assert [row["name"] for row in rows] == [f"Person {n}" for n in range(1, 13)]
    assert len({row["code"] for row in rows}) == 12
    for row, code in zip(rows, codes_of(out), strict=True):
        address, _, fragment = row["link"].partition("#")
        assert address == f"{URL}s/{DIGEST[:16]}"
        invitation = Invitation.parse_fragment(fragment)
        assert (invitation.code, invitation.digest) == (code, DIGEST)
        assert code.symbols not in address
    assert data.registrar(survey.id).fetched(_hashes(out)).known == 12


def test_files_are_the_owners_alone(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = _invite(data, write_list(tmp_path / "list.csv", 2), out)
    assert set(made.files) == {path.name for path in out.iterdir()} == {
        "letters.pdf", "mail-merge.csv", "README.txt",
    }  # fmt: skip
    assert out.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}


def test_names_and_codes_never_reach_the_data_directory(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    _invite(data, write_list(tmp_path / "list.csv", 30), out)
    data.end()
    secrets = [b"Person ", b"Lane ", *(code.symbols.encode() for code in codes_of(out))]
    secrets += [code.text.encode() for code in codes_of(out)]
    for root in (data.path, data.path.with_name(f"{data.path.name}.anchors")):
        for path in root.rglob("*"):
            content = path.read_bytes() if path.is_file() else b""
            assert not [secret for secret in secrets if secret in content], path


def test_a_draft_invites_and_a_closed_survey_does_not(
    data: DataDirectory, draft: SurveyStore, tmp_path: Path
) -> None:
    people = write_list(tmp_path / "list.csv", 1)
    _invite(data, people, tmp_path / "one")
    draft.open()
    draft.close()
    with pytest.raises(StateError) as caught:
        _invite(data, people, tmp_path / "two")
    assert caught.value.code == "state.closed"


def _open_survey(data: DataDirectory) -> str:
    return data.publish(small_envelope(), small_model())


def test_only_an_invited_surveys_registrar_invites(data: DataDirectory, tmp_path: Path) -> None:
    people = write_list(tmp_path / "list.csv", 1)
    publish(data, token_key=False)
    for survey, code in ((_open_survey(data), "ballot.open-survey"), (DIGEST[:16], "state.role")):
        with pytest.raises(RoomfulError) as caught:
            invite(data, survey, lambda: read_people(people), tmp_path / "out", public_url=URL)
        assert caught.value.code == code
    assert not (tmp_path / "out").exists()


def test_never_more_than_were_signed(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> None:
    _invite(data, write_list(tmp_path / "list.csv", 149), tmp_path / "one", letters=False)
    with pytest.raises(StateError) as caught:
        _invite(data, write_list(tmp_path / "more.csv", 2, first=200), tmp_path / "two", letters=False)
    assert caught.value.code == "state.invitations"
    assert sorted(path.name for path in tmp_path.iterdir() if "two" in path.name) == []
    _invite(data, write_list(tmp_path / "last.csv", 1, first=200), tmp_path / "three", letters=False)
    assert data.registrar(survey.id).invited() == 150


def test_nothing_is_overwritten(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _invite(data, write_list(tmp_path / "list.csv", 2), out)
    before = (out / "mail-merge.csv").read_bytes()
    with pytest.raises(InputError) as caught:
        _invite(data, tmp_path / "list.csv", out)
    assert caught.value.code == "input.exists"
    assert (out / "mail-merge.csv").read_bytes() == before
    with pytest.raises(InputError):
        _invite(data, tmp_path / "list.csv", tmp_path / "missing" / "out")


def test_a_language_that_the_survey_lacks(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _invite(data, write_list(tmp_path / "list.csv", 1), tmp_path / "out", language="fr")
    assert caught.value.code == "input.language"


def test_a_letter_that_cannot_be_printed_stores_nothing(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path
) -> None:
    people = tmp_path / "list.csv"
    people.write_text("name\nAnn\n山田\n", "utf-8")
    with pytest.raises(InputError) as caught:
        _invite(data, people, tmp_path / "out")
    assert (caught.value.code, caught.value.where) == ("input.letter-font", "line 3")
    with pytest.raises(StateError):
        data.registrar(survey.id)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def _fail(*_arguments: object, **_options: object) -> Any:
    raise StorageError("the disk is full", code="storage.full")


@pytest.mark.parametrize("where", ["write_letters", "readme"])
def test_an_error_before_the_codes_are_stored_leaves_nothing(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(folder if where == "write_letters" else inviting, where, _fail)
    with pytest.raises(StorageError):
        _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []
    with pytest.raises(StateError):
        data.registrar(survey.id)


def test_codes_that_could_not_be_stored_have_no_letters(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DataDirectory, "invite", _fail)
    with pytest.raises(StorageError):
        _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_an_interruption_after_the_codes_were_stored_is_finished(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 150), tmp_path / "out"

    def interrupted(*_paths: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder, "finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _invite(data, people, out, letters=False)
    assert not out.exists()
    made = _invite(data, people, out, letters=False)
    assert (made.people, made.total, made.finished_earlier) == (150, 150, True)
    assert data.registrar(survey.id).fetched(_hashes(out)).known == 150
    assert [path.name for path in tmp_path.iterdir() if "unfinished" in path.name] == []


_KILLED = """
import os, signal, sys
from server.invitations import folder, inviting
from server.storage.data_directory import DataDirectory
import server.cli.main

def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

module, name = sys.argv.pop(1).split(":")
setattr({"folder": folder, "inviting": inviting, "data": DataDirectory}[module], name, die)
server.cli.main.main()
"""


@pytest.mark.parametrize(
    ("place", "stored"),
    [("folder:write_letters", 0), ("inviting:readme", 0), ("data:invite", 0), ("folder:finish", 5)],
)
def test_a_machine_that_stops_leaves_no_letter_without_effect_and_no_lost_invitation(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, place: str, stored: int
) -> None:
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    options = ["invite", survey.id, "--list", str(people), "--out", str(out), "--data", str(data.path)]
    killed = subprocess.run([sys.executable, "-c", _KILLED, place, *options], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    again = subprocess.run(
        [*COMMAND, *options, "--json"], check=True, capture_output=True, env=os.environ | {"LANG": "C.UTF-8"}
    )
    made = json.loads(again.stdout)
    assert (made["people"], made["total"]) == (5, 5)
    assert made["finished_earlier"] == bool(stored)
    assert data.registrar(survey.id).fetched(_hashes(out)).known == 5
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out"]


def test_codes_come_from_the_generator_that_is_given(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path
) -> None:
    asked: list[int] = []

    def entropy(number: int) -> bytes:
        asked.append(number)
        return bytes([max(0, len(asked) - 2)]) * number  # the first twice

    _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out", entropy=entropy)
    assert len(set(codes_of(tmp_path / "out"))) == 3
    assert asked == [12] * 4


def test_many_letters_are_several_files(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "LETTERS_A_FILE", 2)
    seen: list[tuple[str, int, int]] = []
    progress: Callable[[str, int, int], None] = lambda *step: seen.append(step)  # noqa: E731
    made = _invite(data, write_list(tmp_path / "list.csv", 5), tmp_path / "out", progress=progress)
    assert made.files[1:4] == ("letters-001.pdf", "letters-002.pdf", "letters-003.pdf")
    assert seen == [("letters", done, 5) for done in range(1, 6)]


def test_fetching_afterwards_counts(data: DataDirectory, survey: SurveyStore, tmp_path: Path) -> None:
    _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out")
    fetch(data, survey.id, codes_of(tmp_path / "out")[:2])
    assert data.registrar(survey.id).issued() == 2


def test_the_letters_folder_is_on_the_disk_before_the_codes_are_stored(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    sync, store = files.sync_folder, DataDirectory.invite

    def noted(path: Path) -> None:
        synced.append(path)
        sync(path)

    def stored(self: DataDirectory, name: str, hashes: list[bytes]) -> int:
        work = folder.unfinished(tmp_path / "out", survey.id)
        assert {tmp_path, work} <= set(synced)
        return store(self, name, hashes)

    monkeypatch.setattr(files, "sync_folder", noted)
    monkeypatch.setattr(DataDirectory, "invite", stored)
    _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out")
