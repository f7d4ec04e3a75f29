"""Numbers as people type them."""

from __future__ import annotations

import pytest

from respondent_client.typed_numbers import Signs, readings, resolve, unmistakable
from shared.decimals import parse_decimal

EN = Signs(decimal=".", group=",")
DE = Signs(decimal=",", group=".")
FR = Signs(decimal=",", group="\u202f")
CH = Signs(decimal=".", group="\u2019")
AR = Signs(decimal="\u066b", group="\u066c")
ALL = (EN, DE, FR, CH, AR)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("7,5", "7.5"),
        ("7.5", "7.5"),
        ("1 500", "1500"),
        ("1\u202f500,25", "1500.25"),
        ("1'500.25", "1500.25"),
        ("1,234.5", "1234.5"),
        ("1.234,5", "1234.5"),
        ("1,500,000", "1500000"),
        ("12,34,567", "1234567"),
        ("٧٫٥", "7.5"),
        ("١٬٥٠٠", "1500"),
        ("७.५", "7.5"),
        ("0,500", "0.500"),
        ("1,5000", "1.5000"),
        ("\u200e\u22123", "-3"),
        (" 42 ", "42"),
    ],
)
def test_what_can_be_one_number_alone_is_that_in_every_language(typed: str, meant: str) -> None:
    for signs in ALL:
        assert readings(typed, signs).all == (meant,)
        assert resolve(typed, signs, lambda _: False) == meant


@pytest.mark.parametrize("typed", ["", "abc", "12 5", "1,50,0", "1,500.", "1.2.3", ",", "1e3", "1,,500"])
def test_what_is_no_number_stays_as_it_is_for_the_question_to_refuse(typed: str) -> None:
    for signs in ALL:
        assert resolve(typed, signs, lambda _: True) == typed
        assert parse_decimal(typed) is None


@pytest.mark.parametrize("typed", ["1,500", "1.500", "-12,345", "999.999"])
def test_what_can_be_two_numbers_is_never_guessed(typed: str) -> None:
    for signs in ALL:
        found = resolve(typed, signs, lambda _: True)
        assert isinstance(found, tuple)
        assert len(found) == 2


def test_the_languages_own_reading_counts_only_while_the_question_refuses_the_other() -> None:
    def whole(text: str) -> bool:
        return "." not in text

    def small(text: str) -> bool:
        return len(text) == 5 and "." in text

    assert resolve("1,500", EN, whole) == "1500"
    assert resolve("1.500", DE, whole) == "1500"
    assert resolve("1.500", EN, small) == "1.500"
    for typed, signs, admits in (("1,500", FR, whole), ("1.500", FR, whole), ("1,500", EN, small)):
        assert set(resolve(typed, signs, admits)) == {"1500", "1.500"}, (typed, signs)
    assert resolve("1,500", EN, lambda _: False) == "1,500"


def test_without_signs_plain_decimals_alone_are_sure() -> None:
    assert Signs.of(None) == Signs(decimal=".", group="")
    assert Signs.of({"decimal": ",", "group": "."}) == DE


@pytest.mark.parametrize(
    ("decimal", "text"), [("1500", "1500"), ("1.500", "1.5"), ("1.125", "1.1250"), ("0.125", "0.125")]
)
def test_what_is_offered_can_be_typed_and_means_one_number(decimal: str, text: str) -> None:
    assert unmistakable(decimal) == text
    for signs in ALL:
        assert len(readings(text, signs).all) == 1
