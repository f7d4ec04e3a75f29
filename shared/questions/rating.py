"""A whole number on a short scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.decimals import parse_decimal
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Measure, Question, json_bytes
from shared.questions.texts import Localized, localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rating(Question):
    """A whole number on a short scale."""

    types: ClassVar[tuple[str, ...]] = ("rating",)
    permitted: ClassVar[tuple[str, ...]] = (
        *Asking.permitted,
        "rateMin",
        "rateMax",
        "minRateDescription",
        "maxRateDescription",
    )
    kind: ClassVar[str] = "rating"
    measure: ClassVar[Measure | None] = "ordered"
    comparison: ClassVar[Compared] = "number"

    minimum: int
    maximum: int
    minimum_label: Localized
    maximum_label: Localized

    def __post_init__(self) -> None:
        if not -100 <= self.minimum < self.maximum <= 100:
            raise QuestionnaireError(
                "the scale is impossible", where=self.name, expected="rateMin < rateMax, from -100 to 100"
            )

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        return cls(
            **common,
            minimum=fields.integer("rateMin", -100, 100) if "rateMin" in fields else 1,
            maximum=fields.integer("rateMax", -100, 100) if "rateMax" in fields else 5,
            minimum_label=localized(fields, "minRateDescription", languages),
            maximum_label=localized(fields, "maxRateDescription", languages),
        )

    def accept(self, value: Any) -> Answer:
        if type(value) is not int or not self.minimum <= value <= self.maximum:
            raise self._refuse(f"a whole number from {self.minimum} to {self.maximum}")
        return value

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`: on either side of 0 the end has the most digits."""
        return max(json_bytes(self.minimum), json_bytes(self.maximum))

    @property
    def domain_size(self) -> int | None:
        return self.maximum - self.minimum + 1

    def rank(self, answer: Any) -> Any:
        return int(answer) - self.minimum

    def literal(self, text: str) -> Value | None:
        return text if parse_decimal(text) is not None else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        low, high = str(self.minimum), str(self.maximum)
        ends = self.minimum_label[language], self.maximum_label[language]
        words = f" ({ends[0]} to {ends[1]})" if all(ends) else ""
        return (
            AnswerColumn(
                name=self.name,
                type="integer",
                title=self.column_title(language),
                description=f"The rating, from {low} to {high}{words}.",
                unit="points",
                minimum=low,
                maximum=high,
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        return (str(answer),)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return {}

    def to_object(self) -> dict[str, Any]:
        return self._common_object("rating") | {
            "rateMin": self.minimum,
            "rateMax": self.maximum,
            "minRateDescription": dict(self.minimum_label),
            "maxRateDescription": dict(self.maximum_label),
        }
