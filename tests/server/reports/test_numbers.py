"""Numbers as people read them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.reports.numbers import one_in, significant, whole


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("1", "1"),
        ("10", "10"),
        ("0.05", "0.05"),
        ("0.0001234", "0.000123"),
        ("0.00001234", "1.23 × 10⁻⁵"),
        ("1e-6", "1 × 10⁻⁶"),
        ("9.996e-7", "1 × 10⁻⁶"),
        ("123456.7", "123000"),
        ("4.5e100", "4.5 × 10¹⁰⁰"),
        ("1e-400", "1 × 10⁻⁴⁰⁰"),
    ],
)
def test_significant(value: str, text: str) -> None:
    assert significant(Decimal(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "never"),
        ("1", "100 in 100"),
        ("0.6", "60 in 100"),
        ("0.5", "1 in 2"),
        ("0.3", "1 in 3.3"),
        ("0.001", "1 in 1,000"),
        ("1e-6", "1 in 1 million"),
        ("4.1e-7", "1 in 2.4 million"),
        ("2.02e-7", "1 in 4.9 million"),
        ("0.0101", "1 in 99"),
        ("1e-10", "1 in 10 billion"),
        ("1e-14", "1 in 100 trillion"),
        ("1e-40", "1 in 1 × 10⁴⁰"),
    ],
)
def test_one_in(value: str, text: str) -> None:
    assert one_in(Decimal(value)) == text


def test_whole() -> None:
    assert whole(45_222) == "45,222"


@given(st.decimals(min_value="1e-300", max_value=1, allow_nan=False, allow_infinity=False))
def test_a_probability_that_is_not_zero_never_reads_as_zero(value: Decimal) -> None:
    assert significant(value) not in ("", "0")
    assert one_in(value) not in ("never", "1 in 0")
