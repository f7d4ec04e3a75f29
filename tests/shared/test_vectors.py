"""The committed vectors are those that the code writes, and every check has its negative ones."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from shared.checks import CODES
from tests.vectors.generate import FOLDER, generate

SOUNDNESS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("soundness/*.json"))
}


def test_files_are_those_that_are_generated() -> None:
    texts = generate()
    committed = {p.relative_to(FOLDER).as_posix(): p.read_text("utf-8") for p in FOLDER.rglob("*.json")}
    assert sorted(committed) == sorted(texts)
    changed = [name for name, text in texts.items() if committed[name] != text]
    assert not changed, "run python -m tests.vectors.generate"


@pytest.mark.parametrize("code", CODES)
def test_every_check_has_two_negative_vectors(code: str) -> None:
    assert Counter(vector["check"] for vector in SOUNDNESS.values())[code] >= 2


def test_every_vector_says_what_it_is() -> None:
    assert any(vector["check"] is None for vector in SOUNDNESS.values())
    for name, vector in SOUNDNESS.items():
        assert set(vector) == {"comment", "source", "check", "envelope", "invitation", "model"}, name
        assert vector["comment"].endswith("."), name
        assert vector["source"], name
