"""A data directory with a small survey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from tests.server.collection.storage import sample


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    """An empty data directory that sweeps only when asked."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as directory:
        yield directory


@pytest.fixture
def draft(data: DataDirectory) -> SurveyStore:
    """A published survey."""
    return data.survey(data.publish(sample.envelope(), sample.MODEL))


@pytest.fixture
def store(draft: SurveyStore) -> SurveyStore:
    """An open survey."""
    draft.open()
    return draft
