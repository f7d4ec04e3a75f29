"""``roomful election``: groups, result and verification by anybody, from files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.main import roomful
from shared.errors import ElectionError, OpeningError
from shared.invitation import survey_link
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.elections import HeldElection
from tests.sealed_surveys import board_of

COUNTS = (4, 3, 3, 1, 2, 0, 3, 3)


@dataclass(frozen=True)
class Held:
    """A folder for everybody, and the files of the trustees."""

    export: Path
    files: Path
    known: tuple[str, ...]

    def run(self, command: str, *more: object) -> Result:
        arguments = ["election", command, self.export, *more, *self.known]
        return CliRunner().invoke(
            roomful, list(map(str, arguments)), catch_exceptions=False, standalone_mode=False
        )

    def result(self, out: Path, *factors: str) -> dict[str, Any]:
        statements = [part for i in (1, 2, 3) for part in ("--statement", self.files / f"statement-{i}")]
        done = self.run(
            "result", *(self.files / name for name in factors), *statements, "--out", out, "--json"
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def election(tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder = tmp_path_factory.mktemp("held")
    held = HeldElection(folder).fill(*COUNTS)
    export = held.write()
    statements = held.all_stated(export)
    for i, (_, statement) in enumerate(statements, 1):
        (folder / f"statement-{i}").write_bytes(statement.to_bytes())
        (folder / f"{i}.json").write_bytes(held.decrypt(export, i, statements).to_bytes())
    link = survey_link("https://example.org/", held.digest, public_bytes(ORGANIZER_KEY))
    return Held(export, folder, ("--root", board_of(export).root, "--invitation", link))


def test_everybody_gets_the_same_groups(election: Held, tmp_path: Path) -> None:
    told = json.loads(election.run("groups", "--out", tmp_path / "groups.json", "--json").stdout)
    written = (tmp_path / "groups.json").read_bytes()
    assert json.loads(written) == [row["cells"] for row in told["rows"]]
    stated = json.loads((election.files / "statement-1").read_bytes())["groups"]
    assert hashlib.sha256(b"roomful-groups/1" + written).hexdigest() == stated
    assert sum(row["ballots"] for row in told["rows"]) == sum(COUNTS)
    lines = election.run("groups").stdout
    assert lines.count("\nGroup ") == len(told["rows"])
    assert told["groups_words"] in lines
    with pytest.raises(OpeningError, match="exists already"):
        election.run("groups", "--out", tmp_path / "groups.json")


def test_a_malformed_file_of_factors_is_named_and_left_out(election: Held, tmp_path: Path) -> None:
    whole = (election.files / "2.json").read_bytes()
    for number, data in enumerate((b"", b"{}", whole[:-9], whole.replace(b"factors/1", b"factors/2"))):
        (election.files / "broken.json").write_bytes(data)
        found = election.result(tmp_path / f"{number}.json", "1.json", "broken.json", "3.json")
        ((ignored),) = found["ignored"]
        assert ignored["code"] == "election.factors"
        assert ignored["where"].startswith("broken.json")
        assert sum(found["totals"]["board"].values()) == sum(COUNTS)
    with pytest.raises(ElectionError) as refused:
        election.result(tmp_path / "few.json", "1.json", "broken.json")
    assert refused.value.code == "election.too-few-factors"


def test_a_result_is_told_and_verified(election: Held, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    election.result(out, "1.json", "3.json")
    told = election.run("verify", "--result", out)
    assert told.stdout.startswith("Not for binding public elections")
    assert "Verified: these are the votes of exactly these ballots." in told.stdout
    out.write_bytes(out.read_bytes().replace(b'"ballots":4', b'"ballots":5', 1))
    with pytest.raises(ElectionError) as refused:
        election.run("verify", "--result", out)
    assert refused.value.code == "election.result-groups"
