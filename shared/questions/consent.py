"""A box that must be ticked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Value
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Measure, Question, json_bytes
from shared.questions.texts import Localized, localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Consent(Question):
    """A box that must be ticked, such as "I agree".

    In SurveyJS a ``boolean`` whose validator demands that it be true. Everybody who answers has ticked it, so
    that it tells nothing of anybody, and diversity does not ask for it.
    """

    types: ClassVar[tuple[str, ...]] = ("boolean:consent",)
    needed: ClassVar[tuple[str, ...]] = ("validators",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, "labelTrue")
    kind: ClassVar[str] = "consent"
    measure: ClassVar[Measure | None] = None

    label: Localized

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        must_be_true = {"type": "expression", "expression": _must_be_true(common["name"])}
        if fields.raw("validators") != [must_be_true]:
            raise QuestionnaireError(
                "a box has another validator than that it must be ticked",
                where=fields.where("validators"),
                expected=f'[{{"type": "expression", "expression": "{must_be_true["expression"]}"}}]',
            )
        return cls(**common | {"required": True}, label=localized(fields, "labelTrue", languages))

    def accept(self, value: Any) -> Answer:
        if value is not True:
            raise self._refuse("true")
        return True

    @property
    def longest_answer(self) -> int:
        return json_bytes(True)

    @property
    def domain_size(self) -> int | None:
        return 1

    def rank(self, answer: Any) -> Any:  # noqa: ARG002 (as in every question)
        return 0

    def literal(self, text: str) -> Value | None:
        return True if text.lower() == "true" else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        label = self.label[language] or "ticked"
        return (
            AnswerColumn(
                name=self.name,
                type="boolean",
                title=self.column_title(language),
                description="true: the box was ticked, without which nobody could answer; empty: not shown.",
                labels=(("false", "not ticked"), ("true", label)),
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:  # noqa: ARG002 (as in every question)
        return ("true",)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return {True: self.label}

    def to_object(self) -> dict[str, Any]:
        validator = {"type": "expression", "expression": _must_be_true(self.name)}
        return self._common_object("boolean") | {"labelTrue": dict(self.label), "validators": [validator]}


def _must_be_true(name: str) -> str:
    return f"{{{name}}} = true"
