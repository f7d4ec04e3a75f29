"""A desk on an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.desk.visitor import Visitor, visit


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    with visit(tmp_path / "survey-folder") as found:
        yield found
