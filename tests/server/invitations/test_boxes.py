"""The roll of an election: each voter's box, as her device finds it and her letter says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.storage.published import PublishedSurvey
from server.invitations.boxes import with_groups
from server.invitations.coding import make_codes
from server.invitations.inviting import invite
from server.invitations.mail_merge import read_mail_merge
from server.invitations.people import People, read_people
from shared.errors import InputError
from shared.roll import Roll, roll_hash
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, sign
from tests.elections import BOXES, election_keys, election_specification
from tests.invited import codes_of
from tests.server.invitations.people_lists import codes_of as codes_in
from tests.server.invitations.people_lists import read_rows

SPECIFICATION = election_specification()
HEADER = "name;town;age;sex"


def voters(path: Path, *more: str) -> People:
    """Somebody of each age and sex, and who else is given."""
    rows = [
        f"Voter {age} {sex};Smallville;{age};{sex}" for age in range(18, 91) for sex in ("female", "male")
    ]
    path.write_text("\n".join([HEADER, *rows, *more]) + "\n", "utf-8")
    return read_people(path)


def box_of(specification: Specification, age: str, sex: str) -> int:
    return specification.cells.assign(specification.vector({"age": age, "sex": sex}))


def test_codes_of_a_box_are_those_of_its_voters(tmp_path: Path) -> None:
    made = make_codes(voters(tmp_path / "roll.csv"), tmp_path / "codes", boxes=SPECIFICATION)
    roll = Roll.parse((tmp_path / "codes" / "roll.txt").read_bytes())
    assert (made.digest, len(roll.boxes)) == (roll.digest, BOXES)
    rows = read_rows(tmp_path / "codes" / "codes.csv")
    for row, code in zip(rows, codes_in(tmp_path / "codes", "codes.csv"), strict=True):
        box = box_of(SPECIFICATION, row["age"], row["sex"])
        assert row["group"] == str(box)
        assert roll_hash(code.proof(roll.roll_id)) in roll.boxes[box]


@pytest.mark.parametrize(
    ("row", "said"), [("Eve;Smallville;old;female", "old"), ("Eve;Smallville;43;x", "sex")]
)
def test_who_is_in_no_box_is_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        with_groups(voters(tmp_path / "roll.csv", row), SPECIFICATION)
    assert caught.value.code == "input.people"
    assert said in str(caught.value) or "line 148" in str(caught.value)


def test_a_roll_without_an_attribute_or_with_an_empty_box(tmp_path: Path) -> None:
    people = voters(tmp_path / "roll.csv")
    for header in (("name", "town", "age", "gender"), ("name", "group", "age", "sex")):
        with pytest.raises(InputError) as caught:
            with_groups(replace(people, header=header), SPECIFICATION)
        assert caught.value.code == "input.people"
    few = replace(people, rows=people.rows[:1])
    with pytest.raises(InputError) as caught:
        with_groups(few, SPECIFICATION)
    assert caught.value.code == "input.roll"


def invited_with(tmp_path: Path, codes: Path) -> str:
    """The letters' files for codes of a signed election; else the code of the refusal."""
    roll = Roll.parse((tmp_path / "codes" / "roll.txt").read_bytes())
    keys = election_keys(people=len(roll.hashes), codes=codes_of(roll))
    envelope = sign(election_specification(invited=keys).to_bytes(), ORGANIZER_KEY).to_bytes()
    published = PublishedSurvey.verify(tmp_path, envelope, organizer_key=None)
    try:
        made = invite(
            published, read_mail_merge(codes), tmp_path / "letters", public_url="https://vote.example/"
        )
    except InputError as error:
        return error.code
    return ", ".join(made.files)


def test_letters_are_made_for_the_codes_of_each_box_and_no_others(tmp_path: Path) -> None:
    make_codes(voters(tmp_path / "roll.csv"), tmp_path / "codes", boxes=SPECIFICATION)
    codes = tmp_path / "codes" / "codes.csv"
    text = codes.read_text("utf-8-sig")
    first, box = text.splitlines()[1], read_rows(codes)[0]["group"]
    for wrong in (f'"{(int(box) + 1) % BOXES}"', '"99"', '""'):
        moved = tmp_path / "moved.csv"
        moved.write_text(text.replace(first, first.replace(f'"{box}"', wrong, 1)), "utf-8-sig")
        assert invited_with(tmp_path, moved) == "input.codes-roll"
    assert "letters.pdf" in invited_with(tmp_path, codes)
