"""Blind RSA without the private key: against the RFC's values, and against another library both ways."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from hypothesis import given
from hypothesis import strategies as st

from shared.blind_rsa import blind, blinding_factor, encode, finalize, modulus_bytes, prepare, verify
from shared.errors import TokenError
from tests.invited import token_key
from tests.shared.token_key import N, P, sign_plainly
from tests.vectors import checking
from tests.vectors.published import FOLDER

SOURCE = random.Random(9474)
PSS = padding.PSS(padding.MGF1(hashes.SHA384()), 48)
MESSAGE = prepare(b"message", bytes(range(32)))
SALT = bytes(48)
DOCUMENTS = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in checking.CHECKS}
CASES = [
    pytest.param(name, case, id=f"{name}-{case.get('name', i)}")
    for name, document in DOCUMENTS.items()
    for i, case in enumerate(checking.cases(document))
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_committed_vectors(name: str, case: dict[str, Any]) -> None:
    checking.CHECKS[name](case, DOCUMENTS[name])


def test_the_rfc_has_four_variants() -> None:
    names = [case["name"] for case in DOCUMENTS["rfc9474"]["cases"]]
    assert names == [
        f"RSABSSA-SHA384-{salt}-{kind}"
        for kind in ("Randomized", "Deterministic")
        for salt in ("PSS", "PSSZERO")
    ]


def draw(size: int) -> bytes:
    return SOURCE.randbytes(size)


def library_accepts(n: int, message: bytes, signature: bytes) -> bool:
    try:
        RSAPublicNumbers(65537, n).public_key().verify(signature, message, PSS, hashes.SHA384())
    except InvalidSignature:
        return False
    return True


def we_accept(n: int, message: bytes, signature: bytes) -> bool:
    try:
        verify(n, message, signature)
    except TokenError as problem:
        return problem.code != "token.signature"
    return True


@given(st.binary(max_size=200))
def test_signatures_of_the_library_verify(message: bytes) -> None:
    assert we_accept(N, message, token_key().sign(message, PSS, hashes.SHA384()))


@pytest.mark.parametrize("seed", range(5))
def test_unblinded_signatures_verify_with_the_library(seed: int) -> None:
    source = random.Random(seed)
    prepared = prepare(source.randbytes(47), source.randbytes(32))
    r = blinding_factor(N, source.randbytes(400))
    blinded, inv = blind(N, prepared, salt=source.randbytes(48), r=r)
    assert library_accepts(N, prepared, finalize(N, prepared, sign_plainly(blinded), inv))


def forge(change_encoding: Any) -> bytes:
    """Sign an encoding that somebody tampered with."""
    encoded = bytearray(encode(MESSAGE, SALT, 384))
    change_encoding(encoded)
    value = int.from_bytes(bytes(encoded), "big")
    return sign_plainly(value.to_bytes(384, "big"))


def flip(place: int, bits: int) -> Any:
    def change(encoded: bytearray) -> None:
        encoded[place] ^= bits

    return change


@pytest.mark.parametrize("place", [0, 1, 200, 286, 287, 288, 334, 335, 382, 383])
@pytest.mark.parametrize("bits", [1, 2, 64])
def test_both_refuse_a_signed_encoding_with_a_flipped_bit(place: int, bits: int) -> None:
    signature = forge(flip(place, bits))
    assert not we_accept(N, MESSAGE, signature)
    assert not library_accepts(N, MESSAGE, signature)


def test_the_highest_bit_of_an_encoding_must_be_clear() -> None:
    value = next(
        value
        for value in (int.from_bytes(encode(MESSAGE, draw(48), 384), "big") | 1 << 3071 for _ in range(5000))
        if value < N
    )
    signature = sign_plainly(value.to_bytes(384, "big"))
    assert not we_accept(N, MESSAGE, signature)
    assert not library_accepts(N, MESSAGE, signature)


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        bytes(383),
        bytes(384),
        bytes(385),
        N.to_bytes(384, "big"),
        b"\xff" * 384,
        (N - 1).to_bytes(384, "big"),
    ],
    ids=["empty", "short", "zero", "long", "n", "all-ones", "n-1"],
)
def test_what_is_no_signature_is_refused_by_name(signature: bytes) -> None:
    assert not we_accept(N, MESSAGE, signature)


def test_a_wrong_answer_of_the_registrar_is_refused_by_name() -> None:
    blinded, inv = blind(N, MESSAGE, salt=SALT, r=blinding_factor(N, draw(400)))
    right = sign_plainly(blinded)
    assert finalize(N, MESSAGE, right, inv)
    wrong = [right[:-1], right + b"\0", bytes(384), blinded, right[:-1] + bytes([right[-1] ^ 1])]
    for answer in wrong:
        with pytest.raises(TokenError) as caught:
            finalize(N, MESSAGE, answer, inv)
        assert caught.value.code == "token.signature"


def test_the_blinded_message_does_not_depend_on_the_message() -> None:
    # For every message there is a blinding factor that leads to what the registrar saw.
    blinded, _ = blind(N, MESSAGE, salt=SALT, r=blinding_factor(N, draw(400)))
    other = int.from_bytes(encode(b"another", SALT, 384), "big")
    wanted = int.from_bytes(blinded, "big") * pow(other, -1, N) % N
    r = int.from_bytes(sign_plainly(wanted.to_bytes(384, "big")), "big")
    assert blind(N, b"another", salt=SALT, r=r)[0] == blinded


def test_a_key_with_a_small_factor_is_refused_by_name() -> None:
    message = next(
        message
        for message in (draw(8) for _ in range(99))
        if int.from_bytes(encode(message, SALT, 384), "big") % 3 == 0
    )
    n = 3 * ((1 << 3071) // 3 + 2)
    n += 3 * (n % 2 == 0)
    assert (n % 6, n.bit_length()) == (3, 3072)
    with pytest.raises(TokenError) as caught:
        blind(n, message, salt=SALT, r=1)
    assert caught.value.code == "token.key"
    with pytest.raises(TokenError) as caught:
        blind(N, MESSAGE, salt=SALT, r=P)
    assert caught.value.code == "token.key"
    assert caught.value.remedy


def test_blinding_factors_are_in_range_and_reach_both_ends() -> None:
    assert blinding_factor(N, bytes(400)) == 1
    assert blinding_factor(N, (N - 2).to_bytes(400, "big")) == N - 1
    assert blinding_factor(N, (N - 1).to_bytes(400, "big")) == 1


def test_nonsense_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        prepare(b"message", bytes(31))
    with pytest.raises(ValueError, match="too few"):
        blinding_factor(N, bytes(399))
    with pytest.raises(ValueError, match="whole number"):
        modulus_bytes(N >> 1)
    with pytest.raises(ValueError, match="too short"):
        encode(b"message", SALT, 97)
