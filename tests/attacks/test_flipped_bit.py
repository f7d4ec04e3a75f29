"""An attacker changes a single bit of the envelope, anywhere."""

from __future__ import annotations

import pytest

from shared.envelope import Envelope
from shared.errors import EnvelopeError, SignatureError
from tests.builders import ORGANIZER_KEY, public_bytes, sign, small_envelope
from tests.shared.examining import examine_bytes, verify
from tests.vectors.surveys import fragment_of

SMALLEST = sign(b"{}", ORGANIZER_KEY).to_bytes()
KEY = public_bytes(ORGANIZER_KEY)


def flipped(data: bytes, bit: int) -> bytes:
    """The data with one bit turned."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_the_unchanged_envelope_verifies() -> None:
    assert verify(SMALLEST, KEY).payload == b"{}"


@pytest.mark.parametrize("expected_key", [KEY, None], ids=["key-pinned", "key-unknown"])
def test_every_flipped_bit_is_refused(expected_key: bytes | None) -> None:
    for bit in range(8 * len(SMALLEST)):
        with pytest.raises((EnvelopeError, SignatureError)):
            verify(flipped(SMALLEST, bit), expected_key)


def test_every_flipped_bit_of_the_signed_document_is_refused_by_check_1() -> None:
    data = small_envelope()
    invitation = fragment_of(Envelope.parse(data))
    assert examine_bytes(data, invitation).refusal is None
    start = data.index(b'"payload":"')
    for bit in range(8 * start, 8 * len(data), 11):  # every byte, eight bits in turn
        refusal = examine_bytes(flipped(data, bit), invitation).refusal
        assert refusal is not None
        assert refusal.code == "check.signature"


@pytest.mark.parametrize("length", [0, 1, 100, len(SMALLEST) - 1])
def test_a_shortened_envelope_is_refused(length: int) -> None:
    with pytest.raises(EnvelopeError):
        verify(SMALLEST[:length])


@pytest.mark.parametrize("end", [b" ", b"\n", b"\x00", b"{}", SMALLEST])
def test_a_lengthened_envelope_is_refused(end: bytes) -> None:
    with pytest.raises(EnvelopeError):
        verify(SMALLEST + end)
