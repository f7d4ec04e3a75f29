"""The collector's signature that it took a ballot."""

from __future__ import annotations

import hashlib

import pytest

from shared.acceptance import (
    acceptance_claim,
    acceptance_message,
    passed_on_claim,
    passed_on_message,
)
from shared.receipt import BallotReceipt
from tests.elections import relay_key
from tests.invited import COLLECTOR
from tests.shared.examining import genuine

DIGEST, RECEIPT = "ab" * 32, b"\x07" * 32


def test_the_message_is_bound_to_survey_and_ballot() -> None:
    message = acceptance_message(DIGEST, RECEIPT)
    assert message == b"roomful-acceptance/1" + bytes.fromhex(DIGEST) + RECEIPT
    with pytest.raises(ValueError, match="32 bytes"):
        acceptance_message(DIGEST, RECEIPT[1:])


def test_only_the_collectors_signature_over_this_ballot_verifies() -> None:
    acceptance = COLLECTOR.accept(DIGEST, RECEIPT)
    assert COLLECTOR.accept(DIGEST, RECEIPT) == acceptance

    def holds(digest: str = DIGEST, receipt: bytes = RECEIPT, signature: bytes = acceptance) -> bool:
        claim = acceptance_claim(COLLECTOR.acceptance_key, digest, receipt, signature)
        return claim is not None and genuine(claim)

    assert holds()
    assert not holds(digest="cd" * 32)
    assert not holds(receipt=b"\x08" * 32)
    assert not holds(signature=acceptance[:-1])
    assert not holds(signature=b"")
    assert not holds(signature=bytes([acceptance[0] ^ 1]) + acceptance[1:])


def test_a_receipt_carries_it_in_its_text_and_does_without() -> None:
    acceptance = COLLECTOR.accept(DIGEST, RECEIPT)
    signed = BallotReceipt.of(DIGEST, RECEIPT.hex(), acceptance)
    assert BallotReceipt.parse(signed.to_text()) == signed
    broken_up = "Dear you,\n" + signed.to_text().lower().replace(":", " :\n") + "\nregards"
    assert BallotReceipt.parse(broken_up) == signed
    cut = signed.to_text()[:-1]
    assert BallotReceipt.parse(cut) == BallotReceipt.of(DIGEST, RECEIPT.hex())


def test_only_the_relays_signature_over_these_sealed_bytes_verifies() -> None:
    sealed = bytes(range(200))
    signature = relay_key().accept(DIGEST, sealed)
    assert relay_key().accept(DIGEST, sealed) == signature, "the same bytes tell no time"
    message = passed_on_message(DIGEST, sealed)
    assert message == b"roomful-passed-on/1" + bytes.fromhex(DIGEST) + hashlib.sha256(sealed).digest()

    def holds(digest: str = DIGEST, body: bytes = sealed, given: bytes = signature) -> bool:
        claim = passed_on_claim(relay_key().public_key, digest, body, given)
        return claim is not None and genuine(claim)

    assert holds()
    assert not holds(digest="cd" * 32)
    assert not holds(body=sealed[::-1])
    assert not holds(given=signature[:-1])
    assert not holds(given=bytes([signature[0] ^ 1]) + signature[1:])
