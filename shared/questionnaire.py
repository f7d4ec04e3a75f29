"""The questionnaire: a whitelisted subset of SurveyJS JSON.

No expressions, no HTML, no scripts, no pictures from elsewhere: only the elements listed here, each of which
the server and the respondent's device check by the same code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.errors import AnswerError, QuestionnaireError
from shared.fields import Fields
from shared.limits import (
    MAX_CHOICES,
    MAX_COMMENT_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_QUESTIONS,
    MAX_TEXT_CHARACTERS,
)
from shared.questions import (
    Answer,
    Choice,
    FreeText,
    Localized,
    MultipleChoice,
    Number,
    Question,
    Rating,
    SingleChoice,
    YesNo,
)

ELEMENT_TYPES: Final = ("radiogroup", "dropdown", "checkbox", "rating", "boolean", "text", "comment")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_OWN_REQUIRED: Final = {"radiogroup": ("choices",), "dropdown": ("choices",), "checkbox": ("choices",)}
_OWN_OPTIONAL: Final = {
    "rating": ("rateMin", "rateMax", "minRateDescription", "maxRateDescription"),
    "boolean": ("labelTrue", "labelFalse"),
    "text": ("inputType", "min", "max", "step"),
    "comment": ("maxLength",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Questions that are shown together."""

    name: str
    title: Localized
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """Pages of questions with distinct names."""

    pages: tuple[Page, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions in order."""
        return tuple(question for page in self.pages for question in page.questions)

    @property
    def has_free_text(self) -> bool:
        """Whether some question asks for free text."""
        return any(question.kind == "text" for question in self.questions)

    @property
    def longest_answers(self) -> int:
        """Bytes of the longest answers to all questions in compact UTF-8 JSON, without the outer braces."""
        questions = self.questions
        return sum(len(f'"{q.name}":') + q.longest_answer for q in questions) + len(questions) - 1

    @classmethod
    def parse(cls, value: Any, languages: tuple[str, ...], where: str = "questionnaire") -> Questionnaire:
        """Read SurveyJS JSON.

        Parameters
        ----------
        value : object
            Parsed JSON: ``{"pages": [{"name", "title", "elements": [...]}]}``.
        languages : tuple of str
            Languages of the survey. A plain text stands for every language; an object gives one a language.

        Raises
        ------
        QuestionnaireError
            For an element type, property or text outside the whitelist, with its path.
        """
        fields = Fields(value, where, ("pages",), error=QuestionnaireError)
        pages = tuple(
            _parse_page(item, f"{where}.pages[{i}]", i, languages)
            for i, item in enumerate(fields.items("pages", MAX_QUESTIONS, minimum=1))
        )
        result = cls(pages=pages)
        names = [question.name for question in result.questions]
        if not 1 <= len(names) <= MAX_QUESTIONS or len(set(names)) != len(names):
            raise QuestionnaireError(
                "no question, too many, or two of the same name",
                where=where,
                expected=f"1 to {MAX_QUESTIONS} questions with distinct names",
            )
        return result

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification, with a text per language."""
        return {
            "pages": [
                {"name": p.name, "title": dict(p.title), "elements": [q.to_object() for q in p.questions]}
                for p in self.pages
            ]
        }

    def to_surveyjs(self, language: str) -> dict[str, Any]:
        """The questionnaire in one language, for the SurveyJS library."""
        return {"pages": _in_language(self.to_object()["pages"], language)}

    def accept(self, answers: Mapping[str, Any]) -> dict[str, Answer]:
        """Answers in canonical form, in the order of the questions.

        Raises
        ------
        AnswerError
            For an unknown question, a missing required answer, or an answer outside its domain.
        """
        known = {question.name: question for question in self.questions}
        for name in answers:
            if name not in known:
                raise AnswerError(
                    "an answer belongs to no question", where="answers", expected="its questions"
                )
        result: dict[str, Answer] = {}
        for name, question in known.items():
            if name in answers:
                result[name] = question.accept(answers[name])
            elif question.required:
                raise AnswerError("a required question has no answer", where=name, expected="an answer")
        return result


def _in_language(value: Any, language: str) -> Any:
    """Replace every text per language by the text in one, dropping empty ones."""
    if isinstance(value, list):
        return [_in_language(item, language) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if isinstance(item, dict) and language in item:
            if item[language]:
                result[key] = item[language]
        else:
            result[key] = _in_language(item, language)
    return result


def _parse_page(value: Any, where: str, index: int, languages: tuple[str, ...]) -> Page:
    fields = Fields(value, where, ("elements",), optional=("name", "title"), error=QuestionnaireError)
    name = fields.name("name") if "name" in fields else f"page{index + 1}"
    return Page(
        name=name,
        title=_localized(fields, "title", languages),
        questions=tuple(
            _parse_question(item, f"{where}.elements[{i}]", languages)
            for i, item in enumerate(fields.items("elements", MAX_QUESTIONS, minimum=1))
        ),
    )


def _localized(fields: Fields, name: str, languages: tuple[str, ...], default: str = "") -> Localized:
    """A text, or one per language; absent means the default."""
    if name not in fields:
        return _shown(fields, name, dict.fromkeys(languages, default))
    if isinstance(fields.raw(name), str):
        return _shown(fields, name, dict.fromkeys(languages, fields.text(name, empty=True)))
    return _shown(fields, name, fields.localized(name, languages, empty=True))


def _shown(fields: Fields, name: str, text: Localized) -> Localized:
    """Refuse what the page's library would fill in: ``{wage}`` in a title becomes the answer to ``wage``.

    What a respondent reads must be what was signed, whatever she has answered.
    """
    if any("{" in words for words in text.values()):
        raise fields.fail(name, "the text has a brace, for which the page puts in an answer", "no {")
    return text


def _parse_question(value: Any, where: str, languages: tuple[str, ...]) -> Question:
    kind = value.get("type") if isinstance(value, dict) else None
    kind = kind if isinstance(kind, str) else ""
    if isinstance(value, dict) and kind not in ELEMENT_TYPES:
        raise QuestionnaireError(
            f"the element type {kind[:40]!r} is not permitted", where=where, expected=", ".join(ELEMENT_TYPES)
        )
    fields = Fields(
        value,
        where,
        ("type", "name", *_OWN_REQUIRED.get(kind, ())),
        optional=("title", "description", "isRequired", *_OWN_OPTIONAL.get(kind, ())),
        error=QuestionnaireError,
    )
    name = fields.name("name")
    if _NAME.fullmatch(name) is None:
        raise fields.fail("name", f"{name!r} is no question name", "a letter, then letters, digits, - and _")
    common: dict[str, Any] = {
        "name": name,
        "title": _localized(fields, "title", languages, default=name),
        "description": _localized(fields, "description", languages),
        "required": fields.boolean("isRequired") if "isRequired" in fields else False,
    }
    if kind in ("radiogroup", "dropdown"):
        choices = _parse_choices(fields, languages)
        return SingleChoice(**common, choices=choices, dropdown=kind == "dropdown")
    if kind == "checkbox":
        return MultipleChoice(**common, choices=_parse_choices(fields, languages))
    if kind == "rating":
        return Rating(
            **common,
            minimum=fields.integer("rateMin", -100, 100) if "rateMin" in fields else 1,
            maximum=fields.integer("rateMax", -100, 100) if "rateMax" in fields else 5,
            minimum_label=_localized(fields, "minRateDescription", languages),
            maximum_label=_localized(fields, "maxRateDescription", languages),
        )
    if kind == "boolean":
        return YesNo(
            **common,
            yes_label=_localized(fields, "labelTrue", languages),
            no_label=_localized(fields, "labelFalse", languages),
        )
    if kind == "comment":
        longest = fields.integer("maxLength", 1, MAX_COMMENT_CHARACTERS) if "maxLength" in fields else None
        return FreeText(**common, max_characters=longest or MAX_COMMENT_CHARACTERS)
    if "inputType" not in fields or fields.raw("inputType") != "number":
        raise QuestionnaireError(
            "a text element may only ask for a number",
            where=fields.where("inputType"),
            expected='"inputType": "number"',
            remedy="Use a comment element for free text.",
        )
    return Number(
        **common,
        minimum=_decimal(fields, "min", "0"),
        maximum=_decimal(fields, "max", "1000000"),
        step=_decimal(fields, "step", "1"),
    )


def _decimal(fields: Fields, name: str, default: str) -> str:
    if name not in fields:
        return default
    value = fields.raw(name)
    return str(value) if type(value) is int else fields.text(name, maximum=64)


def _parse_choices(fields: Fields, languages: tuple[str, ...]) -> tuple[Choice, ...]:
    choices = []
    for i, item in enumerate(fields.items("choices", MAX_CHOICES, minimum=2)):
        place = f"choices[{i}]"
        if isinstance(item, str):
            value = fields.value_in(place, item, maximum=MAX_TEXT_CHARACTERS)
            choices.append(Choice(value=value, text=_shown(fields, place, dict.fromkeys(languages, value))))
        else:
            inner = Fields(
                item, fields.where(place), ("value",), optional=("text",), error=QuestionnaireError
            )
            value = inner.value("value")
            text = _localized(inner, "text", languages, default=value)
            longest = max(MAX_NAME_CHARACTERS, *map(len, text.values()))
            if len(value) > longest:
                raise inner.fail(
                    "value",
                    f"the value has {len(value)} characters, many more than its text",
                    f"at most {MAX_NAME_CHARACTERS}, or as many as the longest text",
                )
            choices.append(Choice(value=value, text=text))
    if len({choice.value for choice in choices}) != len(choices):
        raise fields.fail("choices", "a choice stands twice", "distinct choices")
    return tuple(choices)
