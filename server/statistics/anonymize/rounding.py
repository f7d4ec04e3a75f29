"""To which decimal a published mean is rounded: no finer than the column itself, the same in every format.

The exact mean of k numbers gives the last of them to whoever knows the others. Rounded to a step s it leaves
everything within k s / 2 of what they compute: k values, if the column has the step s itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from server.arrays import FloatArray
from server.tables.column import DataColumn
from server.wording import quoted
from shared.errors import InputError

MOST_DIGITS: Final = 15
_FINEST: Final = 3
"""Powers of ten below the standard deviation: finer decimals are noise of measuring and computing."""

_TELLING: Final = 0.01
"""Of a standard deviation: a window for the last member that is narrower is worth a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Decimals to publish, as they are asked for; negative ones round to tens, hundreds and so on.

    Attributes
    ----------
    common : int or None
        Of all numbers; None for those of their columns.
    by_attribute : mapping of str to int
    """

    common: int | None = None
    by_attribute: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Digits:
        """Read the option of a command line: ``0`` for all, ``NAME=-2`` for one attribute."""
        common: list[int] = []
        single: dict[str, int] = {}
        for text in texts:
            name, equals, number = text.rpartition("=")
            try:
                value = int(number)
            except ValueError:
                value = MOST_DIGITS + 1
            if abs(value) > MOST_DIGITS:
                raise InputError(
                    f"{number[:40]!r} is no number of decimals",
                    where="--digits",
                    expected=f"a whole number from -{MOST_DIGITS} to {MOST_DIGITS}, or NAME=NUMBER",
                )
            if (equals and name in single) or (not equals and common):
                raise InputError(f"the number {text!r} is a second one", where="--digits")
            if equals:
                single[name] = value
            else:
                common.append(value)
        return cls(common=common[0] if common else None, by_attribute=single)

    @property
    def given(self) -> bool:
        """Whether anything was asked for."""
        return self.common is not None or bool(self.by_attribute)

    def of(self, column: DataColumn) -> int:
        """Decimals that a column publishes: those asked for, or the finest of its own that mean something.

        Of numbers with decimals no finer step counts than a thousandth of their standard deviation, rounded
        down to a power of ten: a column of computed numbers has fifteen decimals, of which most are noise.
        """
        asked = self.by_attribute.get(column.name, self.common)
        if asked is not None:
            return asked
        numbers = column.numbers
        if numbers is None or column.decimals_up_to(1) == 0:
            return 0
        deviation = float(np.nanstd(numbers))
        if deviation == 0:
            return column.decimals
        return column.decimals_up_to(max(0, _FINEST - math.floor(math.log10(deviation))))


def rounded(values: FloatArray, digits: int) -> FloatArray:
    """Values with so many decimals, halves to even, without a negative zero."""
    return np.asarray(np.round(values, digits) + 0.0, dtype=np.float64)


def window_warning(columns: Mapping[str, tuple[FloatArray, int | None]], k: int) -> tuple[str, ...]:
    """Say how narrowly those who know all others of a group know its last member, where that is narrow.

    Parameters
    ----------
    columns : mapping of name to (numbers, digits)
        Digits are None for means that are not rounded.
    k : int
        Members of a group.
    """
    parts = []
    for name, (numbers, digits) in columns.items():
        deviation = float(np.nanstd(numbers))
        half = 0.0 if digits is None else k * 10.0**-digits / 2
        if deviation > 0 and half < _TELLING * deviation:
            exact = "exactly" if digits is None else f"to within {half:.4g}"
            parts.append(f"{quoted(name)} {exact} ({half / deviation:.2g} standard deviations)")
    if not parts:
        return ()
    return (
        f"Who knows all others of a group of {k} learns the last one's {', '.join(parts)}. "
        "Round further with --digits NAME=NUMBER (-2: to hundreds), or ask for larger groups.",
    )
