"""The registrar's signature: right for every message, refused for hostile ones, kept back when faulty."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from math import gcd
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from server.collection.tokens import issuing
from server.collection.tokens.issuing import blind_sign
from server.keys.token_keys import TokenKey
from shared import blind_rsa
from shared.errors import TokenError
from tests.invited import token_key, unsigned_token

NUMBERS = token_key().private_numbers()
N = NUMBERS.public_numbers.n
KEY = TokenKey(n=N, p=NUMBERS.p, q=NUMBERS.q, dp=NUMBERS.dmp1, dq=NUMBERS.dmq1, q_inverse=NUMBERS.iqmp)
DIGEST = hashlib.sha256(b"a specification").hexdigest()
SOURCE = random.Random(9474)
PSS = padding.PSS(padding.MGF1(hashes.SHA384()), 48)


def number(value: int, length: int = 384) -> bytes:
    return value.to_bytes(length, "big")


@pytest.mark.parametrize("value", [2, 3, N - 2, N // 2, *(SOURCE.randrange(N) for _ in range(20))])
def test_the_signature_is_the_textbook_one(value: int) -> None:
    assert blind_sign(KEY, number(value)) == number(pow(value, NUMBERS.d, N))


def test_the_same_message_has_the_same_signature_whatever_the_blinding() -> None:
    message = number(SOURCE.randrange(N))
    drawn: list[int] = []

    def entropy(n_bytes: int) -> bytes:
        drawn.append(n_bytes)
        return SOURCE.randbytes(n_bytes)

    assert len({blind_sign(KEY, message, entropy=entropy) for _ in range(5)}) == 1
    assert drawn == [400] * 5


@pytest.mark.parametrize(
    "message",
    [
        number(0),
        number(1),
        number(N - 1),
        number(N),
        number(N + 1),
        number(N + 2),
        b"\xff" * 384,
        b"",
        number(5, 383),
        number(5, 385),
        number(SOURCE.randrange(N), 100_000),
    ],
    ids=["zero", "one", "n-1", "n", "n+1", "n+2", "all-ones", "empty", "short", "long", "very-long"],
)
def test_a_hostile_message_is_refused_by_name(message: bytes) -> None:
    with pytest.raises(TokenError) as caught:
        blind_sign(KEY, message)
    assert caught.value.code == "token.blinded-message"
    assert message.hex()[:20] not in str(caught.value) or not message


def test_even_a_multiple_of_a_prime_is_signed_rightly() -> None:
    for value in (NUMBERS.p, 2 * NUMBERS.q):
        assert blind_sign(KEY, number(value)) == number(pow(value, NUMBERS.d, N))


@pytest.mark.parametrize("part", ["dp", "dq", "q_inverse", "p", "q"])
@pytest.mark.parametrize("bit", [0, 1, 700, 1530])
def test_a_flipped_bit_in_the_key_is_caught(part: str, bit: int) -> None:
    faulty = replace(KEY, **{part: getattr(KEY, part) ^ 1 << bit})
    with pytest.raises(TokenError) as caught:
        blind_sign(faulty, number(SOURCE.randrange(N)))
    assert caught.value.code == "token.fault"


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("bit", [0, 777, 1535])
def test_a_flipped_bit_in_one_half_is_caught(monkeypatch: pytest.MonkeyPatch, half: int, bit: int) -> None:
    right, calls = issuing.powmod_sec, [0]

    def faulty(*parts: Any) -> Any:
        calls[0] += 1
        return right(*parts) ^ (1 << bit if calls[0] - 1 == half else 0)

    monkeypatch.setattr(issuing, "powmod_sec", faulty)
    with pytest.raises(TokenError) as caught:
        blind_sign(KEY, number(SOURCE.randrange(N)))
    assert caught.value.code == "token.fault"
    assert calls == [2]


def test_without_the_check_one_faulty_half_would_give_away_the_key() -> None:
    message = SOURCE.randrange(N)
    at_p, at_q = pow(message, KEY.dp, KEY.p), pow(message, KEY.dq, KEY.q) ^ 1
    faulty = at_q + KEY.q * ((at_p - at_q) * KEY.q_inverse % KEY.p)
    assert gcd(pow(faulty, 65537, N) - message, N) == KEY.p


def test_a_token_is_a_signature_that_another_library_verifies() -> None:
    for seed in range(5):
        prefix, salt = SOURCE.randbytes(32), SOURCE.randbytes(48)
        unsigned = unsigned_token(prefix)
        prepared = unsigned.message(DIGEST)
        r = blind_rsa.blinding_factor(N, SOURCE.randbytes(400))
        blinded, inv = blind_rsa.blind(N, prepared, salt=salt, r=r)
        signature = blind_rsa.finalize(N, prepared, blind_sign(KEY, blinded), inv)
        token_key().public_key().verify(signature, prepared, PSS, hashes.SHA384())
        replace(unsigned, signature=signature).verify(N, DIGEST)
        assert prefix not in blinded, seed
