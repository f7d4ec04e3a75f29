"""A decimal number on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.decimals import format_decimal, parse_decimal
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Measure, Question, json_bytes
from shared.questions.texts import Localized, localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Question):
    """A decimal number on a grid, as a text.

    Attributes
    ----------
    minimum, maximum, step : str
        Decimals.
    """

    types: ClassVar[tuple[str, ...]] = ("text:number",)
    needed: ClassVar[tuple[str, ...]] = ("inputType",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, "min", "max", "step", "unit")
    kind: ClassVar[str] = "number"
    measure: ClassVar[Measure | None] = "ordered"
    comparison: ClassVar[Compared] = "number"

    minimum: str
    maximum: str
    step: str

    def __post_init__(self) -> None:
        low, high, step = (parse_decimal(t) for t in (self.minimum, self.maximum, self.step))
        if low is None or high is None or step is None or step <= 0 or high <= low or (high - low) % step:
            raise QuestionnaireError(
                "min, max and step do not fit together",
                where=self.name,
                expected="decimals with min < max, a whole number of positive steps apart",
            )

    @classmethod
    def read(
        cls,
        fields: Fields,
        languages: tuple[str, ...],
        common: dict[str, Any],
    ) -> Self:
        return cls(
            **common,
            minimum=_decimal(fields, "min", "0"),
            maximum=_decimal(fields, "max", "1000000"),
            step=_decimal(fields, "step", "1"),
            unit=localized(fields, "unit", languages) if "unit" in fields else None,
        )

    def accept(self, value: Any) -> Answer:
        number = None
        if isinstance(value, str) or type(value) is int:
            number = parse_decimal(str(value))
        low, high, step = Fraction(self.minimum), Fraction(self.maximum), Fraction(self.step)
        if number is None or not low <= number <= high or (number - low) % step:
            raise self._refuse(f"a decimal from {self.minimum} to {self.maximum} in steps of {self.step}")
        return format_decimal(number)

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`.

        Notes
        -----
        On either side of 0 the digits before the point are most at the end. Of two neighbours on the grid at
        least one has as many places behind the point as any (else the step had fewer, and so had all), so
        that the longest decimal is among the two outermost at either end.
        """
        low, high, step = Fraction(self.minimum), Fraction(self.maximum), Fraction(self.step)
        return max(json_bytes(format_decimal(value)) for value in (low, low + step, high - step, high))

    @property
    def domain_size(self) -> int | None:
        return None

    def rank(self, answer: Any) -> Any:
        return Fraction(answer)

    def literal(self, text: str) -> Value | None:
        return text if parse_decimal(text) is not None else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        return (
            AnswerColumn(
                name=self.name,
                type="number",
                title=self.column_title(language),
                description=f"The number, in steps of {self.step}.",
                unit="as asked in the question" if self.unit is None else self.unit[language],
                minimum=self.minimum,
                maximum=self.maximum,
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        return (str(answer),)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return {}

    def to_object(self) -> dict[str, Any]:
        element = self._common_object("text")
        element |= {"inputType": "number", "min": self.minimum, "max": self.maximum, "step": self.step}
        return element if self.unit is None else element | {"unit": dict(self.unit)}


def _decimal(fields: Fields, name: str, default: str) -> str:
    if name not in fields:
        return default
    value = fields.raw(name)
    return str(value) if type(value) is int else fields.text(name, maximum=64)
