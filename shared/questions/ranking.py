"""Choices in the order that somebody prefers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.fields import Fields
from shared.limits import MAX_ROWS
from shared.questions.base import AnswerColumn, Question, json_bytes
from shared.questions.choices import Choice, choice_words, choices_object, label, read_choices
from shared.questions.texts import Localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Question):
    """All choices in the order that somebody prefers, the first first; never only some of them."""

    types: ClassVar[tuple[str, ...]] = ("ranking",)
    needed: ClassVar[tuple[str, ...]] = ("choices",)
    kind: ClassVar[str] = "ranking"
    mark: ClassVar[str] = "1"
    comparison: ClassVar[Compared] = "nothing"

    choices: tuple[Choice, ...]

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        return cls(**common, choices=read_choices(fields, "choices", languages, maximum=MAX_ROWS))

    def accept(self, value: Any) -> Answer:
        known = {choice.value for choice in self.choices}
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise self._refuse("a list of its choices")
        if len(value) != len(known) or set(value) != known:
            raise self._refuse("all of its choices, each once, in order")
        return tuple(value)

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`: every order is equally long."""
        return json_bytes(tuple(choice.value for choice in self.choices))

    @property
    def domain_size(self) -> int | None:
        return None

    def rank(self, answer: Any) -> Any:
        return answer

    def literal(self, text: str) -> Value | None:  # noqa: ARG002 (as in every question)
        """See :meth:`Question.literal`: orders are not compared."""
        return None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        """See :meth:`Question.columns`: one for each choice, with its place."""
        return tuple(
            AnswerColumn(
                name=f"{self.name}_{choice.value}",
                type="integer",
                title=f"{self.column_title(language)}: {label(choice, language)}",
                description="Place of this choice in the order, 1 is the first; empty if not answered.",
                unit="place",
                minimum="1",
                maximum=str(len(self.choices)),
                choice=choice.value,
            )
            for choice in self.choices
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        order = answer if isinstance(answer, tuple) else ()
        return tuple(str(order.index(choice.value) + 1) for choice in self.choices)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return choice_words(self.choices)

    def to_object(self) -> dict[str, Any]:
        return self._common_object("ranking") | {"choices": choices_object(self.choices)}
