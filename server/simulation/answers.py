"""Answers of simulated people: taken from columns of their file, or made up plausibly."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from server.simulation.generating import generated
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.errors import AnswerError, InputError
from shared.questionnaire import Questionnaire
from shared.questions import Answer, Question
from shared.specification import Specification

SEPARATOR: Final = "|"
_YES: Final = ("yes", "true", "1")
_NO: Final = ("no", "false", "0")

Wanted = Mapping[str, str]
AnswerSource = Callable[[int, random.Random], dict[str, Answer]]


def parse_wanted(text: str, questionnaire: Questionnaire) -> Wanted:
    """Understand ``--answers``: which questions are answered from which column.

    Parameters
    ----------
    text : str
        ``generated``; or ``columns``, which takes every question from the column of its name; or pairs such
        as ``job=occupation,income=income``, the other questions being generated.
    questionnaire : Questionnaire
        The survey's questions.

    Returns
    -------
    mapping of str to str
        Question to column.

    Raises
    ------
    InputError
        If it is none of these, or names a question that is not asked.
    """
    names = [question.name for question in questionnaire.questions]
    body = text.strip().removeprefix("columns").strip()
    if text.strip() == "generated":
        return {}
    if not body:
        return {name: name for name in names}
    result: dict[str, str] = {}
    for pair in body.split(","):
        question, equals, column = (part.strip() for part in pair.partition("="))
        if not equals or not question or not column or question in result:
            raise InputError(
                f"{quoted(pair)} does not say which column answers which question",
                where="--answers",
                expected="generated, columns, or pairs such as job=occupation,income=income",
            )
        if question not in names:
            raise InputError(
                f"the survey does not ask {quoted(question)}", where="--answers", expected=", ".join(names)
            )
        result[question] = column
    return result


def answer_source(specification: Specification, table: DataFile, wanted: Wanted) -> AnswerSource:
    """A function from a row of the file to the answers of the person who stands there.

    Parameters
    ----------
    specification : Specification
        The survey.
    table : DataFile
        The file.
    wanted : mapping of str to str
        Question to column; questions that are not in it are generated.

    Raises
    ------
    AnswerError
        Now or when a row is asked for: if a field of the file is no answer to its question, with its place.
    """
    markers = specification.model.reading.missing_markers
    columns = {name: table.exact(column) for name, column in wanted.items()}
    # Files repeat few texts, so each is understood once.
    known: dict[tuple[str, str], Answer] = {}

    def from_column(question: Question, row: int) -> Answer | None:
        text = columns[question.name][row]
        if text is None or not text.strip() or text.strip() in markers:
            if question.required and question.kind != "multiple":
                raise AnswerError(
                    "the file has no answer to a required question",
                    where=table.where(row, columns[question.name].name),
                    expected="an answer",
                    remedy="Generate this question's answers instead, or do not require it.",
                )
            return None
        key = (question.name, text)
        if key not in known:
            try:
                known[key] = question.accept(_understood(question, table, text.strip()))
            except AnswerError as error:
                raise AnswerError(
                    f"{quoted(text)} is no answer to {quoted(question.name)}",
                    where=table.where(row, columns[question.name].name),
                    expected=error.expected,
                    remedy="Correct the field or the questionnaire.",
                ) from None
        return known[key]

    def answers(row: int, chance: random.Random) -> dict[str, Answer]:
        result: dict[str, Answer] = {}
        for question, visible in specification.questionnaire.asked(result):
            if question.name in columns:
                answer = from_column(question, row) if visible else None
            else:
                answer = generated(question, chance, result) if visible else None
            if answer is not None:
                result[question.name] = answer
        return result

    return answers


def _understood(question: Question, table: DataFile, text: str) -> object:
    """The answer that a field means, before the question accepts it."""
    understand = _UNDERSTOOD.get(question.kind)
    return table.number_text(text) if question.kind == "number" else understand(text) if understand else text


def _list(text: str) -> object:
    return [part.strip() for part in text.split(SEPARATOR) if part.strip()]


def _integer(text: str) -> object:
    return int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdigit() else text


def _yes_no(text: str) -> object:
    return True if text.casefold() in _YES else False if text.casefold() in _NO else text


_UNDERSTOOD: Final[dict[str, Callable[[str], object]]] = {
    "multiple": _list,
    "ranking": _list,
    "rating": _integer,
    "boolean": _yes_no,
    "consent": _yes_no,
}
"""Of kinds whose answers are no texts."""
