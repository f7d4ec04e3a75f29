"""Making codes: before anything is signed, on no server, and nothing but hashes leaves."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import pytest

from server.invitations import coding
from server.invitations.coding import MadeCodes, make_codes
from server.invitations.people import read_people
from shared.errors import InputError, StorageError
from shared.roll import Roll, roll_hash
from tests.server.invitations.people_lists import codes_of, read_rows, write_list


def _make(tmp_path: Path, number: int, **options: Any) -> MadeCodes:
    people = read_people(write_list(tmp_path / "list.csv", number), letters=False)
    return make_codes(people, tmp_path / "codes", **options)


def test_everybody_has_a_code_and_every_code_is_on_the_roll(tmp_path: Path) -> None:
    made = _make(tmp_path, 12)
    rows = read_rows(tmp_path / "codes" / "codes.csv")
    assert [row["name"] for row in rows] == [f"Person {n}" for n in range(1, 13)]
    assert list(rows[0]) == ["name", "street", "postcode", "town", "code"]
    data = (tmp_path / "codes" / "roll.txt").read_bytes()
    roll, codes = Roll.parse(data), codes_of(tmp_path / "codes", "codes.csv")
    assert set(roll.hashes) == {roll_hash(code.proof(roll.roll_id)) for code in codes}
    assert len(roll.hashes) == made.people == 12
    assert made.digest == hashlib.sha256(data).hexdigest()


def test_the_roll_names_nobody_and_its_order_is_not_the_lists(tmp_path: Path) -> None:
    _make(tmp_path, 100)
    data = (tmp_path / "codes" / "roll.txt").read_bytes()
    roll = Roll.parse(data)
    codes = codes_of(tmp_path / "codes", "codes.csv")
    assert b"Person" not in data
    assert [roll_hash(code.proof(roll.roll_id)) for code in codes] != list(roll.hashes)
    assert not [code for code in codes if code.symbols.encode() in data]


def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    made = _make(tmp_path, 2)
    out = tmp_path / "codes"
    assert set(made.files) == {path.name for path in out.iterdir()} == {"codes.csv", "roll.txt", "README.txt"}
    assert out.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}


def test_codes_and_roll_id_come_from_the_generator_that_is_given(tmp_path: Path) -> None:
    numbers = itertools.count()
    _make(tmp_path, 3, entropy=lambda size: hashlib.shake_256(str(next(numbers)).encode()).digest(size))
    roll = Roll.parse((tmp_path / "codes" / "roll.txt").read_bytes())
    assert roll.roll_id == hashlib.shake_256(b"0").digest(32)


def test_a_generator_that_repeats_itself_makes_no_two_equal_codes(tmp_path: Path) -> None:
    numbers = itertools.count()
    _make(tmp_path, 5, entropy=lambda size: hashlib.shake_256(str(next(numbers) // 3).encode()).digest(size))
    assert len(set(codes_of(tmp_path / "codes", "codes.csv"))) == 5


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    _make(tmp_path, 2)
    before = (tmp_path / "codes" / "codes.csv").read_bytes()
    with pytest.raises(InputError) as caught:
        _make(tmp_path, 2)
    assert caught.value.code == "input.exists"
    assert (tmp_path / "codes" / "codes.csv").read_bytes() == before


def test_too_many_people_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "MAX_RECEIPTS", 3)
    with pytest.raises(InputError, match="4 people are too many"):
        _make(tmp_path, 4)


def test_an_error_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise StorageError("the disk is full", code="storage.full")

    monkeypatch.setattr("server.files.write_new", fail)
    with pytest.raises(StorageError):
        _make(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]
