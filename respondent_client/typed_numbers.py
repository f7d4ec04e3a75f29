"""Numbers as people type them, in the signs of the survey's language; what can be two is asked back.

``1,500`` is fifteen hundred in English and one and a half in French. A number that is stored must be the one
that was meant, so nothing is guessed: of two readings that the question admits, the person chooses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Self

from shared.decimals import format_decimal

_UNSEEN: Final = dict.fromkeys(map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"))
_MINUS: Final = str.maketrans({"\u2212": "-", "\u060c": ","})
_BETWEEN_THOUSANDS: Final = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'\u2019\u066c](?=\d{3}(?:\D|$))")
_ARABIC_DECIMAL: Final = "\u066b"
_THOUSANDS_OR_NOT: Final = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_GROUPS: Final = r"[1-9]\d{0,2}(?:\%s\d{3})+|[1-9]\d?(?:\%s\d\d)+\%s\d{3}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The signs of a language, as ``Intl.NumberFormat`` names them.

    Attributes
    ----------
    decimal, group : str
        Before the fraction; between thousands, which may be none.
    """

    decimal: str = "."
    group: str = ""

    @classmethod
    def of(cls, value: Mapping[str, str] | None) -> Self:
        """From the page's message; without one, plain decimals alone are numbers."""
        return cls() if value is None else cls(decimal=value["decimal"], group=value["group"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What was typed as plain decimals.

    Attributes
    ----------
    all : tuple of str
        Every number that it can be: none, one or two.
    own : str or None
        The one that it is by the signs of the language.
    """

    all: tuple[str, ...]
    own: str | None


def readings(typed: str, signs: Signs) -> Readings:
    """Every number that a text can be.

    Notes
    -----
    Digits of every script count, blanks and apostrophes between thousands too. A comma or dot is a decimal
    sign or stands between thousands; which, follows from the others around it or not at all.
    """
    text = "".join(_plain_digit(c) for c in typed.strip().translate(_UNSEEN).translate(_MINUS))
    text = _BETWEEN_THOUSANDS.sub("\u066c", text)
    found = [(sign, value) for sign in ".," if (value := _read(text, sign)) is not None]
    values = tuple(dict.fromkeys(value for _, value in found))
    own = values[0] if len(values) == 1 else None
    if len(values) == 2:
        (typed_sign,) = set(text) & set(".,")
        if typed_sign == signs.decimal or typed_sign == signs.group:
            wanted = typed_sign if typed_sign == signs.decimal else ".,".replace(typed_sign, "")
            own = next(value for sign, value in found if sign == wanted)
    return Readings(all=values, own=own)


def resolve(typed: str, signs: Signs, admits: Callable[[str], bool]) -> str | tuple[str, ...]:
    """The number that was typed, or the readings among which only the person can choose.

    Parameters
    ----------
    typed : str
        As it stands in the field.
    signs : Signs
        Of the survey's language.
    admits : callable
        Whether a plain decimal is an answer.

    Returns
    -------
    str or tuple of str
        A plain decimal, or the text itself if it is no number, for the question to refuse; or two decimals.

    Guarantee
    ---------
    A decimal comes back only if it is the single reading, or the language's own one while the question
    refuses the other.
    """
    found = readings(typed, signs)
    if len(found.all) < 2:
        return found.all[0] if found.all else typed
    admitted = [value for value in found.all if admits(value)]
    if not admitted:
        return typed
    return admitted[0] if admitted == [found.own] else found.all


def unmistakable(decimal: str) -> str:
    """The shortest way to write a plain decimal that nobody can read otherwise: ``1.1250``, not ``1.125``."""
    text = format_decimal(Fraction(decimal))
    return f"{text}0" if _THOUSANDS_OR_NOT.fullmatch(text) else text


def _plain_digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def _read(text: str, decimal: str) -> str | None:
    """A text as a plain decimal if this is its decimal sign and the other one stands between thousands."""
    group = "," if decimal == "." else "."
    thousands = "|".join(_GROUPS.replace("%s", sign) for sign in (group, "\u066c"))
    pattern = rf"([+-]?)({thousands}|\d+)(?:[{decimal}{_ARABIC_DECIMAL}](\d+))?"
    match = re.fullmatch(pattern, text, re.ASCII)
    if match is None:
        return None
    sign, whole, fraction = match.groups()
    whole = whole.replace(group, "").replace("\u066c", "")
    return f"{sign}{whole}" + (f".{fraction}" if fraction else "")
