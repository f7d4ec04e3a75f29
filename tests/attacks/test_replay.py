"""Somebody sends a message again, or tries to learn something from its receipt."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from shared.submission import decode, encode, receipt
from tests.builders import ANSWERS, MESSAGE_BYTES
from tests.vectors.core_vectors import DIGEST, LONGEST_ANSWERS, entropy

MESSAGE = encode(DIGEST, 3, ANSWERS, entropy("replay"), MESSAGE_BYTES)


def test_the_same_bytes_are_recognized_by_their_receipt() -> None:
    assert receipt(MESSAGE) == receipt(bytes(MESSAGE)) == hashlib.sha256(MESSAGE).hexdigest()


@given(st.integers(0, 8 * len(MESSAGE) - 1))
def test_a_changed_message_has_another_receipt(bit: int) -> None:
    changed = bytearray(MESSAGE)
    changed[bit // 8] ^= 1 << bit % 8
    assert receipt(bytes(changed)) != receipt(MESSAGE)


def test_people_with_the_same_answers_send_different_messages_of_the_same_length() -> None:
    messages = {encode(DIGEST, 3, ANSWERS, entropy(f"person {i}"), MESSAGE_BYTES) for i in range(50)}
    assert len({receipt(m) for m in messages}) == 50
    assert {len(m) for m in messages} == {MESSAGE_BYTES}


def test_the_answers_cannot_be_guessed_from_the_receipt() -> None:
    """Padding holds at least 128 random bits even in the fullest message."""
    fullest = encode(DIGEST, 19_999, LONGEST_ANSWERS, entropy("full"), MESSAGE_BYTES)
    assert len(json.loads(fullest)["padding"]) * 6 >= 128


def test_nothing_but_cell_and_answers_is_in_a_message() -> None:
    assert set(json.loads(MESSAGE)) == {"protocol", "specification", "cell", "answers", "padding"}
    assert set(type(decode(MESSAGE, MESSAGE_BYTES)).__dataclass_fields__) == {
        "specification",
        "cell",
        "answers",
    }
