"""A collector that keeps one ballot and puts boxes of its own beside the genuine tokens of the others.

Trustees who only count tokens would open all of them, and the group would publish answers that the collector
knows, and hers. Nothing may bind less than token, cell and box together. Here the collector is the attacker;
the registrar is honest (see test_registrar_and_collector.py for both).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.collection.tokens.verifying import BallotVerifier
from server.keys.sealing import OpeningKey, SealingKey
from shared.ballot import Ballot
from shared.edwards import L
from shared.errors import RoomfulError
from shared.sealing import box_info
from shared.submission import encode
from shared.token import Token
from tests.builders import ANSWERS, MESSAGE_BYTES
from tests.invited import sign_message
from tests.reference import affine_ed25519 as curve
from tests.sealed_surveys import SealedSurvey

HERS = ANSWERS | {"health": "poor"}
OWN_KEY = Ed25519PrivateKey.from_private_bytes(b"key that the collector made ....")


@pytest.fixture
def survey(tmp_path: Path) -> SealedSurvey:
    """One victim among twenty of her cell, and two other full cells."""
    survey = SealedSurvey(tmp_path)
    survey.ballots.append(survey.ballot(0, HERS))
    return survey.fill(19, 5, 5)


def known_box(survey: SealedSurvey, token: Token, cell: int) -> bytes:
    """Answers that the collector made up, sealed as a device would: everything for it is public."""
    keys = survey.specification.invited
    assert keys is not None
    plaintext = encode(survey.digest, cell, ANSWERS, random.Random(0).randbytes(70_000), MESSAGE_BYTES)
    info = box_info(survey.digest, token.prefix, token.device_key, cell)
    return SealingKey(keys.suite, keys.opening_key).seal(info, plaintext)


def kept_signature(survey: SealedSurvey, ballot: Ballot) -> Ballot:
    """Another box under everything else that the device sent."""
    return replace(ballot, box=known_box(survey, ballot.token, ballot.cell))


def own_signature(survey: SealedSurvey, ballot: Ballot) -> Ballot:
    """Signed by a key of the collector, under the token of the other."""
    other = kept_signature(survey, ballot)
    return other.signed(OWN_KEY.sign(other.to_be_signed(survey.digest)))


def own_key(survey: SealedSurvey, ballot: Ballot) -> Ballot:
    """The collector's key in the token, too."""
    token = replace(ballot.token, device_key=OWN_KEY.public_key().public_bytes_raw())
    other = replace(ballot, token=token, box=known_box(survey, token, ballot.cell))
    return other.signed(OWN_KEY.sign(other.to_be_signed(survey.digest)))


def identity_key(survey: SealedSurvey, ballot: Ballot) -> Ballot:
    """A key under which one signature fits every message."""
    token = replace(ballot.token, device_key=b"\x01" + bytes(31))
    other = replace(ballot, token=token, box=known_box(survey, token, ballot.cell))
    return other.signed(b"\x01" + bytes(63))


ATTACKS: dict[str, tuple[Callable[[SealedSurvey, Ballot], Ballot], str]] = {
    "the signature is kept": (kept_signature, "opening.signature"),
    "the collector signs": (own_signature, "opening.signature"),
    "the collector's key stands in the token": (own_key, "opening.token"),
    "the key fits every message": (identity_key, "opening.token"),
    "the ballot is moved to another cell": (
        lambda _survey, ballot: replace(ballot, cell=1),
        "opening.signature",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_the_others_ballots_are_changed(
    survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    attack, code = ATTACKS[name]
    ballots = [
        ballot if i in (0, *range(20, 30)) else attack(survey, ballot)
        for i, ballot in enumerate(survey.ballots)
    ]
    assert len({ballot.token.prefix for ballot in ballots}) == 30, "every token is a genuine one"
    export = survey.write(ballots=ballots, signed=ballots)
    monkeypatch.setattr(OpeningKey, "open", never)
    with pytest.raises(RoomfulError) as caught:
        survey.open(export)
    assert caught.value.code == code


def never(*_: object) -> bytes:
    raise AssertionError("a box was decrypted")


def test_a_box_under_the_token_of_another_respondent(survey: SealedSurvey) -> None:
    """Two boxes of one cell change places: both tokens are genuine, and neither signature fits."""
    a, b, *rest = survey.ballots
    ballots = [replace(a, token=b.token), replace(b, token=a.token), *rest]
    with pytest.raises(RoomfulError) as caught:
        survey.open(survey.write(ballots=ballots, signed=ballots))
    assert caught.value.code == "opening.signature"


def test_one_signature_is_not_made_into_two(survey: SealedSurvey) -> None:
    """S + L satisfies the equation as well: another receipt for the same ballot, which she would miss."""
    hers = survey.ballots[0]
    raised = (int.from_bytes(hers.signature[32:], "little") + L).to_bytes(32, "little")
    ballots = [replace(hers, signature=hers.signature[:32] + raised), *survey.ballots[1:]]
    with pytest.raises(RoomfulError) as caught:
        survey.open(survey.write(ballots=ballots, signed=ballots))
    assert caught.value.code == "opening.signature"


def test_a_key_of_mixed_order_is_refused_by_collector_and_trustees_alike(survey: SealedSurvey) -> None:
    """A respondent makes a key on which libraries disagree, so that trustees refuse what was collected."""
    scalar = 1234567
    point = curve.add(curve.multiply(scalar, curve.base()), curve.torsion()[1])
    unsigned = Token(prefix=b"m" * 32, device_key=curve.encode(point), signature=bytes(384))
    token = replace(unsigned, signature=sign_message(unsigned.message(survey.digest)))
    ballot = replace(survey.ballots[5], token=token, box=known_box(survey, token, 0))
    ballot = grind(survey.digest, ballot, scalar)
    key = survey.specification.invited
    assert key is not None
    with pytest.raises(RoomfulError) as caught:
        BallotVerifier(key, survey.digest).verify_token(token, 0)
    assert caught.value.code == "token.device-key"
    ballots = [*survey.ballots, ballot]
    with pytest.raises(RoomfulError) as caught:
        survey.open(survey.write(ballots=ballots, signed=ballots))
    assert caught.value.code == "opening.token"


def grind(digest: str, ballot: Ballot, scalar: int) -> Ballot:
    """A signature that libraries accept: its challenge is a multiple of eight, so the torsion vanishes."""
    for nonce in range(1, 200):
        r = curve.encode(curve.multiply(nonce, curve.base()))
        k = curve.challenge(r, ballot.token.device_key, ballot.to_be_signed(digest))
        if k % 8 == 0:
            signature = r + ((nonce + k * scalar) % curve.L).to_bytes(32, "little")
            assert curve.verifies(ballot.token.device_key, signature, ballot.to_be_signed(digest))
            return ballot.signed(signature)
    raise AssertionError("no such signature was found")
