"""Letters and links for a signed survey, from codes that are on its roll."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from server.collection.storage.published import PublishedSurvey
from server.invitations import folder
from server.invitations.inviting import Invitations, invite
from server.invitations.mail_merge import read_mail_merge
from shared.errors import InputError, RoomfulError, StorageError
from shared.invitation import Invitation
from shared.roll import Roll
from tests.builders import small_envelope
from tests.invited import ROLL_ID, code, invited_envelope
from tests.server.collection.storage.ballots import DIGEST
from tests.server.invitations.people_lists import codes_of, read_rows, write_codes

URL = "https://survey.example.org/"
Invite = Callable[..., Invitations]


@pytest.fixture
def run(tmp_path: Path) -> Invite:
    codes = write_codes(tmp_path / "codes.csv")

    def invited(
        name: str = "out", *, file: Path = codes, envelope: bytes | None = None, **options: Any
    ) -> Invitations:
        published = PublishedSurvey.verify(tmp_path, envelope or invited_envelope(), organizer_key=None)
        merged = read_mail_merge(file, letters=options.get("letters", True))
        return invite(published, merged, tmp_path / name, public_url=URL, **options)

    return invited


def test_everybody_gets_a_link_with_her_own_code(run: Invite, tmp_path: Path) -> None:
    made = run()
    assert (made.people, made.of) == (150, 150)
    rows = read_rows(tmp_path / "out" / "mail-merge.csv")
    assert [row["name"] for row in rows] == [f"Person {n}" for n in range(150)]
    for number, row in enumerate(rows):
        address, _, fragment = row["link"].partition("#")
        assert address == f"{URL}s/{DIGEST[:16]}"
        invitation = Invitation.parse_fragment(fragment)
        assert (invitation.code, invitation.digest) == (code(number), DIGEST)
        assert code(number).symbols not in address


def test_files_are_the_owners_alone(run: Invite, tmp_path: Path) -> None:
    made = run()
    out = tmp_path / "out"
    assert set(made.files) == {path.name for path in out.iterdir()} == {
        "letters.pdf", "mail-merge.csv", "README.txt",
    }  # fmt: skip
    assert out.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}


def test_letters_can_be_made_again_and_are_the_same(run: Invite, tmp_path: Path) -> None:
    run("one")
    run("two")
    for name in ("letters.pdf", "mail-merge.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("change", ["one missing", "one more", "one swapped", "of another survey"])
def test_only_the_codes_of_the_signed_roll_make_letters(run: Invite, tmp_path: Path, change: str) -> None:
    text = (tmp_path / "codes.csv").read_text("utf-8-sig")
    lines = text.splitlines(keepends=True)
    extra = lines[-1].replace(code(149).text, code(150).text)
    wrong = {
        "one missing": "".join(lines[:-1]),
        "one more": text + extra,
        "one swapped": "".join([*lines[:-1], extra]),
        "of another survey": text.replace(code(0).text, code(151).text),
    }[change]
    path = tmp_path / "wrong.csv"
    path.write_text(wrong, "utf-8")
    with pytest.raises(InputError) as caught:
        run(file=path)
    assert caught.value.code == "input.codes-roll"
    assert not (tmp_path / "out").exists()


def test_an_open_survey_needs_no_codes(run: Invite) -> None:
    with pytest.raises(RoomfulError) as caught:
        run(envelope=small_envelope())
    assert caught.value.code == "ballot.open-survey"


def test_a_reminder_goes_to_everybody_and_says_that_it_is_one(run: Invite, tmp_path: Path) -> None:
    assert run(reminder=True, language="en").people == 150
    text = pypdfium2.PdfDocument(tmp_path / "out" / "letters.pdf")[0].get_textpage().get_text_bounded()
    assert "Reminder" in text
    assert "If you have taken part in the meantime" in " ".join(text.split())


def test_a_list_of_those_who_wait_leaves_the_others_out(run: Invite, tmp_path: Path) -> None:
    waiting = Roll.of(ROLL_ID, map(code, range(40, 60))).to_bytes()
    made = run(waiting=waiting, letters=False, reminder=True)
    assert (made.people, made.of) == (20, 150)
    assert codes_of(tmp_path / "out") == [code(number) for number in range(40, 60)]


@pytest.mark.parametrize("waiting", [b"no list", Roll.of(bytes(32), [code(0)]).to_bytes()])
def test_another_list_is_refused(run: Invite, tmp_path: Path, waiting: bytes) -> None:
    with pytest.raises(InputError) as caught:
        run(waiting=waiting)
    assert caught.value.code == "input.waiting"
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(run: Invite, tmp_path: Path) -> None:
    run()
    before = (tmp_path / "out" / "mail-merge.csv").read_bytes()
    with pytest.raises(InputError) as caught:
        run()
    assert caught.value.code == "input.exists"
    assert (tmp_path / "out" / "mail-merge.csv").read_bytes() == before
    with pytest.raises(InputError):
        run("missing/out")


def test_a_language_that_the_survey_lacks(run: Invite) -> None:
    with pytest.raises(InputError) as caught:
        run(language="fr")
    assert caught.value.code == "input.language"


def test_a_letter_that_cannot_be_printed_is_named_by_its_line(run: Invite, tmp_path: Path) -> None:
    text = (tmp_path / "codes.csv").read_text("utf-8-sig").replace('Person 1"', '山田"')
    path = tmp_path / "names.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        run(file=path)
    assert (caught.value.code, caught.value.where) == ("input.letter-font", "line 3")
    assert not (tmp_path / "out").exists()


def test_an_error_leaves_nothing(run: Invite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise StorageError("the disk is full", code="storage.full")

    monkeypatch.setattr(folder, "write_letters", fail)
    with pytest.raises(StorageError):
        run()
    assert [path.name for path in tmp_path.iterdir()] == ["codes.csv"]


def test_many_letters_are_several_files(run: Invite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "LETTERS_A_FILE", 60)
    told: list[tuple[str, int, int]] = []
    made = run(progress=lambda *stage: told.append(stage))
    assert [name for name in made.files if "letters" in name] == [
        "letters-001.pdf", "letters-002.pdf", "letters-003.pdf",
    ]  # fmt: skip
    assert told[-1] == ("letters", 150, 150)
