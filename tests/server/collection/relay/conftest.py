"""Where a relay's pool lies: what is promised of every database runs over each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from server.collection.storage.databases import Databases, databases_at
from server.collection.storage.relay import RelayStore

DIGEST = "ab" * 32
Opening = Callable[..., RelayStore]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """As for the databases of surveys."""
    of_a_file = getattr(metafunc.module, "EVERY_DATABASE_BUT", None)
    if of_a_file is not None and metafunc.function.__name__ not in of_a_file:
        metafunc.parametrize("databases", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Where databases are."""
    url = ""
    if getattr(request, "param", "sqlite") == "postgresql":
        url = request.getfixturevalue("postgres").new_database()
    found = databases_at(url)
    yield found
    found.end()


@pytest.fixture
def opening(tmp_path: Path, databases: Databases) -> Opening:
    """Opens the pool of one survey, which is empty at first."""
    RelayStore.create(tmp_path, digest=DIGEST, databases=databases)
    return partial(
        RelayStore, tmp_path, digest=DIGEST, capacity=100, people=400, quiet_seconds=60, databases=databases
    )
