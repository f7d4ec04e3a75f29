"""Yes or no."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, final

from shared.conditions import Answer, Value
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Question, json_bytes
from shared.questions.texts import Localized, localized

_VALUES: Final = {"true": True, "false": False}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(Question):
    """Yes or no."""

    types: ClassVar[tuple[str, ...]] = ("boolean",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, "labelTrue", "labelFalse")
    kind: ClassVar[str] = "boolean"

    yes_label: Localized
    no_label: Localized

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        yes, no = (localized(fields, name, languages) for name in ("labelTrue", "labelFalse"))
        return cls(**common, yes_label=yes, no_label=no)

    def accept(self, value: Any) -> Answer:
        if not isinstance(value, bool):
            raise self._refuse("true or false")
        return value

    @property
    def longest_answer(self) -> int:
        return json_bytes(False)

    @property
    def domain_size(self) -> int | None:
        return 2

    def rank(self, answer: Any) -> Any:
        return int(answer)

    def literal(self, text: str) -> Value | None:
        return _VALUES.get(text.lower())

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        yes, no = self.yes_label[language] or "yes", self.no_label[language] or "no"
        return (
            AnswerColumn(
                name=self.name,
                type="boolean",
                title=self.column_title(language),
                description=f"true: {yes}; false: {no}.",
                labels=(("false", no), ("true", yes)),
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        return ("true" if answer else "false",)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return {True: self.yes_label, False: self.no_label}

    def to_object(self) -> dict[str, Any]:
        return self._common_object("boolean") | {
            "labelTrue": dict(self.yes_label),
            "labelFalse": dict(self.no_label),
        }
