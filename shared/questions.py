"""Question kinds: what an answer to each may be.

A question is the confidential attribute of the release. Its wire value is a text, an integer, true/false, or
a list of texts; decimals travel as texts, so that no binary float ever enters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from shared import strict_json
from shared.characters import normalized, writable
from shared.decimals import format_decimal, parse_decimal
from shared.errors import AnswerError, QuestionnaireError
from shared.limits import MAX_COMMENT_CHARACTERS

Localized = dict[str, str]
Answer = str | int | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(ABC):
    """One question of a questionnaire.

    Attributes
    ----------
    name : str
        Key of the answer and column of the release.
    title, description : dict
        Text per language; the description may be empty.
    required : bool
        Whether it must be answered.
    """

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    """Whether the answers have an order, for ordered distances between distributions."""

    name: str
    title: Localized
    description: Localized
    required: bool

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

    @abstractmethod
    def to_object(self) -> dict[str, Any]:
        """The SurveyJS element, with a text per language."""

    def _common_object(self, element_type: str) -> dict[str, Any]:
        return {
            "type": element_type,
            "name": self.name,
            "title": dict(self.title),
            "description": dict(self.description),
            "isRequired": self.required,
        }

    def _refuse(self, expected: str) -> AnswerError:
        return AnswerError("the answer is outside the question's domain", where=self.name, expected=expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One possible answer."""

    value: str
    text: Localized


def _json_bytes(value: Answer) -> int:
    return len(strict_json.dumps(value))


def _choices_object(choices: tuple[Choice, ...]) -> list[dict[str, Any]]:
    return [{"value": c.value, "text": dict(c.text)} for c in choices]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleChoice(Question):
    """One of several choices, as ``radiogroup`` or ``dropdown``."""

    kind: ClassVar[str] = "single"

    choices: tuple[Choice, ...]
    dropdown: bool = False

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
        if not isinstance(value, str) or all(value != c.value for c in self.choices):
            raise self._refuse("one of its choices")
        return value

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`."""
        return max(_json_bytes(choice.value) for choice in self.choices)

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        element = self._common_object("dropdown" if self.dropdown else "radiogroup")
        return element | {"choices": _choices_object(self.choices)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleChoice(Question):
    """Any number of choices; the canonical answer lists them in the order of the questionnaire."""

    kind: ClassVar[str] = "multiple"

    choices: tuple[Choice, ...]

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
        known = {c.value: None for c in self.choices}
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v in known for v in value):
            raise self._refuse("a list of its choices")
        ticked = set(value)
        if len(ticked) != len(value) or (self.required and not value):
            raise self._refuse("a list of distinct choices")
        return tuple(v for v in known if v in ticked)

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`: everything ticked."""
        return _json_bytes(tuple(choice.value for choice in self.choices))

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        return self._common_object("checkbox") | {"choices": _choices_object(self.choices)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating(Question):
    """A whole number on a short scale."""

    kind: ClassVar[str] = "rating"
    ordered: ClassVar[bool] = True

    minimum: int
    maximum: int
    minimum_label: Localized
    maximum_label: Localized

    def __post_init__(self) -> None:
        if not -100 <= self.minimum < self.maximum <= 100:
            raise QuestionnaireError(
                "the scale is impossible", where=self.name, expected="rateMin < rateMax, from -100 to 100"
            )

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
        if type(value) is not int or not self.minimum <= value <= self.maximum:
            raise self._refuse(f"a whole number from {self.minimum} to {self.maximum}")
        return value

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`: on either side of 0 the end has the most digits."""
        return max(_json_bytes(self.minimum), _json_bytes(self.maximum))

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        return self._common_object("rating") | {
            "rateMin": self.minimum,
            "rateMax": self.maximum,
            "minRateDescription": dict(self.minimum_label),
            "maxRateDescription": dict(self.maximum_label),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(Question):
    """Yes or no."""

    kind: ClassVar[str] = "boolean"

    yes_label: Localized
    no_label: Localized

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
        if not isinstance(value, bool):
            raise self._refuse("true or false")
        return value

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`."""
        return _json_bytes(False)

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        return self._common_object("boolean") | {
            "labelTrue": dict(self.yes_label),
            "labelFalse": dict(self.no_label),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Question):
    """A decimal number on a grid, as a text."""

    kind: ClassVar[str] = "number"
    ordered: ClassVar[bool] = True

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

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
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
        return max(_json_bytes(format_decimal(value)) for value in (low, low + step, high - step, high))

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        element = self._common_object("text")
        return element | {"inputType": "number", "min": self.minimum, "max": self.maximum, "step": self.step}


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText(Question):
    """Free text, which can identify its writer; only where the organizer allows it."""

    kind: ClassVar[str] = "text"

    max_characters: int

    def __post_init__(self) -> None:
        if not 1 <= self.max_characters <= MAX_COMMENT_CHARACTERS:
            raise QuestionnaireError(
                "maxLength is impossible", where=self.name, expected=f"1 to {MAX_COMMENT_CHARACTERS}"
            )

    def accept(self, value: Any) -> Answer:
        """See :meth:`Question.accept`."""
        text = normalized(value) if isinstance(value, str) else ""
        if not 0 < len(text) <= self.max_characters or not writable(text):
            raise self._refuse(f"a text of at most {self.max_characters} characters")
        return text

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`.

        Notes
        -----
        A character beyond the first plane takes four bytes in UTF-8; a quotation mark, a backslash or a line
        break takes two as an escape; no other character that :func:`shared.characters.writable` allows is
        escaped.
        """
        return 4 * self.max_characters + 2

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Question.to_object`."""
        return self._common_object("comment") | {"maxLength": self.max_characters}
