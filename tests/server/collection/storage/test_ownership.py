"""A data directory of another user, or one that others can change, is opened by no command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.cli.exit_codes import exit_code
from server.collection.storage.data_directory import DataDirectory
from shared.errors import StorageError
from tests.warm import run_roomful

COMMANDS = (
    ["status", "0123456789abcdef"],
    ["open", "0123456789abcdef"],
    ["close", "0123456789abcdef"],
    ["expire"],
    ["serve", "--port", "1"],
    ["checkup"],
)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o702])
def test_a_directory_that_others_can_change_is_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(StorageError, match="other users can write") as caught:
        DataDirectory(tmp_path)
    assert caught.value.code == "storage.foreign"
    assert "chmod" in caught.value.remedy
    tmp_path.chmod(0o750)
    DataDirectory(tmp_path)
    DataDirectory(tmp_path / "not-yet")


@pytest.mark.parametrize("named", [True, False])
def test_anchors_that_others_can_change_are_refused(tmp_path: Path, named: bool) -> None:
    """Whoever lowers an anchor hides that a database was restored."""
    anchors = tmp_path / ("elsewhere" if named else "data.anchors")
    anchors.mkdir()
    anchors.chmod(0o777)
    with pytest.raises(StorageError, match="other users can write") as caught:
        DataDirectory(tmp_path / "data", anchors=anchors if named else None)
    assert caught.value.code == "storage.foreign"
    assert caught.value.where == str(anchors)


def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: number + 1)
    with pytest.raises(StorageError, match=f"belongs to another user .number {number}.") as caught:
        DataDirectory(tmp_path)
    assert f"sudo -u '#{number}'" in caught.value.remedy


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_says_so(tmp_path: Path, command: list[str]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    run = run_roomful((*command, "--data", str(data)), tmp_path)
    assert "storage.foreign" in run.stderr, run.stderr
    assert run.returncode == exit_code(StorageError("", code="storage.foreign"))
    assert list(data.iterdir()) == []
