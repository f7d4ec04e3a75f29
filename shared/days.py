"""Days of the calendar and moments of the clock as texts, without a clock and without :mod:`datetime`.

This package knows no clock, and the browser's Python goes without the module.
"""

from __future__ import annotations

import re
from typing import Final

_DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]", re.ASCII)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_day(text: str) -> bool:
    """Whether a text is a day of the Gregorian calendar, as ``YYYY-MM-DD``."""
    match = _DAY.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    if year == 0 or not 1 <= month <= 12:
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + leap


def is_moment(text: str) -> bool:
    """Whether a text is a moment in UTC, as ``YYYY-MM-DDThh:mm:ssZ``; such texts are in the order of time."""
    day, mark, clock = text.partition("T")
    return mark == "T" and clock[-1:] == "Z" and is_day(day) and _CLOCK.fullmatch(clock[:-1]) is not None
