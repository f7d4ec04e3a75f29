"""The questionnaire: a whitelisted subset of SurveyJS JSON.

No HTML, no scripts, no pictures from elsewhere, and of expressions only conditions over earlier answers:
only the elements of :mod:`shared.questions`, each of which the server and the respondent's device check by
the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.conditions import Condition
from shared.errors import AnswerError, QuestionnaireError
from shared.fields import Fields
from shared.limits import MAX_PICTURES_BYTES, MAX_QUESTIONS
from shared.questions import (
    ELEMENT_TYPES,
    Answer,
    Element,
    Localized,
    Picture,
    Question,
    in_language,
    localized,
    member_bytes,
    parse_element,
    parse_if,
)

__all__ = ["ELEMENT_TYPES", "Page", "Questionnaire"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Elements that are shown together.

    Attributes
    ----------
    name : str
    title : dict
    elements : tuple of Element
    description : dict or None
        Words above the questions, if there are any.
    visible_if : Condition or None
        When it is shown; its elements only where it is.
    """

    name: str
    title: Localized
    elements: tuple[Element, ...]
    description: Localized | None = None
    visible_if: Condition | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked on it, in order."""
        return tuple(question for element in self.elements for question in element.questions)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        result: dict[str, Any] = {"name": self.name, "title": dict(self.title)}
        if self.description is not None:
            result["description"] = dict(self.description)
        if self.visible_if is not None:
            result["visibleIf"] = self.visible_if.to_text()
        return result | {"elements": [element.to_object() for element in self.elements]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """Pages of questions with distinct names.

    Attributes
    ----------
    pages : tuple of Page
    questions : tuple of Question
        All of them in order.
    """

    pages: tuple[Page, ...]
    questions: tuple[Question, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", tuple(q for page in self.pages for q in page.questions))

    @property
    def has_free_text(self) -> bool:
        """Whether some question asks for free text."""
        return any(question.free_text for question in self.questions)

    @property
    def has_conditions(self) -> bool:
        """Whether some question is not asked of everybody, or some element not shown to everybody."""
        elements = [element for page in self.pages for element in page.elements]
        return (
            any(page.visible_if is not None for page in self.pages)
            or any(element.visible_if is not None for element in (*elements, *self.questions))
            or any(question.required_if is not None for question in self.questions)
        )

    @property
    def longest_answers(self) -> int:
        """Bytes of the longest answers to all questions in compact UTF-8 JSON, without the outer braces."""
        return member_bytes(self.questions)

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
            For an element type, property, condition or text outside the whitelist, with its path.
        """
        fields = Fields(value, where, ("pages",), error=QuestionnaireError)
        pages: list[Page] = []
        earlier: dict[str, Question] = {}
        for i, item in enumerate(fields.items("pages", MAX_QUESTIONS, minimum=1)):
            pages.append(parse_page(item, f"{where}.pages[{i}]".lstrip("."), i, languages, earlier))
        result = cls(pages=tuple(pages))
        if not 1 <= len(result.questions) <= MAX_QUESTIONS:
            raise QuestionnaireError(
                "no question, or too many", where=where, expected=f"1 to {MAX_QUESTIONS} questions"
            )
        pictures = sum(len(e.data) for p in result.pages for e in p.elements if isinstance(e, Picture))
        if pictures * 3 > 4 * MAX_PICTURES_BYTES:
            raise QuestionnaireError(
                "the pictures are too large together",
                where=where,
                expected=f"at most {MAX_PICTURES_BYTES} bytes",
            )
        return result

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification, with a text per language."""
        return {"pages": [page.to_object() for page in self.pages]}

    def to_surveyjs(self, language: str) -> dict[str, Any]:
        """The questionnaire in one language, for the page."""
        return {"pages": in_language(self.to_object()["pages"], language)}

    def accept(self, answers: Mapping[str, Any]) -> dict[str, Answer]:
        """Answers in canonical form, in the order of the questions.

        Raises
        ------
        AnswerError
            For an unknown or hidden question, a missing required answer, or an answer outside its domain.

        Notes
        -----
        Guarantee: a question that the answers before it hide has no answer in the result.
        """
        known = {question.name for question in self.questions}
        if any(name not in known for name in answers):
            raise AnswerError("an answer belongs to no question", where="answers", expected="its questions")
        result: dict[str, Answer] = {}
        for question, visible in self.asked(result):
            name = question.name
            if not visible:
                if name in answers:
                    raise AnswerError(
                        "a question that was not asked has an answer", where=name, expected="no answer"
                    )
                continue
            if name in answers:
                result[name] = question.accept(answers[name])
            if result.get(name, ()) == () and question.is_required(result):
                raise AnswerError("a required question has no answer", where=name, expected="an answer")
        return result

    def without_hidden(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The answers to questions that are shown to who gives them; what is not right is left as it is.

        Run by the device: what somebody answered before she changed her mind, and hid its question, is not
        sent.
        """
        kept = dict(answers)
        accepted: dict[str, Answer] = {}
        for question, visible in self.asked(accepted):
            if not visible:
                kept.pop(question.name, None)
            elif question.name in answers:
                try:
                    accepted[question.name] = question.accept(answers[question.name])
                except AnswerError:
                    continue
        return kept

    def asked(self, answers: Mapping[str, Answer]) -> Iterator[tuple[Question, bool]]:
        """Each question, and whether it is shown by the answers that the caller has entered until then."""
        for page in self.pages:
            shown = page.visible_if is None or page.visible_if.holds(answers)
            for question in page.questions:
                yield question, shown and question.is_visible(answers)


def parse_page(
    value: Any, where: str, index: int, languages: tuple[str, ...], earlier: dict[str, Question]
) -> Page:
    """Read one page; the questions on it are added to the earlier ones."""
    fields = Fields(
        value,
        where,
        ("elements",),
        optional=("name", "title", "description", "visibleIf"),
        error=QuestionnaireError,
    )
    name = fields.name("name") if "name" in fields else f"page{index + 1}"
    visible_if = parse_if(fields, "visibleIf", earlier)
    elements: list[Element] = []
    for i, item in enumerate(fields.items("elements", MAX_QUESTIONS, minimum=1)):
        place = f"{where}.elements[{i}]"
        element = parse_element(item, place, languages, earlier)
        add_questions(element, place, earlier)
        elements.append(element)
    return Page(
        name=name,
        title=localized(fields, "title", languages),
        elements=tuple(elements),
        description=localized(fields, "description", languages) if "description" in fields else None,
        visible_if=visible_if,
    )


def add_questions(element: Element, where: str, earlier: dict[str, Question]) -> None:
    """Add what an element asks to the earlier questions; names are distinct, and so are those of columns."""
    for question in element.questions:
        if question.name in earlier:
            raise QuestionnaireError(
                f"two questions are called {question.name!r}", where=where, expected="distinct names"
            )
        earlier[question.name] = question
