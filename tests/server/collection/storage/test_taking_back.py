"""A draft can be deleted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.collection.publishing.versions import versions
from server.collection.storage.data_directory import DataDirectory
from shared.errors import NotFoundError, StateError, StorageError
from tests.server.collection.storage import sample
from tests.server.collection.storage.ballots import publish


def test_a_draft_is_deleted_and_can_be_published_again(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as data, DataDirectory(tmp_path / "data") as server:
        survey = data.publish(sample.envelope(), sample.MODEL)
        seen = server.survey(survey)
        data.discard(survey)
        for directory in (data, server):
            with pytest.raises(NotFoundError):
                directory.survey(survey)
        with pytest.raises((StorageError, StateError)):
            seen.open()
        assert not [path for path in (data.path / "surveys").iterdir() if path.is_dir()]
        assert data.publish(sample.envelope(), sample.MODEL) == survey
        server.open(survey)
        assert data.survey(survey).state == "open"


def test_what_was_opened_stays(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as data:
        survey = data.publish(sample.envelope(), sample.MODEL)
        data.open(survey)
        for step in (lambda: None, lambda: data.close(survey)):
            step()
            with pytest.raises(StateError):
                data.discard(survey)
        assert data.survey(survey).state == "closed"


def test_versions_of_one_title_are_told_apart(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as data:
        data.publish(sample.envelope(), sample.MODEL)
        data.publish(sample.envelope(kind="register"), None)
        data.publish(sample.envelope("Another"), sample.MODEL)
        found = versions(data.list())
    first, second = sorted((sample.digest()[:16], sample.digest(kind="register")[:16]))
    assert found == {second: {first: ("model",)}}


def test_an_invited_draft_takes_keys_codes_and_anchors_with_it(tmp_path: Path) -> None:
    anchors = tmp_path / "data.anchors"
    with DataDirectory(tmp_path / "data") as data:
        store = publish(data)
        data.enrol(store.id)
        assert sorted(path.suffix for path in anchors.iterdir()) == [".answers", ".registrar"]
        data.discard(store.id)
        assert list(anchors.iterdir()) == []
        assert not list((tmp_path / "data" / "surveys").rglob("*.pem"))
        again = publish(data)  # as new: nothing says that it is an old copy
        data.enrol(again.id)
        data.require_current(again.id)


def test_a_crash_while_deleting_leaves_a_draft_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DataDirectory(tmp_path / "data") as data:
        survey = data.publish(sample.envelope(), sample.MODEL)

        def broken(*_: object) -> None:
            raise OSError(5, "the disk failed")

        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", broken)
            with pytest.raises(StorageError):
                data.discard(survey)
        assert data.survey(survey).state == "draft"
        with monkeypatch.context() as patch:
            patch.setattr("server.collection.storage.data_directory.shutil.rmtree", broken)
            with pytest.raises(StorageError):
                data.discard(survey)
        with pytest.raises(NotFoundError):
            data.survey(survey)
        assert any((data.path / "surveys").glob(".new-*"))
        assert data.settle() == ()
        assert not any((data.path / "surveys").glob(".new-*"))
