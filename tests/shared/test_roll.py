"""Codes, their proofs, and the roll of their hashes."""

from __future__ import annotations

import contextlib
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import BoardError, OpeningError, RemoteError
from shared.hash_list import format_hashes
from shared.roll import (
    Roll,
    count_used,
    parse_token_counts,
    parse_used_codes,
    require_token_counts,
    roll_hash,
)
from tests.elections import BOXES, PEOPLE_A_BOX, code_in, election_roll, proofs_of
from tests.invited import ROLL_ID, code, roll, used_codes


def test_the_roll_is_hashes_of_hashes_behind_its_id() -> None:
    found = Roll.of(ROLL_ID, map(code, range(3)))
    first, *lines, end = found.to_bytes().decode().split("\n")
    assert (first, end) == (f"roomful-roll/1 {ROLL_ID.hex()}", "")
    proof = hashlib.sha256(b"roomful-code/1" + ROLL_ID + code(1).symbols.encode()).digest()
    assert hashlib.sha256(proof).hexdigest() in lines
    assert lines == sorted(lines)
    assert found.digest == hashlib.sha256(found.to_bytes()).hexdigest()
    assert Roll.parse(found.to_bytes()) == found


def test_two_surveys_with_equal_codes_have_nothing_in_common() -> None:
    other = Roll.of(bytes(32), map(code, range(150)))
    assert not set(other.hashes) & set(roll().hashes)


def test_neither_code_nor_proof_is_on_the_roll() -> None:
    data = roll().to_bytes()
    for number in range(150):
        assert code(number).symbols.encode() not in data
        assert code(number).proof(ROLL_ID).hex().encode() not in data


MALFORMED = {
    "empty": b"",
    "no-head": roll(2).to_bytes().split(b"\n", 1)[1],
    "other-format": roll(2).to_bytes().replace(b"roll/1", b"roll/2"),
    "capitals": roll(2).to_bytes().replace(ROLL_ID.hex().encode(), ROLL_ID.hex().upper().encode()),
    "windows": roll(2).to_bytes().replace(b"\n", b"\r\n"),
    "cut": roll(2).to_bytes()[:-1],
    "twice": roll(1).to_bytes() + roll(1).to_bytes().split(b"\n", 1)[1],
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_roll_is_refused(name: str) -> None:
    with pytest.raises(BoardError) as caught:
        Roll.parse(MALFORMED[name])
    assert caught.value.code == "board.roll"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_roll_or_refused(data: bytes) -> None:
    with contextlib.suppress(BoardError):
        assert Roll.parse(data).to_bytes() == data


def test_an_election_has_a_list_for_each_box() -> None:
    found = election_roll()
    assert Roll.parse(found.to_bytes()) == found
    assert found.to_bytes().count(b"\n\n") == BOXES - 1
    assert found.box_of[roll_hash(code_in(3, 7).proof(ROLL_ID))] == 3
    assert set(found.hashes) == set(roll(BOXES * PEOPLE_A_BOX).hashes), "one list has the same hashes"
    assert count_used(proofs_of(0, 3, 3), found) == (1, 0, 0, 2, 0, 0, 0, 0)


def test_a_box_has_codes_of_its_own() -> None:
    with pytest.raises(ValueError, match="without codes"):
        Roll.of(ROLL_ID, [code(0)], [])
    for boxes in ([[0], [0]], [[0], []], [[], [0]], [[0], [], [1]]):
        lists = [format_hashes(Roll.of(ROLL_ID, map(code, box)).hashes) for box in boxes]
        with pytest.raises(BoardError) as caught:
            Roll.parse(b"roomful-roll/1 " + ROLL_ID.hex().encode() + b"\n" + b"\n".join(lists))
        assert caught.value.code == "board.roll"


def test_a_proof_that_is_of_no_code_is_named_by_its_line() -> None:
    count_used(used_codes(150), roll())
    with pytest.raises(BoardError) as caught:
        count_used((*used_codes(2), roll().hashes[0]), roll())
    assert (caught.value.code, caught.value.where) == ("board.used-codes", "used codes, line 3")


def test_used_codes_are_a_list() -> None:
    with pytest.raises(BoardError) as caught:
        parse_used_codes(b"no list")
    assert caught.value.code == "board.used-codes"


def test_the_hash_of_a_proof_says_nothing_of_it() -> None:
    assert roll_hash(used_codes(1)[0]) == hashlib.sha256(used_codes(1)[0]).digest()


@pytest.mark.parametrize(
    ("published", "used", "where"),
    [((1, 2), (1, 3), "box 1"), ((1, 2), (0, 2), "box 0"), ((1,), (1, 0), "box 1"), ((1, 0), (1,), "box 1")],
)
def test_tokens_of_a_box_are_its_used_codes(
    published: tuple[int, ...], used: tuple[int, ...], where: str
) -> None:
    require_token_counts(published, published)
    with pytest.raises(OpeningError) as refused:
        require_token_counts(published, used)
    assert (refused.value.code, refused.value.where) == ("opening.tokens", where)


def test_numbers_of_tokens_are_read() -> None:
    assert parse_token_counts(b'{"tokens":[1,0,2]}') == (1, 0, 2)
    for data in (b"", b"[]", b'{"tokens":[-1]}', b'{"tokens":1}', b'{"token":[1]}'):
        with pytest.raises(RemoteError):
            parse_token_counts(data)
