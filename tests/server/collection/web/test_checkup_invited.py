"""The checkup of a server with an invited survey."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from server.collection.config import Config
from server.collection.storage.anchor import Anchor
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import key_paths
from server.collection.storage.store import SurveyStore
from server.collection.web.checkup_invited import invited_lines
from server.collection.web.checkup_line import Outcome
from server.keys.token_keys import create_token_keys
from shared.errors import StorageError
from tests.invited import used_codes
from tests.server.collection.storage import ballots, sample
from tests.server.collection.storage.ballots import store_of


def _outcomes(data: DataDirectory, role: str = "all") -> dict[str, Outcome]:
    lines = list(invited_lines(Config(role=role), data))
    assert all(bool(line.fix) is (line.outcome is not Outcome.PASSED) for line in lines)
    return {line.code: line.outcome for line in lines}


def _failed(data: DataDirectory, role: str = "all") -> set[str]:
    return {code for code, outcome in _outcomes(data, role).items() if outcome is Outcome.FAILED}


@pytest.fixture
def invited(data: DataDirectory) -> SurveyStore:
    return store_of(data)


def test_a_server_without_invited_surveys_has_no_such_lines(data: DataDirectory) -> None:
    data.publish(sample.envelope(), sample.MODEL)
    assert _outcomes(data) == {}


def test_a_good_server_passes_in_every_role(data: DataDirectory, invited: SurveyStore) -> None:
    for role in ("all", "registrar", "collector"):
        assert _outcomes(data, role) == dict.fromkeys(
            ("keys", "keys-private", "anchors", "anchors-writable"), Outcome.PASSED
        )


def _other_key(data: DataDirectory, folder: Path) -> None:
    create_token_keys(data.path / "other.pem")
    shutil.copy(data.path / "other.pem", key_paths(folder)[0])


def _no_keys(_data: DataDirectory, folder: Path) -> None:
    for path in key_paths(folder):
        path.unlink()


def _open_to_others(_data: DataDirectory, folder: Path) -> None:
    key_paths(folder)[1].chmod(0o640)


def _restored(data: DataDirectory, folder: Path) -> None:
    shutil.copy(folder / "registrar.sqlite", data.path / "old")
    data.registrar(folder.name).spend(used_codes(1)[0], b"blinded")
    data.end()
    shutil.copy(data.path / "old", folder / "registrar.sqlite")


def _no_anchor(data: DataDirectory, folder: Path) -> None:
    data.anchor(folder.name, "answers").path.unlink()


@pytest.mark.parametrize(
    ("harm", "line"),
    [
        (_other_key, "keys"),
        (_no_keys, "keys"),
        (_open_to_others, "keys-private"),
        (_restored, "anchors"),
        (_no_anchor, "anchors"),
    ],
)
def test_each_harm_fails_its_line(
    data: DataDirectory, invited: SurveyStore, harm: Callable[[DataDirectory, Path], None], line: str
) -> None:
    harm(data, invited.published.folder)
    assert _failed(data) == {line}


def test_an_anchor_that_cannot_be_written_is_named(
    data: DataDirectory, invited: SurveyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_anchor: Anchor) -> None:
        raise StorageError("the disk is read-only", code="storage.read-only")

    monkeypatch.setattr(Anchor, "require_writable", refuse)
    assert _failed(data) == {"anchors-writable"}


def test_a_collector_needs_its_own_key(data: DataDirectory) -> None:
    ballots.publish(data, collector_key=False)
    assert _failed(data) == set()
    assert _failed(data, "registrar") == set()
    assert _failed(data, "collector") == {"keys"}
