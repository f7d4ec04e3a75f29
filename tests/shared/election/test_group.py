"""The seam to ristretto255, and numbers below L."""

from __future__ import annotations

import pytest

from server.keys.election_group import fast_group
from shared.edwards import L
from shared.election.group import GENERATOR, IDENTITY, Group, decode_scalar, encode_scalar
from shared.election.hashing import hash_scalar
from shared.errors import ElectionError
from tests.election import GROUP
from tests.shared.test_ristretto import DOCUMENT

POINT = bytes.fromhex(DOCUMENT["multiples"][7])


@pytest.mark.parametrize("group", [GROUP, fast_group()], ids=["standard", "gmp"])
def test_multiples(group: Group) -> None:
    for i, text in enumerate(DOCUMENT["multiples"]):
        assert group.combine((i,), (GENERATOR,)).hex() == text
    assert group.combine((L - 1, 1), (POINT, POINT)) == IDENTITY
    assert group.combine((5, 1), (IDENTITY, POINT)) == POINT
    assert group.combine((), ()) == IDENTITY


@pytest.mark.parametrize("case", DOCUMENT["refused"], ids=lambda case: case["name"])
def test_what_is_no_element_is_refused(case: dict[str, str]) -> None:
    """By :meth:`require` too: tests/vectors/checking.py."""
    with pytest.raises(ElectionError) as caught:
        GROUP.combine((0, 1), (bytes.fromhex(case["encoding"]), POINT))
    assert caught.value.code == "election.element"


def test_the_identity_is_an_element_but_not_everywhere() -> None:
    GROUP.require((POINT, GENERATOR))
    with pytest.raises(ElectionError):
        GROUP.require((POINT, IDENTITY))


@pytest.mark.parametrize("number", [0, 1, 255, 256, L - 1])
def test_numbers(number: int) -> None:
    assert decode_scalar(encode_scalar(number)) == number


@pytest.mark.parametrize(
    "data", [L.to_bytes(32, "little"), b"\xff" * 32, bytes(31), bytes(33)], ids=["L", "most", "short", "long"]
)
def test_no_number_is_as_large_as_the_order(data: bytes) -> None:
    with pytest.raises(ElectionError) as caught:
        decode_scalar(data)
    assert caught.value.code == "election.scalar"


def test_no_part_of_a_hash_can_move_into_another() -> None:
    values = {
        hash_scalar("label"),
        hash_scalar("label", b""),
        hash_scalar("label", b"", b""),
        hash_scalar("label", b"ab"),
        hash_scalar("label", b"a", b"b"),
        hash_scalar("labela", b"b"),
        hash_scalar("", b"label"),
    }
    assert len(values) == 7
