"""Which texts mean that there is no value: empty ones, and those that are declared."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from server.wording import quoted
from shared.decimals import parse_decimal
from shared.errors import InputError

_USUAL: Final = ("?", "NA", "N/A", "NaN", "nan", "NULL", "null", ".")
"""What programs write where nothing is, unless a column says otherwise."""


_CODES: Final = re.compile(r"-(?:[1-9]|[6-9]{2}|9+[6-9])|9{2,}[6-9]|8{3,}|7{3,}")
"""Numbers with which surveys say that there is none, such as -9, -99, 998 and 9999."""
_MOST_CODES: Final = 8


def likely_codes(numbers: Collection[Fraction]) -> tuple[Fraction, ...]:
    """Which of a column's numbers look like codes of missing values among quantities, ascending.

    Below zero, if all that lies there does; above, if it is more than twice as large as every other number.
    """
    below = {number for number in numbers if number < 0}
    if len(below) > _MOST_CODES or len(below) == len(numbers) or not _are_codes(below):
        below = set()
    above: list[Fraction] = []
    others = sorted(number for number in numbers if number >= 0)
    while len(others) > 1 and len(above) < _MOST_CODES and _are_codes(others[-1:]):
        above.append(others.pop())
    while above and above[-1] <= 2 * others[-1]:
        others.append(above.pop())
    return (*sorted(below), *reversed(above))


def _are_codes(numbers: Iterable[Fraction]) -> bool:
    return all(_CODES.fullmatch(str(number)) for number in numbers)


def is_missing(text: str | None, markers: Sequence[str]) -> bool:
    """Whether a cell holds nothing, or exactly one of the markers, blanks around it aside."""
    return text is None or not text.strip() or text in markers or text.strip() in markers


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingValues:
    """Markers of missing values, for all columns and for single ones.

    Attributes
    ----------
    common : tuple of str
        Beside the empty text. A marker that is a number stands for equal ones too: -9 for -9.0.
    by_column : mapping of column to tuple of str
        Instead of the common ones; an empty tuple leaves only the empty text.
    """

    common: tuple[str, ...] = _USUAL
    by_column: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Sequence[str], where: str = "--missing-values") -> MissingValues:
        """Read options: ``-,-9,*`` stand beside the usual ones, ``income=-9,-8`` instead of them.

        Raises
        ------
        InputError
            For a column that is named twice.
        """
        common = list(_USUAL)
        by_column: dict[str, tuple[str, ...]] = {}
        for text in texts:
            name, equals, listed = text.rpartition("=")
            markers = tuple(marker.strip() for marker in listed.split(",") if marker.strip())
            if not equals:
                common += markers
            elif name in by_column:
                raise InputError(f"{quoted(name)} is named twice", where=where)
            else:
                by_column[name] = markers
        return cls(common=tuple(dict.fromkeys(common)), by_column=by_column)

    def of(self, name: str) -> tuple[str, ...]:
        """Markers of a column."""
        return self.by_column.get(name, self.common)

    def declared(self, name: str) -> tuple[str, ...]:
        """Markers of a column that somebody named, without those that are usual."""
        common = tuple(marker for marker in self.common if marker not in _USUAL)
        return self.by_column.get(name, common)

    def numbers_of(self, name: str) -> frozenset[Fraction]:
        """Those markers of a column that are numbers."""
        found = (parse_decimal(marker) for marker in self.of(name))
        return frozenset(number for number in found if number is not None)


USUAL: Final = MissingValues()
