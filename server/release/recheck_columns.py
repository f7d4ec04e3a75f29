"""What every column of the written tables must hold, by the signed specification: an allow-list.

Part of the last look (:mod:`server.release.recheck`), and like it written a second time, without the code
that makes the tables. It knows columns by their place: an attribute may be called like one of ours, and then
its name has a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from shared.attributes import Attribute
from shared.questions import FreeText, MultipleChoice, Question, Ranking
from shared.specification import Specification

MICRODATA: Final = ("group", "weight", "stratum", "stratum_people")
"""First columns of microdata.csv; then follow the centroid and the answers."""
LAST: Final = "unanimous_questions"
"""Of cells.csv."""

_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

Expected = Fraction | str | None
"""What a field must show: a rounded number, a text, or nothing."""


def expected_centroid(specification: Specification, cells: Sequence[int]) -> list[Expected]:
    """Fields of the centroid of some cells, as both tables show it."""
    return [field for attribute, mean in _means(specification, cells) for field in _centroid(attribute, mean)]


def expected_shares(specification: Specification, cells: Sequence[int]) -> list[Expected]:
    """Fields of the shares of categories, which cells.csv shows besides."""
    return [share for attribute, mean in _means(specification, cells) if attribute.one_hot for share in mean]


def expected_weight(specification: Specification, cells: Sequence[int], answers: int) -> Expected:
    """People per answer; 1 for a register."""
    if specification.model.kind != "public":
        return "1"
    return Fraction(sum(sum(specification.eligible[cell]) for cell in cells), answers)


def expected_mixing(specification: Specification, cells: Sequence[int]) -> Expected:
    """Half the differences between the levels of people and of expected answers; nothing for a register."""
    if specification.model.kind != "public":
        return None
    people = [
        Fraction(sum(column)) for column in zip(*(specification.eligible[c] for c in cells), strict=True)
    ]
    answers = [
        count * (Fraction(level.low) + Fraction(level.high))
        for count, level in zip(people, specification.levels, strict=True)
    ]
    total, whole = sum(people), sum(answers)
    more = (a / whole - p / total for a, p in zip(answers, people, strict=True))
    return sum((max(difference, Fraction(0)) for difference in more), Fraction(0))


COUNTED: Final[dict[str, Callable[[Specification, Sequence[int], int], Expected]]] = {
    "answers": lambda _, __, answers: str(answers),
    "weight": expected_weight,
    "level_mixing": lambda specification, cells, _: expected_mixing(specification, cells),
}
"""Columns of cells.csv that follow from the answers of a group: empty where it is not released."""
CELLS: Final = ("group", "status", "cells", "eligible_people", *COUNTED)
"""First columns of cells.csv; then follow the centroid, the shares, and the last."""


def agrees(text: str, expected: Expected) -> bool:
    """Whether a field shows what it must: a number rounded to the digits that it has, a text, or nothing."""
    if expected is None:
        return text == ""
    if isinstance(expected, str):
        return text.replace("'", "") == expected.replace("'", "")
    if not _DECIMAL.fullmatch(text):
        return False
    off: Fraction = abs(Fraction(text) - expected) * 2 * 10 ** digits(text)
    return off <= 1


def digits(text: str) -> int:
    """How many digits a number has behind its point; in one column all have as many."""
    return len(text.partition(".")[2])


def answer_fields(specification: Specification) -> list[tuple[Question, str]]:
    """The question and the choice (or no text) of each of the last columns of microdata.csv, in order."""
    fields: list[tuple[Question, str]] = []
    for question in specification.questionnaire.questions:
        if isinstance(question, MultipleChoice):
            fields += [(question, choice.value) for choice in question.options]
        elif isinstance(question, Ranking):
            fields += [(question, choice.value) for choice in question.choices]
        elif not isinstance(question, FreeText) or specification.permissions.free_text:
            fields.append((question, ""))
    return fields


def is_an_answer(question: Question, text: str) -> bool:
    """Whether a field holds an answer to the question, or none."""
    return not text or ANSWERS[question.kind](question, text)


def _is_choice(question: Any, text: str) -> bool:
    return text.replace("'", "") in {choice.value.replace("'", "") for choice in question.options}


def _is_whole(low: int, high: int, text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and Fraction(text) in range(low, high + 1)


def _is_number(question: Any, text: str) -> bool:
    if not _DECIMAL.fullmatch(text):
        return False
    number, low = Fraction(text), Fraction(question.minimum)
    return low <= number <= Fraction(question.maximum) and not (number - low) % Fraction(question.step)


def _is_day(question: Any, text: str) -> bool:
    try:
        return (
            date.fromisoformat(question.minimum)
            <= date.fromisoformat(text)
            <= date.fromisoformat(question.maximum)
        )
    except ValueError:
        return False


ANSWERS: Final[dict[str, Callable[[Any, str], bool]]] = {
    "single": _is_choice,
    "multiple": lambda _, text: text in ("true", "false"),
    "rating": lambda question, text: _is_whole(question.minimum, question.maximum, text),
    "boolean": lambda _, text: text in ("true", "false"),
    "consent": lambda _, text: text == "true",
    "number": _is_number,
    "date": _is_day,
    "ranking": lambda question, text: _is_whole(1, len(question.choices), text),
    "text": lambda _, text: bool(text),
}
"""What a field that is not empty may hold, by the kind of question."""

UNANIMOUS: Final = {"multiple": "true", "ranking": "1"}
"""Of kinds with a column per choice: what shows there that the choice was taken."""
NOT_JUDGED: Final = ("text", "consent")
"""Kinds of which diversity is not asked."""


def _means(
    specification: Specification, cells: Sequence[int]
) -> list[tuple[Attribute, tuple[Fraction, ...]]]:
    """Mean coordinates of the eligible people of some cells, attribute by attribute."""
    weights = [sum(specification.eligible[cell]) for cell in cells]
    columns = zip(*(specification.centroids[cell] for cell in cells), strict=True)
    mean = [
        sum((Fraction(text) * n for text, n in zip(column, weights, strict=True)), Fraction(0)) / sum(weights)
        for column in columns
    ]
    parts, start = [], 0
    for attribute in specification.attributes:
        parts.append((attribute, tuple(mean[start : start + attribute.dimension])))
        start += attribute.dimension
    return parts


def _centroid(attribute: Attribute, mean: tuple[Fraction, ...]) -> list[Expected]:
    if attribute.one_hot:
        place = mean.index(max(mean))
        most = attribute.listed[place] if place < len(attribute.listed) else None
        return [most, mean[place]]
    missing: list[Expected] = []
    present: list[Fraction] | None = list(mean)
    if attribute.takes_missing:
        share = mean[-1]
        missing = [share]
        present = None
        if share < 1:
            middle = attribute.vector(None)
            present = [(x - share * m) / (1 - share) for x, m in zip(mean[:-1], middle, strict=False)]
    if present is not None:
        bounds = attribute.coordinate_ranges
        present = [
            min(max(x, Fraction(low)), Fraction(high))
            for x, (low, high) in zip(present, bounds, strict=False)
        ]
    lowest = [Fraction(low) for low, _ in attribute.coordinate_ranges][: len(mean) - len(missing)]
    fields = CENTROIDS[attribute.kind](attribute, lowest if present is None else present)
    return [*(fields if present is not None else [None] * len(fields)), *missing]


def _number(attribute: Attribute, place: list[Fraction]) -> list[Expected]:
    (axis,) = attribute.picture_axes
    return [axis.origin + place[0] * axis.step]


def _rank(attribute: Attribute, place: list[Fraction]) -> list[Expected]:
    nearest = [abs(place[0] - rank) for rank in range(len(attribute.listed))]
    rank = max(r for r, distance in enumerate(nearest) if distance == min(nearest))
    return [attribute.listed[rank], place[0]]


def _place(attribute: Attribute, place: list[Fraction]) -> list[Expected]:
    apart = [
        sum((x - y) ** 2 for x, y in zip(attribute.vector(value), place, strict=False))
        for value in attribute.listed
    ]
    return [attribute.listed[apart.index(min(apart))], *place]


def _turn(attribute: Attribute, place: list[Fraction]) -> list[Expected]:
    radius = attribute.vector(attribute.listed[0])[0]
    return [_place(attribute, place)[0], *(value / radius for value in place)]


CENTROIDS: Final[dict[str, Callable[[Attribute, list[Fraction]], list[Expected]]]] = {
    "numeric": _number,
    "ordinal": _rank,
    "cyclic": _turn,
    "lookup": _place,
}
"""The fields of a mean place by the kind of attribute, of all kinds that are not shares of categories."""
