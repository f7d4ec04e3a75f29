"""The ballot's layout, and what it is bound to."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ballot import HEAD_BYTES, Ballot, box_lengths, envelope_lengths, require_invited
from shared.errors import SubmissionError
from shared.sealing import DEFAULT_SUITE, SUITES, ballot_info, box_info
from shared.submission import decode
from shared.token import Token
from tests.builders import small_specification
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

SPECIFICATION = invited_specification()
DIGEST = digest_of(SPECIFICATION)
BALLOT = make_ballot(DIGEST, 5, issue_token(DIGEST, b"p" * 32))


def test_layout() -> None:
    data = BALLOT.to_bytes()
    assert data[:5] == b"\x01\x00\x00\x00\x05"
    assert data[5:37] == b"p" * 32
    assert data[37:421] == BALLOT.token.signature
    assert data[421:] == BALLOT.box
    assert HEAD_BYTES == 421
    assert BALLOT.receipt == hashlib.sha256(data).hexdigest()
    assert Ballot.parse(data, SPECIFICATION) == BALLOT
    assert "pppp" not in repr(BALLOT)


def test_both_layers_open_where_they_belong_and_nowhere_else() -> None:
    envelope = seal_ballot(DIGEST, BALLOT)
    assert len(envelope) in envelope_lengths(SUITES[DEFAULT_SUITE])
    assert HPKE.decrypt(envelope, COLLECTOR_KEY, ballot_info(DIGEST)) == BALLOT.to_bytes()
    message = decode(HPKE.decrypt(BALLOT.box, OPENING_KEY, box_info(DIGEST, b"p" * 32, 5)))
    assert (message.cell, message.specification) == (5, DIGEST)
    for info in (
        box_info(DIGEST, b"p" * 32, 4),
        box_info(DIGEST, b"q" * 32, 5),
        box_info("00" * 32, b"p" * 32, 5),
        ballot_info(DIGEST),
    ):
        with pytest.raises(Exception):  # noqa: B017 - whatever the library raises
            HPKE.decrypt(BALLOT.box, OPENING_KEY, info)


def test_lengths_tell_only_the_size_class() -> None:
    assert box_lengths(SUITES[DEFAULT_SUITE]) == (1072, 4144, 16432, 65584)
    assert len(BALLOT.box) == 1072


@given(st.binary(max_size=2000))
def test_hostile_bytes_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        Ballot.parse(data, SPECIFICATION)
    assert caught.value.code == "ballot.form"


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("ballot.form", b"\x02" + BALLOT.to_bytes()[1:]),
        ("ballot.form", BALLOT.to_bytes() + b"\x00"),
        ("ballot.form", BALLOT.to_bytes()[:-1]),
        ("ballot.cell", b"\x01\x00\x00\x00\x08" + BALLOT.to_bytes()[5:]),
        ("ballot.cell", b"\x01\xff\xff\xff\xff" + BALLOT.to_bytes()[5:]),
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
    token = Token(prefix=b"p" * 32, signature=bytes(384))
    assert token.message(DIGEST) != token.message("00" * 32)
