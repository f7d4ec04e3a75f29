"""Every named vector of the soundness checks, through the headless client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from respondent_client.headless.respondent import run
from respondent_client.link import Link
from respondent_client.session import examine_survey
from shared.checks import CODES
from shared.errors import SoundnessError
from tests.respondent_client.fakes import FakePlatform

FOLDER = Path(__file__).resolve().parent.parent / "vectors" / "soundness"
VECTORS = {path.stem: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


@pytest.mark.parametrize("name", VECTORS)
def test_the_headless_client_decides_like_the_vector(name: str) -> None:
    vector = VECTORS[name]
    platform = FakePlatform(vector["envelope"].encode(), (vector["model"] or "").encode())
    link = Link.parse(f"https://example.org/s/{vector['invitation'][:16]}#{vector['invitation']}")
    examination = run(examine_survey(platform, link))
    if vector["check"] is None:
        examination.sound()
        return
    with pytest.raises(SoundnessError) as caught:
        examination.sound()
    assert caught.value.code == vector["check"]


def test_every_check_has_a_vector() -> None:
    assert {vector["check"] for vector in VECTORS.values()} >= set(CODES)
