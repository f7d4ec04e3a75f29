"""Somebody else signs, or a signature is taken from elsewhere."""

from __future__ import annotations

import pytest

from shared.envelope import PAYLOAD_TYPE, Envelope, pre_authentication_encoding
from shared.errors import EnvelopeError, SignatureError
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, sign, small_specification
from tests.shared.examining import examine_bytes, verify
from tests.vectors.surveys import STRANGER_KEY, fragment_of

PAYLOAD = small_specification().to_bytes()
HONEST = sign(PAYLOAD, ORGANIZER_KEY)
ORGANIZER, STRANGER = public_bytes(ORGANIZER_KEY), public_bytes(STRANGER_KEY)


@pytest.mark.parametrize(
    "envelope",
    [
        sign(PAYLOAD, STRANGER_KEY),
        sign(PAYLOAD, STRANGER_KEY, ORGANIZER_KEY),
        sign(PAYLOAD, AUDITOR_KEY, ORGANIZER_KEY),
    ],
    ids=["stranger", "stranger-first", "auditor-first"],
)
def test_genuine_signature_by_another_key_is_refused(envelope: Envelope) -> None:
    with pytest.raises(SignatureError, match="signed by another key"):
        verify(envelope.to_bytes(), ORGANIZER)
    refusal = examine_bytes(envelope.to_bytes(), fragment_of(HONEST)).refusal
    assert refusal is not None
    assert refusal.code == "check.signature"


def test_the_key_cannot_be_taken_from_the_envelope() -> None:
    """Without a pinned key nothing passes silently: the respondent has to compare words."""
    examination = examine_bytes(sign(PAYLOAD, STRANGER_KEY).to_bytes(), "")
    assert examination.refusal is None
    assert examination.must_compare


def test_signature_under_the_name_of_another_key_is_refused() -> None:
    message = pre_authentication_encoding(PAYLOAD_TYPE, PAYLOAD)
    renamed = Envelope(payload=PAYLOAD, signatures=((ORGANIZER, STRANGER_KEY.sign(message)),))
    with pytest.raises(SignatureError, match="does not verify"):
        verify(renamed.to_bytes(), ORGANIZER)


@pytest.mark.parametrize(
    "message",
    [
        PAYLOAD,
        pre_authentication_encoding("application/json", PAYLOAD),
        pre_authentication_encoding(PAYLOAD_TYPE, PAYLOAD + b" "),
        pre_authentication_encoding(PAYLOAD_TYPE, b""),
    ],
    ids=["without-type", "other-type", "other-length", "empty"],
)
def test_signature_over_something_else_is_refused(message: bytes) -> None:
    moved = Envelope(payload=PAYLOAD, signatures=((ORGANIZER, ORGANIZER_KEY.sign(message)),))
    with pytest.raises(SignatureError, match="does not verify"):
        verify(moved.to_bytes(), ORGANIZER)


@pytest.mark.parametrize(
    "key", [bytes(32), b"\x01" + bytes(31), b"\xff" * 32], ids=["zero", "neutral", "no-point"]
)
def test_weak_keys_do_not_verify(key: bytes) -> None:
    """Signatures that keys of small order would accept for many messages."""
    for signature in (bytes(64), key + bytes(32)):
        forged = Envelope(payload=PAYLOAD, signatures=((key, signature),)).to_bytes()
        with pytest.raises((SignatureError, EnvelopeError)):
            verify(forged, ORGANIZER)


def test_an_auditor_who_signs_twice_is_one_auditor() -> None:
    claim = HONEST.claims[0]
    twice = HONEST.with_signature(STRANGER, STRANGER_KEY.sign(claim.message)).with_signature(
        STRANGER, STRANGER_KEY.sign(claim.message)
    )
    with pytest.raises(EnvelopeError, match="a key signed twice"):
        verify(twice.to_bytes(), ORGANIZER)
