"""Stored answers as the gate and the tables need them: cell by cell, in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from server.release.diversity import ConfidentialAttribute, Measure
from shared.errors import AnswerError, ReleaseError
from shared.questionnaire import Questionnaire
from shared.questions import Answer, Question

Response = Mapping[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CollectedAnswers:
    """Everything that was submitted. Its ``repr`` shows nothing.

    Attributes
    ----------
    questions : tuple of Question
        The questions, in order.
    cells : tuple of tuple of Mapping
        Per cell the responses of its people: question name to canonical answer, absent if not answered.
    """

    questions: tuple[Question, ...]
    cells: tuple[tuple[Response, ...], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """K_c of every cell."""
        return tuple(len(responses) for responses in self.cells)


def collect(
    rows: Iterable[tuple[int, Mapping[str, Any]]], questionnaire: Questionnaire, n_cells: int
) -> CollectedAnswers:
    """Sort stored answers by cell, checking each against the questionnaire once more.

    Raises
    ------
    ReleaseError
        If a stored row does not belong to the survey; it is not quoted.
    """
    cells: list[list[Response]] = [[] for _ in range(n_cells)]
    for cell, answers in rows:
        if not 0 <= cell < n_cells:
            raise ReleaseError(
                "a stored answer names a cell that the specification does not have",
                expected=f"0 to {n_cells - 1}",
                remedy="The database was changed from outside; restore it from a copy.",
            )
        try:
            cells[cell].append(questionnaire.accept(answers))
        except AnswerError as error:
            raise ReleaseError(
                "a stored answer does not fit its question",
                where=error.where,
                expected=error.expected,
                remedy="The database was changed from outside; restore it from a copy.",
            ) from None
    return CollectedAnswers(
        questions=questionnaire.questions, cells=tuple(tuple(responses) for responses in cells)
    )


def confidential_attributes(
    collected: CollectedAnswers, sealed: Mapping[int, int] | None = None
) -> tuple[ConfidentialAttribute, ...]:
    """The answers as values in domains, for diversity.

    Parameters
    ----------
    collected : CollectedAnswers
    sealed : mapping of int to int, optional
        Cells whose answers nobody opened, and how many they are: as if nobody had answered any question.

    Each question has its measure. One with several choices gives a mark per choice besides, for unanimity.
    Free text is left out, because nearly all texts differ, which says nothing about what they disclose; so
    is what everybody must answer alike.
    """
    unknown = {cell: (None,) * count for cell, count in (sealed or {}).items()}
    attributes = _attributes(collected)
    return (
        tuple(
            replace(
                attribute,
                values=tuple(unknown.get(cell, values) for cell, values in enumerate(attribute.values)),
            )
            for attribute in attributes
        )
        if unknown
        else tuple(attributes)
    )


def _attributes(collected: CollectedAnswers) -> list[ConfidentialAttribute]:
    result: list[ConfidentialAttribute] = []
    for question in collected.questions:
        if question.measure is None:
            continue
        size = question.domain_size
        rank: Callable[[Any], int] = question.rank
        if size is None:
            given = sorted(_given(collected, question), key=question.rank)
            places = {answer: place for place, answer in enumerate(given)}
            rank = places.__getitem__
        result.append(_attribute(collected, question, question.measure, size, rank))
        if question.mark:
            for place, column in enumerate(question.columns(next(iter(question.title)))):
                marked = _marked(question, place)
                result.append(_attribute(collected, question, "mark", 2, marked, column.name))
    return result


def _attribute(
    collected: CollectedAnswers,
    question: Question,
    measure: Measure,
    domain_size: int | None,
    value_of: Callable[[Any], int],
    name: str = "",
) -> ConfidentialAttribute:
    def value(response: Response) -> int | None:
        return value_of(response[question.name]) if question.name in response else None

    return ConfidentialAttribute(
        name=name or question.name,
        measure=measure,
        domain_size=domain_size,
        values=tuple(tuple(map(value, responses)) for responses in collected.cells),
    )


def _given(collected: CollectedAnswers, question: Question) -> set[Any]:
    return {
        response[question.name]
        for responses in collected.cells
        for response in responses
        if question.name in response
    }


def _marked(question: Question, place: int) -> Callable[[Any], int]:
    return lambda answer: int(question.values(answer)[place] == question.mark)
