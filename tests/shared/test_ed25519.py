"""One reading of Ed25519: against the published vectors, a slow reference, and what libraries disagree on."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import ed25519
from tests.reference import affine_ed25519 as curve
from tests.vectors.generate import FOLDER

DOCUMENT = json.loads((FOLDER / "ed25519.json").read_text("utf-8"))
REFUSED = {case["name"]: case for case in DOCUMENT["refused"]}


def test_the_first_vectors_are_those_of_the_rfc() -> None:
    keys = [case["public_key"][:16] for case in DOCUMENT["cases"][:3]]
    assert keys == ["d75a980182b10ab7", "3d4017c3e843895a", "fc51cd8e6218a1a3"]
    heads = [case["signature"][:16] for case in DOCUMENT["cases"][:3]]
    assert heads == ["e5564300c360ac72", "92a009a9f0d4cab8", "6291d657deec2402"]


@pytest.mark.parametrize("name", REFUSED)
def test_no_hostile_case_is_accepted(name: str) -> None:
    case = {key: bytes.fromhex(REFUSED[name][key]) for key in ("public_key", "signature", "message")}
    assert not ed25519.verifies(**case)


def test_the_hostile_cases_are_those_on_which_libraries_disagree() -> None:
    """Else the vectors would test nothing: some library, or all of them, would have taken these."""
    for name in ("key-of-mixed-order-that-all-accept", "key-of-small-order-0"):
        case = REFUSED[name]
        assert [case[by] for by in ("openssl", "cofactorless", "cofactored")] == [True] * 3
    for name in ("key-of-mixed-order-that-some-accept", "R-of-mixed-order"):
        case = REFUSED[name]
        assert [case[by] for by in ("openssl", "cofactorless", "cofactored")] == [False, False, True]


@settings(max_examples=20)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=100), st.integers(0, 767))
def test_what_a_library_signs_is_accepted_and_nothing_else(secret: bytes, message: bytes, bit: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert ed25519.is_key(public)
    assert ed25519.is_canonical(signature)
    assert ed25519.verifies(public, signature, message)
    changed = bytearray(public + signature)
    changed[bit // 8] ^= 1 << bit % 8
    assert not ed25519.verifies(bytes(changed[:32]), bytes(changed[32:]), message)


@settings(max_examples=25)
@given(st.integers(1, curve.L - 1), st.integers(0, 7))
def test_a_key_is_a_point_of_prime_order(scalar: int, i: int) -> None:
    point = curve.add(curve.multiply(scalar, curve.base()), curve.torsion()[i])
    assert ed25519.is_key(curve.encode(point)) == (i == 0)


@pytest.mark.parametrize("point", curve.torsion())
def test_no_point_of_small_order_is_a_key(point: curve.Point) -> None:
    assert not ed25519.is_key(curve.encode(point))


@settings(max_examples=100)
@given(st.binary(max_size=40) | st.binary(min_size=32, max_size=32))
def test_any_bytes_are_a_key_or_none(data: bytes) -> None:
    y = int.from_bytes(data, "little") & (1 << 255) - 1
    point = curve.recover(y, data[31] >> 7) if len(data) == 32 and y < curve.P else None
    expected = point not in (None, curve.IDENTITY) and curve.multiply(curve.L, point) == curve.IDENTITY
    assert ed25519.is_key(data) == expected
