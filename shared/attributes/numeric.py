"""Numbers: an exact count of steps from a minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Self, final

from shared.attributes.categories import Category
from shared.attributes.scale import Scale
from shared.attributes.shown import DESCRIBED_DIGITS, GROUP, Column, Described, PictureAxis
from shared.decimals import format_decimal, parse_decimal, round_decimal
from shared.errors import AnswerError, SpecificationError
from shared.fields import Fields
from shared.limits import EXACT_BOUND

ROUNDING_RULES: Final = ("exact", "down", "nearest")


@final
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
    is_number: ClassVar[bool] = True

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

    @classmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:  # noqa: ARG003
        return cls(
            **common,
            minimum=fields.text("minimum", maximum=64),
            maximum=fields.text("maximum", maximum=64),
            step=fields.text("step", maximum=64),
            open_below=fields.boolean("open_below"),
            open_above=fields.boolean("open_above"),
            rounding=fields.choice("rounding", ROUNDING_RULES),
        )

    @property
    def open_range(self) -> tuple[str, str] | None:
        return (self.minimum, self.maximum) if self.open_below or self.open_above else None

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
        return self._common_object() | self._own_object()

    def _own_object(self) -> dict[str, Any]:
        return {
            "minimum": self.minimum,
            "maximum": self.maximum,
            "step": self.step,
            "open_below": self.open_below,
            "open_above": self.open_above,
            "rounding": self.rounding,
        }

    @property
    def labelled(self) -> tuple[Category, ...]:
        """None, see :attr:`Attribute.labelled`."""
        return ()

    def form_field(self) -> dict[str, Any]:
        fractional = "." in self.minimum + self.step or self.rounding != "exact"
        return {"form": "number", **self._own_object(), "fractional": fractional}

    @property
    def picture_axes(self) -> tuple[PictureAxis, ...]:
        return (PictureAxis(low=0, high=self.last, origin=Fraction(self.minimum), step=Fraction(self.step)),)

    def columns(self, language: str) -> tuple[Column, ...]:
        """The mean number, see :meth:`Attribute.columns`."""
        below = f"; {self.minimum} stands for {self.minimum} or less" if self.open_below else ""
        above = f"; {self.maximum} stands for {self.maximum} or more" if self.open_above else ""
        mean = Column(
            name=self.name,
            type="number",
            title=self.label[language],
            description=f"Mean {GROUP}{below}{above}.",
            unit="as in the title",
            minimum=self.minimum,
            maximum=self.maximum,
            can_be_missing=self.takes_missing,
        )
        return (mean, *self._missing_columns(language))

    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        number = self._mean_text(mean, len(self.step.partition(".")[2]) + 1)
        return (number or "", *self._missing_values(mean))

    def describe(self, mean: Sequence[Fraction]) -> Described:
        """The mean number, see :meth:`Attribute.describe`."""
        return self._described(self._mean_text(mean, DESCRIBED_DIGITS), mean)

    def _mean_text(self, mean: Sequence[Fraction], digits: int) -> str | None:
        present = self.present(mean)
        return None if present is None else round_decimal(self.value_at(present[0]), digits)
