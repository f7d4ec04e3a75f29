"""What she typed into the page's fields, as answers: numbers in the signs of her language, or asked back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from respondent_client.typed_numbers import Signs, resolve, unmistakable
from shared.attributes import Attribute
from shared.errors import AnswerError
from shared.questions import Number, Question
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


def check_answers(questions: Sequence[Question], typed: Mapping[str, Any], signs: Signs) -> dict[str, Any]:
    """The errors of one page by question, the readings of ambiguous numbers, and what is accepted."""
    errors: dict[str, str] = {}
    readings: dict[str, list[str]] = {}
    accepted: dict[str, Any] = {}
    for question in questions:
        if question.name not in typed:
            if question.required:
                errors[question.name] = "missing"
            continue
        value = typed[question.name]
        if isinstance(question, Number) and isinstance(value, str):
            found = resolve(value, signs, partial(_answers, question))
            if not isinstance(found, str):
                errors[question.name] = AMBIGUOUS
                readings[question.name] = [unmistakable(text) for text in found]
                continue
            value = found
        try:
            accepted[question.name] = question.accept(value)
        except AnswerError:
            errors[question.name] = "wrong"
    return {"errors": errors, "readings": readings, "accepted": accepted}


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
