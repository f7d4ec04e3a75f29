"""The contests of an election: questions of its questionnaire, each with a choice for every vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shared.conditions import Answer
from shared.errors import SpecificationError
from shared.limits import MAX_CONTEST_CHOICES, MIN_CONTEST_CHOICES
from shared.questionnaire import Questionnaire
from shared.questions import Question, SingleChoice, YesNo

_YES_NO: Final[tuple[Answer, Answer]] = (True, False)


def choices_of(questionnaire: Questionnaire) -> tuple[tuple[Answer, ...], ...]:
    """For each contest the answers that its choices stand for, in their order; of yes and no, yes first.

    Raises
    ------
    SpecificationError
        With the code ``specification.election`` for a question that is no contest, or not asked of everybody.
    """
    if questionnaire.has_conditions:
        raise SpecificationError(
            "some contests are not asked of everybody",
            where="questionnaire",
            expected="no conditions: all ballots of an election have one length",
            code="specification.election",
        )
    return tuple(map(_choices, questionnaire.questions))


def sizes_of(questionnaire: Questionnaire) -> tuple[int, ...]:
    """How many choices each contest has; errors as :func:`choices_of`."""
    return tuple(map(len, choices_of(questionnaire)))


def chosen(questionnaire: Questionnaire, answers: Mapping[str, Answer]) -> tuple[int, ...]:
    """For each contest the index of the choice.

    Parameters
    ----------
    answers : mapping
        As :meth:`Questionnaire.accept` gives them.
    """
    questions = zip(questionnaire.questions, choices_of(questionnaire), strict=True)
    return tuple(choices.index(answers[question.name]) for question, choices in questions)


def answers_of(questionnaire: Questionnaire, indices: Sequence[int]) -> dict[str, Answer]:
    """The answers behind choices that exist: what :func:`chosen` was made of."""
    contests = zip(questionnaire.questions, choices_of(questionnaire), indices, strict=True)
    return {question.name: choices[index] for question, choices, index in contests}


def _choices(question: Question) -> tuple[Answer, ...]:
    found: tuple[Answer, ...] = ()
    if isinstance(question, SingleChoice):
        found = tuple(choice.value for choice in question.options)
    elif isinstance(question, YesNo):
        found = _YES_NO
    if not question.required or not MIN_CONTEST_CHOICES <= len(found) <= MAX_CONTEST_CHOICES:
        raise SpecificationError(
            f"the question {question.name!r} is no contest",
            where="questionnaire",
            expected="of an election only required questions with one choice of "
            f"{MIN_CONTEST_CHOICES} to {MAX_CONTEST_CHOICES}, or yes and no",
            remedy="A blank vote is a choice of its own: add it, and require the answer.",
            code="specification.election",
        )
    return found
