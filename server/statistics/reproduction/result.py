"""What a reproduction says: tables, figures, and each of our numbers beside the published one.

Values only. Nothing here knows how they are computed (one module a paper) or written (`writing`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Cell: TypeAlias = str | int | float | None
"""A value in a table; None where there is none."""
Sense: TypeAlias = Literal["equal", "at-most", "at-least"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``rows`` have as many values as there are ``columns``; no value is infinite or not a number.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and hyphens; distinct within a reproduction.
    title : str
        Caption.
    columns : tuple of str
        Headings.
    rows : tuple of tuples
        Texts, whole numbers, real numbers, or None.
    note : str
        What a reader has to know.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not self.columns or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of table {self.name!r} has the wrong length")
        _check_finite(
            self.name, [value for row in self.rows for value in row if isinstance(value, int | float)]
        )


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a figure, through at least one point; ``published`` ones are drawn as marks of their own."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    published: bool = False

    def __post_init__(self) -> None:
        if not self.x or len(self.x) != len(self.y):
            raise ValueError(f"curve {self.label!r} needs as many x as y, at least one")
        _check_finite(self.label, (*self.x, *self.y))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its curves and axes.

    Parameters
    ----------
    name, title, note : str
        As in `Table`.
    x_label, y_label : str
        With their units.
    curves : tuple of Curve
        In the order of the legend.
    log_x, log_y : bool
        Logarithmic axes; the values on them must be positive.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not self.curves:
            raise ValueError(f"figure {self.name!r} has no curve")
        for curve in self.curves:
            if (self.log_x and min(curve.x) <= 0) or (self.log_y and min(curve.y) <= 0):
                raise ValueError(f"curve {curve.label!r} has no logarithm")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number of ours beside the published one.

    Parameters
    ----------
    where : tuple of str
        What it is a value of, from the outside in: ``("census", "k = 3")``.
    measure : str
        What is measured.
    ours, published : float
        The two values, in ``unit``.
    tolerance : float or None
        Largest difference that we promise, in ``unit``; None where nothing is promised.
    unit : str
        Unit of both; empty for plain numbers.
    sense : {"equal", "at-most", "at-least"}
        Whether the published value is to be met, or a bound of which only one side counts.
    """

    where: tuple[str, ...]
    measure: str
    ours: float
    published: float
    tolerance: float | None
    unit: str
    sense: Sense = "equal"

    def __post_init__(self) -> None:
        _check_finite(self.measure, (self.ours, self.published))
        if self.tolerance is not None and not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise ValueError(f"{self.measure}: a tolerance is a finite number, at least 0")

    @property
    def difference(self) -> float:
        """Ours minus the published value."""
        return self.ours - self.published

    @property
    def relative(self) -> float | None:
        """Difference as a share of the published value; None where that is 0 and ours is not."""
        if self.published == 0:
            return 0.0 if self.ours == 0 else None
        return self.difference / abs(self.published)

    @property
    def excess(self) -> float:
        """By how much ours misses the published value on the side that counts; 0 where a bound is kept."""
        if self.sense == "at-most":
            return max(self.difference, 0.0)
        if self.sense == "at-least":
            return max(-self.difference, 0.0)
        return abs(self.difference)

    @property
    def kept(self) -> bool | None:
        """Whether the promise is kept; None where there is none. Rounding of doubles is forgiven."""
        if self.tolerance is None:
            return None
        rounding = 1e-12 * max(abs(self.ours), abs(self.published))
        return self.excess <= self.tolerance + rounding


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A published table or figure computed again.

    Parameters
    ----------
    name : str
        Its name in the catalogue.
    paper : str
        Authors, title, year.
    source : str
        Which tables and figures of it.
    tables, figures, comparisons : tuples
        Names of tables and figures are distinct.
    explanation : str
        Where and why we differ; paragraphs are separated by empty lines.
    """

    name: str
    paper: str
    source: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    explanation: str

    def __post_init__(self) -> None:
        _check_name(self.name)
        names = [*(table.name for table in self.tables), *(figure.name for figure in self.figures)]
        if len(set(names)) < len(names):
            raise ValueError(f"two tables or figures of {self.name!r} have the same name")
        if not self.explanation.strip():
            raise ValueError(f"{self.name!r} must say where and why it differs, or that it does not")

    @property
    def promised(self) -> tuple[Comparison, ...]:
        """Comparisons with a tolerance."""
        return tuple(item for item in self.comparisons if item.tolerance is not None)

    @property
    def broken(self) -> tuple[Comparison, ...]:
        """Comparisons beyond their tolerance."""
        return tuple(item for item in self.comparisons if item.kept is False)

    @property
    def worst(self) -> Comparison | None:
        """The comparison with the largest relative miss of its own; None if nothing is compared."""

        def miss(item: Comparison) -> float:
            if not item.excess:
                return 0.0
            return item.excess / abs(item.published) if item.published else math.inf

        return max(self.comparisons, key=miss, default=None)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} becomes a file name: lower-case letters, digits and hyphens")


def _check_finite(where: str, values: Sequence[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise ValueError(f"{where}: every number must be finite")
