"""No rehearsal, no opening: every share has taken part, on this very survey."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import PublishedSurvey
from server.release.trustees.export import read_survey
from server.release.trustees.rehearsal import (
    Rehearsal,
    keep_rehearsal,
    make_challenge,
    rehearse,
    require_rehearsal,
)
from shared.errors import OpeningError, RoomfulError, StateError, SubmissionError
from shared.invitation import Invitation
from shared.verification.export import SignedSurvey
from tests.builders import ORGANIZER_KEY, public_bytes, sign, small_envelope, small_model
from tests.invited import roll
from tests.sealed_surveys import sealed_specification, shares


class Room:
    """A published draft, its challenge and its trustees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = DataDirectory(folder / "data")
        self.survey = self.publish(sign(sealed_specification().to_bytes(), ORGANIZER_KEY).to_bytes())
        self.published = self.data.survey(self.survey).published
        self.count = 0

    def publish(self, envelope: bytes, *, invited: bool = True) -> str:
        return self.data.publish(envelope, small_model(), roll().to_bytes() if invited else None)

    def challenge(self, published: PublishedSurvey | None = None) -> Path:
        self.count += 1
        out = self.folder / f"rehearsal-{self.count}"
        make_challenge(
            published or self.published, out, random_bytes=os.urandom, chance=random.Random(self.count)
        )
        return out

    def signed(self, folder: Path) -> SignedSurvey:
        return read_survey(folder, Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY)))

    def rehearse(self, folder: Path, *numbers: int, earlier: Rehearsal | None = None) -> Rehearsal:
        return rehearse(folder, self.signed(folder), shares(*numbers), earlier)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def refused(room: Room, data: bytes | None) -> str:
    with pytest.raises(RoomfulError) as caught:
        require_rehearsal(room.published, data)
    assert caught.value.code in ("state.rehearsal", "opening.rehearsal")
    return caught.value.message


def test_a_complete_rehearsal_passes(room: Room) -> None:
    folder = room.challenge()
    first = room.rehearse(folder, 1, 2)
    assert first.missing(3) == (3,)
    assert "share 3 has not taken part" in refused(room, first.to_bytes())
    second = room.rehearse(folder, 3, 1, earlier=Rehearsal.parse(first.to_bytes(), "rehearsal.json"))
    assert second.rounds == ((1, 2), (1, 3))
    require_rehearsal(room.published, second.to_bytes())
    keep_rehearsal(room.published, second.to_bytes())
    assert (room.published.folder / "rehearsal" / "rehearsal.json").read_bytes() == second.to_bytes()


def test_all_shares_at_once_take_part_in_rounds(room: Room) -> None:
    rehearsal = room.rehearse(room.challenge(), 1, 2, 3)
    assert rehearsal.rounds == ((1, 2), (2, 3))
    require_rehearsal(room.published, rehearsal.to_bytes())


def test_a_repeated_round_is_listed_once(room: Room) -> None:
    folder = room.challenge()
    first = room.rehearse(folder, 1, 2)
    assert room.rehearse(folder, 2, 1, earlier=first).rounds == ((1, 2),)


def test_no_rehearsal(room: Room) -> None:
    assert "have not rehearsed" in refused(room, None)


def test_no_challenge_in_this_data_directory(room: Room, tmp_path: Path) -> None:
    rehearsal = room.rehearse(room.challenge(), 1, 2, 3)
    (tmp_path / "elsewhere").mkdir()
    other = Room(tmp_path / "elsewhere")
    assert "has made no challenge" in refused(other, rehearsal.to_bytes())


def test_a_rehearsal_of_an_older_challenge(room: Room) -> None:
    old = room.rehearse(room.challenge(), 1, 2, 3)
    room.challenge()
    assert "another challenge" in refused(room, old.to_bytes())


def test_answers_that_were_not_sealed(room: Room) -> None:
    rehearsal = room.rehearse(room.challenge(), 1, 2, 3)
    for plaintexts in (rehearsal.plaintexts[:-1], ("0" * 64, *rehearsal.plaintexts[1:])):
        made_up = replace(rehearsal, plaintexts=plaintexts)
        assert "something else" in refused(room, made_up.to_bytes())


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"format":"roomful-rehearsal/2"}', b"[" * 99])
def test_malformed(room: Room, data: bytes) -> None:
    room.challenge()
    with pytest.raises(OpeningError) as caught:
        require_rehearsal(room.published, data)
    assert caught.value.code == "opening.rehearsal"


def test_malformed_rounds(room: Room) -> None:
    good = json.loads(room.rehearse(room.challenge(), 1, 2, 3).to_bytes())
    for rounds in ([], [[0, 1]], [[17]], [["1"]], {"1": 2}, [1, 2]):
        with pytest.raises(OpeningError):
            require_rehearsal(room.published, json.dumps(good | {"rounds": rounds}).encode())


def test_an_open_survey_needs_none_and_takes_none(room: Room) -> None:
    other = room.data.survey(room.publish(small_envelope(), invited=False)).published
    require_rehearsal(other, None)
    with pytest.raises(StateError):
        require_rehearsal(other, b"{}")
    with pytest.raises(SubmissionError):
        room.challenge(other)


def test_test_answers_are_like_real_ones_and_stay_with_the_trustees(room: Room) -> None:
    folder = room.challenge()
    challenge = json.loads((folder / "challenge.json").read_bytes())
    cells = [box["cell"] for box in challenge["boxes"]]
    assert len(set(cells)) == len(cells) == 5
    kept = json.loads((room.published.folder / "rehearsal" / "expected.json").read_bytes())
    assert sorted(kept) == ["challenge", "format", "plaintexts"]
    assert all(len(text) == 64 for text in kept["plaintexts"])


def test_the_challenge_of_another_survey(room: Room) -> None:
    other = sign(sealed_specification(retention_days=30).to_bytes(), ORGANIZER_KEY).to_bytes()
    published = room.data.survey(room.publish(other)).published
    folder, foreign = room.challenge(), room.challenge(published)
    (folder / "challenge.json").write_bytes((foreign / "challenge.json").read_bytes())
    with pytest.raises(OpeningError) as caught:
        room.rehearse(folder, 1, 2)
    assert caught.value.code == "opening.rehearsal"


def test_a_changed_challenge(room: Room) -> None:
    folder = room.challenge()
    value = json.loads((folder / "challenge.json").read_bytes())
    boxes = value["boxes"]
    for changed in (
        [{**boxes[0], "cell": (boxes[0]["cell"] + 1) % 8}, *boxes[1:]],
        [{**boxes[0], "cell": 99}],
        [{**boxes[0], "box": "A"}],
        [{**boxes[0], "box": boxes[0]["box"][:-4] + "AAAA"}],
        [],
    ):
        (folder / "challenge.json").write_text(json.dumps(value | {"boxes": changed}), "utf-8")
        with pytest.raises(OpeningError) as caught:
            room.rehearse(folder, 1, 2)
        assert caught.value.code == "opening.rehearsal"


def test_rounds_of_two_challenges_do_not_add_up(room: Room) -> None:
    first = room.rehearse(room.challenge(), 1, 2)
    with pytest.raises(OpeningError):
        room.rehearse(room.challenge(), 3, 1, earlier=first)
