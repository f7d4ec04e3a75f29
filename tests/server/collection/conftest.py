"""A data directory of a registrar, and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from tests.postgres import PostgresServer, why_not
from tests.server.collection.storage.ballots import publish, store_of


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A server for the tests of one module; each gets a database of its own in it."""
    if reason := why_not():
        pytest.skip(reason)
    server = PostgresServer()
    yield server
    server.end()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    """An empty data directory."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as directory:
        yield directory


@pytest.fixture
def draft(data: DataDirectory) -> SurveyStore:
    """An invited survey of 150 people."""
    return publish(data)


@pytest.fixture
def survey(data: DataDirectory) -> SurveyStore:
    """The same, open."""
    return store_of(data)
