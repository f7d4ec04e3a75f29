"""``roomful election``: groups, result and verification by anybody, from files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.main import roomful
from server.collection.board_folder import BoardFiles, publish_board
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.release.board.election_files import publish_result
from shared.errors import ElectionError, InputError, NotFoundError, OpeningError, RoomfulError
from shared.hash_list import format_hashes
from shared.invitation import survey_link
from shared.roll import parse_used_codes, roll_hash
from shared.verification.faults import fault
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.elections import COUNTS, HeldElection, election_roll
from tests.sealed_surveys import board_of
from tests.served import no_client, serving
from tests.server.collection.relay.survey import open_collector
from tests.unit_cells import election_of_units


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
    return held_in(tmp_path_factory.mktemp("held"), HeldElection, COUNTS)


def held_in(
    folder: Path,
    hold: Callable[[Path], HeldElection],
    counts: Sequence[int],
    decrypting: Sequence[int] = (1, 2, 3),
) -> Held:
    """An election's folder, with the statements of all trustees if some of them decrypt."""
    held = hold(folder).fill(*counts)
    export = held.write()
    statements = held.all_stated(export) if decrypting else []
    for i, (_, statement) in enumerate(statements, 1):
        (folder / f"statement-{i}").write_bytes(statement.to_bytes())
    for i in decrypting:
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


@pytest.mark.parametrize(
    ("women", "joined"), [((3, 3, 3, 2), []), ((1, 0, 1, 0), [["Female", "Male"]])], ids=["apart", "joined"]
)
def test_groups_are_told_with_their_units(
    women: tuple[int, ...], joined: list[list[str]], tmp_path: Path
) -> None:
    def hold(folder: Path) -> HeldElection:
        return HeldElection(folder, specification=election_of_units())

    found = held_in(tmp_path, hold, (*women, 3, 3, 3, 3), decrypting=())
    told = json.loads(found.run("groups", "--json").stdout)
    assert (told["units"], told["joined_units"]) == (2, joined)
    for row in told["rows"]:
        cells = set(row["cells"])
        assert ("Female" in row["units"], "Male" in row["units"]) == (min(cells) < 4, max(cells) > 3)
    lines = found.run("groups").stdout
    assert f"2 units of law; joined with others: {'Female + Male' if joined else 'none'}." in lines
    assert "(Male)" in lines
    assert "(Female; Male)" in lines or not joined


def test_a_unanimous_group_is_told_with_its_unit(tmp_path: Path) -> None:
    def hold(folder: Path) -> HeldElection:
        election = HeldElection(folder, specification=election_of_units())
        alike = {"board": "ada", "statutes": True}
        election.ballots.extend(
            election.ballot(box, alike, 3 * box + i) for box in range(8) for i in range(3)
        )
        return election

    found = held_in(tmp_path, hold, (0,) * 8, decrypting=(1, 2))
    told = found.result(tmp_path / "result.json", "1.json", "2.json")["unanimous"]
    assert {tuple(line["units"]) for line in told} == {("Female",), ("Male",)}
    lines = found.run("verify", "--result", tmp_path / "result.json").stdout
    assert f"UNANIMOUS group {told[0]['group']} ({told[0]['units'][0]}): all 3 chose ada" in lines


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


@pytest.fixture(scope="module")
def verified(election: Held, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything, as an observer gets it."""
    folder = tmp_path_factory.mktemp("observer") / "election"
    shutil.copytree(election.export, folder)
    election.result(folder / "result.json", "1.json", "3.json")
    return folder


def test_a_folder_with_everything_needs_no_more(election: Held, verified: Path) -> None:
    told = json.loads(Held(verified, election.files, election.known[2:]).run("verify", "--json").stdout)
    assert told["compare"]
    assert sum(told["totals"]["board"].values()) == sum(COUNTS)


def test_unanimous_groups_are_marked(election: Held, verified: Path) -> None:
    groups = json.loads((verified / "result.json").read_bytes())["groups"]
    names = (("board", ("ada", "ben", "blank")), ("statutes", ("true", "false")))
    alike = [
        {
            "group": number,
            "ballots": group["ballots"],
            "contest": contest,
            "choice": choices[row.index(max(row))],
        }
        for number, group in enumerate(groups, 1)
        for (contest, choices), row in zip(names, group["votes"], strict=True)
        if group["ballots"] and max(row) == group["ballots"]
    ]
    told = json.loads(election.run("verify", "--result", verified / "result.json", "--json").stdout)
    assert [(line["group"], line["contest"], line["choice"]) for line in told["unanimous"]] == alike


@pytest.mark.parametrize(
    ("name", "culprit"),
    [
        ("specification.dsse.json", "whoever handed"),
        ("ballots.bin", "whoever handed"),
        ("board.json", "the organizer"),
        ("rehearsal.json", "the organizer, who opened"),
        ("result.json", "result"),
    ],
)
def test_a_refusal_names_who_is_at_fault(
    election: Held, verified: Path, tmp_path: Path, name: str, culprit: str
) -> None:
    folder = tmp_path / "election"
    shutil.copytree(verified, folder)
    data = (folder / name).read_bytes()
    place = len(data) - 40
    (folder / name).write_bytes(data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :])
    with pytest.raises(RoomfulError) as refused:
        Held(folder, election.files, election.known).run("verify")
    assert f"At fault: {culprit}" in refused.value.remedy or culprit in refused.value.remedy


def test_every_code_of_a_verification_has_somebody_at_fault() -> None:
    text = Path("docs/errors.md").read_text("utf-8")
    codes = re.findall(r"^\| `((?:election|board)\.[a-z.-]+)`", text, re.MULTILINE)
    assert len(codes) > 20
    assert all(map(fault, codes))
    assert fault("internal") == ""


def test_what_is_published_is_verified_by_its_address(election: Held, verified: Path, tmp_path: Path) -> None:
    held, result = HeldElection(tmp_path), (verified / "result.json").read_bytes()
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = open_collector(data, held.specification)
        store.close()
        publish_board(store.published.folder, board_files(election.export))
        with serving(create_app(Config(), data, client=no_client)) as port:
            link = survey_link(f"http://127.0.0.1:{port}/", held.digest, public_bytes(ORGANIZER_KEY))
            with pytest.raises(NotFoundError) as refused:
                invoke("election", "verify", link)
            assert refused.value.code == "not-found.result"
            other = result.replace(b'"ballots":4', b'"ballots":5', 1)
            with pytest.raises(ElectionError):
                publish_result(store.published, election.export, other, lambda *_: None)
            publish_result(store.published, election.export, result, lambda *_: None)
            with pytest.raises(OpeningError) as counted:
                invoke("election", "verify", link)
            assert counted.value.code == "opening.tokens", "its registrar has issued no token"
            assert "At fault: the registrar" in counted.value.remedy
            used = parse_used_codes((election.export / "used-codes.txt").read_bytes())
            for proof in used:
                data.registrar(store.id).spend(proof, b"blinded", election_roll().box_of[roll_hash(proof)])
            assert "were not compared" not in (told := invoke("election", "verify", link).stdout)
            assert "Verified" in told
            with pytest.raises(InputError):
                invoke("election", "verify", link.partition("#")[0])
    told = invoke(
        *("election", "publish", store.id, str(election.export), "--data", str(tmp_path / "data")),
        *("--result", str(verified / "result.json")),
    )
    assert "Published." in told.stdout


def invoke(*arguments: str) -> Result:
    """A command."""
    return CliRunner().invoke(roomful, list(arguments), catch_exceptions=False, standalone_mode=False)


def board_files(export: Path) -> BoardFiles:
    """The board that an export brings."""
    receipts = [hashlib.sha256(data).digest() for data in frames(export / "ballots.bin")]
    return BoardFiles(
        board=(export / "board.json").read_bytes(),
        checkpoint=(export / "checkpoint").read_bytes(),
        receipts=format_hashes(sorted(receipts)),
        roll=(export / "roll.txt").read_bytes(),
        used_codes=(export / "used-codes.txt").read_bytes(),
    )


def frames(path: Path) -> Iterator[bytes]:
    """Ballots of an export."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


@pytest.mark.parametrize("command", ["groups", "verify"])
def test_a_missing_folder_is_nobodys_fault(election: Held, tmp_path: Path, command: str) -> None:
    """Who mistypes a path is not told that the collector, or whoever handed files out, is at fault."""
    missing = Held(tmp_path / "mistyped", election.files, election.known)
    with pytest.raises(InputError) as refused:
        missing.run(command)
    assert str(tmp_path / "mistyped") in refused.value.where
    assert "collector" not in refused.value.remedy
    assert "At fault" not in refused.value.remedy
