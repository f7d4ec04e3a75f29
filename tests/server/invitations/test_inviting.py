"""Inviting: letters that count, hashes and nothing else on the server, interruptions without residue."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.invitations import folder, mailing
from server.invitations.inviting import Invitations, invite
from server.invitations.people import read_people
from server.storage import files
from server.storage.data_directory import DataDirectory
from server.storage.registrar import RegistrarStore
from server.storage.store import SurveyStore
from shared.errors import InputError, RoomfulError, StateError, StorageError
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from tests.builders import small_envelope, small_model
from tests.programs import COMMAND
from tests.server.invitations.people_lists import codes_of, fetch, read_rows, write_list
from tests.server.storage.ballots import DIGEST, publish

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
    monkeypatch.setattr(folder if where == "write_letters" else mailing, where, _fail)
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


def _interrupt(data: DataDirectory, people: Path, out: Path, patch: pytest.MonkeyPatch) -> Path:
    """Stop a run after its codes were stored; returns the unfinished folder."""

    def interrupted(*_paths: Path) -> None:
        raise KeyboardInterrupt

    with patch.context() as inner:
        inner.setattr(folder, "finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _invite(data, people, out, letters=False)
    assert not out.exists()
    return folder.unfinished(out, DIGEST[:16])


@pytest.mark.parametrize("again", ["out", "other"])
def test_an_interruption_after_the_codes_were_stored_is_finished(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    """Where it was begun, whatever --out says now; the next run is free again."""
    people, out = write_list(tmp_path / "list.csv", 140), tmp_path / "out"
    _interrupt(data, people, out, monkeypatch)
    made = _invite(data, people, tmp_path / again, letters=False)
    assert (made.people, made.total, made.finished_earlier) == (140, 140, True)
    assert made.folder == str(out)
    assert data.registrar(survey.id).fetched(_hashes(out)).known == 140
    assert [path.name for path in tmp_path.iterdir() if "unfinished" in path.name] == []
    more = _invite(data, write_list(tmp_path / "more.csv", 10, first=200), tmp_path / "more", letters=False)
    assert (more.total, more.finished_earlier) == (150, False)


def test_a_place_with_odd_letters_is_found_again(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 3), tmp_path / os.fsdecode(b"%41 #\xff\xc3\xa9")
    _interrupt(data, people, out, monkeypatch)
    assert _invite(data, people, tmp_path / "other", letters=False).finished_earlier
    assert out.is_dir()


def _by_somebody_else(work: Path) -> None:
    # Only root could really give it away, so the test changes who this user is.
    os.chmod(work, 0o700)  # noqa: PTH101


def _open_to_others(work: Path) -> None:
    work.chmod(0o720)


def _elsewhere(work: Path) -> None:
    work.rename(work.with_name("elsewhere"))
    work.symlink_to(work.with_name("elsewhere"))


def _one_code_swapped(work: Path) -> None:
    """The rest of the codes are real."""
    path = work / "mail-merge.csv"
    text = path.read_text("utf-8-sig")
    [first, *_] = codes_of(work)
    path.write_text(text.replace(first.text, InvitationCode.create(b"another code").text), "utf-8-sig")


def _file_of_others(work: Path) -> None:
    (work / "README.txt").chmod(0o606)


def _cut_off(work: Path) -> None:
    (work / "mail-merge.csv").write_bytes(b"")


@pytest.mark.parametrize(
    "spoil", [_by_somebody_else, _open_to_others, _elsewhere, _one_code_swapped, _file_of_others, _cut_off]
)
def test_a_folder_that_somebody_else_could_have_made_is_not_taken_for_the_letters(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
) -> None:  # fmt: skip
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    work = _interrupt(data, people, out, monkeypatch)
    spoil(work)
    if spoil is _by_somebody_else:
        monkeypatch.setattr(os, "geteuid", lambda: work.stat().st_uid + 1)
    with pytest.raises(InputError) as caught:
        _invite(data, people, out, letters=False)
    assert caught.value.code == "input.unfinished"
    assert str(work) in caught.value.where
    assert (out.exists(), work.exists()) == (False, True)


def test_letters_that_are_lost_are_missed(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    work = _interrupt(data, people, out, monkeypatch)
    work.rename(tmp_path / "away")
    with pytest.raises(InputError) as caught:
        _invite(data, people, tmp_path / "other", letters=False)
    assert (caught.value.code, caught.value.where) == ("input.unfinished", str(work))
    out.mkdir()  # as the remedy says: they are lost for good
    assert _invite(data, people, tmp_path / "other", letters=False).total == 10


def test_letters_that_were_finished_and_not_noted_are_in_nobodys_way(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(RegistrarStore, "note_finished", _fail)
        with pytest.raises(StorageError):
            _invite(data, people, out, letters=False)
    assert len(codes_of(out)) == 5
    other = write_list(tmp_path / "more.csv", 2, first=50)
    assert _invite(data, other, tmp_path / "other", letters=False).total == 7
    assert data.registrar(survey.id).letters_to() is None


def test_a_folder_in_the_way_of_unfinished_letters_is_named(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    work = _interrupt(data, people, out, monkeypatch)
    out.mkdir()
    with pytest.raises(InputError) as caught:
        _invite(data, people, tmp_path / "other", letters=False)
    assert (caught.value.code, caught.value.where) == ("input.unfinished", str(out))
    assert work.is_dir()
    out.rmdir()
    assert _invite(data, people, tmp_path / "other", letters=False).folder == str(out)


def test_an_old_copy_of_the_codes_costs_no_letters(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unfinished folder fits the newest database, which can still be put back."""
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    _invite(data, write_list(tmp_path / "first.csv", 1, first=50), tmp_path / "first", letters=False)
    path = survey.published.folder / "registrar.sqlite"
    old = path.read_bytes()
    work = _interrupt(data, people, out, monkeypatch)
    path.write_bytes(old)
    with pytest.raises(StorageError) as caught:
        _invite(data, people, out, letters=False)
    assert caught.value.code == "storage.rolled-back"
    assert len(codes_of(work)) == 5


def test_two_at_once_do_not_throw_away_each_others_letters(
    data: DataDirectory, survey: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = write_list(tmp_path / "list.csv", 5), tmp_path / "out"
    began, go_on = threading.Event(), threading.Event()
    made: list[Invitations] = []
    refused: list[RoomfulError] = []
    written = mailing.readme

    def slow(*arguments: Any) -> bytes:
        began.set()
        assert go_on.wait(20)
        return written(*arguments)

    monkeypatch.setattr(mailing, "readme", slow)

    def run() -> None:
        try:
            with DataDirectory(data.path, quiet_seconds=60) as own:
                made.append(_invite(own, people, out, letters=False))
        except RoomfulError as error:
            refused.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    threads[0].start()
    assert began.wait(20)
    threads[1].start()
    threads[1].join(0.5)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert ([found.total for found in made], [error.code for error in refused]) == ([5], ["input.exists"])
    assert data.registrar(survey.id).fetched(_hashes(out)).known == 5


_KILLED = """
import os, signal, sys
from server.invitations import folder, mailing
from server.storage.data_directory import DataDirectory
import server.cli.main

def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

module, name = sys.argv.pop(1).split(":")
setattr({"folder": folder, "mailing": mailing, "data": DataDirectory}[module], name, die)
server.cli.main.main()
"""


@pytest.mark.parametrize(
    ("place", "stored"),
    [("folder:write_letters", 0), ("mailing:readme", 0), ("data:invite", 0), ("folder:finish", 5)],
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

    def stored(self: DataDirectory, name: str, hashes: list[bytes], **options: Any) -> int:
        work = folder.unfinished(tmp_path / "out", survey.id)
        assert {tmp_path, work} <= set(synced)
        return store(self, name, hashes, **options)

    monkeypatch.setattr(files, "sync_folder", noted)
    monkeypatch.setattr(DataDirectory, "invite", stored)
    _invite(data, write_list(tmp_path / "list.csv", 3), tmp_path / "out")
