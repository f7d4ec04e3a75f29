"""One tree of errors, with distinct codes and readable texts."""

from __future__ import annotations

import inspect

import pytest

from shared import errors
from shared.errors import RoomfulError

CLASSES: list[type[RoomfulError]] = [
    c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, RoomfulError)
]


def test_every_class_is_in_the_tree_with_a_code_of_its_own() -> None:
    own = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__]
    assert own == CLASSES
    codes = [c.default_code for c in CLASSES]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("error", CLASSES)
def test_code_is_the_class_code_unless_a_more_specific_one_is_given(error: type[RoomfulError]) -> None:
    assert error("wrong").code == error.default_code
    assert error("wrong", code="check.n-min").code == "check.n-min"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "wrong"),
        ({"where": "line 3"}, "line 3: wrong"),
        ({"expected": "a number"}, "wrong; expected a number"),
        ({"remedy": "Write a number."}, "wrong. Write a number."),
        (
            {"where": "line 3", "expected": "a number", "remedy": "Write one."},
            "line 3: wrong; expected a number. Write one.",
        ),
    ],
)
def test_text_says_where_what_and_how(parts: dict[str, str], text: str) -> None:
    assert str(RoomfulError("wrong", **parts)) == text
