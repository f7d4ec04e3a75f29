"""A data directory with a small survey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import databases_at
from server.collection.storage.store import SurveyStore
from tests.server.collection.storage import sample


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what a module promises of every database over each of them, but for what looks into a file."""
    of_a_file = getattr(metafunc.module, "EVERY_DATABASE_BUT", None)
    if of_a_file is None or metafunc.function.__name__ in of_a_file:
        return
    if "data" in metafunc.fixturenames:
        metafunc.parametrize("data", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def data(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[DataDirectory]:
    """An empty data directory that sweeps only when asked."""
    url = ""
    if getattr(request, "param", "sqlite") == "postgresql":
        url = request.getfixturevalue("postgres").new_database()
    with DataDirectory(tmp_path / "data", quiet_seconds=60, databases=databases_at(url)) as directory:
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
