"""How likely people are to take part, as published in a specification.

Levels are published on a coarse grid of 0.05, rounded down when they differ from person to person, so that
nobody's own probability can be read from a cell (design section 5). One level may be a range; the guarantee
then holds for the worst value in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from shared.decimals import format_decimal, parse_decimal, parse_probability
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import (
    CORRELATION_DIGITS,
    HOUSEHOLD_SIZES,
    MAX_CATEGORIES,
    MAX_LEVELS,
)

GRID: Final = Fraction(1, 20)
"""Step of the published levels when participation is uneven."""
HIGHEST_CORRELATION: Final = "0.2"
"""Between two people of a cell. Stronger ones make cells look safe: all of them come, or nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipationLevel:
    """Probability of taking part, one value or a range, as exact decimals in (0, 1]."""

    low: str
    high: str

    def __post_init__(self) -> None:
        low, high = parse_probability(self.low), parse_probability(self.high)
        if low is None or high is None or low > high:
            raise SpecificationError(
                f"participation from {self.low[:40]!r} to {self.high[:40]!r} is impossible",
                where="participation",
                expected="0 < low <= high <= 1, as decimals",
            )

    @property
    def lowest(self) -> Fraction:
        """Low end, exact."""
        return Fraction(self.low)

    @property
    def highest(self) -> Fraction:
        """High end, exact."""
        return Fraction(self.high)

    @property
    def is_range(self) -> bool:
        """Whether the level is a range."""
        return self.lowest != self.highest


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Response rate of one category (``value``) or of numbers up to and including ``upto``."""

    rate: str
    upto: str | None = None
    value: str | None = None

    def __post_init__(self) -> None:
        if (self.upto is None) == (self.value is None):
            raise SpecificationError(
                "a rate needs either a value or an upper end",
                where="participation.rates",
                expected="'upto' for a number, 'value' for a category",
            )
        if parse_probability(self.rate) is None:
            raise SpecificationError(
                f"the rate {self.rate[:40]!r} is impossible",
                where="participation.rates",
                expected="a decimal in (0, 1]",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipationSource:
    """Where each person's participation comes from, so that an auditor can derive the levels again.

    ``kind`` is ``even`` (one level for everybody), ``column`` (a column of the model file) or ``rates`` (a
    table of response rates by one attribute). ``household_column`` is the column of the model file whose
    equal values are one household. ``statement`` is the organizer's word, in every language, for where the
    figures come from; respondents read it.
    """

    kind: str
    column: str | None = None
    attribute: str | None = None
    rates: tuple[Rate, ...] = ()
    household_column: str | None = None
    statement: Mapping[str, str] | None = None

    @classmethod
    def parse(cls, value: Any, where: str, languages: tuple[str, ...]) -> ParticipationSource:
        """Read it from a document whose texts are in these languages."""
        names = ("kind", "column", "attribute", "rates", "household_column", "statement")
        fields = Fields(value, where, names, error=SpecificationError)
        kind = fields.choice("kind", ("even", "column", "rates"))
        column = fields.name("column") if kind == "column" else None
        attribute = fields.name("attribute") if kind == "rates" else None
        rates = tuple(
            _parse_rate(item, f"{fields.where('rates')}[{i}]")
            for i, item in enumerate(fields.items("rates", MAX_CATEGORIES))
        )
        if (column is None and fields.raw("column") is not None) or (
            attribute is None and (fields.raw("attribute") is not None or rates)
        ):
            raise fields.fail("kind", f"a source of kind {kind!r} has fields of another", "null and []")
        household = None if fields.raw("household_column") is None else fields.name("household_column")
        statement = None if fields.raw("statement") is None else fields.localized("statement", languages)
        return cls(
            kind=kind,
            column=column,
            attribute=attribute,
            rates=rates,
            household_column=household,
            statement=statement,
        )

    def to_object(self) -> dict[str, Any]:
        """As it stands in a document."""
        return {
            "kind": self.kind,
            "column": self.column,
            "attribute": self.attribute,
            "rates": [{"upto": r.upto, "value": r.value, "rate": r.rate} for r in self.rates],
            "household_column": self.household_column,
            "statement": None if self.statement is None else dict(self.statement),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How far people of a cell decide together, in the worst case that the promise covers.

    Attributes
    ----------
    correlation : str
        Between any two people of a cell, as a decimal; ``0`` for none.
    household_size : int
        Most people of a cell who decide in common, up to all or none; 1 if everybody decides alone.
    """

    correlation: str = "0"
    household_size: int = 1

    def __post_init__(self) -> None:
        value = parse_decimal(self.correlation)
        fine = value is not None and (value * 10**CORRELATION_DIGITS).denominator == 1
        if value is None or not fine or not 0 <= value <= Fraction(HIGHEST_CORRELATION):
            raise SpecificationError(
                f"the correlation {self.correlation[:40]!r} is impossible",
                where="participation.correlation",
                expected=f"0 to {HIGHEST_CORRELATION}, with at most {CORRELATION_DIGITS} decimal places",
            )
        if self.household_size not in HOUSEHOLD_SIZES:
            raise SpecificationError(
                f"households of {self.household_size} are not published",
                where="participation.household_size",
                expected="one of " + ", ".join(map(str, HOUSEHOLD_SIZES)),
            )

    @classmethod
    def parse(cls, participation: Fields) -> Dependence:
        """Read it from the participation of a document."""
        size = participation.integer("household_size", 1, HOUSEHOLD_SIZES[-1])
        return cls(correlation=participation.text("correlation", maximum=64), household_size=size)

    @property
    def is_none(self) -> bool:
        """Whether everybody decides alone."""
        return self.household_size == 1 and not Fraction(self.correlation)

    @property
    def kind(self) -> str:
        """alone, correlation, households, or together for both: which sentence people read."""
        if self.household_size == 1:
            return "alone" if self.is_none else "correlation"
        return "together" if Fraction(self.correlation) else "households"

    def check(self, levels: tuple[ParticipationLevel, ...]) -> None:
        """Refuse a correlation so strong that cells of the least participation would be safe by being empty.

        Raises
        ------
        SpecificationError
            Unless pi (1 - rho) / rho >= 1 at the lowest participation: beyond, a chance of nearly 0 would be
            the likeliest.
        """
        rho, lowest = Fraction(self.correlation), min(levels, key=lambda level: level.lowest)
        if rho > lowest.lowest * (1 - rho):
            raise SpecificationError(
                f"the correlation {self.correlation} is too strong for a participation of {lowest.low}",
                where="participation.correlation",
                expected="correlation / (1 - correlation) of at most the lowest participation",
            )


INDEPENDENT: Final = Dependence()
"""Everybody decides alone."""


def published_household_size(largest: int) -> int | None:
    """The next published size from the largest household on; None if it is too large."""
    return next((size for size in HOUSEHOLD_SIZES if size >= largest), None)


def _parse_rate(value: Any, where: str) -> Rate:
    fields = Fields(value, where, ("upto", "value", "rate"), error=SpecificationError)
    upto = None if fields.raw("upto") is None else fields.text("upto")
    category = None if fields.raw("value") is None else fields.text("value")
    return Rate(rate=fields.text("rate"), upto=upto, value=category)


def published_level(rate: Fraction) -> str | None:
    """A person's probability rounded down to the published grid; None below the first step.

    Rounding down is the cautious side once a cell expects more than k participants: fewer expected
    participants mean a larger cell.
    """
    step = rate // GRID
    return format_decimal(step * GRID) if step else None


def parse_levels(value: Any, where: str) -> tuple[ParticipationLevel, ...]:
    """Levels of a document: ascending, distinct, a range only alone."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_LEVELS:
        raise SpecificationError(
            "the participation levels are missing or too many",
            where=where,
            expected=f"1 to {MAX_LEVELS} levels",
        )
    levels = []
    for i, item in enumerate(value):
        fields = Fields(item, f"{where}[{i}]", ("low", "high"), error=SpecificationError)
        levels.append(ParticipationLevel(low=fields.text("low"), high=fields.text("high")))
    check_levels(tuple(levels), where)
    return tuple(levels)


def check_levels(levels: tuple[ParticipationLevel, ...], where: str) -> None:
    """Refuse levels that are not ascending, and several of which one is a range or off the published grid."""
    ascending = all(a.lowest < b.lowest for a, b in itertools.pairwise(levels))
    alone = len(levels) == 1
    if not ascending or not (alone or all(not v.is_range and v.lowest % GRID == 0 for v in levels)):
        raise SpecificationError(
            "the participation levels contradict each other, or are finer than the published grid",
            where=where,
            expected=f"distinct ascending multiples of {format_decimal(GRID)}; or a single level or range",
        )
