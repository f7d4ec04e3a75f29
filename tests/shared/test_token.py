"""Tokens as they are verified, saved and read again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import TokenError
from shared.token import HeldToken, Token, token_message
from tests.invited import sign_message
from tests.shared.token_key import N, fetch_token, held

DIGEST = hashlib.sha256(b"a specification").hexdigest()
OTHER = hashlib.sha256(b"another").hexdigest()
TOKEN = fetch_token(DIGEST, b"token")
HELD = held(TOKEN)


def test_a_fetched_token_verifies_for_its_survey_alone() -> None:
    TOKEN.verify(N, DIGEST)
    for key, digest in ((N, OTHER), (N - 2, DIGEST)):
        with pytest.raises(TokenError) as caught:
            TOKEN.verify(key, digest)
        assert caught.value.code == "token.signature"


def test_message_is_the_prefix_before_the_survey_and_the_key() -> None:
    message = token_message(DIGEST, TOKEN.device_key)
    assert message == b"roomful-token/2" + bytes.fromhex(DIGEST) + TOKEN.device_key
    assert TOKEN.message(DIGEST) == TOKEN.prefix + message
    with pytest.raises(ValueError, match="32 bytes"):
        token_message(DIGEST, bytes(31))


@pytest.mark.parametrize("part", ["prefix", "device_key", "signature"])
def test_a_flipped_bit_is_no_token(part: str) -> None:
    parts = {name: getattr(TOKEN, name) for name in ("prefix", "device_key", "signature")}
    for bit in (0, 7, len(parts[part]) * 8 - 1):
        changed = bytearray(parts[part])
        changed[bit // 8] ^= 128 >> bit % 8
        with pytest.raises(TokenError):
            Token(**parts | {part: bytes(changed)}).verify(N, DIGEST)


@given(st.binary(min_size=480, max_size=480))
def test_a_token_survives_saving(data: bytes) -> None:
    parts = Token(prefix=data[:32], device_key=data[32:64], signature=data[64:448])
    token = HeldToken(token=parts, secret=data[448:])
    assert HeldToken.parse_text(token.to_text()) == token
    assert HeldToken.parse_file(token.to_file(DIGEST), DIGEST) == token


def test_a_key_of_small_order_is_refused_although_the_registrar_signed_it() -> None:
    for bad in (bytes(32), b"\x01" + bytes(31), b"\xff" * 32):
        unsigned = Token(prefix=b"p" * 32, device_key=bad, signature=bytes(384))
        token = replace(unsigned, signature=sign_message(unsigned.message(DIGEST)))
        with pytest.raises(TokenError) as caught:
            token.verify(N, DIGEST)
        assert caught.value.code == "token.device-key"


def test_file_is_strict_json() -> None:
    assert json.loads(HELD.to_file(DIGEST)) == {
        "format": "roomful-token/2",
        "specification": DIGEST,
        "token": HELD.to_text(),
    }
    assert len(HELD.to_text()) == 640


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file[:-1],
        lambda file: file.replace(b"token/2", b"token/1"),
        lambda file: file.replace(b'"format"', b'"form"'),
        lambda file: file.replace(b'"token":"', b'"token":"AA'),
        lambda file: file.replace(DIGEST.encode(), b"x"),
        lambda file: file + b" " * 5000,
        lambda _file: b"",
        lambda _file: b"[1.5]",
        lambda _file: b"\xff",
        lambda _file: b'{"%s":1}' % HELD.to_text().encode(),
        lambda _file: b'{"%s":1,"%s":1}' % (HELD.to_text()[:80].encode(), HELD.to_text()[:80].encode()),
        lambda file: file.replace(b"roomful-token/2", HELD.to_text().encode()),
    ],
)
def test_another_file_is_refused(change) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TokenError) as caught:
        HeldToken.parse_file(change(HELD.to_file(DIGEST)), DIGEST)
    assert caught.value.code == "token.form"
    assert HELD.to_text()[:20] not in str(caught.value)


def test_the_token_of_another_survey_is_named_so() -> None:
    with pytest.raises(TokenError) as caught:
        HeldToken.parse_file(HELD.to_file(OTHER), DIGEST)
    assert caught.value.code == "token.survey"


@pytest.mark.parametrize(
    "text", ["", "A", HELD.to_text()[:-1], HELD.to_text() + "A", HELD.to_text()[:-1] + "é"]
)
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(TokenError) as caught:
        HeldToken.parse_text(text)
    assert caught.value.code == "token.form"


def test_wrong_lengths_are_a_mistake_of_the_caller() -> None:
    for prefix, key, signature in ((31, 32, 384), (32, 31, 384), (32, 32, 383)):
        with pytest.raises(ValueError, match="parts of a token"):
            Token(prefix=bytes(prefix), device_key=bytes(key), signature=bytes(signature))
    with pytest.raises(ValueError, match="parts of a token"):
        HeldToken(token=TOKEN, secret=bytes(31))


def test_a_token_does_not_show_itself() -> None:
    assert repr(TOKEN) == str(TOKEN) == "Token(...)"
    assert repr(HELD) == str(HELD) == "HeldToken(...)"
