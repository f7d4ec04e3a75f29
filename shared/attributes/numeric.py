"""Numbers: an exact count of steps from a minimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from shared.attributes.scale import Scale
from shared.decimals import format_decimal, parse_decimal
from shared.errors import AnswerError, SpecificationError
from shared.limits import EXACT_BOUND

ROUNDING_RULES = ("exact", "down", "nearest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric(Scale):
    """A number between a minimum and a maximum, in steps.

    Attributes
    ----------
    minimum, maximum, step : str
        Exact decimals; maximum - minimum is a whole number of steps.
    open_below, open_above : bool
        Whether smaller (larger) numbers count as the minimum (maximum): "90 or older".
    rounding : str
        ``exact`` refuses numbers between two steps, ``down`` takes the completed step (as ages are counted),
        ``nearest`` the nearest one, halves up.
    """

    kind: ClassVar[str] = "numeric"

    minimum: str
    maximum: str
    step: str
    open_below: bool = False
    open_above: bool = False
    rounding: str = "exact"

    def __post_init__(self) -> None:
        self._check_common()
        where = f"attribute {self.name}"
        low, high, step = (parse_decimal(t) for t in (self.minimum, self.maximum, self.step))
        if low is None or high is None or step is None:
            raise SpecificationError(
                "minimum, maximum or step is no decimal", where=where, expected="such as 0.5"
            )
        if step <= 0 or high <= low or (high - low) % step:
            raise SpecificationError(
                f"from {self.minimum} to {self.maximum} is not a whole number of steps of {self.step}",
                where=where,
                expected="minimum < maximum, a whole number of positive steps apart",
            )
        if (high - low) / step >= EXACT_BOUND:
            raise SpecificationError("too many steps", where=where, expected=f"fewer than {EXACT_BOUND}")
        if self.rounding not in ROUNDING_RULES:
            raise SpecificationError(
                f"the rounding rule {self.rounding!r} is unknown",
                where=where,
                expected=", ".join(ROUNDING_RULES),
            )

    @property
    def last(self) -> int:
        """Number of steps from the minimum to the maximum."""
        return int((Fraction(self.maximum) - Fraction(self.minimum)) / Fraction(self.step))

    def _place(self, text: str) -> int:
        value = parse_decimal(text)
        if value is None:
            raise AnswerError(
                f"{text[:40]!r} is not a number",
                where=self.name,
                expected=f"a decimal from {self.minimum} to {self.maximum}, written like 12 or 12.5",
            )
        low, high, step = Fraction(self.minimum), Fraction(self.maximum), Fraction(self.step)
        if value < low and self.open_below:
            return 0
        if value > high and self.open_above:
            return self.last
        if not low <= value <= high:
            raise AnswerError(
                f"{text[:40]} is out of range", where=self.name, expected=f"{self.minimum} to {self.maximum}"
            )
        exact = (value - low) / step
        if self.rounding == "nearest":
            return int(exact + Fraction(1, 2))
        if self.rounding == "exact" and exact.denominator != 1:
            below = low + int(exact) * step
            raise AnswerError(
                f"{text[:40]} lies between two steps",
                where=self.name,
                expected=f"a step of {self.step}: {format_decimal(below)} or {format_decimal(below + step)}",
            )
        return int(exact)

    def _text_at(self, place: int) -> str:
        return format_decimal(self.value_at(Fraction(place)))

    def value_at(self, steps: Fraction) -> Fraction:
        """Exact value at a count of steps."""
        return Fraction(self.minimum) + steps * Fraction(self.step)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return self._common_object() | {
            "minimum": self.minimum,
            "maximum": self.maximum,
            "step": self.step,
            "open_below": self.open_below,
            "open_above": self.open_above,
            "rounding": self.rounding,
        }
