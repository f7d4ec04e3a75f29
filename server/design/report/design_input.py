"""What the design report shows, as frozen values: nothing in it has to be computed again."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from shared.metrics import Metrics
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveLine:
    """Points of a line as decimal texts, in the order in which they are joined."""

    label: str
    x: tuple[str, ...]
    y: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A trade-off as a picture: what another choice would cost.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and hyphens; distinct.
    title : str
        Sentence under the picture, which also says which direction is safe.
    x_label, y_label : str
        Of the axes.
    lines : tuple of CurveLine
        One to four.
    mark : tuple of two str, optional
        Point of today's choice, with ``mark_label``.
    log_x, log_y, steps : bool
        As in `pictures.line_chart`.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    lines: tuple[CurveLine, ...]
    mark: tuple[str, str] | None = None
    mark_label: str = "today's choice"
    log_x: bool = False
    log_y: bool = False
    steps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignReportInput:
    """All that the report shows.

    Parameters
    ----------
    specification : Specification
        As it will be signed.
    metrics, half : tuple of Metrics, length m
        Of each cell, at the worst participation, and if only half as many take part.
    table_failure : Decimal
        tbar: that at least one cell of the table fails.
    distortion : float
        D from 0 (no loss) to 1.
    source : str
        Name of the model file.
    records, dropped, n_tuples : int or None
        Records kept, records left out as incomplete, distinct tuples; None of a register, of which the report
        shows nothing that its specification does not.
    warnings : tuple of str
        Shown first.
    curves : tuple of Curve
        The price of the guarantee.
    tuples : tuple of tuple of int, n_tuples x d
        Distinct tuples; only of a public model, empty otherwise.
    command : str
        The command that made the design.
    """

    specification: Specification
    metrics: tuple[Metrics, ...]
    half: tuple[Metrics, ...]
    table_failure: Decimal
    distortion: float
    source: str
    records: int | None
    dropped: int | None
    n_tuples: int | None
    warnings: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()
    tuples: tuple[tuple[int, ...], ...] = ()
    command: str = ""

    def __post_init__(self) -> None:
        if not len(self.metrics) == len(self.half) == self.specification.cells.count:
            raise ValueError("metrics and cells differ in number")
        names = [curve.name for curve in self.curves]
        if len(set(names)) < len(names):
            raise ValueError("two curves have one name")
        of_the_file = (self.records, self.dropped, self.n_tuples)
        if self.specification.model.kind != "public" and (self.tuples or of_the_file != (None, None, None)):
            raise ValueError("tuples and exact counts of a register never leave the organizer's machine")
