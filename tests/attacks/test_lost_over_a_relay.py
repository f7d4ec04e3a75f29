"""An election over a relay that signs what it takes: what was lost comes back, and nothing else does.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.config import Config
from server.collection.relay.pool import RelayPool, key_for, prepare
from server.collection.storage import ballot_intake
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.relay import create_relay_app
from server.keys.sealing import SealingKey
from server.release.board.creating import create_board, finish_board
from server.release.board.sources import FolderSource
from server.release.board.verifying import verify_board
from server.release.trustees.decrypting import examine_election
from shared import acceptance, base64url
from shared.ballot import CONTENT_TYPE, Ballot
from shared.complaint import Complaint
from shared.errors import SetupError
from shared.hash_list import format_hashes
from shared.invited import Relay
from shared.receipt import BallotReceipt
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from shared.specification import Specification
from shared.verification.figures import examined_figures
from tests.builders import ORGANIZER_KEY
from tests.elections import (
    COUNTS,
    HeldElection,
    collector,
    election_keys,
    election_specification,
    proofs_of,
    relay_key,
)
from tests.refusals import code_of
from tests.server.collection.relay.survey import RELAY_URL, link_of, open_collector, published, stub_collector

BOXES = (0, 1, 1, 2)


def relayed_election(*, signs: bool = True) -> Specification:
    """Over a relay that does not pass anything on by itself while a test runs."""
    key = relay_key().public_key if signs else None
    return election_specification(
        invited=election_keys(relay=Relay(url=RELAY_URL, messages=5000, seconds=86_400, key=key))
    )


class Polls:
    """Collector and relay of an election; what the relay took stays with it until it is passed on by hand."""

    def __init__(self, folder: Path, base: str, specification: Specification) -> None:
        self.election = HeldElection(folder, specification=specification)
        self.data = DataDirectory(folder / "data", quiet_seconds=60)
        self.store = open_collector(self.data, specification)
        link = link_of(specification, base)
        survey = prepare(folder / "relay", link)
        self.pool = RelayPool(survey, link, quiet_seconds=60, key=key_for(survey, relay_key()))
        self.web = create_relay_app(Config(), {survey.id: self.pool}, folder / "relay").test_client()
        self.ballots = [self.election.ballot(box) for box in BOXES]
        self.sealed = [self.seal(ballot) for ballot in self.ballots]
        self.signed = [self.send(sealed) for sealed in self.sealed]

    def seal(self, ballot: Ballot) -> bytes:
        """As it travels; each time another message."""
        key = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
        return key.seal(ballot_info(self.election.digest), ballot.to_bytes())

    def send(self, sealed: bytes) -> bytes:
        """To the relay; its signature, empty if it gives none."""
        address = f"/api/v1/surveys/{self.election.digest[:16]}/submissions"
        answer = self.web.post(address, data=sealed, content_type=CONTENT_TYPE)
        assert answer.status_code == 202
        value = answer.get_json()
        assert value.pop("accepted") is True
        return base64url.decode(value.get("acceptance", "")) or b""

    def provisional(self, *passed: int) -> None:
        """Some are passed on; then the survey is closed and a provisional board is made."""
        for number in passed:
            self.store.submit(self.sealed[number])
        self.store.close()
        create_board(self.store, used_codes=format_hashes(proofs_of(*BOXES, 4)), key=ORGANIZER_KEY)

    def complain(self, signature: bytes, sealed: bytes) -> str:
        """Code of the refusal; empty if it is admitted, or there."""
        complaint = Complaint(acceptance=signature, sealed=sealed).to_bytes()
        return code_of(lambda: self.store.complain(complaint))

    def proven(self, receipt: BallotReceipt) -> bool:
        """Whether anybody who is shown a receipt with its sealed ballot sees that somebody lost it."""
        found = verify_board(
            FolderSource(folder=self.store.published.folder), self.election.invitation, receipt
        )
        error = found.recounted.lines[-1].error
        return error is not None and "this proves it" in error.message

    def receipt(self, number: int) -> BallotReceipt:
        """What the n-th voter saved."""
        kept = BallotReceipt.of(self.election.digest, self.ballots[number].receipt, self.signed[number])
        return replace(kept, sealed=self.sealed[number])


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    specification = relayed_election()
    with stub_collector(published(specification, tmp_path).envelope) as stub:
        yield stub.base


@pytest.fixture
def polls(tmp_path: Path, base: str) -> Polls:
    return Polls(tmp_path, base, relayed_election())


def test_a_ballot_that_was_lost_on_the_way_comes_back(polls: Polls) -> None:
    """Relay or collector dropped it: the voter proves that one of them did, and her ballot counts."""
    polls.provisional(1, 2, 3)
    assert polls.proven(polls.receipt(0))
    assert not polls.proven(replace(polls.receipt(0), sealed=b"")), "the saved file is needed"
    assert polls.complain(polls.signed[0], polls.sealed[0]) == ""
    assert polls.complain(polls.signed[0], polls.sealed[0]) == "", "the same again counts once"
    assert polls.complain(polls.signed[1], polls.sealed[1]) == "", "it is there"
    finish_board(polls.store, key=ORGANIZER_KEY)
    found = verify_board(FolderSource(folder=polls.store.published.folder), polls.election.invitation)
    assert found.recounted.refusal is None
    assert {r.hex() for r in found.published.receipts} == {b.receipt for b in polls.ballots}
    board = found.recounted.board
    assert board is not None
    assert board.complaints is not None
    assert [a.receipt.hex() for a in board.complaints.admitted] == [polls.ballots[0].receipt]


def test_a_signature_tells_no_time_and_no_order(polls: Polls) -> None:
    assert polls.send(polls.sealed[0]) == polls.signed[0]
    assert len({len(signature) for signature in polls.signed}) == 1
    again = relay_key().accept(polls.election.digest, polls.sealed[2])
    assert again == polls.signed[2], "whatever was taken before"


def test_a_late_ballot_without_the_relays_signature(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that was kept until everybody had voted; another's signature; one of another election."""
    polls.provisional(1, 2, 3)
    late = polls.seal(polls.election.ballot(4))
    other = relay_key().accept("ab" * 32, late)
    for forged in (bytes(64), polls.signed[0], polls.signed[0][::-1], other):
        assert polls.complain(forged, late) == "complaint.acceptance"
    monkeypatch.setattr(ballot_intake, "verifies", lambda _: True)
    assert polls.complain(bytes(64), late) == ""


def test_a_late_ballot_under_the_signature_of_another(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sealed bytes in what is signed, one signature would let in any ballot."""
    polls.provisional(1, 2, 3)
    late = polls.seal(polls.election.ballot(4))
    assert polls.complain(polls.signed[0], late) == "complaint.acceptance"
    honest = acceptance.passed_on_message
    monkeypatch.setattr(acceptance, "passed_on_message", lambda digest, _: honest(digest, polls.sealed[0]))
    assert polls.complain(polls.signed[0], late) == ""


def test_bytes_that_are_no_ballot_accuse_nobody(polls: Polls) -> None:
    """The relay reads nothing, so it signs that it took noise; the collector finds that it is noise."""
    noise = hashlib.shake_256(b"noise").digest(len(polls.sealed[0]))
    signed = polls.send(noise)
    polls.provisional(0, 1, 2, 3)
    assert polls.complain(signed, noise) == "ballot.sealed"


def test_two_ballots_of_one_token(polls: Polls, monkeypatch: pytest.MonkeyPatch) -> None:
    """One went through, the other is complained about: a token counts once."""
    second = polls.election.in_ballot(1, polls.election.vote(1, 1, {"board": "blank", "statutes": False}))
    sealed = polls.seal(second)
    signed = polls.send(sealed)
    polls.provisional(0, 1, 2, 3)
    assert second.token == polls.ballots[1].token
    assert polls.complain(signed, sealed) == "token.spent"
    monkeypatch.setattr(ballot_intake, "_spent", lambda: None)
    assert polls.complain(signed, sealed) == ""


def test_a_relay_without_a_key_signs_nothing_and_nothing_is_admitted(tmp_path: Path) -> None:
    specification = relayed_election(signs=False)
    with stub_collector(published(specification, tmp_path).envelope) as stub:
        polls = Polls(tmp_path, stub.base, specification)
    assert polls.signed == [b""] * len(BOXES)
    polls.provisional(1, 2, 3)
    forged = relay_key().accept(polls.election.digest, polls.sealed[0])
    assert polls.complain(forged, polls.sealed[0]) == "complaint.acceptance"


def test_a_relay_does_not_start_with_another_key_than_the_signed_one(tmp_path: Path) -> None:
    survey = published(relayed_election(), tmp_path)
    assert key_for(survey, relay_key()) is not None
    for wrong in (None, type(relay_key())(ORGANIZER_KEY)):
        with pytest.raises(SetupError) as refused:
            key_for(survey, wrong)
        assert refused.value.code == "setup.relay-key"
    assert key_for(published(relayed_election(signs=False), tmp_path), relay_key()) is None


@pytest.mark.parametrize("signs", [True, False])
def test_who_may_be_at_fault_is_told(tmp_path: Path, signs: bool) -> None:
    election = HeldElection(tmp_path, specification=relayed_election(signs=signs)).fill(*COUNTS)
    found = examine_election(election.received(election.write()), lambda *_: None)
    assert examined_figures(found.examined, found.ballots).get("relay_signs", False) == signs
