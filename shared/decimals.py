"""Exact decimal numbers as text: ``23.4`` is 234 tenths, never a binary float."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final

_PLAIN: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?", re.ASCII)
_SCIENTIFIC: Final = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


def parse_decimal(text: str) -> Fraction | None:
    """Exact value of a plain decimal such as ``-12``, ``23.4``; None if it is not one."""
    return Fraction(text) if _PLAIN.fullmatch(text) else None


def parse_probability(text: str) -> Fraction | None:
    """Exact value of a probability such as ``0.5`` or ``1e-6``; None if it is not one in (0, 1]."""
    if not _SCIENTIFIC.fullmatch(text):
        return None
    value = Fraction(text)
    return value if 0 < value <= 1 else None


def format_decimal(value: Fraction) -> str:
    """Shortest exact decimal of a fraction whose denominator divides a power of ten.

    Raises
    ------
    ValueError
        If the decimal does not terminate.
    """
    digits, scale = 0, 1
    while value.denominator != 1 and (value * scale).denominator != 1:
        digits, scale = digits + 1, scale * 10
        if digits > 60:
            raise ValueError(f"{value} has no terminating decimal")
    return _place_point(int(value * scale), digits)


def round_decimal(value: Fraction, digits: int) -> str:
    """Decimal with exactly ``digits`` places, half away from zero (exact, so the same on every machine)."""
    # Integers: one sum of fractions takes as long as all this.
    twice = 2 * abs(value.numerator) * 10**digits
    rounded = (twice + value.denominator) // (2 * value.denominator)
    return _place_point(-rounded if value.numerator < 0 else rounded, digits)


def round_step(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times the powers of ten that is at least `least`; 1 where that is 0."""
    if least <= 0:
        return Fraction(1)
    power = Fraction(10) ** (len(str(least.numerator)) - len(str(least.denominator)) - 1)
    while 10 * power <= least:
        power *= 10
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


def multiples(low: Fraction, high: Fraction, step: Fraction) -> list[Fraction]:
    """The multiples of a step from low to high, both included."""
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _place_point(scaled: int, digits: int) -> str:
    sign = "-" if scaled < 0 else ""
    text = str(abs(scaled)).rjust(digits + 1, "0")
    return sign + (text if not digits else f"{text[:-digits]}.{text[-digits:]}")
