"""How the answers to each question appear in the released tables."""

from __future__ import annotations

from dataclasses import asdict

from server.release.columns import TableColumn
from shared.questions import Answer, Question


def answer_columns(
    question: Question, language: str, *, can_be_hidden: bool = False
) -> tuple[TableColumn, ...]:
    """Columns that hold the answers to one question: one, or one per choice.

    Parameters
    ----------
    question : Question
    language : str
    can_be_hidden : bool
        Whether its page is not shown to everybody.
    """
    can_be_missing = can_be_hidden or question.visible_if is not None or not question.required
    result = []
    for column in question.columns(language):
        members = asdict(column)
        del members["choice"]
        result.append(TableColumn(**members, question=question.name, can_be_missing=can_be_missing))
    return tuple(result)


def answer_values(question: Question, answer: Answer | None) -> tuple[str, ...]:
    """Values of :func:`answer_columns` for one person; empty texts if she did not answer."""
    if answer is None:
        return ("",) * len(question.columns(next(iter(question.title))))
    return question.values(answer)
