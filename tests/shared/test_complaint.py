"""Complaints as bytes, and what is kept for one."""

from __future__ import annotations

from dataclasses import replace

from server.keys.signing_keys import verifies
from shared.complaint import Complaint, find_sealed, not_accepted, sealed_text
from shared.invited import Relay
from shared.receipt import BallotReceipt
from tests.elections import collector, election_keys, relay_key
from tests.server.collection.relay.survey import RELAY_URL

DIGEST, RECEIPT, SEALED = "ab" * 32, bytes(range(32)), bytes(range(200))


def test_a_message_is_split_and_put_together() -> None:
    message = Complaint(acceptance=b"a" * 64, sealed=SEALED)
    assert message.to_bytes() == b"a" * 64 + SEALED
    assert Complaint.parse(message.to_bytes()) == message
    assert Complaint.parse(b"short") == Complaint(acceptance=b"short", sealed=b"")
    assert "sealed=" not in repr(message)


def test_the_acceptance_is_of_one_receipt() -> None:
    acceptance = collector().accept(DIGEST, RECEIPT)
    (claim,) = Complaint(acceptance=acceptance, sealed=SEALED).claims(election_keys(), DIGEST, RECEIPT)
    assert (claim.public_key, claim.signature) == (collector().acceptance_key, acceptance)
    assert claim.message.endswith(RECEIPT)


def test_a_relay_with_a_key_may_have_taken_it() -> None:
    keys = election_keys(relay=Relay(url=RELAY_URL, messages=5, seconds=1, key=relay_key().public_key))
    complaint = Complaint(acceptance=relay_key().accept(DIGEST, SEALED), sealed=SEALED)
    assert [verifies(claim) for claim in complaint.claims(keys, DIGEST, RECEIPT)] == [False, True]
    assert not any(map(verifies, replace(complaint, sealed=SEALED[1:]).claims(keys, DIGEST, RECEIPT)))
    silent = election_keys(relay=Relay(url=RELAY_URL, messages=5, seconds=1))
    assert not any(map(verifies, complaint.claims(silent, DIGEST, RECEIPT)))


def test_what_cannot_be_a_signature_claims_nothing() -> None:
    keys = election_keys(relay=Relay(url=RELAY_URL, messages=5, seconds=1, key=relay_key().public_key))
    assert Complaint.parse(b"short").claims(keys, DIGEST, RECEIPT) == ()
    assert not_accepted().code == "complaint.acceptance"


def test_the_sealed_ballot_is_found_beside_the_receipt() -> None:
    receipt = BallotReceipt(survey="ab" * 8, digest=RECEIPT, acceptance=bytes(64)).to_text()
    text = f"My vote\r\n\r\n{receipt}\r\n\r\n{sealed_text(SEALED)}\r\n"
    assert find_sealed(text) == SEALED
    assert (BallotReceipt.parse(text).digest, BallotReceipt.parse(text).sealed) == (RECEIPT, SEALED)
    assert find_sealed(receipt) is None
    assert find_sealed(f"{sealed_text(SEALED)}\n{sealed_text(SEALED)}") == SEALED
    assert find_sealed(f"{sealed_text(SEALED)}\n{sealed_text(b'other')}") is None
