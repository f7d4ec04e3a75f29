"""Codes as they are made, printed, typed and hashed."""

from __future__ import annotations

import hashlib
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import TokenError
from shared.invitation_code import ALPHABET, ENTROPY_BYTES, SYMBOLS, InvitationCode

DIGEST = hashlib.sha256(b"a specification").hexdigest()
ENTROPY = st.binary(min_size=ENTROPY_BYTES, max_size=ENTROPY_BYTES)
CODES = [InvitationCode.create(random.Random(seed).randbytes(ENTROPY_BYTES)) for seed in range(20)]


def refused(text: str) -> bool:
    try:
        InvitationCode.parse(text)
    except TokenError as problem:
        return problem.code == "token.code-form"
    return False


@given(ENTROPY)
def test_a_code_survives_printing_and_typing(entropy: bytes) -> None:
    code = InvitationCode.create(entropy)
    assert len(code.text) == 24
    assert code.text.count("-") == 4
    assert set(code.symbols) <= set(ALPHABET)
    for typed in (code.text, code.symbols, code.text.lower(), f"  {code.text.replace('-', ' ')}\n"):
        assert InvitationCode.parse(typed) == code


@pytest.mark.parametrize("between", ["", " ", "-", "–", "‐", "\u00ad", "_", ".", "\u00a0", " - "])
def test_what_programs_put_between_groups_does_not_matter(between: str) -> None:
    code = CODES[0]
    assert InvitationCode.parse(code.text.replace("-", between)) == code


def test_letters_that_look_like_digits_are_read_as_digits() -> None:
    code = next(code for code in CODES if {"0", "1"} <= set(code.symbols))
    for zero, one in itertools.product("Oo0", "IiLl1"):
        assert InvitationCode.parse(code.text.replace("0", zero).replace("1", one)) == code


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.symbols)
def test_every_single_substitution_is_caught(code: InvitationCode) -> None:
    for place, symbol in itertools.product(range(SYMBOLS), ALPHABET):
        changed = code.symbols[:place] + symbol + code.symbols[place + 1 :]
        assert refused(changed) == (changed != code.symbols)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.symbols)
def test_every_exchange_of_two_symbols_is_caught(code: InvitationCode) -> None:
    for i, j in itertools.combinations(range(SYMBOLS), 2):
        changed = list(code.symbols)
        changed[i], changed[j] = changed[j], changed[i]
        assert refused("".join(changed)) == (code.symbols[i] != code.symbols[j])


@pytest.mark.no_cover
def test_every_twin_error_is_caught() -> None:
    for place, (old, new) in itertools.product(range(SYMBOLS - 2), itertools.permutations(ALPHABET, 2)):
        data = [0] * (SYMBOLS - 1)
        data[place] = data[place + 1] = ALPHABET.index(old)
        number = sum(value << 5 * i for i, value in enumerate(data))
        code = InvitationCode.create(number.to_bytes(ENTROPY_BYTES, "big")).symbols
        assert code[place : place + 2] == old * 2
        assert refused(code[:place] + new * 2 + code[place + 2 :])


@given(st.lists(st.integers(0, 18), min_size=2, max_size=2, unique=True))
def test_random_bits_reach_every_symbol(places: list[int]) -> None:
    first, second = (InvitationCode.create((31 << 5 * i).to_bytes(ENTROPY_BYTES, "big")) for i in places)
    assert first.symbols[places[0]] == second.symbols[places[1]] == "Z"
    assert first != second


def test_all_95_bits_are_used_and_the_96th_is_not() -> None:
    codes = {InvitationCode.create((1 << bit).to_bytes(ENTROPY_BYTES, "big")).symbols for bit in range(95)}
    assert len(codes) == 95
    assert InvitationCode.create(b"\x80" + bytes(11)) == InvitationCode.create(bytes(12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 characters"),
        (CODES[0].symbols[:-1], "19 characters"),
        (CODES[0].symbols + "0", "21 characters"),
        ("U" + CODES[0].symbols[1:], "1 of the characters"),
        ("é!" + CODES[0].symbols[2:], "2 of the characters"),
        ("٣" + CODES[0].symbols[1:], "1 of the characters"),
        ("ß" * 10, "10 of the characters"),
        ("ſ" * 20, "20 of the characters"),
        ("0" * 201, "far too long"),
        (CODES[0].symbols[::-1], "mistyped"),
    ],
)
def test_a_wrong_code_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(TokenError, match=message) as caught:
        InvitationCode.parse(text)
    assert caught.value.code == "token.code-form"
    assert caught.value.remedy
    assert not text or text not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_a_code_or_refused(text: str) -> None:
    try:
        code = InvitationCode.parse(text)
    except TokenError:
        return
    assert InvitationCode.parse(code.text) == code


def test_nonsense_is_a_mistake_of_the_caller() -> None:
    for symbols in ("", "0" * 19, "0" * 19 + "1", "o" * 20):
        with pytest.raises(ValueError, match="symbols"):
            InvitationCode(symbols=symbols)
    with pytest.raises(ValueError, match="too few"):
        InvitationCode.create(bytes(ENTROPY_BYTES - 1))


def test_the_proof_is_of_roll_and_code() -> None:
    code = CODES[0]
    expected = hashlib.sha256(b"roomful-code/1" + bytes.fromhex(DIGEST) + code.symbols.encode()).digest()
    assert code.proof(bytes.fromhex(DIGEST)) == expected
    assert code.proof(bytes(32)) != expected
    assert CODES[1].proof(bytes.fromhex(DIGEST)) != expected


def test_a_code_does_not_show_itself() -> None:
    assert CODES[0].symbols not in f"{CODES[0]!r} {CODES[0]}"
