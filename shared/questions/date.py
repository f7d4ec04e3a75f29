"""A day of the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.days import is_day
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Measure, Question, json_bytes
from shared.questions.texts import Localized

_FIRST, _LAST = "1900-01-01", "2100-12-31"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Date(Question):
    """A day of the calendar, as ``YYYY-MM-DD``, between two days or on them."""

    types: ClassVar[tuple[str, ...]] = ("text:date",)
    needed: ClassVar[tuple[str, ...]] = ("inputType",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, "min", "max")
    kind: ClassVar[str] = "date"
    measure: ClassVar[Measure | None] = "ordered"
    comparison: ClassVar[Compared] = "text"

    minimum: str
    maximum: str

    def __post_init__(self) -> None:
        if not (is_day(self.minimum) and is_day(self.maximum) and self.minimum < self.maximum):
            raise QuestionnaireError(
                "min and max are no days, or in the wrong order",
                where=self.name,
                expected="two days such as 2020-01-31, min before max",
            )

    @classmethod
    def read(
        cls,
        fields: Fields,
        languages: tuple[str, ...],  # noqa: ARG003 (as in every element)
        common: dict[str, Any],
    ) -> Self:
        low, high = (
            fields.text(name, maximum=64) if name in fields else default
            for name, default in (("min", _FIRST), ("max", _LAST))
        )
        return cls(**common, minimum=low, maximum=high)

    def accept(self, value: Any) -> Answer:
        if not isinstance(value, str) or not is_day(value) or not self.minimum <= value <= self.maximum:
            raise self._refuse(f"a day from {self.minimum} to {self.maximum}, as YYYY-MM-DD")
        return value

    @property
    def longest_answer(self) -> int:
        return json_bytes(self.maximum)

    @property
    def domain_size(self) -> int | None:
        return None

    def rank(self, answer: Any) -> Any:
        return answer

    def literal(self, text: str) -> Value | None:
        return text if is_day(text) else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        return (
            AnswerColumn(
                name=self.name,
                type="date",
                title=self.column_title(language),
                description=f"The day, from {self.minimum} to {self.maximum}.",
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
        return element | {"inputType": "date", "min": self.minimum, "max": self.maximum}
