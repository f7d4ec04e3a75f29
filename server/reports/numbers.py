"""Numbers as people read them in reports."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Final

_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGE: Final = ((12, "trillion"), (9, "billion"), (6, "million"))


def whole(value: int) -> str:
    """Whole number with commas between thousands: ``45,222``."""
    return f"{value:,}"


def percent(share: float) -> str:
    """A share with one decimal: ``41.2 %``."""
    return f"{100 * share:.1f} %"


def significant(value: Decimal, digits: int = 3) -> str:
    """Decimal with a few significant digits: ``0.0123``, ``4.56 × 10⁻⁷``; never an unpronounceable zero."""
    with localcontext(prec=digits):
        rounded = +value
    if not rounded:
        return "0"
    exponent = rounded.adjusted()
    if -4 <= exponent < 6:
        text = format(rounded, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = format(rounded.scaleb(-exponent), "f")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa} × 10{str(exponent).translate(_SUPERSCRIPT)}"


def one_in(probability: Decimal) -> str:
    """Probability as odds that can be said aloud: ``1 in 2.4 million``, ``never``, ``1 in 3``.

    Odds are never rounded to the reassuring side, as on the pages of respondents and of the desk.
    """
    if probability <= 0:
        return "never"
    with localcontext(prec=2, rounding=ROUND_FLOOR):
        times = 1 / probability
    if times < 2:
        return f"{significant(probability * 100, 2)} in 100"
    if times.adjusted() >= 15:
        return f"1 in {significant(times, 2)}"
    for exponent, word in _LARGE:
        if times.adjusted() >= exponent:
            return f"1 in {significant(times.scaleb(-exponent), 2)} {word}"
    return f"1 in {whole(int(times))}" if times >= 10 else f"1 in {significant(times, 2)}"
