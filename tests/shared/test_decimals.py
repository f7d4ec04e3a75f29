"""Decimals are exact."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.decimals import (
    format_decimal,
    multiples,
    parse_decimal,
    parse_probability,
    round_decimal,
    round_step,
)

DECIMALS = st.decimals(-(10**12), 10**12, places=6)


@given(DECIMALS)
def test_decimals_survive_a_round_trip(value: Decimal) -> None:
    exact = Fraction(value)
    assert parse_decimal(format_decimal(exact)) == exact
    assert parse_decimal(f"{value:f}") == exact


@given(DECIMALS)
def test_the_shortest_form_has_no_trailing_zero(value: Decimal) -> None:
    text = format_decimal(Fraction(value))
    assert "." not in text or not text.endswith("0")


@given(st.fractions(-(10**6), 10**6), st.integers(0, 8))
def test_rounding_is_half_away_from_zero(value: Fraction, digits: int) -> None:
    exact = Context(prec=200).divide(Decimal(value.numerator), Decimal(value.denominator))
    expected = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, context=Context(prec=200))
    assert Decimal(round_decimal(value, digits)) == expected
    assert len(round_decimal(value, digits).partition(".")[2]) == digits


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(5, 2), 0, "3"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(0), 4, "0.0000"),
        (Fraction(12345, 10), 1, "1234.5"),
    ],
)
def test_rounded_values(value: Fraction, digits: int, text: str) -> None:
    assert round_decimal(value, digits) == text


@pytest.mark.parametrize("text", ["23.4", "-12", "+7", "007", "0.10", "1" * 30 + "." + "9" * 30])
def test_plain_decimals(text: str) -> None:
    assert parse_decimal(text) == Fraction(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".5",
        "1.",
        "1e5",
        "inf",
        "nan",
        "1/2",
        " 1",
        "1\n",
        "1_0",
        "٣",
        "１",
        "0x1",
        "1,5",
        "--1",
        "9" * 31,
    ],
)
def test_no_plain_decimals(text: str) -> None:
    assert parse_decimal(text) is None


@pytest.mark.parametrize("text", ["0.5", "1", "1e-6", "1E-300", "0.1e1", "100e-2"])
def test_probabilities(text: str) -> None:
    assert parse_probability(text) == Fraction(text)


@pytest.mark.parametrize(
    "text", ["0", "0.0", "1.01", "-0.5", "2", "1e1", "1e-1000", "nan", "1/2", "½", "+0.5", ".5", "", "1e999"]
)
def test_no_probabilities(text: str) -> None:
    assert parse_probability(text) is None


def test_a_decimal_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="no terminating decimal"):
        format_decimal(Fraction(1, 3))


def test_steps_are_round() -> None:
    steps = {"0": "1", "0.3": "0.5", "0.02": "0.02", "1": "1", "1.1": "2", "4.9": "5", "7": "10", "83": "100"}
    for least, step in steps.items():
        assert round_step(Fraction(least)) == Fraction(step)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_a_round_step_is_the_smallest(least: Fraction) -> None:
    step = round_step(least)
    assert least <= step < Fraction(5, 2) * least
    assert format_decimal(step).strip("0.") in ("1", "2", "5")


def test_multiples_include_both_ends() -> None:
    assert multiples(Fraction(-1), Fraction(1), Fraction(1, 2)) == [Fraction(n, 2) for n in range(-2, 3)]
    assert multiples(Fraction("0.1"), Fraction("0.9"), Fraction(1)) == []
