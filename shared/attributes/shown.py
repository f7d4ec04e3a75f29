"""What people see of a quasi-identifier: words about a group, columns of a release, axes of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

ColumnType = Literal["integer", "number", "string", "boolean", "date"]

SHARE_DIGITS: Final = 3
POSITION_DIGITS: Final = 2
DESCRIBED_DIGITS: Final = 2
GROUP: Final = "of the eligible people of the group, not of the person; for a register, of a point on its map"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A mean in the words of one attribute.

    Attributes
    ----------
    value : str or None
        A decimal for a number, else the value of the nearest or most frequent category; None if most people
        have no value.
    share : str or None
        Share of the most frequent category where people are counted by category, two decimals in 0..1.
    missing_share : str or None
        Share of people without a value, where the attribute takes them.
    """

    value: str | None
    share: str | None = None
    missing_share: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a released table.

    Attributes
    ----------
    name : str
        As in the header.
    type : {"integer", "number", "string", "boolean", "date"}
        Its Frictionless type.
    title, description : str
        For people.
    unit : str
        Unit of a number; empty where the values have none.
    categories : tuple of (str, str)
        Value and label of each category; empty if the values are not categories.
    ordered : bool
        Whether the categories ascend.
    minimum, maximum : str or None
        Bounds of a number or a day; other types have none.
    can_be_missing : bool
        Whether a field can be empty.
    """

    name: str
    type: ColumnType
    title: str
    description: str
    unit: str = ""
    categories: tuple[tuple[str, str], ...] = ()
    ordered: bool = False
    minimum: str | None = None
    maximum: str | None = None
    can_be_missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureAxis:
    """A direction in which people of an attribute can be told apart, with whole positions.

    Attributes
    ----------
    name : str
        Beside the attribute's label; empty if it has this axis only.
    label : dict or None
        The name per language, if one is declared.
    coordinate : int
        The first of the attribute's coordinates that the axis shows.
    low, high : int
        First and last position.
    names : tuple of dict
        A text per language for each position from 0; empty if positions are numbers. A position beyond the
        last name is a missing value.
    regions : tuple of (Fraction, dict)
        Named places along the axis: the mean position of each, and its name per language. The axes of a map
        have the same regions in the same order.
    origin, step : Fraction
        The number at position 0, and from one position to the next, where positions have no names.
    """

    name: str = ""
    label: dict[str, str] | None = None
    coordinate: int = 0
    low: int
    high: int
    names: tuple[dict[str, str], ...] = ()
    regions: tuple[tuple[Fraction, dict[str, str]], ...] = ()
    origin: Fraction = Fraction(0)
    step: Fraction = Fraction(1)

    def called(self, language: str) -> str:
        """What it is called beside the attribute's label."""
        return self.name if self.label is None else self.label[language]


def share_column(name: str, title: str, description: str) -> Column:
    """A column of shares."""
    return Column(
        name=name,
        type="number",
        title=title,
        description=description,
        unit="share, 0 to 1",
        minimum="0",
        maximum="1",
    )
