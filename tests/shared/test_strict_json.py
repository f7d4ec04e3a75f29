"""Strict JSON: one meaning, or an error of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import SpecificationError
from shared.limits import MAX_JSON_DEPTH
from shared.strict_json import dumps, loads
from tests.shared.strategies import JSON


def read(data: bytes, max_bytes: int = 1000) -> Any:
    return loads(data, error=SpecificationError, where="document", max_bytes=max_bytes)


@given(JSON)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert read(dumps(value), 100_000) == value
    assert json.loads(dumps(value)) == value


@given(st.binary(max_size=60))
def test_all_bytes_give_a_value_or_our_error(data: bytes) -> None:
    try:
        value = read(data)
    except SpecificationError:
        return
    assert json.loads(data) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1.0}', "a number is not an integer"),
        ('{"a":1e3}', "a number is not an integer"),
        ('{"a":-0.0}', "a number is not an integer"),
        ("[NaN]", "a number is not an integer"),
        ("[Infinity]", "a number is not an integer"),
        ("[-Infinity]", "a number is not an integer"),
        ('{"a":1,"b":2,"a":1}', "the key 'a' stands twice"),
        ('[[{"a":1,"\\u0061":1}]]', "the key 'a' stands twice"),
        ("[12345678901234567890]", "an integer has too many digits"),
        ("[-12345678901234567890]", "an integer has too many digits"),
        ('["\\ud800"]', "a string holds half of a surrogate pair"),
        ('{"\\udfff":1}', "a string holds half of a surrogate pair"),
        ("\ufeff[]", "not JSON"),
        ("", "not JSON"),
        ("[1,]", "not JSON"),
        ("[] []", "not JSON"),
        ("{'a':1}", "not JSON"),
        ('["\x01"]', "not JSON"),
        ("[01]", "not JSON"),
        ("[" * 5000, "nested too deeply"),
        ('{"a":' * 20_000 + "1" + "}" * 20_000, "nested too deeply"),
    ],
)
def test_ambiguous_documents_are_refused(text: str, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        read(text.encode("utf-8"), 10**6)
    assert caught.value.message.startswith(message)
    assert caught.value.where.startswith("document")


def test_place_of_a_syntax_error_is_named() -> None:
    with pytest.raises(SpecificationError) as caught:
        read(b'{\n "a": x}')
    assert caught.value.where == "document, line 2, column 7"


def test_bytes_that_are_not_utf8_are_named() -> None:
    with pytest.raises(SpecificationError, match="byte 2 is not UTF-8"):
        read(b'["\xff"]')


def test_size_is_bounded_inclusively() -> None:
    assert read(b"[1]", 3) == [1]
    with pytest.raises(SpecificationError, match="4 bytes are too many; expected at most 3 bytes"):
        read(b"[10]", 3)


def test_nineteen_digits_and_whole_surrogate_pairs_are_fine() -> None:
    assert read(b"[-9999999999999999999]") == [-9999999999999999999]
    assert read(b'["\\ud83d\\ude00"]') == ["\U0001f600"]


def test_a_number_that_is_no_number_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(float("nan"))


@pytest.mark.parametrize(("depth", "accepted"), [(MAX_JSON_DEPTH, True), (MAX_JSON_DEPTH + 1, False)])
def test_the_border_of_nesting(depth: int, accepted: bool) -> None:
    """Brackets inside a string, after a quoted quotation mark, do not count."""
    document = b'{"a":"[[[[\\"[[[[","b":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
    if accepted:
        assert read(document)["a"] == '[[[["[[[['
    else:
        with pytest.raises(SpecificationError, match="nested too deeply"):
            read(document)
