"""A draft can be deleted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.collection.publishing.versions import versions
from server.collection.storage.data_directory import DataDirectory
from shared.errors import NotFoundError, StateError, StorageError
from tests.server.collection.storage import sample


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
