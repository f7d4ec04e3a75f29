"""Fixtures of the attacks on elections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.elections import COUNTS, HeldElection


@pytest.fixture
def election(tmp_path: Path) -> HeldElection:
    """With :data:`tests.elections.COUNTS` ballots."""
    return HeldElection(tmp_path).fill(*COUNTS)
