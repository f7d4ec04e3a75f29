"""ristretto255 against the published vectors, a slow reference, and every other form of an element."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared import edwards, ristretto
from tests.reference import affine_ed25519 as curve
from tests.vectors.generate import FOLDER

DOCUMENT = json.loads((FOLDER / "ristretto.json").read_text("utf-8"))
SCALARS = st.integers(1, edwards.L - 1)


def affine(point: edwards.Point) -> curve.Point:
    """The same point for the reference."""
    inverse = pow(point[2], -1, curve.P)
    return point[0] * inverse % curve.P, point[1] * inverse % curve.P


def extended(point: curve.Point) -> edwards.Point:
    """The same point for the code."""
    return *point, 1, point[0] * point[1] % curve.P


def test_the_multiples_are_those_of_the_rfc() -> None:
    assert [text[:8] for text in DOCUMENT["multiples"][:4]] == [
        "00000000",
        "e2f2ae0a",
        "6a493210",
        "94741f5d",
    ]
    assert DOCUMENT["multiples"][15] == "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e"


@pytest.mark.parametrize("case", DOCUMENT["refused"], ids=lambda case: case["name"])
def test_no_other_bytes_are_an_element(case: dict[str, str]) -> None:
    assert ristretto.decode(bytes.fromhex(case["encoding"])) is None


@settings(max_examples=20)
@given(SCALARS, SCALARS)
def test_sums_and_multiples_are_those_of_the_reference(a: int, b: int) -> None:
    p, q = (curve.multiply(number, curve.base()) for number in (a, b))
    assert affine(edwards.multiply(a, edwards.BASE)) == p
    assert affine(edwards.add(extended(p), extended(q))) == curve.add(p, q)
    assert affine(edwards.double(extended(p))) == curve.add(p, p)
    assert affine(edwards.add(extended(p), edwards.negate(extended(p)))) == curve.IDENTITY


@settings(max_examples=20)
@given(SCALARS, st.integers(0, 3))
def test_an_element_has_one_encoding_whatever_point_stands_for_it(scalar: int, i: int) -> None:
    point = curve.multiply(scalar, curve.base())
    other = curve.add(point, curve.torsion()[2 * i])  # of order 4 or less
    data = ristretto.encode(extended(point))
    assert ristretto.encode(extended(other)) == data
    decoded = ristretto.decode(data)
    assert decoded is not None
    assert ristretto.encode(decoded) == data
    assert affine(decoded) in [curve.add(point, curve.torsion()[j]) for j in (0, 2, 4, 6)]


@settings(max_examples=200)
@example(bytes(32))
@given(st.binary(max_size=40) | st.binary(min_size=32, max_size=32))
def test_what_is_decoded_is_encoded_alike(data: bytes) -> None:
    point = ristretto.decode(data)
    assert point is None or ristretto.encode(point) == data


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, edwards.L - 1) | st.integers(0, 3), SCALARS), max_size=40))
def test_a_sum_of_multiples_is_that_of_its_scalars(pairs: list[tuple[int, int]]) -> None:
    """Few of them by a table for each, many in buckets."""
    points = [edwards.multiply(scalar, edwards.BASE) for _, scalar in pairs]
    total = sum(factor * scalar for factor, scalar in pairs) % edwards.L
    expected = ristretto.encode(edwards.multiply(total, edwards.BASE))
    assert ristretto.encode(edwards.combine([factor for factor, _ in pairs], points)) == expected


def test_each_point_has_a_factor() -> None:
    with pytest.raises(ValueError, match="one factor"):
        edwards.combine((1, 2), (edwards.BASE,))


def test_a_square_root_exists_or_not() -> None:
    assert edwards.square_root(4) in (2, edwards.P - 2)
    assert edwards.square_root(2) is None
    assert edwards.square_root(edwards.P - 1) in (edwards.SQRT_MINUS_1, edwards.P - edwards.SQRT_MINUS_1)
