"""The ballot's layout, and what it is bound to."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ballot import (
    HEAD_BYTES,
    TAIL_BYTES,
    Ballot,
    box_bytes,
    envelope_bytes,
    most_envelope_bytes,
    require_invited,
)
from shared.errors import SubmissionError
from shared.sealing import DEFAULT_SUITE, SUITES, ballot_info, box_info
from shared.submission import decode
from shared.token import Token
from tests.builders import MESSAGE_BYTES, small_specification
from tests.invited import (
    COLLECTOR_KEY,
    HPKE,
    OPENING_KEY,
    digest_of,
    invited_specification,
    issue_token,
    make_ballot,
    seal_ballot,
)
from tests.vectors.core_vectors import LONGEST_ANSWERS

SPECIFICATION = invited_specification()
DIGEST = digest_of(SPECIFICATION)
BALLOT = make_ballot(DIGEST, 5, issue_token(DIGEST, b"p" * 32))
KEY = BALLOT.token.device_key


def test_layout() -> None:
    data = BALLOT.to_bytes()
    assert data[:5] == b"\x02\x00\x00\x00\x05"
    assert data[5:37] == b"p" * 32
    assert data[37:69] == BALLOT.token.device_key
    assert data[69:453] == BALLOT.token.signature
    assert data[453:-64] == BALLOT.box
    assert data[-64:] == BALLOT.signature
    assert (HEAD_BYTES, TAIL_BYTES) == (453, 64)
    assert BALLOT.receipt == hashlib.sha256(data).hexdigest()
    assert Ballot.parse(data, SPECIFICATION) == BALLOT
    assert repr(BALLOT) == f"Ballot({len(BALLOT.box)} sealed bytes)"


def test_what_is_signed() -> None:
    label = b"roomful-ballot-signature/1"
    assert BALLOT.to_be_signed(DIGEST) == label + bytes.fromhex(DIGEST) + BALLOT.to_bytes()[:-64]
    BALLOT.verify(DIGEST)


@pytest.mark.parametrize("at", [1, 4, 5, 37, 69, 453, -65, -64, -33, -32, -1])
def test_a_ballot_with_a_flipped_bit_is_not_signed(at: int) -> None:
    data = bytearray(BALLOT.to_bytes())
    data[at] ^= 1
    changed = Ballot.parse(bytes(data[:1] + b"\x00\x00\x00" + data[4:]), SPECIFICATION) if at != 1 else None
    if changed is None:
        changed = replace(BALLOT, cell=BALLOT.cell ^ 1 << 24)
    with pytest.raises(SubmissionError) as caught:
        changed.verify(DIGEST)
    assert caught.value.code == "ballot.signature"


def test_a_signature_is_of_one_survey() -> None:
    with pytest.raises(SubmissionError) as caught:
        BALLOT.verify("00" * 32)
    assert caught.value.code == "ballot.signature"


def test_both_layers_open_where_they_belong_and_nowhere_else() -> None:
    envelope = seal_ballot(DIGEST, BALLOT)
    assert len(envelope) == envelope_bytes(SPECIFICATION) <= most_envelope_bytes()
    assert HPKE.decrypt(envelope, COLLECTOR_KEY, ballot_info(DIGEST)) == BALLOT.to_bytes()
    box = HPKE.decrypt(BALLOT.box, OPENING_KEY, box_info(DIGEST, b"p" * 32, KEY, 5))
    message = decode(box, MESSAGE_BYTES)
    assert (message.cell, message.specification) == (5, DIGEST)
    for info in (
        box_info(DIGEST, b"p" * 32, KEY, 4),
        box_info(DIGEST, b"q" * 32, KEY, 5),
        box_info(DIGEST, b"p" * 32, bytes(32), 5),
        box_info("00" * 32, b"p" * 32, KEY, 5),
        ballot_info(DIGEST),
    ):
        with pytest.raises(Exception):  # noqa: B017 - whatever the library raises
            HPKE.decrypt(BALLOT.box, OPENING_KEY, info)


def test_every_ballot_of_a_survey_has_one_length() -> None:
    fullest = make_ballot(DIGEST, 7, issue_token(DIGEST, b"q" * 32), LONGEST_ANSWERS)
    shortest = make_ballot(DIGEST, 0, issue_token(DIGEST, b"r" * 32), {"health": "good"})
    assert {len(ballot.box) for ballot in (BALLOT, fullest, shortest)} == {box_bytes(SPECIFICATION)}
    assert box_bytes(SPECIFICATION) == MESSAGE_BYTES + SUITES[DEFAULT_SUITE].overhead


@given(st.binary(max_size=2000))
def test_hostile_bytes_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        Ballot.parse(data, SPECIFICATION)
    assert caught.value.code == "ballot.form"


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("ballot.form", b"\x01" + BALLOT.to_bytes()[1:]),
        ("ballot.form", BALLOT.to_bytes() + b"\x00"),
        ("ballot.form", BALLOT.to_bytes()[:-1]),
        ("ballot.cell", b"\x02\x00\x00\x00\x08" + BALLOT.to_bytes()[5:]),
        ("ballot.cell", b"\x02\xff\xff\xff\xff" + BALLOT.to_bytes()[5:]),
    ],
)
def test_defects_are_refused_by_name(code: str, data: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        Ballot.parse(data, SPECIFICATION)
    assert caught.value.code == code


def test_an_open_survey_takes_no_ballots() -> None:
    with pytest.raises(SubmissionError) as caught:
        require_invited(small_specification())
    assert caught.value.code == "ballot.open-survey"


def test_a_token_is_for_one_survey() -> None:
    token = Token(prefix=b"p" * 32, device_key=KEY, signature=bytes(384))
    assert token.message(DIGEST) != token.message("00" * 32)
