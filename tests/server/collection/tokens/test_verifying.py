"""The verification that collector and trustees use gives what the slow one of ``shared`` gives."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from server.collection.tokens.verifying import BallotVerifier
from shared.ballot import Ballot
from shared.errors import RoomfulError
from shared.token import Token
from tests.invited import digest_of, invited_specification, issue_token, make_ballot, sign_message
from tests.vectors.generate import FOLDER

SPECIFICATION = invited_specification()
DIGEST = digest_of(SPECIFICATION)
BALLOT = make_ballot(DIGEST, 2, issue_token(DIGEST, b"v" * 32))
KEYS = {
    case.get("name", str(i)): bytes.fromhex(case["public_key"])
    for i, case in enumerate(
        [
            case
            for part in ("cases", "refused")
            for case in json.loads((FOLDER / "ed25519.json").read_text())[part]
        ]
    )
    if len(case["public_key"]) == 64
}


def slow(ballot: Ballot) -> str:
    """The code of the reference; empty if it accepts."""
    assert SPECIFICATION.invited is not None
    try:
        ballot.token.verify(SPECIFICATION.invited.token_key(0), DIGEST)
        ballot.verify(DIGEST)
    except RoomfulError as problem:
        return problem.code
    return ""


def fast(ballot: Ballot) -> str:
    """The code of the verifier; empty if it accepts."""
    assert SPECIFICATION.invited is not None
    verifier = BallotVerifier(SPECIFICATION.invited, DIGEST)
    try:
        verifier.verify_token(ballot.token, ballot.cell)
        verifier.verify_signature(ballot)
    except RoomfulError as problem:
        return problem.code
    return ""


def test_a_good_ballot() -> None:
    assert slow(BALLOT) == fast(BALLOT) == ""


@pytest.mark.parametrize("at", range(0, 64, 3))
def test_a_flipped_bit_of_the_signature(at: int) -> None:
    changed = bytearray(BALLOT.signature)
    changed[at] ^= 1 << at % 8
    ballot = BALLOT.signed(bytes(changed))
    assert slow(ballot) == fast(ballot) == "ballot.signature"


@pytest.mark.parametrize("name", KEYS)
def test_every_key_that_the_registrar_could_have_signed_blindly(name: str) -> None:
    unsigned = Token(prefix=b"w" * 32, device_key=KEYS[name], signature=bytes(384))
    token = replace(unsigned, signature=sign_message(unsigned.message(DIGEST)))
    for signature in (BALLOT.signature, b"\x01" + bytes(63), bytes(64)):
        ballot = replace(BALLOT, token=token, signature=signature)
        assert slow(ballot) == fast(ballot) != ""


def test_signatures_of_tokens() -> None:
    token = BALLOT.token
    flipped = bytearray(token.signature)
    flipped[100] ^= 1
    for case in (
        replace(token, signature=bytes(flipped)),
        replace(token, prefix=bytes(32)),
        replace(token, device_key=issue_token(DIGEST, b"x" * 32).device_key),
        replace(token, signature=b"\xff" * 384),
        replace(token, signature=bytes(384)),
    ):
        ballot = replace(BALLOT, token=case)
        assert slow(ballot) == fast(ballot) == "token.signature"
