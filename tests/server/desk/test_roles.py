"""Roles of an invited survey: pages to hand on, files that come in, and words that never do."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import command_table, roomful
from server.desk.roles import HANDED, ROLES
from tests.server.desk.visitor import Visitor


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """What the others have made, each with a secret beside it."""
    folder = tmp_path / "others"
    folder.mkdir()
    people = folder / "people.csv"
    people.write_text("name\n" + "".join(f"Person {n}\n" for n in range(700)))
    for command in (
        ["codes", str(people), "--out", str(folder / "codes")],
        ["keygen", "--purpose", "tokens", "--out", str(folder / "tokens.pem")],
        ["keygen", "--purpose", "collector", "--out", str(folder / "collector.pem")],
        ["trustees", "create", "--shares", "2-of-3", "--out", str(folder / "trustees")],
    ):
        done = CliRunner().invoke(roomful, command)
        assert done.exit_code == 0, done.output
    return folder


def sent(visitor: Visitor, kind: str, path: Path) -> str:
    form = {"page": "roles", "kind": kind, "file": (io.BytesIO(path.read_bytes()), path.name)}
    return visitor.told("/roles/file", form, "/roles")


def test_a_survey_becomes_an_invited_one_and_takes_what_is_public(visitor: Visitor, made: Path) -> None:
    assert "Files that come to you" not in visitor.text("/roles")
    relay = {"url": "https://relay.example/", "messages": "20", "seconds": "600"}
    visitor.post("/roles", {"page": "roles", "invited": "on", "people": "700", **relay})
    for kind, path in (
        ("roll.txt", "codes/roll.txt"),
        ("tokens.pub", "tokens.pub"),
        ("collector.pub", "collector.pub"),
        ("opening-key.json", "trustees/opening-key.json"),
    ):
        assert "The file is in the folder." in sent(visitor, kind, made / path)
        assert (visitor.folder / kind).read_bytes() == (made / path).read_bytes()
    marks = {step.name: step.mark for step in visitor.desk.progress().steps}
    assert (marks["codes"], marks["keys"], marks["ceremony"]) == ("done", "done", "done")
    assert visitor.desk.draft().section("invited") == {
        "people": 700,
        "relay": {"url": "https://relay.example/", "messages": 20, "seconds": 600},
        "roll": "roll.txt",
        "token_key": "tokens.pub",
        "collector_key": "collector.pub",
        "opening_key": "opening-key.json",
    }
    assert "in the folder" in sent(visitor, "roll.txt", made / "codes" / "roll.txt")  # and stays
    visitor.post("/roles", {"page": "roles"})
    assert not visitor.desk.draft().section("invited")


@pytest.mark.parametrize("kind", [file.name for file in HANDED if file.setting])
def test_nothing_secret_is_taken_or_kept(visitor: Visitor, made: Path, kind: str) -> None:
    visitor.post("/roles", {"page": "roles", "invited": "on", "people": "700"})
    secrets = [
        "trustees/share-1-of-3.txt",
        "tokens.pem",
        "collector.pem",
        "codes/codes.csv",
        "trustees/ledger.jsonl",
    ]
    before = sorted(visitor.folder.rglob("*"))
    for name in secrets:
        page = sent(visitor, kind, made / name)
        assert f"this is not {kind}" in page
        assert (made / name).read_text()[:40].strip() not in page
    assert sorted(visitor.folder.rglob("*")) == before
    kept = b"".join(path.read_bytes() for path in before if path.is_file())
    assert b"PRIVATE" not in kept


def test_numbers_and_kinds_are_checked(visitor: Visitor) -> None:
    assert "no whole number" in visitor.told(
        "/roles", {"page": "roles", "invited": "on", "people": "x"}, "/roles"
    )
    for kind in ("opened.json", "share-1-of-3.txt", ""):
        form = {"page": "roles", "kind": kind, "file": (io.BytesIO(b"{}"), "x")}
        assert "no file was chosen" in visitor.told("/roles/file", form, "/roles")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_its_page(visitor: Visitor, role: str, language: str) -> None:
    visitor.post("/language", {"language": language})
    page = visitor.text(f"/roles/{role}")
    commands = re.findall(r"^roomful ([a-z]+)", "\n".join(task.command for task in ROLES[role]), re.MULTILINE)
    assert set(commands) <= set(command_table())
    for task in ROLES[role]:
        assert task.command.partition("\n")[0].partition(" ")[0] in page
    assert visitor.get("/roles/nobody").status_code == 400
    if role != "trustees":
        return
    assert "<input" not in page.partition("<main")[2]  # nowhere to type words
