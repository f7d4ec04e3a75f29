"""What an entry gives: flat records, each a number of ours with the published one beside it.

Everything else (tables, figures, text, verdicts) is derived from the records by one generic function each, in
`views` and `text`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Key: TypeAlias = str | int | float
At: TypeAlias = dict[str, Key]


Sense: TypeAlias = Literal["equal", "at-most", "at-least"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One number.

    Attributes
    ----------
    at : mapping
        What it is a value of, from the outside in: ``{"data": "census", "k": 3}``. The key ``figure``, if
        there, says which published figure or table it belongs to.
    measure : str
        What is measured, with its unit: "SL, percent".
    ours : float
        Finite.
    published : float, optional
        The printed value, or for "at-most" and "at-least" the bound.
    digit : float
        Unit of the last printed digit; 0 if the published value is exact.
    tolerance : float, optional
        Largest difference that we promise, in the unit of the measure; None promises nothing.
    sense : {"equal", "at-most", "at-least"}
        Whether the published value is to be met, or a bound of which only one side counts.
    """

    at: Mapping[str, Key]
    measure: str
    ours: float
    published: float | None = None
    digit: float = 0.0
    tolerance: float | None = None
    sense: Sense = "equal"

    def __post_init__(self) -> None:
        given = (self.ours, self.published or 0.0, self.digit, self.tolerance or 0.0)
        if not all(map(math.isfinite, given)) or min(given[2:]) < 0:
            raise ValueError(f"{self.where}, {self.measure}: numbers must be finite, bounds at least 0")
        if self.published is None and self.tolerance is not None:
            raise ValueError(f"{self.where}, {self.measure}: nothing is published that could be met")

    @property
    def where(self) -> str:
        """What it is a value of, in words: "census, k = 3"."""
        return ", ".join(labelled(key, value) for key, value in self.at.items())

    @property
    def difference(self) -> float:
        """Ours minus the published value; 0 where there is none."""
        return 0.0 if self.published is None else self.ours - self.published

    @property
    def relative(self) -> float | None:
        """Difference as a share of the published value; None where that is 0 and ours is not."""
        if not self.published:
            return None if self.difference else 0.0
        return self.difference / abs(self.published)

    @property
    def excess(self) -> float:
        """By how much ours misses the published value on the side that counts."""
        signs = {"equal": abs(self.difference), "at-most": self.difference, "at-least": -self.difference}
        return max(signs[self.sense], 0.0)

    @property
    def equal(self) -> bool:
        """Whether ours is the published value, to its last printed digit."""
        return self.excess <= self.digit / 2 + self._rounding

    @property
    def kept(self) -> bool | None:
        """Whether the promise is kept; None where there is none. Rounding of doubles is forgiven."""
        return None if self.tolerance is None else self.excess <= self.tolerance + self._rounding

    @property
    def _rounding(self) -> float:
        return 1e-12 * max(abs(self.ours), abs(self.published or 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """How figures are drawn from records.

    Attributes
    ----------
    name : str
        Of the files; the values of ``panels`` are added.
    title : str
    y : tuple of str
        Measures.
    x : str
        A key of the records, or a measure; then ``along`` is the key that runs along the curve.
    panels : tuple of str
        Keys, or "measure": one figure for each combination of their values. All other keys tell curves apart.
    along : str, optional
    log_x, log_y : bool
        Logarithmic axes; values that are not positive are left out.
    x_label, y_label, note : str, optional
    """

    name: str
    title: str
    y: tuple[str, ...]
    x: str
    panels: tuple[str, ...] = ()
    along: str = ""
    log_x: bool = False
    log_y: bool = False
    x_label: str = ""
    y_label: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A published table or figure computed again.

    Attributes
    ----------
    name, title, source : str
        Of the catalogue; ``source`` says which tables and figures it is.
    paper : str
        Authors, title, year.
    records : tuple of Record
    plots : tuple of Plot
    explanation : str
        Where and why we differ; paragraphs are separated by empty lines.
    why_not : str
        Why it is not reproduced; empty if it is.
    """

    name: str
    title: str
    source: str
    paper: str
    records: tuple[Record, ...]
    explanation: str
    plots: tuple[Plot, ...] = field(default=())
    why_not: str = ""

    @property
    def compared(self) -> tuple[Record, ...]:
        """Records with a published value."""
        return tuple(record for record in self.records if record.published is not None)

    @property
    def promised(self) -> tuple[Record, ...]:
        """Records with a tolerance."""
        return tuple(record for record in self.records if record.tolerance is not None)

    @property
    def broken(self) -> tuple[Record, ...]:
        """Records beyond their tolerance."""
        return tuple(record for record in self.records if record.kept is False)

    @property
    def worst(self) -> Record | None:
        """The record with the largest relative miss of its published value; None if nothing is compared."""

        def miss(record: Record) -> float:
            if not record.excess:
                return 0.0
            return record.excess / abs(record.published) if record.published else math.inf

        return max(self.compared, key=miss, default=None)

    def verdicts(self) -> dict[str, str]:
        """For each published figure or table: equal, within what, or not reproduced and why."""
        parts: dict[str, list[Record]] = {}
        for record in self.records:
            parts.setdefault(str(record.at.get("figure", self.source)), []).append(record)
        return {part: self._verdict(records) for part, records in parts.items()} or {
            self.source: f"not reproduced: {self.why_not}" if self.why_not else "nothing at hand"
        }

    def _verdict(self, records: Sequence[Record]) -> str:
        met = [record for record in records if record.published is not None and record.sense == "equal"]
        bounds = [record for record in records if record.sense != "equal"]
        said = [f"not reproduced: {self.why_not}"] if self.why_not else []
        if met:
            said.append(_agreement(met))
        elif not bounds and not self.why_not:
            said.append("computed anew; no numbers are printed or at hand to compare with")
        if bounds:
            missed = [f"{record.where}, {record.measure}" for record in bounds if record.excess]
            kept = f"{len(bounds) - len(missed)} of {len(bounds)} bounds kept"
            said.append(f"{kept}; not reproduced: {'; '.join(missed)}" if missed else kept)
        return "; ".join(said)


def _agreement(records: Sequence[Record]) -> str:
    equal = [record for record in records if record.equal]
    if len(equal) == len(records):
        return f"equal: all {len(records)} values, to the last printed digit"
    worst = max(records, key=lambda record: abs(record.relative or 0.0))
    return (
        f"within {abs(100 * (worst.relative or 0.0)):.2g} % (most at {worst.where}); "
        f"{len(equal)} of {len(records)} values equal to the last printed digit"
    )


def labelled(key: str, value: Key) -> str:
    """A key with its value: texts alone, numbers with their name, as in "k = 3"."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{key} = {text}" if text[:1] in "-.0123456789" else text
