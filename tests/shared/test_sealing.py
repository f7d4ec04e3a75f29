"""Names, lengths and info of the two sealed layers."""

from __future__ import annotations

import pytest

from shared.sealing import DEFAULT_SUITE, SUITES, ballot_info, box_info

DIGEST = "ab" * 32


def test_lengths_are_those_of_the_kems() -> None:
    assert [(s.public_key_bytes, s.encapsulated_bytes, s.overhead) for s in SUITES.values()] == [
        (32, 32, 48),
        (32, 32, 48),
        (1216, 1120, 1136),
    ]
    assert DEFAULT_SUITE in SUITES


def test_info_binds_survey_token_and_cell() -> None:
    bound = b"\xab" * 32 + b"p" * 32 + b"k" * 32 + b"\x00\x00\x01\x02"
    assert box_info(DIGEST, b"p" * 32, b"k" * 32, 258) == b"roomful-box/2" + bound
    assert ballot_info(DIGEST) == b"roomful-ballot/1" + b"\xab" * 32
    with pytest.raises(OverflowError):
        box_info(DIGEST, b"p" * 32, b"k" * 32, 2**32)
    with pytest.raises(ValueError, match="prefix of 32 bytes"):
        box_info(DIGEST, b"p" * 31, b"k" * 32, 0)
    with pytest.raises(ValueError, match="key of 32"):
        box_info(DIGEST, b"p" * 32, b"k" * 33, 0)
