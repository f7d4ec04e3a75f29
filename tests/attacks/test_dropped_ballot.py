"""A collector that drops a ballot it has taken: the respondent can prove it, and nobody else is harmed."""

from __future__ import annotations

import base64
import sqlite3
from pathlib import Path

import pytest

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.release.board.creating import create_board
from server.release.board.sources import FolderSource
from server.release.board.verifying import verify_board
from shared.ballot import CONTENT_TYPE, Ballot
from shared.board_recount import BoardLine
from shared.hash_list import format_hashes
from shared.invitation import Invitation
from shared.receipt import BallotReceipt
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.invited import used_codes
from tests.served import no_client
from tests.server.collection.storage import ballots

PIN = Invitation(digest=ballots.DIGEST, organizer_key=public_bytes(ORGANIZER_KEY))


def accepted(data: DataDirectory, number: int) -> BallotReceipt:
    """Send a ballot as a client does; what the client keeps."""
    http = create_app(Config(), data, client=no_client).test_client()
    body = ballots.seal_ballot(ballots.DIGEST, _ballot(number))
    answer = http.post(
        f"/api/v1/surveys/{ballots.DIGEST[:16]}/submissions", data=body, content_type=CONTENT_TYPE
    ).get_json()
    acceptance = base64.urlsafe_b64decode(answer["acceptance"] + "==")
    return BallotReceipt.of(ballots.DIGEST, answer["receipt"], acceptance)


def _ballot(number: int) -> Ballot:
    return ballots.ballot(number, cell=number)


def drop(data: DataDirectory, receipt: BallotReceipt) -> None:
    """What a collector can do to its own database."""
    store = data.survey(ballots.DIGEST)
    digest = receipt.digest.hex()
    (lost,) = (ballot for ballot in map(_ballot, range(9)) if ballot.receipt == digest)
    folder = store.published.folder
    data.end()
    with sqlite3.connect(folder / "answers.sqlite") as connection:
        assert connection.execute("DELETE FROM ballot WHERE token = ?", (lost.token.prefix,)).rowcount == 1


def line_of(folder: Path, receipt: BallotReceipt) -> BoardLine:
    """What everybody who is shown the receipt finds on the board."""
    found = verify_board(FolderSource(folder=folder), PIN, receipt)
    assert all(line.error is None for line in found.recounted.lines[:-1]), "the board agrees with itself"
    return found.recounted.lines[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_dropped_ballot_is_proven_and_an_invented_one_is_not(folder: Path) -> None:
    with DataDirectory(folder, quiet_seconds=60) as data:
        ballots.store_of(data)
        kept, dropped = accepted(data, 1), accepted(data, 2)
        drop(data, dropped)
    with DataDirectory(folder, quiet_seconds=60) as data:
        store = data.survey(ballots.DIGEST)
        store.close()
        create_board(store, used_codes=format_hashes(used_codes(2)), key=ORGANIZER_KEY)
        survey = store.published.folder
        assert line_of(survey, kept).outcome == "passed"
        proven = line_of(survey, dropped).error
        assert proven is not None
        assert "this proves it" in proven.message
        # Nobody can accuse the collector of what it never took: a receipt alone, or another's signature.
        for invented in (
            BallotReceipt.of(ballots.DIGEST, "55" * 32),
            BallotReceipt.of(ballots.DIGEST, "55" * 32, kept.acceptance),
            BallotReceipt.of(ballots.DIGEST, dropped.digest.hex(), kept.acceptance),
        ):
            told = line_of(survey, invented).error
            assert told is not None
            assert told.message == "the receipt is not on the board"
