"""A desk on an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.desk.app import create_desk
from tests.server.desk.visitor import GATE, Visitor


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    folder = tmp_path / "survey-folder"
    folder.mkdir()
    with DataDirectory(folder / "data") as data:
        app = create_desk(folder, data, GATE)
        yield Visitor(desk=app.extensions["desk"], client=app.test_client(), folder=folder)
