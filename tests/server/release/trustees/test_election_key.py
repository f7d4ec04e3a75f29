"""The key ceremony of elections by files: what each trustee does, and what voids it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from server import files
from server.keys.public_keys import OpeningKey, read_opening_key
from server.release.trustees.election_key import (
    KEPT_FILE,
    LEDGER_FILE,
    election_key,
    first_round,
    fourth_round,
    second_round,
    secret_of,
    third_round,
)
from server.release.trustees.shares import parse_share
from server.release.trustees.statement_keys import public_statement_key
from shared.edwards import L
from shared.election.group import GENERATOR
from shared.election.trustees import lagrange
from shared.errors import RoomfulError
from tests.election import GROUP

ALL = (1, 2, 3)


class Ceremony:
    """Three trustees, two of whom decrypt."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path / "ceremony"

    def own(self, trustee: int) -> Path:
        """A trustee's own folder."""
        return self.path / f"trustee-{trustee}"

    def first(self, *trustees: int) -> None:
        """Round 1."""
        for i in trustees:
            first_round(self.folder, self.own(i), trustee=i, threshold=2, shares=3, random_bytes=os.urandom)

    def second(self, *trustees: int) -> None:
        """Round 2."""
        for i in trustees:
            second_round(self.folder, self.own(i), random_bytes=os.urandom)

    def third(self, *trustees: int) -> None:
        """Round 3."""
        for i in trustees:
            third_round(self.folder, self.own(i))

    def fourth(self, *trustees: int) -> None:
        """Round 4."""
        for i in trustees:
            fourth_round(self.folder, self.own(i), random_bytes=os.urandom)

    def hold(self) -> OpeningKey:
        """All of it."""
        self.first(*ALL)
        self.second(*ALL)
        self.third(*ALL)
        self.fourth(*ALL)
        return election_key(self.folder)

    def message(self, number: int, trustee: int) -> Path:
        """A message's file."""
        return self.folder / f"round-{number}-trustee-{trustee}.json"


def code_of(action: Callable[[], object]) -> tuple[str, str]:
    """Code and place of the error."""
    with pytest.raises(RoomfulError) as caught:
        action()
    return caught.value.code, caught.value.where


def test_a_ceremony(tmp_path: Path) -> None:
    ceremony = Ceremony(tmp_path)
    key = ceremony.hold()
    assert key.election is not None
    (tmp_path / "election-key.json").write_bytes(key.to_bytes())
    assert read_opening_key(tmp_path / "election-key.json") == key
    secrets = []
    for i in ALL:
        assert sorted(path.name for path in ceremony.own(i).iterdir()) == [
            "ledger.jsonl",
            f"share-{i}-of-3.txt",
        ]
        share = parse_share((ceremony.own(i) / f"share-{i}-of-3.txt").read_text("utf-8"), f"share {i}")
        assert (share.number, share.threshold) == (i, 2)
        assert public_statement_key(share) == key.statement_keys[i - 1]
        secrets.append(secret_of(share, key.election))
    for pair in ((1, 2), (1, 3), (2, 3)):
        secret = sum(w * secrets[i - 1] for w, i in zip(lagrange(pair), pair, strict=True)) % L
        assert GROUP.combine((secret,), (GENERATOR,)) == key.key
        for path in tmp_path.rglob("*"):
            assert not path.is_file() or secret.to_bytes(32, "little").hex() not in path.read_text("utf-8")


def test_the_secret_of_a_ceremony_is_overwritten_before_its_name_goes(tmp_path: Path) -> None:
    """With those of enough trustees the key follows; whoever has a second name of the file finds zeros."""
    ceremony = Ceremony(tmp_path)
    ceremony.first(*ALL)
    other = tmp_path / "second-name"
    other.hardlink_to(ceremony.own(1) / KEPT_FILE)
    ceremony.second(*ALL)
    ceremony.third(*ALL)
    assert any(other.read_bytes())
    ceremony.fourth(*ALL)
    assert not (ceremony.own(1) / KEPT_FILE).exists()
    assert not any(other.read_bytes())


def test_what_is_secret_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    ceremony = Ceremony(tmp_path)
    ceremony.first(1)
    assert ceremony.own(1).stat().st_mode & 0o777 == 0o700
    assert (ceremony.own(1) / KEPT_FILE).stat().st_mode & 0o777 == 0o600
    assert code_of(lambda: ceremony.first(1))[0] == "opening.exists"
    assert code_of(lambda: ceremony.second(2))[0] == "opening.ceremony-secret"


def test_round_two_waits_for_everybody(tmp_path: Path) -> None:
    ceremony = Ceremony(tmp_path)
    ceremony.first(1, 2)
    assert code_of(lambda: ceremony.second(1)) == ("election.ceremony", "round 1")
    ceremony.first(3)
    ceremony.second(1, 2)
    assert code_of(lambda: ceremony.third(1)) == ("election.ceremony", "round 2")


def test_a_message_that_was_exchanged_is_noticed(tmp_path: Path) -> None:
    ceremony, other = Ceremony(tmp_path / "a"), Ceremony(tmp_path / "b")
    ceremony.first(*ALL)
    other.folder.mkdir(parents=True)
    other.message(1, 1).write_bytes(ceremony.message(1, 1).read_bytes())
    other.first(2)
    ceremony.message(1, 2).write_bytes(other.message(1, 2).read_bytes())
    assert code_of(lambda: ceremony.second(2))[0] == "election.ceremony"


def test_a_rogue_share_voids_the_ceremony(tmp_path: Path) -> None:
    """A trustee who seals another number to a colleague would leave her without her part of the key."""
    ceremony, liar = Ceremony(tmp_path), tmp_path / "liar"
    ceremony.first(*ALL)
    ceremony.second(*ALL)
    ceremony.third(1, 2)
    kept = (ceremony.own(3) / KEPT_FILE).read_text("utf-8")
    liar.mkdir()
    coefficients = kept.index('"coefficients":["') + len('"coefficients":["')
    swapped = "B" if kept[coefficients] == "A" else "A"
    (liar / KEPT_FILE).write_text(kept[:coefficients] + swapped + kept[coefficients + 1 :], "utf-8")
    third_round(ceremony.folder, liar)
    code, where = code_of(lambda: ceremony.fourth(1))
    assert (code, where) == ("election.share", "from trustee 3 to 1")
    assert not list(ceremony.own(1).glob("share-*"))


def test_a_share_that_was_damaged_on_its_way(tmp_path: Path) -> None:
    ceremony = Ceremony(tmp_path)
    ceremony.first(*ALL)
    ceremony.second(*ALL)
    ceremony.third(*ALL)
    text = ceremony.message(3, 2).read_text("utf-8")
    place = text.index('"share":"') + 40
    changed = "B" if text[place] == "A" else "A"
    ceremony.message(3, 2).write_text(text[:place] + changed + text[place + 1 :], "utf-8")
    assert code_of(lambda: ceremony.fourth(1)) == ("election.share", "from trustee 2 to 1")


def test_everybody_has_seen_the_same(tmp_path: Path) -> None:
    ceremony = Ceremony(tmp_path)
    ceremony.hold()
    ceremony.message(4, 3).unlink()
    assert code_of(lambda: election_key(ceremony.folder)) == ("election.ceremony", "round 4")
    copy = ceremony.message(4, 2).read_text("utf-8").replace('"trustee":2', '"trustee":3')
    ceremony.message(4, 3).write_text(copy, "utf-8")
    assert code_of(lambda: election_key(ceremony.folder)) == ("election.ceremony", "trustee 3")


def test_a_wrong_folder_or_a_late_message_voids_nothing(tmp_path: Path) -> None:
    """A path that was mistyped is no fault of a trustee, and who has not written yet is waited for."""
    ceremony = Ceremony(tmp_path)
    assert code_of(lambda: election_key(tmp_path / "mistyped")) == ("input", str(tmp_path / "mistyped"))
    ceremony.first(1, 2)
    with pytest.raises(RoomfulError) as early:
        ceremony.second(1)
    assert "trustee 3" in early.value.message
    assert "wait" in early.value.remedy
    assert "void" not in early.value.remedy
    with pytest.raises(RoomfulError) as lost:
        second_round(ceremony.folder, tmp_path / "mistyped", random_bytes=os.urandom)
    assert lost.value.remedy.startswith("Look at the path first.")


def test_a_number_that_is_taken_and_another_split_leave_nothing_behind(tmp_path: Path) -> None:
    """A trustee who mistypes either goes on with the right one, in the folder that she named."""
    ceremony, own = Ceremony(tmp_path), tmp_path / "own"
    ceremony.first(1)

    def begin(trustee: int, shares: int) -> None:
        first_round(
            ceremony.folder, own, trustee=trustee, threshold=2, shares=shares, random_bytes=os.urandom
        )

    assert code_of(lambda: begin(1, 3)) == ("opening.exists", str(ceremony.message(1, 1)))
    assert code_of(lambda: begin(2, 4)) == ("election.ceremony", str(ceremony.folder))
    begin(2, 3)
    ceremony.first(3)
    ceremony.second(1)
    assert code_of(lambda: ceremony.second(1)) == ("opening.exists", str(ceremony.message(2, 1)))


def test_the_folder_of_another_ceremony_is_told_from_a_void_one(tmp_path: Path) -> None:
    """A ceremony was voided in round 2, and trustee 3 begins the new one in the folder of the old."""
    old, new = Ceremony(tmp_path / "old"), Ceremony(tmp_path / "new")
    old.first(*ALL)
    old.second(1)
    old.message(1, 3).unlink()
    assert code_of(lambda: old.first(4)) == ("election.ceremony", str(old.folder))
    new.first(*ALL)
    old = Ceremony(tmp_path / "older")
    old.first(*ALL)
    with pytest.raises(RoomfulError) as caught:
        second_round(old.folder, new.own(1), random_bytes=os.urandom)
    assert caught.value.remedy.startswith("Look at both paths first")


@pytest.mark.parametrize("own", [".", "mine", ".."])
def test_no_secret_lies_in_the_folder_that_goes_around(tmp_path: Path, own: str) -> None:
    folder = tmp_path / "there/ceremony"
    with pytest.raises(RoomfulError, match="lie in each other"):
        first_round(folder, folder / own, trustee=1, threshold=2, shares=3, random_bytes=os.urandom)
    assert not list(tmp_path.rglob(KEPT_FILE))


@pytest.mark.parametrize("step", ["share", "ledger", "message", "erase"])
def test_a_fourth_round_that_was_interrupted_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    ceremony = Ceremony(tmp_path)
    ceremony.first(*ALL)
    ceremony.second(*ALL)
    ceremony.third(*ALL)
    ceremony.fourth(1, 2)
    written, stop = files.replace, ["share", "ledger", "message"].index(step) if step != "erase" else 9

    def interrupted(path: Path, data: bytes, *, mode: int = files.PRIVATE) -> None:
        nonlocal stop
        if stop == 0:
            raise KeyboardInterrupt
        stop -= 1
        written(path, data, mode=mode)

    def never(path: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", interrupted)
        patch.setattr(files, "erase", never)
        with pytest.raises(KeyboardInterrupt):
            ceremony.fourth(3)
    ledger = ceremony.own(3) / LEDGER_FILE
    stated = ledger.read_bytes() + b"a statement\n" if ledger.exists() else None
    if stated is not None:
        ledger.write_bytes(stated)
    ceremony.fourth(3)
    assert stated in (None, ledger.read_bytes())
    assert not (ceremony.own(3) / KEPT_FILE).exists()
    assert election_key(ceremony.folder).shares == 3
    with pytest.raises(RoomfulError, match="round 4 is done"):
        ceremony.fourth(3)
