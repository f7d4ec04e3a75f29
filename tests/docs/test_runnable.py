"""What the pages tell people to run does run, and prints what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tests.docs.runnable import comparable, run_page, runnable_pages


@pytest.mark.parametrize("page", runnable_pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    pairs = run_page(page, tmp_path)
    assert [comparable(said) for said, _ in pairs] == [comparable(printed) for _, printed in pairs]


def test_what_changes_from_run_to_run_is_left_out_of_the_comparison() -> None:
    line = (
        "key ed25519:" + "A" * 43 + " words " + "-".join(["babad"] * 8) + " 188.8 a second, 0123456789abcdef"
    )
    assert comparable(line) == "key ed25519:KEY words WORDS N a second, ID"
    assert comparable("43 cells") != comparable("44 cells")
