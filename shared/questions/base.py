"""What every element of a questionnaire, and every question, must bring.

An element stands on a page. Most are one question; a matrix is a question for each of its rows, and a choice
with "other" has a second one for the words. A question is a confidential attribute of the release. Its wire
value is a text, an integer, true/false, or a list of texts; decimals and dates travel as texts, so that no
binary float ever enters.

Classes are final and abstract methods have no defaults: a type checker names what a new one lacks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from shared import strict_json
from shared.attributes.shown import ColumnType
from shared.conditions import Answer, Answers, Compared, Condition, Value
from shared.errors import AnswerError
from shared.fields import Fields
from shared.questions.texts import Localized

Measure = Literal["nominal", "ordered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumn:
    """A column of the release that holds answers to a question.

    Attributes
    ----------
    name, type, title, description, unit, minimum, maximum, categories : see :class:`Column`
    labels : tuple of (str, str)
        What ``true`` and ``false`` mean; empty for other types.
    choice : str
        The choice that the column is about, if the question has a column for each.
    """

    name: str
    type: ColumnType
    title: str
    description: str
    unit: str = ""
    categories: tuple[tuple[str, str], ...] = ()
    minimum: str | None = None
    maximum: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    choice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(ABC):
    """What stands on a page.

    Attributes
    ----------
    name : str
        As in the document.
    visible_if : Condition or None
        When it is shown; always, if None.
    """

    types: ClassVar[tuple[str, ...]]
    """Words of SurveyJS for it."""
    needed: ClassVar[tuple[str, ...]] = ()
    """Properties that it must have, besides ``type`` and ``name``."""
    permitted: ClassVar[tuple[str, ...]] = ("visibleIf",)
    """Other properties that it may have; every other one is refused."""

    name: str
    visible_if: Condition | None = None

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        """From the properties of its own, and those that all have."""

    @property
    @abstractmethod
    def questions(self) -> tuple[Question, ...]:
        """What it asks."""

    @abstractmethod
    def to_object(self) -> dict[str, Any]:
        """The SurveyJS element, with a text per language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking(Element):
    """An element that asks something.

    Attributes
    ----------
    title, description : dict
        Text per language; the description may be empty.
    required : bool
        Whether it must be answered, where it is shown.
    required_if : Condition or None
        When it must be answered, besides.
    """

    permitted: ClassVar[tuple[str, ...]] = ("title", "description", "isRequired", "visibleIf", "requiredIf")

    title: Localized
    description: Localized
    required: bool
    required_if: Condition | None = None

    def _common_object(self, element_type: str) -> dict[str, Any]:
        result: dict[str, Any] = {
            "type": element_type,
            "name": self.name,
            "title": dict(self.title),
            "description": dict(self.description),
            "isRequired": self.required,
        }
        if self.visible_if is not None:
            result["visibleIf"] = self.visible_if.to_text()
        if self.required_if is not None:
            result["requiredIf"] = self.required_if.to_text()
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Asking):
    """One question of a questionnaire: a name, under which one answer is sent, and its domain.

    Attributes
    ----------
    unit : dict or None
        What stands beside the field, such as "hours a week"; only a number can have one. SurveyJS has no such
        property; it is ours.
    """

    kind: ClassVar[str]
    measure: ClassVar[Measure | None] = "nominal"
    """Whether the answers have an order, for distances between distributions; None if nobody is told anything
    by an answer, or everybody by every one, so that diversity means nothing."""
    mark: ClassVar[str] = ""
    """What a column of a single choice shows if the choice was taken; empty if there are none."""
    comparison: ClassVar[Compared] = "value"
    free_text: ClassVar[bool] = False

    unit: Localized | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        return (self,)

    @property
    def compared_as(self) -> Compared:
        """How a condition compares the answers."""
        return self.comparison

    @abstractmethod
    def accept(self, value: Any) -> Answer:
        """The answer in its one canonical form.

        Guarantee: for every JSON value, either an :class:`AnswerError` that names the question and never
        repeats the value, or an answer within this question's domain.
        """

    @property
    @abstractmethod
    def longest_answer(self) -> int:
        """Bytes of the longest canonical answer in compact UTF-8 JSON; exact."""

    @property
    @abstractmethod
    def domain_size(self) -> int | None:
        """Number of different answers; None if only those that occur are counted."""

    @abstractmethod
    def rank(self, answer: Any) -> Any:
        """Place of an answer in its domain, from 0; with no ``domain_size``, something that can be sorted."""

    @abstractmethod
    def literal(self, text: str) -> Value | None:
        """The value that a text in a condition means; None if no answer can be compared with it."""

    @abstractmethod
    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        """Columns of the release that hold the answers."""

    @abstractmethod
    def values(self, answer: Answer) -> tuple[str, ...]:
        """Fields of :meth:`columns` for one answer."""

    @property
    @abstractmethod
    def words(self) -> dict[str | bool, Localized]:
        """How answers are called, by their value; those that are missing or empty speak for themselves."""

    def is_visible(self, answers: Answers) -> bool:
        """Whether it is shown to who gave these answers to earlier questions."""
        return self.visible_if is None or self.visible_if.holds(answers)

    def is_required(self, answers: Answers) -> bool:
        """Whether who gave these answers must answer it, if it is shown."""
        return self.required or (self.required_if is not None and self.required_if.holds(answers))

    def column_title(self, language: str) -> str:
        """What the release calls it."""
        return self.title[language] or self.name

    def _refuse(self, expected: str) -> AnswerError:
        return AnswerError("the answer is outside the question's domain", where=self.name, expected=expected)


def json_bytes(value: Any) -> int:
    """Bytes of a value in compact UTF-8 JSON."""
    return len(strict_json.dumps(value))


def member_bytes(questions: Iterable[Question]) -> int:
    """Bytes of the longest answers to questions as members of an object, without its braces."""
    lengths = [json_bytes(question.name) + 1 + question.longest_answer for question in questions]
    return sum(lengths) + len(lengths) - 1
