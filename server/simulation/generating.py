"""Answers that are made up plausibly."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from shared.decimals import format_decimal
from shared.questionnaire import Questionnaire
from shared.questions import Answer, Question

SKIPPED: Final = 0.03
_REMARKS: Final = (
    "Nothing to add.",
    "It is fine as it is.",
    "I would like to hear the results.",
    "No remarks.",
)


def generated(question: Question, chance: random.Random, answers: Mapping[str, Answer]) -> Answer | None:
    """A plausible answer: early choices are more popular, numbers and ratings bunch in the middle.

    ``answers`` are those to the questions before it.

    Returns
    -------
    Answer or None
        None if she skips the question, which three in a hundred do where it is not required.
    """
    if not question.is_required(answers) and chance.random() < SKIPPED:
        return None
    return GENERATORS[question.kind](question, chance)


def generated_all(questionnaire: Questionnaire, chance: random.Random) -> dict[str, Answer]:
    """Plausible answers to all questions that their predecessors do not hide."""
    answers: dict[str, Answer] = {}
    for question, visible in questionnaire.asked(answers):
        if not visible:
            continue
        answer = generated(question, chance, answers)
        if answer is not None:
            answers[question.name] = answer
    return answers


def _single(question: Any, chance: random.Random) -> Answer:
    weights = [1 / (place + 2) for place in range(len(question.options))]
    return str(chance.choices(question.options, weights)[0].value)


def _multiple(question: Any, chance: random.Random) -> Answer:
    ticked = [choice.value for choice in question.choices if chance.random() < 1 / 3]
    answer: Answer = question.accept(ticked or [chance.choice(question.options).value])
    return answer


def _rating(question: Any, chance: random.Random) -> Answer:
    span = question.maximum - question.minimum + 1
    return int(question.minimum + int(span * (chance.random() + chance.random()) / 2))


def _number(question: Any, chance: random.Random) -> Answer:
    low, high, step = (Fraction(text) for text in (question.minimum, question.maximum, question.step))
    steps = int((high - low) / step)
    taken = int((steps + 1) * chance.random() * (chance.random() + chance.random()) / 2)
    answer: Answer = question.accept(format_decimal(low + taken * step))
    return answer


def _date(question: Any, chance: random.Random) -> Answer:
    low, high = (date.fromisoformat(day).toordinal() for day in (question.minimum, question.maximum))
    return date.fromordinal(chance.randint(low, high)).isoformat()


def _ranking(question: Any, chance: random.Random) -> Answer:
    order = [choice.value for choice in question.choices]
    chance.shuffle(order)
    return tuple(order)


def _text(question: Any, chance: random.Random) -> Answer:
    answer: Answer = question.accept(chance.choice(_REMARKS)[: question.max_characters])
    return answer


GENERATORS: Final[dict[str, Callable[[Any, random.Random], Answer]]] = {
    "single": _single,
    "multiple": _multiple,
    "rating": _rating,
    "boolean": lambda _, chance: chance.random() < 0.45,
    "consent": lambda _, __: True,
    "number": _number,
    "date": _date,
    "ranking": _ranking,
    "text": _text,
}
"""By the kind of question."""
