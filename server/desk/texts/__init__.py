"""The desk's words, one file a language, and its numbers and days as that language writes them (Babel, CLDR).

Every language has every key (tested).
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from decimal import ROUND_FLOOR, Decimal, localcontext
from functools import cache
from pathlib import Path
from typing import Final

from babel.dates import format_date, format_time
from babel.numbers import format_compact_decimal, format_decimal, format_percent, get_decimal_symbol

from shared.decimals import parse_decimal
from shared.errors import InputError

LANGUAGES: Final = ("en", "de")
_GROUPED: Final = 10_000
"""From here on a sign stands between thousands, as on the pages of respondents."""
_WITH_COMMA: Final = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))")
"""Where no comma stands between thousands."""
_MAYBE_GROUPED: Final = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}")
"""Where a sign can stand between thousands, or before decimals."""
_ASTRONOMICAL: Final = 15
"""Odds from ten to this power on have no name that people know."""


@cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language by their keys."""
    found: dict[str, str] = json.loads((Path(__file__).parent / f"{language}.json").read_text("utf-8"))
    return found


def say(language: str, key: str, **values: object) -> str:
    """One text, with values in its places, of which numbers are written as the language does.

    A text that is another of one has it under ``<key>.one``.
    """
    known = texts(language)
    text = known[key]
    if not values:
        return text
    if 1 in values.values():
        text = known.get(f"{key}.one", text)
    return text.format(
        **{
            name: number(language, value) if isinstance(value, (int, Decimal)) else value
            for name, value in values.items()
        }
    )


def what_failed(language: str, code: str) -> str:
    """What an error of a code means, in a sentence; of a code without one, what those of its kind mean."""
    known = texts(language)
    while code and f"problem.of.{code}" not in known:
        code = code.rpartition(".")[0]
    return known[f"problem.of.{code}" if code else "problem"]


def number(language: str, value: int | Decimal | str) -> str:
    """An exact number, or a plain decimal: ``4436``, ``136.854``, ``2,5``."""
    exact = Decimal(value)
    return format_decimal(
        exact, locale=language, decimal_quantization=False, group_separator=abs(exact) >= _GROUPED
    )


def written(language: str, text: object) -> str:
    """A plain decimal as it stands in a field, for :func:`typed`: ``12345,5``; any other text as it is."""
    plain = str(text)
    if parse_decimal(plain) is None:
        return plain
    shown = format_decimal(Decimal(plain), locale=language, decimal_quantization=False, group_separator=False)
    return f"{shown}0" if shown != plain and _MAYBE_GROUPED.fullmatch(shown) else shown


def typed(language: str, text: str) -> str:
    """A plain decimal of one typed as the language writes it; any other text as it is.

    Raises
    ------
    InputError
        For "5.000", which is five thousand where a comma stands before decimals, and five elsewhere.
    """
    plain = text.strip()
    if _WITH_COMMA.fullmatch(plain):
        return plain.replace(",", ".")
    grouped = _MAYBE_GROUPED.fullmatch(plain)
    if grouped and (grouped[1] == "," or get_decimal_symbol(language) == ","):
        whole, sign, decimals = plain.partition(grouped[1])
        raise InputError(
            f"{plain} can be {whole}{decimals} or {whole}{sign}{decimals}0",
            where="a number",
            expected="no sign between thousands",
            remedy=f"Write {whole}{decimals}, or with one decimal more.",
        )
    return plain


def share(language: str, value: float) -> str:
    """A share with one decimal: ``41,2 %``."""
    return format_percent(value, "#,##0.0 %", locale=language)


def odds(language: str, probability: Decimal | str) -> str:
    """A probability that can be said aloud, of two digits: ``1 zu 2,4 Millionen``.

    Never rounded to the reassuring side.
    """
    probability = Decimal(probability)
    if probability <= 0:
        return say(language, "odds.never")
    with localcontext(prec=2, rounding=ROUND_FLOOR):
        times = 1 / probability
    power = times.adjusted()
    if times < 2:
        return share(language, float(probability))
    if power >= _ASTRONOMICAL:
        return say(language, "odds.astronomical")
    if power < 6:
        return say(language, "odds.one-in", times=times if power < 1 else int(times))
    named = format_compact_decimal(times, format_type="long", locale=language, fraction_digits=1)
    return say(language, "odds.one-in", times=named)


def day(language: str, value: date) -> str:
    """A day: ``24. Dezember 2026``."""
    return format_date(value, "long", locale=language)


def moment(language: str, text: str) -> str:
    """A moment in ISO 8601, by this machine's clock: ``24. Dezember 2026, 18:00``."""
    value = datetime.fromisoformat(text).astimezone()
    return f"{day(language, value)}, {format_time(value, 'short', locale=language)}"
