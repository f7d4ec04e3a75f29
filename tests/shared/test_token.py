"""Tokens as they are verified, saved and read again."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import TokenError
from shared.token import Token, token_message
from tests.shared.token_key import N, fetch_token

DIGEST = hashlib.sha256(b"a specification").hexdigest()
OTHER = hashlib.sha256(b"another").hexdigest()
TOKEN = fetch_token(DIGEST, b"token")


def test_a_fetched_token_verifies_for_its_survey_alone() -> None:
    TOKEN.verify(N, DIGEST)
    for key, digest in ((N, OTHER), (N - 2, DIGEST)):
        with pytest.raises(TokenError) as caught:
            TOKEN.verify(key, digest)
        assert caught.value.code == "token.signature"


def test_message_is_the_prefix_before_the_survey() -> None:
    assert token_message(DIGEST) == b"roomful-token/1" + bytes.fromhex(DIGEST)
    assert TOKEN.message(DIGEST) == TOKEN.prefix + token_message(DIGEST)


@pytest.mark.parametrize("part", ["prefix", "signature"])
def test_a_flipped_bit_is_no_token(part: str) -> None:
    parts = {"prefix": TOKEN.prefix, "signature": TOKEN.signature}
    for bit in (0, 7, len(parts[part]) * 8 - 1):
        changed = bytearray(parts[part])
        changed[bit // 8] ^= 128 >> bit % 8
        with pytest.raises(TokenError):
            Token(**parts | {part: bytes(changed)}).verify(N, DIGEST)


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=384, max_size=384))
def test_a_token_survives_saving(prefix: bytes, signature: bytes) -> None:
    token = Token(prefix=prefix, signature=signature)
    assert Token.parse_text(token.to_text()) == token
    assert Token.parse_file(token.to_file(DIGEST), DIGEST) == token


def test_file_is_strict_json() -> None:
    assert json.loads(TOKEN.to_file(DIGEST)) == {
        "format": "roomful-token/1",
        "specification": DIGEST,
        "token": TOKEN.to_text(),
    }
    assert len(TOKEN.to_text()) == 555


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file[:-1],
        lambda file: file.replace(b"token/1", b"token/2"),
        lambda file: file.replace(b'"format"', b'"form"'),
        lambda file: file.replace(b'"token":"', b'"token":"AA'),
        lambda file: file.replace(DIGEST.encode(), b"x"),
        lambda file: file + b" " * 5000,
        lambda _file: b"",
        lambda _file: b"[1.5]",
        lambda _file: b"\xff",
        lambda _file: b'{"%s":1}' % TOKEN.to_text().encode(),
        lambda _file: b'{"%s":1,"%s":1}' % (TOKEN.to_text()[:80].encode(), TOKEN.to_text()[:80].encode()),
        lambda file: file.replace(b"roomful-token/1", TOKEN.to_text().encode()),
    ],
)
def test_another_file_is_refused(change) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TokenError) as caught:
        Token.parse_file(change(TOKEN.to_file(DIGEST)), DIGEST)
    assert caught.value.code == "token.form"
    assert TOKEN.to_text()[:20] not in str(caught.value)


def test_the_token_of_another_survey_is_named_so() -> None:
    with pytest.raises(TokenError) as caught:
        Token.parse_file(TOKEN.to_file(OTHER), DIGEST)
    assert caught.value.code == "token.survey"


@pytest.mark.parametrize(
    "text", ["", "A", TOKEN.to_text()[:-1], TOKEN.to_text() + "A", TOKEN.to_text()[:-1] + "é"]
)
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(TokenError) as caught:
        Token.parse_text(text)
    assert caught.value.code == "token.form"


def test_wrong_lengths_are_a_mistake_of_the_caller() -> None:
    for prefix, signature in ((31, 384), (32, 383)):
        with pytest.raises(ValueError, match="parts of a token"):
            Token(prefix=bytes(prefix), signature=bytes(signature))


def test_a_token_does_not_show_itself() -> None:
    assert repr(TOKEN) == str(TOKEN) == "Token(...)"
