"""Groups of a release put together by what their people are like: an age band, a sex.

Bands are unions of whole groups, so whatever is added or subtracted of their figures is one too, and has at
least as many people as the smallest group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from server.release.strata import sizes_are_known
from server.release.tables import RELEASED, ReleasedTable
from shared.attributes import Attribute
from shared.decimals import format_decimal, multiples, round_step
from shared.specification import Specification

N_BANDS: Final = 5
"""About so many bands of a number."""
MOST_PLACES: Final = 12
"""Entries of a lookup table by which groups are still put together."""
Band = tuple[str, frozenset[str]]
"""What it is called, and its groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Banding:
    """All released groups, by one attribute.

    Attributes
    ----------
    title : str
        The attribute's label.
    bands : tuple of Band
        In order; every group that has a value is in one of them.
    """

    title: str
    bands: tuple[Band, ...]

    def joined(self, given: Mapping[str, int], minimum: int) -> tuple[Band, ...]:
        """The bands, neighbours joined until in each at least ``minimum`` people gave an answer.

        Notes
        -----
        Guarantee: for every input the bands are disjoint unions of whole groups, in each of which at least
        ``minimum`` gave an answer, or there are none. Joined, not left out: what is left out follows by
        subtraction.
        """
        result: list[Band] = []
        waiting: list[Band] = []
        for band in self.bands:
            waiting.append(band)
            if _given(waiting, given) >= minimum:
                result.append(_union(waiting))
                waiting = []
        if waiting and result:
            result[-1] = _union([result[-1], *waiting])
        return tuple(result)


def bandings(specification: Specification, cells: ReleasedTable) -> tuple[Banding, ...]:
    """The released groups by each attribute that gives at least two bands.

    Parameters
    ----------
    specification : Specification
    cells : ReleasedTable
        cells.csv.
    """
    language = specification.languages[0]
    names = [column.name for column in cells.columns]
    size = names.index("eligible_people" if sizes_are_known(specification) else "answers")
    released = [row for row in cells.rows if row[names.index("status")] == RELEASED]
    start, found = names.index("level_mixing") + 1, []
    for attribute in specification.attributes:
        groups = [(row[0], int(row[size]), row[start], row[start + 1 :]) for row in released]
        bands = bands_of(attribute, groups, language)
        start += len(attribute.columns(language))
        if len(bands) > 1:
            found.append(Banding(title=attribute.label[language], bands=tuple(bands)))
    return tuple(found)


def bands_of(
    attribute: Attribute, groups: Sequence[tuple[str, int, str, tuple[str, ...]]], language: str
) -> list[Band]:
    """Groups (name, people, first field of the attribute, the fields after it) by that field, in order."""
    by_value: dict[str, list[tuple[str, int, tuple[str, ...]]]] = defaultdict(list)
    for name, people, value, more in groups:
        if value:
            by_value[value].append((name, people, more))
    if attribute.is_number:
        return _number_bands({value: [name for name, *_ in own] for value, own in by_value.items()})
    labels = {category.value: category.label[language] for category in attribute.labelled}
    if not attribute.picture_axes[0].names and len(by_value) > MOST_PLACES:
        return []
    bands = []
    for value in attribute.listed:
        own = by_value.get(value) or by_value.get(f"'{value}")
        if own:
            label = labels.get(value, value)
            if attribute.one_hot:
                of_them = sum(people * Decimal(more[0]) for _, people, more in own)
                share = of_them / sum(people for _, people, _ in own)
                label += f" ({100 * share:.0f} % of their people)"
            bands.append((label, frozenset(name for name, *_ in own)))
    return bands


def _number_bands(groups: Mapping[str, Sequence[str]]) -> list[Band]:
    numbers = {value: Fraction(value) for value in groups}
    if not numbers:
        return []
    low, high = min(numbers.values()), max(numbers.values())
    width = round_step((high - low) / N_BANDS)
    bands = []
    for left in multiples(low // width * width, high, width):
        right = left + width
        names = [name for value, own in groups.items() if left <= numbers[value] < right for name in own]
        if names:
            bands.append((f"{format_decimal(left)} to below {format_decimal(right)}", frozenset(names)))
    return bands


def _given(bands: Sequence[Band], given: Mapping[str, int]) -> int:
    return sum(given.get(group, 0) for _, groups in bands for group in groups)


def _union(bands: Sequence[Band]) -> Band:
    return " or ".join(label for label, _ in bands), frozenset().union(*(groups for _, groups in bands))
