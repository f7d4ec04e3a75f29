"""Answers that are made up plausibly."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Final

from shared.decimals import format_decimal
from shared.questions import Answer, FreeText, MultipleChoice, Number, Question, Rating, SingleChoice, YesNo

SKIPPED: Final = 0.03
_REMARKS: Final = (
    "Nothing to add.",
    "It is fine as it is.",
    "I would like to hear the results.",
    "No remarks.",
)


def generated(question: Question, chance: random.Random) -> Answer | None:
    """A plausible answer: early choices are more popular, numbers and ratings bunch in the middle.

    Returns
    -------
    Answer or None
        None if she skips the question, which three in a hundred do where it is not required.
    """
    if not question.required and chance.random() < SKIPPED:
        return None
    if isinstance(question, SingleChoice):
        weights = [1 / (place + 2) for place in range(len(question.choices))]
        return chance.choices(question.choices, weights)[0].value
    if isinstance(question, MultipleChoice):
        ticked = [choice.value for choice in question.choices if chance.random() < 1 / 3]
        return question.accept(ticked or [chance.choice(question.choices).value])
    if isinstance(question, Rating):
        span = question.maximum - question.minimum + 1
        return question.minimum + int(span * (chance.random() + chance.random()) / 2)
    if isinstance(question, YesNo):
        return chance.random() < 0.45
    if isinstance(question, Number):
        low, high, step = (Fraction(text) for text in (question.minimum, question.maximum, question.step))
        steps = int((high - low) / step)
        taken = int((steps + 1) * chance.random() * (chance.random() + chance.random()) / 2)
        return question.accept(format_decimal(low + taken * step))
    if isinstance(question, FreeText):
        return question.accept(chance.choice(_REMARKS)[: question.max_characters])
    raise TypeError(f"no answers for a question of kind {question.kind!r}")
