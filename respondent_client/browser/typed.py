"""What she typed into the page's fields, as answers: numbers in the signs of her language, or asked back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from respondent_client.typed_numbers import Signs, resolve, unmistakable
from shared.attributes import Attribute
from shared.errors import AnswerError
from shared.questionnaire import Questionnaire
from shared.questions import Question
from shared.specification import Specification

AMBIGUOUS: Final = "ambiguous"
"""In the place of an error's code: the page asks which of two numbers is meant."""


def read_quasi_identifiers(
    specification: Specification, typed: Mapping[str, str | None], signs: Signs
) -> tuple[dict[str, str | None], dict[str, dict[str, Any]]]:
    """Quasi-identifiers with plain decimals for numbers, and of those that can be two numbers both."""
    values, doubts = dict(typed), {}
    for attribute in specification.attributes:
        text = typed.get(attribute.name)
        if text is None or attribute.form_field()["form"] != "number":
            continue
        found = resolve(text, signs, partial(_takes, attribute))
        if isinstance(found, str):
            values[attribute.name] = found
        else:
            doubts[attribute.name] = {"code": AMBIGUOUS, "readings": [unmistakable(text) for text in found]}
    return values, doubts


def check_answers(
    questionnaire: Questionnaire,
    number: int,
    typed: Mapping[str, Any],
    settled: Mapping[str, Any],
    signs: Signs,
) -> dict[str, Any]:
    """What is to be said of one page.

    Parameters
    ----------
    questionnaire : Questionnaire
    number : int
        Of the page, from 0.
    typed : mapping
        What stands in its fields, by question.
    settled : mapping
        What passed on any page, in the form in which it is sent.
    signs : Signs
        Of the survey's language.

    Returns
    -------
    dict
        ``errors`` by question, ``readings`` of ambiguous numbers, and what is ``accepted`` of this page; of
        the whole questionnaire ``hidden`` elements and questions, ``empty`` pages, on which nothing is shown,
        and ``required`` questions.
    """
    errors: dict[str, str] = {}
    readings: dict[str, list[str]] = {}
    known: dict[str, Any] = {}
    own = {question.name for question in questionnaire.pages[number].questions}
    hidden: list[str] = []
    required: list[str] = []
    for question, visible in questionnaire.asked(known):
        name = question.name
        if not visible:
            hidden.append(name)
            continue
        if question.is_required(known):
            required.append(name)
        value = typed.get(name) if name in own else settled.get(name)
        if value is None or value == []:
            if name in own and name in required:
                errors[name] = "missing"
            continue
        if name in own and question.kind == "number" and isinstance(value, str):
            found = resolve(value, signs, partial(_answers, question))
            if not isinstance(found, str):
                errors[name] = AMBIGUOUS
                readings[name] = [unmistakable(text) for text in found]
                continue
            value = found
        try:
            known[name] = question.accept(value)
        except AnswerError:
            errors[name] = "wrong"
    elements, empty = _unseen(questionnaire, known)
    return {
        "errors": {name: code for name, code in errors.items() if name in own},
        "readings": readings,
        "accepted": {name: value for name, value in known.items() if name in own},
        "hidden": [*hidden, *elements],
        "empty": empty,
        "required": required,
    }


def _unseen(questionnaire: Questionnaire, known: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """Elements of which nothing is shown, and pages."""
    elements: list[str] = []
    empty: list[int] = []
    for number, page in enumerate(questionnaire.pages):
        shown = page.visible_if is None or page.visible_if.holds(known)
        seen = [
            shown and (element.visible_if is None or element.visible_if.holds(known))
            for element in page.elements
        ]
        elements += [e.name for e, is_seen in zip(page.elements, seen, strict=True) if not is_seen]
        if not any(seen):
            empty.append(number)
    return elements, empty


def _takes(attribute: Attribute, value: str) -> bool:
    try:
        attribute.canonical(value)
    except AnswerError:
        return False
    return True


def _answers(question: Question, value: str) -> bool:
    try:
        question.accept(value)
    except AnswerError:
        return False
    return True
