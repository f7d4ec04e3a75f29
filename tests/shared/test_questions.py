"""Answers are in the domain of their question, in one form, or refused without being repeated."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.days import is_day
from shared.decimals import format_decimal
from shared.errors import AnswerError, QuestionnaireError
from shared.limits import MAX_COMMENT_CHARACTERS
from shared.questions import (
    KINDS,
    Choice,
    Consent,
    Date,
    FreeText,
    MultipleChoice,
    Number,
    Question,
    Ranking,
    Rating,
    SingleChoice,
    YesNo,
)
from shared.strict_json import dumps
from tests.builders import both
from tests.shared.strategies import JSON

COMMON: dict[str, Any] = {"name": "q", "title": both("Q"), "description": both(""), "required": False}
COLOURS = tuple(Choice(value=v, text=both(v)) for v in ("red", "green", "blue"))


def number(**changes: str) -> Number:
    """Half steps from 0 to 10."""
    return Number(**COMMON | {"minimum": "0", "maximum": "10", "step": "0.5"} | changes)


def rating(minimum: int = 1, maximum: int = 5) -> Rating:
    """A short scale."""
    labels: dict[str, Any] = {"minimum_label": both("low"), "maximum_label": both("high")}
    return Rating(**COMMON, minimum=minimum, maximum=maximum, **labels)


QUESTIONS: dict[str, Question] = {
    "single": SingleChoice(**COMMON, choices=COLOURS),
    "dropdown": SingleChoice(**COMMON, choices=COLOURS, dropdown=True),
    "multiple": MultipleChoice(**COMMON, choices=COLOURS),
    "required multiple": MultipleChoice(**COMMON | {"required": True}, choices=COLOURS),
    "rating": rating(),
    "boolean": YesNo(**COMMON, yes_label=both("Yes"), no_label=both("No")),
    "number": number(),
    "text": FreeText(**COMMON, max_characters=5),
    "one line": FreeText(**COMMON, max_characters=5, one_line=True),
    "none": MultipleChoice(**COMMON, choices=COLOURS, none_text=both("")),
    "other": SingleChoice(**COMMON, choices=COLOURS, other_text=both("Another")),
    "consent": Consent(**COMMON, label=both("")),
    "date": Date(**COMMON, minimum="2020-01-31", maximum="2024-12-31"),
    "ranking": Ranking(**COMMON, choices=COLOURS),
}


@pytest.mark.parametrize(
    ("name", "value", "canonical"),
    [
        ("single", "red", "red"),
        ("dropdown", "blue", "blue"),
        ("multiple", [], ()),
        ("multiple", ["blue", "red"], ("red", "blue")),
        ("required multiple", ("green",), ("green",)),
        ("rating", 1, 1),
        ("rating", 5, 5),
        ("boolean", True, True),
        ("boolean", False, False),
        ("number", "0", "0"),
        ("number", 7, "7"),
        ("number", "07.50", "7.5"),
        ("number", "+10.0", "10"),
        ("text", "a\nb c", "a\nb c"),
        ("one line", "a\nb", "a b"),
        ("none", ["none"], ("none",)),
        ("other", "other", "other"),
        ("consent", True, True),
        ("date", "2024-02-29", "2024-02-29"),
        ("ranking", ["blue", "red", "green"], ("blue", "red", "green")),
    ],
)
def test_answers_in_the_domain(name: str, value: Any, canonical: Any) -> None:
    accepted = QUESTIONS[name].accept(value)
    assert accepted == canonical
    assert type(accepted) is type(canonical)
    assert QUESTIONS[name].accept(accepted) == accepted


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("single", ["Red", "", None, ["red"], 0, True, {}]),
        ("multiple", ["red", ["red", "red"], ["pink"], [1], [["red"]], {"red": 1}, None]),
        ("required multiple", [[], None]),
        ("rating", [0, 6, True, "3", None, [3], 10**18]),
        ("boolean", [0, 1, "true", None, []]),
        ("number", ["", "-0.5", "10.5", "0.25", "1e1", "x", 11, True, None, [], {}, "٣", "9" * 5000, 10**18]),
        ("none", [["none", "red"], ["other"]]),
        ("consent", [False, 1, None]),
        ("date", ["2023-02-29", "2020-01-30", "2025-01-01", "2024-2-9", "today", 20240229, None]),
        ("ranking", [["red"], ["red", "red", "blue"], [1, 2, 3], "red", None]),
        ("text", ["", "a" * 6, "a\x00", "\u202e", 3, None, ["a"]]),
    ],
)
def test_answers_outside_the_domain(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(AnswerError) as caught:
            QUESTIONS[name].accept(value)
        assert caught.value.where == "q"
        assert caught.value.message == "the answer is outside the question's domain"


@given(
    st.dates().map(str) | st.from_regex(r"(0000|1900|2000|2023|2024)-[0-3][0-9]-[0-3][0-9]", fullmatch=True)
)
def test_days_are_those_of_the_standard_library(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        assert not is_day(text)
    else:
        assert is_day(text)


@given(JSON | st.floats())
def test_any_value_gives_an_answer_of_the_domain_or_an_answer_error(value: Any) -> None:
    for question in QUESTIONS.values():
        try:
            accepted = question.accept(value)
        except AnswerError:
            continue
        assert question.accept(accepted) == accepted


@pytest.mark.parametrize(("low", "high"), [(5, 5), (5, 1), (-101, 0), (0, 101)])
def test_impossible_scales_are_refused(low: int, high: int) -> None:
    with pytest.raises(QuestionnaireError, match="the scale is impossible"):
        rating(low, high)


@pytest.mark.parametrize(
    "changes",
    [
        {"minimum": "low"},
        {"maximum": "1e1"},
        {"step": ""},
        {"step": "0"},
        {"step": "-1"},
        {"maximum": "0"},
        {"step": "0.3"},
    ],
)
def test_impossible_numbers_are_refused(changes: dict[str, str]) -> None:
    with pytest.raises(QuestionnaireError, match="do not fit together"):
        number(**changes)


@pytest.mark.parametrize("longest", [0, MAX_COMMENT_CHARACTERS + 1])
def test_impossible_lengths_are_refused(longest: int) -> None:
    with pytest.raises(QuestionnaireError, match="maxLength is impossible"):
        FreeText(**COMMON, max_characters=longest)


def test_kinds_with_an_order() -> None:
    assert {q.kind for q in QUESTIONS.values() if q.measure == "ordered"} == {"rating", "number", "date"}
    assert {q.kind for q in QUESTIONS.values() if q.measure is None} == {"text", "consent"}
    lacking = set(KINDS) - {q.kind for q in QUESTIONS.values()}
    assert not lacking, f"add a question of {sorted(lacking)} to QUESTIONS, and an answer to the test below"


@pytest.mark.parametrize("name", QUESTIONS)
def test_columns_and_values_belong_together(name: str) -> None:
    question = QUESTIONS[name]
    answers: dict[str, Any] = {
        "single": "red", "multiple": ("red",), "rating": 3, "boolean": True, "consent": True,
        "number": "7.5", "date": "2024-02-29", "ranking": ("blue", "red", "green"), "text": "abc",
    }  # fmt: skip
    answer = answers[question.kind]
    columns, values = question.columns("en"), question.values(answer)
    assert len(columns) == len(values)
    assert len({column.name for column in columns}) == len(columns)
    assert question.rank(answer) is not None
    assert question.compared_as == question.comparison or question.kind == "single"
    assert all(isinstance(texts, dict) for texts in question.words.values())
    if question.domain_size is not None:
        assert 0 <= question.rank(answer) < question.domain_size


@pytest.mark.parametrize("low", ["2020-13-01", "2024-12-31", "1"])
def test_impossible_days_are_refused(low: str) -> None:
    with pytest.raises(QuestionnaireError, match="no days"):
        Date(**COMMON, minimum=low, maximum="2024-12-31")


def test_what_no_condition_compares() -> None:
    assert QUESTIONS["text"].literal("a") is None
    assert QUESTIONS["ranking"].literal("red") is None
    assert QUESTIONS["consent"].literal("true") is True
    assert QUESTIONS["consent"].literal("false") is None


def test_places_of_an_order() -> None:
    assert QUESTIONS["ranking"].values(("blue", "red", "green")) == ("2", "3", "1")


def _longest(question: Question, answers: Iterable[Any]) -> int:
    return max(len(dumps(question.accept(answer))) for answer in answers)


@pytest.mark.parametrize(
    "name",
    [
        *("single", "dropdown", "multiple", "rating", "boolean", "number", "none", "other"),
        *("ranking", "date", "consent"),
    ],
)
def test_the_longest_answer_of_a_small_domain(name: str) -> None:
    colours = [c.value for c in COLOURS]
    domains: dict[str, list[Any]] = {
        "single": colours,
        "dropdown": colours,
        "multiple": [list(part) for n in range(4) for part in combinations(colours, n)],
        "rating": [1, 2, 3, 4, 5],
        "boolean": [True, False],
        "number": [str(i / 2) for i in range(21)],
        "none": [["none"], colours],
        "other": [*colours, "other"],
        "ranking": list(permutations(colours)),
        "date": ["2020-01-31", "2024-12-31"],
        "consent": [True],
    }
    assert QUESTIONS[name].longest_answer == _longest(QUESTIONS[name], domains[name])


@given(
    st.integers(-12_000, 12_000), st.integers(1, 300), st.integers(1, 60), st.sampled_from((1, 2, 10, 400))
)
def test_the_longest_number_is_the_longest_of_all(low: int, step: int, steps: int, unit: int) -> None:
    start, width = Fraction(low, unit), Fraction(step, unit)
    values = [format_decimal(start + i * width) for i in range(steps + 1)]
    question = number(minimum=values[0], maximum=values[-1], step=format_decimal(width))
    assert question.longest_answer == _longest(question, values)


@given(st.integers(-100, 99), st.integers(1, 200))
def test_the_longest_rating_is_the_longest_of_all(low: int, width: int) -> None:
    question = rating(low, min(100, low + width))
    assert question.longest_answer == _longest(question, range(question.minimum, question.maximum + 1))


@given(st.text(min_size=1, max_size=5))
def test_no_text_is_longer_than_the_longest(text: str) -> None:
    try:
        answer = QUESTIONS["text"].accept(text)
    except AnswerError:
        return
    assert len(dumps(answer)) <= QUESTIONS["text"].longest_answer


def test_the_longest_text_is_reached() -> None:
    assert len(dumps(QUESTIONS["text"].accept("😀" * 5))) == QUESTIONS["text"].longest_answer


def test_line_ends_and_tabs_of_free_text_are_normalized() -> None:
    assert QUESTIONS["text"].accept("a\r\nb\rc") == "a\nb\nc"
    assert QUESTIONS["text"].accept("a\tb") == "a b"
    assert QUESTIONS["text"].accept("a\r\n\r\n\r\n") == "a\n\n\n", "measured after it was normalized"
