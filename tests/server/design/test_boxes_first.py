"""An election is designed twice: boxes first, then with the roll and the keys that were made for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from server.design.workflow import BOXES_FILE, design_survey
from server.invitations.coding import make_codes
from server.invitations.people import read_people
from server.keys.public_keys import CollectorPublicKey, OpeningKey
from server.keys.token_keys import create_token_keys
from shared import base64url
from shared.errors import InputError
from shared.specification import Specification
from tests.elections import election_keys

DEPLOY = Path(__file__).parents[3] / "deploy"
PEOPLE = 600
TOGETHER = (
    '[["Market", "Cathedral", "Station", "Saint Anne"], ["University", "Old Town South", "Riverside",'
    ' "Harbour", "Tanners\' Quarter"], ["North Blocks", "West Blocks", "Upper Lindenau", "Garden City",'
    ' "Vineyard Hill", "Mill Meadows", "South Fields"]]'
)
"""Parts of town in three units, each with enough people for boxes of its own."""


def silent(*_: object) -> None:
    """Progress that nobody looks at."""


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """The survey.toml of the demo's election for a few people, and the public keys that it names."""
    folder = tmp_path / "town"
    command = [sys.executable, str(DEPLOY / "town.py"), "--out", str(folder), "--people", str(PEOPLE)]
    subprocess.run(command, check=True, capture_output=True)
    rows = [line.split(",") for line in (folder / "town.csv").read_text().splitlines()]
    (folder / "roll.csv").write_text("".join(",".join(row[:3]) + "\n" for row in rows))
    named = [f"{'name' if n == 0 else f'Member {n}'},{','.join(row[:3])}\n" for n, row in enumerate(rows)]
    (folder / "members.csv").write_text("".join(named))
    text = (DEPLOY / "town" / "election.toml").read_text("utf-8")
    text = text.replace("people = 5000", f"people = {PEOPLE}")
    units = text.index("[units]")
    text = text[:units] + f'[units]\nattribute = "district"\ntogether = {TOGETHER}\n'
    (folder / "election.toml").write_text(text, "utf-8")
    (folder / "election.json").write_bytes((DEPLOY / "town" / "election.json").read_bytes())
    keys = election_keys()
    opening = OpeningKey(
        suite=keys.suite,
        key=keys.opening_key,
        threshold=keys.threshold,
        shares=keys.shares,
        statement_keys=keys.statement_keys,
        election=keys.election,
    )
    (tmp_path / "election-key.json").write_bytes(opening.to_bytes())
    (tmp_path / "key").mkdir()
    public = CollectorPublicKey(suite=keys.suite, key=keys.collector_key, acceptance_key=keys.acceptance_key)
    (tmp_path / "key" / "collector.pub").write_text(public.to_text())
    (tmp_path / "key" / "spare.pub").write_text(f"ed25519:{base64url.encode(keys.spare_keys[0])}\n")
    return folder


def test_boxes_then_roll_and_keys_then_the_design(town: Path, tmp_path: Path) -> None:
    survey = town / "election.toml"
    made = design_survey(survey, tmp_path / "boxes", silent, boxes_only=True)
    assert (BOXES_FILE in made.files, "design.json" in made.files) == (True, False), "it cannot be signed"
    boxes = Specification.parse((tmp_path / "boxes" / BOXES_FILE).read_bytes())
    people = read_people(town / "members.csv", letters=False)
    make_codes(people, tmp_path / "codes", boxes=boxes)

    create_token_keys(tmp_path / "key" / "tokens.pem", boxes.cells.count)
    found = design_survey(survey, tmp_path / "survey", silent).design.specification
    assert found.cells == boxes.cells, "the same boxes, byte for byte"
    assert found.invited is not None
    assert len(found.invited.token_keys) == found.cells.count
    assert json.loads(found.to_bytes())["invited"]["people"] == PEOPLE

    public = tmp_path / "key" / "tokens.pub"
    lines = public.read_text()
    public.write_text(lines[: lines.rindex("rsa-3072:")])
    assert refused(survey, tmp_path / "fewer") == "input.roll"
    public.write_text(lines)
    (tmp_path / "codes" / "roll.txt").unlink()
    roll = make_codes(people, tmp_path / "flat")
    assert roll.people == PEOPLE
    (tmp_path / "codes" / "roll.txt").write_bytes((tmp_path / "flat" / "roll.txt").read_bytes())
    assert refused(survey, tmp_path / "other") == "input.roll", "one list for all boxes"


def refused(survey: Path, out: Path) -> str:
    """Code of the refusal of a design."""
    with pytest.raises(InputError) as caught:
        design_survey(survey, out, silent)
    return caught.value.code
