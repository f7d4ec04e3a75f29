"""Any number of choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Question, json_bytes
from shared.questions.choices import (
    NONE,
    SPECIAL,
    Choice,
    choice_words,
    choices_object,
    comment_on,
    label,
    read_choices,
    read_special,
    special_object,
    with_special,
)
from shared.questions.texts import Localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleChoice(Question):
    """Any number of choices; the canonical answer lists them in the order of the questionnaire.

    Attributes
    ----------
    choices : tuple of Choice
        Those that are listed.
    none_text, other_text : dict or None
        What "none", which excludes the others, and "other" are called, if they are offered; an empty text is
        the page's own.
    """

    types: ClassVar[tuple[str, ...]] = ("checkbox",)
    needed: ClassVar[tuple[str, ...]] = ("choices",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, *SPECIAL)
    kind: ClassVar[str] = "multiple"
    mark: ClassVar[str] = "true"
    comparison: ClassVar[Compared] = "set"

    choices: tuple[Choice, ...]
    none_text: Localized | None = None
    other_text: Localized | None = None

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        choices = read_choices(fields, "choices", languages, minimum=1)
        return cls(**common, choices=choices, **read_special(fields, languages, choices))

    @property
    def questions(self) -> tuple[Question, ...]:
        """See :attr:`Element.questions`: itself, and the words of who chose "other"."""
        if self.other_text is None:
            return (self,)
        return (self, comment_on(self.name, self.title, self.other_text, several=True))

    @property
    def options(self) -> tuple[Choice, ...]:
        """All choices, "none" and "other" among them."""
        return with_special(self.choices, self.none_text, self.other_text)

    def accept(self, value: Any) -> Answer:
        known = {c.value: None for c in self.options}
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v in known for v in value):
            raise self._refuse("a list of its choices")
        ticked = set(value)
        if len(ticked) != len(value) or (self.required and not value):
            raise self._refuse("a list of distinct choices")
        if self.none_text is not None and NONE in ticked and len(ticked) > 1:
            raise self._refuse("no other choice beside none")
        return tuple(v for v in known if v in ticked)

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`: everything ticked that can be together, or none alone."""
        together = tuple(c.value for c in self.options if self.none_text is None or c.value != NONE)
        return max(json_bytes(together), json_bytes((NONE,)) if self.none_text is not None else 0)

    @property
    def domain_size(self) -> int | None:
        return None

    def rank(self, answer: Any) -> Any:
        return answer

    def literal(self, text: str) -> Value | None:
        return text if any(text == choice.value for choice in self.options) else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        """See :meth:`Question.columns`: one for each choice."""
        return tuple(
            AnswerColumn(
                name=f"{self.name}_{choice.value}",
                type="boolean",
                title=f"{self.column_title(language)}: {label(choice, language)}",
                description="Whether this choice was ticked; empty if the question was not answered.",
                labels=(("false", "not ticked"), ("true", "ticked")),
                choice=choice.value,
            )
            for choice in self.options
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        ticked = answer if isinstance(answer, tuple) else ()
        return tuple("true" if choice.value in ticked else "false" for choice in self.options)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return choice_words(self.options)

    def to_object(self) -> dict[str, Any]:
        special = special_object(self.none_text, self.other_text)
        return self._common_object("checkbox") | {"choices": choices_object(self.choices)} | special
