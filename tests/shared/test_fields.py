"""Fields of a document: each kind, and each refusal with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from shared.errors import RoomfulError, SpecificationError
from shared.fields import Fields, is_language
from shared.limits import MAX_NAME_CHARACTERS, MAX_TEXT_CHARACTERS
from tests.shared.strategies import JSON


def fields(value: Any, where: str = "doc") -> Fields:
    """One field x, and perhaps y."""
    return Fields(value, where, ("x",), error=SpecificationError, optional=("y",))


READERS: list[tuple[Callable[[Fields], Any], Any, list[Any]]] = [
    (lambda f: f.integer("x", 1, 5), 5, [0, 6, True, "3", None, [], {}, 1.0]),
    (lambda f: f.integers("x", 1, 5), [1, 5], [0, "12", {"a": 1}, [1, 6], [1, True], [None], [[1]]]),
    (lambda f: f.boolean("x"), False, [0, 1, "true", None]),
    (
        lambda f: f.text("x"),
        "a\n\tb",
        ["", 3, None, [], "a" * (MAX_TEXT_CHARACTERS + 1), "a\x00", "a\u202eb", "\x7f"],
    ),
    (lambda f: f.text("x", maximum=3, empty=True), "", ["abcd", "\x1b"]),
    (lambda f: f.name("x"), "n", [" n", "n ", "", "n" * (MAX_NAME_CHARACTERS + 1), 3]),
    (lambda f: f.choice("x", ("a", "b")), "b", ["c", "", 3, None, ["a"], "c" * 10_000]),
    (lambda f: f.digest("x"), "0a" * 32, ["0A" * 32, "0a" * 31, "0a" * 33, "0g" * 32, 3, "٠" * 64]),
    (lambda f: f.items("x", 2, minimum=1), [None], [[], [1, 2, 3], {}, "ab", None]),
    (lambda f: list(f.texts("x", 2)), ["a", "b"], [["a", "a"], ["a", ""], [3], "ab", ["a", "b", "c"]]),
    (lambda f: list(f.texts("x", 2, empty=True)), ["", "b"], [["", ""]]),
    (
        lambda f: f.localized("x", ("en", "de")),
        {"en": "a", "de": "b"},
        [{"en": "a"}, {"en": "a", "de": "b", "fr": "c"}, {"en": "a", "de": ""}, "a", {"en": "a", "de": 3}],
    ),
    (lambda f: f.localized("x", ("en",), empty=True), {"en": ""}, [{"en": None}]),
]


@pytest.mark.parametrize(("read", "good", "bad"), READERS)
def test_each_reader_returns_what_is_right_and_refuses_what_is_not(
    read: Callable[[Fields], Any], good: Any, bad: list[Any]
) -> None:
    result = read(fields({"x": good}))
    assert (list(result) if isinstance(result, tuple) else result) == good
    for value in bad:
        with pytest.raises(SpecificationError) as caught:
            read(fields({"x": value}))
        assert caught.value.where.startswith("doc.x")
        assert caught.value.expected
        assert len(str(caught.value)) < 400


@given(JSON)
def test_readers_never_end_in_another_error(value: Any) -> None:
    for read, _, _ in READERS:
        try:
            read(fields({"x": value}))
        except RoomfulError as problem:
            assert problem.where.startswith("doc.x")  # noqa: PT017 - both outcomes are right


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "null stands here"),
        (3, "a number stands here"),
        (True, "true or false stands here"),
        ("text", "a text stands here"),
        ([1], "a list stands here"),
        ({}, "the field 'x' is missing"),
        ({"x": 1, "z": 2}, "unknown field 'z'"),
        ({"x": 1, "z" * 10_000: 2}, "unknown field 'zzz"),
    ],
)
def test_objects_have_exactly_the_known_fields(value: Any, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        fields(value)
    assert caught.value.message.startswith(message)
    assert caught.value.where == "doc"
    assert len(str(caught.value)) < 300


def test_an_object_in_place_of_a_value_is_named() -> None:
    with pytest.raises(SpecificationError, match=r"doc\.x: an object stands here; expected a text"):
        fields({"x": {}}).text("x")


def test_optional_fields_and_raw_values() -> None:
    both = fields({"x": 1, "y": 2})
    assert "y" in both
    assert both.raw("y") == 2
    assert "y" not in fields({"x": 1})


def test_place_of_a_field_at_the_top_has_no_dot() -> None:
    assert fields({"x": 1}, where="").where("x") == "x"


@pytest.mark.parametrize("tag", ["en", "de-AT", "zh-Hans-CN", "ast"])
def test_language_tags(tag: str) -> None:
    assert is_language(tag)


@pytest.mark.parametrize("tag", ["", "e", "EN", "en_US", "en-", "english", "en-toolongtag", "en\n", "é"])
def test_no_language_tags(tag: str) -> None:
    assert not is_language(tag)


@pytest.mark.parametrize("value", ["one\ntwo", "one\ttwo", "می\u200cخواهم", "a\u200bb"])
def test_a_value_is_one_line_of_characters_that_are_seen(value: str) -> None:
    with pytest.raises(SpecificationError, match="not seen"):
        fields({"x": value}).value("x")


def test_a_value() -> None:
    assert fields({"x": "one two"}).value("x") == "one two"
