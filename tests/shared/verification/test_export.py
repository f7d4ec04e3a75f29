"""Exports that are cut, changed while they are read, too long, or of something else."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.errors import OpeningError, RoomfulError
from shared.verification import election as verification
from shared.verification import examining, export
from shared.verification.election import examine_election
from shared.verification.examining import ReceivedExport, verified_ballots
from shared.verification.export import BallotFile, verified_survey
from shared.verification.files import BALLOTS_FILE, GivenFiles
from shared.verification.library import standard_library
from tests.builders import ORGANIZER_KEY, public_bytes, small_envelope
from tests.elections import HeldElection
from tests.published_elections import PublishedElection
from tests.sealed_surveys import SealedSurvey

COUNTS = (2, 0, 0, 1, 0, 0, 0, 2)
LIBRARY = standard_library(os.urandom)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> PublishedElection:
    return PublishedElection(HeldElection(tmp_path_factory.mktemp("published")).fill(*COUNTS))


def given(published: PublishedElection, **changes: Any) -> ReceivedExport:
    return replace(published.received(Path()), files=GivenFiles(contents=published.files), **changes)


def code_of(received: ReceivedExport) -> tuple[str, str]:
    with pytest.raises(RoomfulError) as refused:
        examine_election(received, LIBRARY, lambda *_: None)
    return refused.value.code, refused.value.message


class FailingDisk(io.BytesIO):
    """A disk that gives up when it is read."""

    def read(self, _size: int | None = -1, /) -> bytes:
        raise OSError(5, "Input/output error")


def test_a_disk_that_fails_is_told(published: PublishedElection) -> None:
    ballots = BallotFile(FailingDisk(published.files[BALLOTS_FILE]), published.election.specification)
    with pytest.raises(OpeningError, match="Input/output") as refused:
        next(ballots.frames())
    assert refused.value.code == "opening.export"


def test_a_file_that_changes_while_it_is_read(published: PublishedElection) -> None:
    """Between two readings a ballot is taken away, added or exchanged."""
    data, specification = published.files[BALLOTS_FILE], published.election.specification
    receipts = [
        bytes.fromhex(ballot.receipt)
        for ballot in sorted(published.election.ballots, key=lambda ballot: ballot.receipt)
    ]
    ballots = BallotFile(io.BytesIO(data), specification)
    assert len(list(verified_ballots(ballots, receipts))) == sum(COUNTS)
    for other in ([*receipts, bytes(32)], receipts[:-1], [bytes(32), *receipts[1:]]):
        with pytest.raises(OpeningError, match="changed while it was read"):
            list(verified_ballots(ballots, other))


def test_too_many_ballots(published: PublishedElection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MAX_RECEIPTS", sum(COUNTS) - 1)
    assert code_of(given(published)) == ("opening.export", "there are too many ballots")


def test_an_option_for_no_discrepancy(published: PublishedElection) -> None:
    assert code_of(given(published, accepted="9/8"))[0] == "opening.discrepancy"


def test_a_survey_that_is_open_to_everybody() -> None:
    invitation = replace(
        HeldElection(Path()).invitation, digest=None, organizer_key=public_bytes(ORGANIZER_KEY)
    )
    with pytest.raises(OpeningError) as refused:
        verified_survey(small_envelope(), invitation, LIBRARY)
    assert refused.value.code == "opening.not-invited"


def test_batches_and_votes_that_cannot_be_read(
    published: PublishedElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ballots that are no vote are told apart, whatever batch they would be in."""
    honest, monkey = examining.EncryptedVote, monkeypatch
    whole = examine_election(given(published), LIBRARY, lambda *_: None)
    monkey.setattr(examining, "BATCH", 2)
    seen: list[tuple[int, int]] = []
    batches = examine_election(
        given(published), LIBRARY, lambda line, *at: seen.append(at) if line == "proofs" else None
    )
    assert batches == whole
    assert len(seen) == 1 + -(-sum(COUNTS) // 2)
    first = min(ballot.receipt for ballot in published.election.ballots)

    class Unreadable:
        @staticmethod
        def of(ballot: Any, terms: Any) -> Any:
            if ballot.receipt == first:
                raise examining.SubmissionError("no vote", code="ballot.number")
            return honest.of(ballot, terms)

    monkey.setattr(examining, "EncryptedVote", Unreadable)
    found = examine_election(given(published), LIBRARY, lambda *_: None)
    assert [(receipt, error.code) for receipt, error in found.examined.refused] == [(first, "ballot.number")]
    assert sum(found.ballots) == sum(COUNTS) - 1


def test_a_surplus_of_an_election_is_refused_by_itself(
    published: PublishedElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its board is refused before; if that line were out, this one is there."""
    honest = verification.examine_export
    monkeypatch.setattr(verification, "examine_export", lambda *args: replace(honest(*args), surplus=1))
    assert code_of(given(published))[0] == "opening.discrepancy"


def test_a_survey_of_the_trustees_is_examined_too(tmp_path: Path) -> None:
    survey = SealedSurvey(tmp_path).fill(3, 3, 3, 3)
    received = survey.received(survey.write())
    assert code_of(received)[0] == "opening.not-an-election"
