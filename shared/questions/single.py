"""One of several choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.conditions import Answer, Compared, Value
from shared.decimals import parse_decimal
from shared.fields import Fields
from shared.questions.base import AnswerColumn, Asking, Question, json_bytes
from shared.questions.choices import (
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
class SingleChoice(Question):
    """One of several choices, as ``radiogroup`` or ``dropdown``.

    Attributes
    ----------
    choices : tuple of Choice
        Those that are listed.
    dropdown : bool
    none_text, other_text : dict or None
        What "none" and "other" are called, if they are offered; an empty text is the page's own.
    """

    types: ClassVar[tuple[str, ...]] = ("radiogroup", "dropdown")
    needed: ClassVar[tuple[str, ...]] = ("choices",)
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, *SPECIAL)
    kind: ClassVar[str] = "single"

    choices: tuple[Choice, ...]
    dropdown: bool = False
    none_text: Localized | None = None
    other_text: Localized | None = None

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        choices = read_choices(fields, "choices", languages)
        special = read_special(fields, languages, choices)
        return cls(**common, choices=choices, dropdown=fields.raw("type") == "dropdown", **special)

    @property
    def questions(self) -> tuple[Question, ...]:
        """See :attr:`Element.questions`: itself, and the words of who chose "other"."""
        if self.other_text is None:
            return (self,)
        return (self, comment_on(self.name, self.title, self.other_text, several=False))

    @property
    def options(self) -> tuple[Choice, ...]:
        """All choices, "none" and "other" among them."""
        return with_special(self.choices, self.none_text, self.other_text)

    @property
    def compared_as(self) -> Compared:
        """See :attr:`Question.compared_as`: as numbers if all listed choices are."""
        numbers = self.options == self.choices and all(_is_number(c.value) for c in self.choices)
        return "number" if numbers else "value"

    def accept(self, value: Any) -> Answer:
        if not isinstance(value, str) or all(value != c.value for c in self.options):
            raise self._refuse("one of its choices")
        return value

    @property
    def longest_answer(self) -> int:
        return max(json_bytes(choice.value) for choice in self.options)

    @property
    def domain_size(self) -> int | None:
        return len(self.options)

    def rank(self, answer: Any) -> Any:
        return [choice.value for choice in self.options].index(answer)

    def literal(self, text: str) -> Value | None:
        return text if any(text == choice.value for choice in self.options) else None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        categories = tuple((choice.value, label(choice, language)) for choice in self.options)
        return (
            AnswerColumn(
                name=self.name,
                type="string",
                title=self.column_title(language),
                description="The choice.",
                categories=categories,
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        return (str(answer),)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return choice_words(self.options)

    def to_object(self) -> dict[str, Any]:
        element = self._common_object("dropdown" if self.dropdown else "radiogroup")
        special = special_object(self.none_text, self.other_text)
        return element | {"choices": choices_object(self.choices)} | special


def _is_number(value: str) -> bool:
    return parse_decimal(value) is not None
