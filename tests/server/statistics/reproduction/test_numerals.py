"""Numbers of reports: readable, signed, and honest about broken promises."""

from __future__ import annotations

import pytest

from server.statistics.reproduction.numerals import percent, promised, shown, signed, worst
from server.statistics.reproduction.result import Comparison
from tests.server.statistics.reproduction.examples import comparison


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("x", "x"),
        (7, "7"),
        (0.0, "0"),
        (1 / 3, "0.33333"),
        (6.05e-6, "6.05 × 10⁻⁶"),
        (47.98, "47.98"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert shown(value) == text  # type: ignore[arg-type]


def test_signs() -> None:
    assert (signed(0.5), signed(-0.5), signed(0.0)) == ("+0.5", "−0.5", "0")
    assert (percent(0.0125), percent(None)) == ("+1.25 %", "-")


def test_promises() -> None:
    assert promised(comparison(4.2, 4.0, 0.5)) == "± 0.5"
    assert promised(comparison(5.0, 4.0, 0.5)) == "± 0.5, not kept"
    assert promised(comparison(tolerance=None)) == "-"
    assert promised(Comparison((), "m", 1.0, 2.0, 0.0, "", "at-most")) == "at most that"
    assert promised(Comparison((), "m", 1.0, 2.0, 0.1, "", "at-least")) == "at least −0.1, not kept"


def test_the_worst_in_a_line() -> None:
    assert worst(None) == "nothing to compare with"
    assert worst(comparison(5.0, 4.0)) == "+25 %: 5 % beside 4 (census, k = 3, loss)"
    bound = Comparison(("Census",), "PCL / MDAV", 0.86, 0.93, 0.0, "", "at-most")
    assert worst(bound) == "0.86 where at most 0.93 is asked (Census, PCL / MDAV)"
