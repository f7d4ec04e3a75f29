"""Axes of charts: how far along a value stands, and which numbers are written beside the axis.

References
----------
P. S. Heckbert, "Nice numbers for graph labels", Graphics Gems (1990), 61-63: steps of 1, 2 and 5 times a
power of ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from server.reports.numbers import significant

_STEPS: Final = (1, 2, 5, 10)
_MOST_STEPS: Final = 7
"""Between the numbers of a linear axis."""
_MOST_POWERS: Final = 7
_MARGIN: Final = Decimal("0.04")
"""Of the axis, beyond the outermost values, so that marks have room."""
_DIGITS: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """An axis.

    Attributes
    ----------
    low, high : Decimal
        Its ends; of a logarithmic one their decimal logarithms.
    ticks : tuple of (Decimal, str)
        The values that are written beside it, ascending, as people read them: ``0.5``, ``2000``, ``10⁻⁹``.
    logarithmic : bool
    """

    low: Decimal
    high: Decimal
    ticks: tuple[tuple[Decimal, str], ...]
    logarithmic: bool = False

    def written(self, number: Callable[[Decimal], str]) -> Scale:
        """Return the same axis with its numbers written in another way."""
        return replace(self, ticks=tuple((tick, number(tick)) for tick, _ in self.ticks))

    def holds(self, value: float) -> bool:
        """Whether a value has a place: no infinite one, and none below a logarithmic axis."""
        return math.isfinite(value) and (value > 0 or not self.logarithmic)

    def place(self, value: float | Decimal) -> float:
        """Return how far along the axis a value stands that it holds: 0 at the low end, 1 at the high one."""
        exact = _logarithm(value) if self.logarithmic else Decimal(value)
        return float((exact - self.low) / (self.high - self.low))


def linear(
    values: Sequence[float], *, from_zero: bool = False, whole_numbers: bool = False, most_letters: int = 0
) -> Scale:
    """An axis with even steps.

    Parameters
    ----------
    values : sequence of float
        What it must reach; those that are infinite or no number are passed over.
    from_zero : bool
        Whether it begins at 0, unless a value is below.
    whole_numbers : bool
        Whether only whole numbers are written.
    most_letters : int
        So many letters have room along it, or 0: any number.
    """
    seen = [Decimal(value) for value in values if math.isfinite(value)] or [Decimal(0)]
    low, high = min(seen), max(seen)
    if from_zero:
        low = min(low, Decimal(0))
    margin = _MARGIN * (high - low) or abs(high) / 20 or Decimal(1)
    high += margin
    low -= 0 if from_zero and low == 0 else margin
    ticks = (_even(low, high, steps, whole_numbers=whole_numbers) for steps in range(_MOST_STEPS, 0, -1))
    return Scale(low=low, high=high, ticks=_fitting(ticks, most_letters))


def logarithmic(values: Sequence[float], *, most_letters: int = 0) -> Scale:
    """An axis by powers of ten; where fewer than two decades are seen, also 2 and 5 times the powers."""
    seen = [value for value in values if math.isfinite(value) and value > 0] or [1.0]
    low, high = _logarithm(min(seen)), _logarithm(max(seen))
    few_decades = high - low < 2
    margin = _MARGIN * (high - low) or Decimal("0.1")
    low, high = low - margin, high + margin
    powers = range(math.floor(low), math.ceil(high) + 1)
    choices: list[tuple[tuple[int, ...], int]] = [(_STEPS[:3], 1)] if few_decades else []
    choices += [
        (_STEPS[:1], every) for every in range(math.ceil((high - low) / _MOST_POWERS), len(powers) + 1)
    ]
    ticks = [
        tuple(
            tick
            for power in powers
            if power % every == 0
            for factor in factors
            if low <= _logarithm(tick := Decimal(factor).scaleb(power)) <= high
        )
        for factors, every in choices
    ]
    if len(ticks[0]) < 2:
        ticks = [_even(Decimal(10) ** low, Decimal(10) ** high, steps) for steps in range(_MOST_STEPS, 0, -1)]
    return Scale(low=low, high=high, ticks=_fitting(ticks, most_letters), logarithmic=True)


def _fitting(choices: Iterable[tuple[Decimal, ...]], most_letters: int) -> tuple[tuple[Decimal, str], ...]:
    """Return the first of some choices of ticks whose texts have room, or the last."""
    ticks: tuple[tuple[Decimal, str], ...] = ()
    for choice in choices:
        ticks = tuple((tick, significant(tick, _DIGITS).removeprefix("1 × ")) for tick in choice)
        if not most_letters or sum(len(text) + 2 for _, text in ticks) <= most_letters:
            break
    return ticks


def _logarithm(value: float | Decimal) -> Decimal:
    return Decimal(value).log10()


def _even(low: Decimal, high: Decimal, steps: int, *, whole_numbers: bool = False) -> tuple[Decimal, ...]:
    """Return the multiples, between two ends, of the smallest nice step that makes at most so many steps."""
    least = (high - low) / steps
    step = next(nice for m in _STEPS if (nice := Decimal(m).scaleb(least.adjusted())) >= least)
    if whole_numbers:
        step = max(step, Decimal(1))
    return tuple(step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1))
