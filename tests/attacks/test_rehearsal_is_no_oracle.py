"""A rehearsal before the survey opens, or after: whatever the organizer puts into the challenge, it opens no
box that a respondent sealed, and signs nothing that the opening would take."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.release.trustees.export import read_survey
from server.release.trustees.rehearsal import CHALLENGE_FILE, make_challenge, rehearse
from server.release.trustees.shares import split_secret
from shared import base64url, ed25519
from shared.errors import OpeningError
from tests.builders import ORGANIZER_KEY, sign, small_model
from tests.invited import roll
from tests.sealed_surveys import SECRET, SealedSurvey, shares


@pytest.fixture
def survey(tmp_path: Path) -> SealedSurvey:
    return SealedSurvey(tmp_path).fill(5)


@pytest.fixture
def challenge(survey: SealedSurvey) -> Path:
    """An honest challenge of the same survey."""
    out = survey.folder / "rehearsal"
    with DataDirectory(survey.folder / "data") as data:
        invited = survey.specification.invited
        assert invited is not None
        envelope = sign(survey.specification.to_bytes(), ORGANIZER_KEY).to_bytes()
        published = data.survey(
            data.publish(envelope, small_model(), roll(invited.people).to_bytes())
        ).published
        make_challenge(published, out, random_bytes=os.urandom, chance=random.Random(1))
    return out


def test_a_real_box_in_the_challenge_is_not_opened(survey: SealedSurvey, challenge: Path) -> None:
    path = challenge / CHALLENGE_FILE
    value = json.loads(path.read_bytes())
    for ballot in survey.ballots:
        value["boxes"][0] = {"cell": ballot.cell, "box": base64url.encode(ballot.box)}
        path.write_text(json.dumps(value))
        with pytest.raises(OpeningError) as caught:
            rehearse(challenge, read_survey(challenge, survey.invitation), shares(1, 2), None)
        assert caught.value.code == "opening.rehearsal"


def test_the_key_of_test_answers_is_nobodys(survey: SealedSurvey) -> None:
    """Zero bytes are a point of small order: no ballot with them passes, so no real box is bound to them."""
    assert not ed25519.is_key(bytes(32))
    assert all(ballot.token.device_key != bytes(32) for ballot in survey.ballots)


def test_a_rehearsal_holds_no_signature_and_no_answer(survey: SealedSurvey, challenge: Path) -> None:
    done = rehearse(challenge, read_survey(challenge, survey.invitation), shares(1, 2, 3), None)
    value = json.loads(done.to_bytes())
    assert set(value) == {"format", "challenge", "plaintexts", "rounds"}
    assert all(len(digest) == 64 for digest in value["plaintexts"])


def test_a_share_that_could_not_state_is_found_in_time(survey: SealedSurvey, challenge: Path) -> None:
    """The same key, split once more: it would open the test answers, and nobody could ever sign."""
    other = shares(1, 2, words=split_secret(SECRET, 2, 3))
    with pytest.raises(OpeningError) as caught:
        rehearse(challenge, read_survey(challenge, survey.invitation), other, None)
    assert caught.value.code == "opening.share-of-another-key"
