"""How many answers a survey may have in the end, from totals of days in tens and nothing smaller.

The desk notes one total a day in ``totals.csv`` of the folder, as it was told: the exact number of an open
survey rounded down to tens, the number of an invited one that is told once a day and is wrong on purpose
(:mod:`server.collection.totals`). Nothing per group enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

from server.collection.totals import STEP
from server.files import read_start, write_file

TOTALS_FILE: Final = "totals.csv"
USUAL_DAYS: Final = 7
"""Looked ahead where no closing time is signed."""
_HEADER: Final = "day,total"
_MOST_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A total in tens, and the day (UTC) on which it was told."""

    day: date
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Between how many answers a survey may have on a day.

    Attributes
    ----------
    low : int
        If answers get rarer as they did until now; in tens, rounded down.
    high : int
        If they come on as fast as until now; in tens, rounded up.
    day : date
    """

    low: int
    high: int
    day: date


def note_total(folder: Path, total: int, day: date) -> tuple[Told, ...]:
    """Note a day's total, unless one is noted; all that are noted, by day.

    A file that is damaged begins anew: it holds nothing that is not told again.
    """
    told = _read(folder / TOTALS_FILE)
    if not told or told[-1].day < day:
        told = (*told, Told(day=day, total=total - total % STEP))
        rows = [_HEADER, *(f"{each.day.isoformat()},{each.total}" for each in told)]
        write_file(folder / TOTALS_FILE, ("\n".join(rows) + "\n").encode("ascii"))
    return told


def forecast(told: Sequence[Told], day: date, *, so_far: int, people: int) -> Forecast | None:
    """Look ahead; None before two days are noted, or when the day has come.

    Parameters
    ----------
    told : sequence of Told
        By day.
    day : date
        On which the survey closes.
    so_far : int
        Answers that are there now.
    people : int
        More cannot answer.

    Notes
    -----
    With p the answers a day in the second half of the days until now, and q how p compares with the first
    half, by the day: high = total + p d and low = total + p (q + q^2 + ... + q^d), for d days to come. Where
    there is no first half yet, low is the total. What a reminder brings is foreseen by neither.
    """
    if len(told) < 2 or (left := (day - told[-1].day).days) < 1:
        return None
    first, last = told[0], told[-1]
    middle = min(told[1:], key=lambda each: abs((each.day - first.day) - (last.day - each.day)))
    early = _pace(first, middle)
    if middle is last:
        late, slowing = early, 0.0
    else:
        late = _pace(middle, last)
        between = (last.day - first.day).days / 2
        slowing = min(1.0, (late / early) ** (1 / between)) if early > 0 else 1.0
    low = last.total + late * sum(slowing**each for each in range(1, left + 1))
    high = last.total + late * left
    return Forecast(
        low=_down(min(max(low, so_far), people)), high=_up(min(max(high, so_far), people)), day=day
    )


def closing_day(closes: str | None, today: date) -> date:
    """The day of a signed closing time; without one a week ahead."""
    return today + timedelta(days=USUAL_DAYS) if closes is None else date.fromisoformat(closes[:10])


def _pace(start: Told, end: Told) -> float:
    return max(0, end.total - start.total) / (end.day - start.day).days


def _down(number: float) -> int:
    return int(number) // STEP * STEP


def _up(number: float) -> int:
    return -(-int(number + 0.999) // STEP) * STEP


def _read(path: Path) -> tuple[Told, ...]:
    try:
        lines = read_start(path, _MOST_BYTES).decode("ascii").splitlines()
        if lines[0] != _HEADER:
            return ()
        rows = [line.split(",") for line in lines[1:]]
        told = tuple(Told(day=date.fromisoformat(day), total=int(total)) for day, total in rows)
    except (OSError, ValueError, IndexError):
        return ()
    return told if all(a.day < b.day for a, b in pairwise(told)) else ()
