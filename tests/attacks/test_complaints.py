"""Ballots that the collector dropped come back, and nothing else comes in with them.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.board_folder import BOARD_FILE, read_board, read_board_file, read_counts
from server.collection.config import Config
from server.collection.storage import ballot_intake
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.keys.sealing import SealingKey
from server.release.board import creating
from server.release.board.creating import create_board, finish_board
from server.release.board.sources import FolderSource
from server.release.board.verifying import verify_board
from server.release.trustees.decrypting import examine_election
from shared import board_counts
from shared.acceptance import acceptance_message
from shared.ballot import Ballot
from shared.board import Board, Complaints, parse_envelope
from shared.complaint import CONTENT_TYPE, Complaint
from shared.errors import BoardError, OpeningError, RoomfulError, SubmissionError, TokenError
from shared.hash_list import format_hashes
from shared.merkle import MerkleTree
from shared.receipt import BallotReceipt
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from shared.verification import board_copy
from tests.builders import ORGANIZER_KEY
from tests.elections import COUNTS, HeldElection, collector, proofs_of
from tests.served import no_client
from tests.server.collection.relay.survey import open_collector

BOXES = (0, 0, 1, 2, 3, 3)
"""Of those who vote."""


class Polls:
    """An election on a collector's disk, whose first ballot was dropped before the board was made."""

    def __init__(self, folder: Path) -> None:
        self.election = HeldElection(folder)
        self.data = DataDirectory(folder / "data", quiet_seconds=60)
        self.store = open_collector(self.data, self.election.specification)
        self.used = format_hashes(proofs_of(*BOXES, 4))
        self.ballots = [self.election.ballot(box) for box in BOXES]
        for ballot in self.ballots:
            assert self.store.submit(self.sealed(ballot)) == ballot.receipt
        self.dropped = self.ballots[0]
        self.store.close()
        self.drop(self.dropped)
        create_board(self.store, used_codes=self.used, key=ORGANIZER_KEY)
        self.provisional = read_board(self.folder)

    @property
    def folder(self) -> Path:
        """The survey's."""
        return self.store.published.folder

    def drop(self, ballot: Ballot) -> None:
        """What a collector can do to its own database."""
        with sqlite3.connect(self.folder / "answers.sqlite") as connection:
            found = connection.execute("DELETE FROM ballot WHERE token = ?", (ballot.token.prefix,))
            assert found.rowcount == 1
        connection.close()

    def sealed(self, ballot: Ballot) -> bytes:
        """As it travels; each time another message."""
        key = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
        return key.seal(ballot_info(self.election.digest), ballot.to_bytes())

    def accepted(self, ballot: Ballot) -> bytes:
        """The collector's signature."""
        return collector().accept(self.election.digest, bytes.fromhex(ballot.receipt))

    def complain(self, ballot: Ballot, acceptance: bytes | None = None) -> bool:
        """Whether the board lists it already; else it was admitted."""
        complaint = Complaint(acceptance=acceptance or self.accepted(ballot), sealed=self.sealed(ballot))
        receipt, listed = self.store.complain(complaint.to_bytes())
        assert receipt == ballot.receipt
        return listed

    def code(self, ballot: Ballot, acceptance: bytes | None = None) -> str:
        """Code of the refusal; empty if it was admitted."""
        try:
            self.complain(ballot, acceptance)
        except RoomfulError as error:
            return error.code
        return ""

    def finish(self) -> tuple[str, ...]:
        """Receipts of the final board, as anybody verifies it."""
        finish_board(self.store, key=ORGANIZER_KEY)
        found = verify_board(
            FolderSource(folder=self.folder),
            self.election.invitation,
            provisional=self.provisional.checkpoint,
        )
        assert found.recounted.refusal is None
        assert {line.code: line.outcome for line in found.recounted.lines}["board.provisional"] == "passed"
        return tuple(receipt.hex() for receipt in found.published.receipts)


@pytest.fixture
def polls(tmp_path: Path) -> Polls:
    return Polls(tmp_path)


def test_a_dropped_ballot_comes_back(polls: Polls) -> None:
    """The receipt proves it, the complaint brings it back, and the final board says whose fault it was."""
    receipt = BallotReceipt.of(polls.election.digest, polls.dropped.receipt, polls.accepted(polls.dropped))
    found = verify_board(FolderSource(folder=polls.folder), polls.election.invitation, receipt)
    last = found.recounted.lines[-1]
    assert last.error is not None
    assert "this proves it" in last.error.message
    assert not polls.complain(polls.dropped)
    assert not polls.complain(polls.dropped), "the same again is admitted once"
    assert polls.finish() == tuple(sorted(ballot.receipt for ballot in polls.ballots))
    complaints = read_counts(polls.folder).complaints
    assert complaints is not None
    assert [ballot.receipt.hex() for ballot in complaints.admitted] == [polls.dropped.receipt]
    assert (
        complaints.root
        == MerkleTree.of([bytes.fromhex(r) for r in sorted(b.receipt for b in polls.ballots[1:])]).root.hex()
    )
    again = read_board(polls.folder)
    finish_board(polls.store, key=ORGANIZER_KEY)
    assert read_board(polls.folder) == again, "done again it is the same board"
    assert polls.complain(polls.dropped), "now it is there"


def test_a_collector_that_was_restored_from_an_old_copy(tmp_path: Path) -> None:
    """It takes nothing more, and lacks what it had accepted since: only a complaint brings that back."""
    election = HeldElection(tmp_path)
    seal = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
    ballots = [election.ballot(box) for box in (0, 1, 1)]
    messages = [seal.seal(ballot_info(election.digest), ballot.to_bytes()) for ballot in ballots]
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = open_collector(data, election.specification)
        survey = store.id
        file, copy = store.published.folder / "answers.sqlite", tmp_path / "yesterday.sqlite"
        store.submit(messages[0])
        shutil.copy(file, copy)
        store.submit(messages[1])
        store.submit(messages[2])
        data.end()
        shutil.copy(copy, file)
        store = data.survey(survey)
        store.close()
        assert store.old_copy() is not None
        create_board(store, used_codes=format_hashes(proofs_of(0, 1, 1)), key=ORGANIZER_KEY)
        for ballot, message in zip(ballots[1:], messages[1:], strict=True):
            acceptance = collector().accept(election.digest, bytes.fromhex(ballot.receipt))
            complaint = Complaint(acceptance=acceptance, sealed=message).to_bytes()
            assert store.complain(complaint) == (ballot.receipt, False)
        finish_board(store, key=ORGANIZER_KEY)
        found = verify_board(FolderSource(folder=store.published.folder), election.invitation)
        assert found.recounted.refusal is None
        assert [r.hex() for r in found.published.receipts] == sorted(b.receipt for b in ballots)


def test_what_is_there_is_told(polls: Polls) -> None:
    assert polls.complain(polls.ballots[1])
    assert polls.store.ballot_receipts() == tuple(sorted(b.receipt for b in polls.ballots[1:]))


def test_a_late_ballot_with_a_forged_acceptance(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that was kept until everybody had voted, and no acceptance, or that of another ballot."""
    late = polls.election.ballot(4)
    for forged in (bytes(64), polls.accepted(polls.dropped), polls.accepted(late)[::-1]):
        assert polls.code(late, forged) == "complaint.acceptance"
    assert late.receipt not in polls.store.ballot_receipts()
    monkeypatch.setattr(ballot_intake, "verifies", lambda _: True)
    assert polls.code(late, bytes(64)) == ""
    assert late.receipt in polls.store.ballot_receipts()


def test_a_complaint_for_another_box(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dropped ballot comes back in a box where it would be alone."""
    moved = polls.election.in_ballot(0, polls.election.vote(0, 4, {"board": "ada", "statutes": True}))
    assert polls.code(moved, polls.accepted(polls.dropped)) == "complaint.acceptance"
    monkeypatch.setattr(ballot_intake, "verifies", lambda _: True)
    assert polls.code(moved, polls.accepted(polls.dropped)) == ""


def test_a_second_ballot_by_complaining(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A voter whose ballot is on the board complains about another one of hers, which a collector signed."""
    other = polls.election.in_ballot(2, polls.election.vote(2, 1, {"board": "blank", "statutes": False}))
    assert other.token == polls.ballots[2].token
    assert polls.code(other) == "token.spent"
    mine = polls.election.in_ballot(0, polls.election.vote(0, 0, {"board": "blank", "statutes": False}))
    assert polls.code(mine) == "", "of the dropped one she has either"
    assert polls.code(polls.dropped) == "token.spent", "and never both"
    monkeypatch.setattr(ballot_intake, "_spent", lambda: None)
    assert polls.code(polls.dropped) == "", "without the line both are told to count"


def test_after_the_final_board(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the groups before she complains could choose what to subtract."""
    polls.finish()
    assert polls.code(polls.dropped) == "state.final"
    assert polls.dropped.receipt not in polls.store.ballot_receipts()
    monkeypatch.setattr(SurveyStore, "_is_provisional", lambda _: True)
    monkeypatch.setattr(polls.store._intake, "_provisional", lambda: True)
    assert polls.code(polls.dropped) == ""
    assert polls.dropped.receipt in polls.store.ballot_receipts()


def test_the_board_becomes_final_in_between(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A complaint that was read before, and is stored after the organizer has signed."""
    polls.finish()
    monkeypatch.setattr(SurveyStore, "_is_provisional", lambda _: True)
    assert polls.code(polls.dropped) == "state.final", "asked once more in the turn of the one who writes"


@pytest.mark.parametrize("stage", ["open", "closed"])
def test_before_the_provisional_board(tmp_path: Path, stage: str) -> None:
    election = HeldElection(tmp_path)
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = open_collector(data, election.specification)
        if stage == "closed":
            store.close()
        with pytest.raises(RoomfulError) as refused:
            store.complain(bytes(200))
        assert refused.value.code == ("state.open" if stage == "open" else "not-found.board")


def test_a_line_that_is_removed(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """An organizer who makes a ballot vanish between the two boards, with signatures of her own."""
    victim = polls.ballots[3]
    polls.drop(victim)
    with pytest.raises(BoardError) as refused:
        finish_board(polls.store, key=ORGANIZER_KEY)
    assert refused.value.code == "board.receipts"
    board = read_counts(polls.folder)
    rest = tuple(sorted(bytes.fromhex(b.receipt) for b in polls.ballots[1:] if b is not victim))
    tree = MerkleTree.of(rest)
    for root in (board.root, tree.root.hex()):
        final = replace(
            board,
            submissions=tree.size,
            root=tree.root.hex(),
            complaints=creating.Complaints(root=root, admitted=()),
        )
        note = creating.Checkpoint(
            origin=creating.board_origin(polls.election.digest), size=tree.size, root=tree.root
        )
        files = replace(
            polls.provisional,
            board=creating.sign_board(final, ORGANIZER_KEY),
            checkpoint=creating.sign_checkpoint(note, ORGANIZER_KEY),
            receipts=format_hashes(rest),
        )
        creating.folder.replace_board(polls.folder, files)
        refusal = _seen(polls)
        wanted = "board.complaints" if root == board.root else "board.provisional"
        assert refusal is not None
        assert refusal.code == wanted
    monkeypatch.setattr(board_counts, "_require", lambda *_, **__: None)
    assert _seen(polls) is None, "without the comparisons nobody notices"


def _seen(polls: Polls) -> BoardError | None:
    """As an observer sees it who kept the provisional checkpoint."""
    source = FolderSource(folder=polls.folder)
    kept = polls.provisional.checkpoint
    return verify_board(source, polls.election.invitation, provisional=kept).recounted.refusal


def test_a_final_board_that_nobody_signed(polls: Polls) -> None:
    """The collector writes a final board without a line; the organizer's signature must not make it true."""
    data = read_board_file(polls.folder, BOARD_FILE)
    board = read_counts(polls.folder)
    false = replace(board, complaints=creating.Complaints(root=board.root, admitted=()))
    envelope = replace(parse_envelope(data), payload=false.to_bytes()).to_bytes()
    (polls.folder / "board" / BOARD_FILE).write_bytes(envelope)
    with pytest.raises(BoardError):
        finish_board(polls.store, key=ORGANIZER_KEY)


class Provisional(HeldElection):
    """An organizer who hands the ballots out before the board is final."""

    def complaints(self, board: Board) -> Complaints | None:  # noqa: ARG002
        """None yet."""
        return None


def test_a_provisional_board_is_not_decrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groupings, before and after a complaint, would give the vote of one person by subtraction."""
    election = Provisional(tmp_path).fill(*COUNTS)
    folder = election.write()
    with pytest.raises(OpeningError) as refused:
        examine_election(election.received(folder), lambda *_: None)
    assert refused.value.code == "opening.provisional"
    monkeypatch.setattr(board_copy, "require_final", lambda *_: None)
    assert sum(examine_election(election.received(folder), lambda *_: None).ballots) == 19


def test_over_http(polls: Polls) -> None:
    """The same answers for the page: 201, 200 and a sentence for each refusal."""
    http = create_app(Config(), polls.data, client=no_client).test_client()
    path = f"/api/v1/surveys/{polls.election.digest[:16]}/complaints"

    def post(ballot: Ballot, acceptance: bytes) -> tuple[int, dict[str, object]]:
        body = Complaint(acceptance=acceptance, sealed=polls.sealed(ballot)).to_bytes()
        answer = http.post(path, data=body, content_type=CONTENT_TYPE)
        return answer.status_code, answer.get_json()

    dropped, there = polls.dropped, polls.ballots[1]
    assert post(dropped, bytes(64))[0] == 403
    assert post(dropped, polls.accepted(dropped)) == (201, {"receipt": dropped.receipt, "listed": False})
    assert post(there, polls.accepted(there)) == (200, {"receipt": there.receipt, "listed": True})
    polls.finish()
    late = polls.election.ballot(4)
    status, told = post(late, polls.accepted(late))
    assert (status, told["code"]) == (409, "state.final")
    assert http.post(path, data=b"x" * 70, content_type="application/json").status_code == 415


def test_complaints_have_one_length_and_say_what_the_ballot_said(polls: Polls) -> None:
    message = Complaint(acceptance=polls.accepted(polls.dropped), sealed=polls.sealed(polls.dropped))
    other = Complaint(acceptance=polls.accepted(polls.ballots[4]), sealed=polls.sealed(polls.ballots[4]))
    assert len(message.to_bytes()) == len(other.to_bytes())
    assert Complaint.parse(message.to_bytes()) == message
    signed = acceptance_message(polls.election.digest, bytes.fromhex(polls.dropped.receipt))
    assert hashlib.sha256(signed).digest() not in message.to_bytes()


def test_a_complaint_that_is_malformed(polls: Polls) -> None:
    for data in (b"", bytes(64), bytes(5000)):
        with pytest.raises((SubmissionError, TokenError)):
            polls.store.complain(data)
