"""Conditions: read, written in one form, evaluated; everything else is refused by name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conditions import parse_condition
from shared.errors import QuestionnaireError
from shared.limits import MAX_CONDITION_CHARACTERS, MAX_CONDITION_DEPTH, MAX_CONDITION_TERMS
from tests.vectors.condition_vectors import ANSWERS, ASKED, conditions

EARLIER = {question.name: question for question in ASKED if question.name != "remarks"}
VECTORS = json.loads((Path(__file__).parent.parent / "vectors" / "conditions.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["conditions"], ids=lambda vector: str(vector["text"]))
def test_the_vectors(vector: dict[str, Any]) -> None:
    condition = parse_condition(vector["text"], "visibleIf", EARLIER)
    assert condition.to_text() == vector["signed"]
    assert parse_condition(vector["signed"], "visibleIf", EARLIER) == condition
    held = [name for name, answers in VECTORS["answers"].items() if condition.holds(frozen(answers))]
    assert held == vector["holds"]
    assert set(condition.names()) <= set(EARLIER)


def frozen(answers: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in answers.items()}


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: str(vector["text"]))
def test_what_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(QuestionnaireError) as caught:
        parse_condition(vector["text"], "visibleIf", EARLIER)
    assert caught.value.message == vector["message"]
    assert caught.value.where == "visibleIf"
    assert caught.value.expected


def test_the_vectors_are_those_of_the_generator() -> None:
    assert json.loads(json.dumps(conditions())) == VECTORS
    assert set(ANSWERS) == set(VECTORS["answers"])


def test_bounds() -> None:
    term = "{car}"
    long = " or ".join([term] * MAX_CONDITION_TERMS)
    assert parse_condition(long, "", EARLIER).holds({"car": True})
    with pytest.raises(QuestionnaireError, match="too many comparisons"):
        parse_condition(f"{long} or {term}", "", EARLIER)
    with pytest.raises(QuestionnaireError, match="characters"):
        parse_condition("{car}" + " " * MAX_CONDITION_CHARACTERS, "", EARLIER)
    deep = "(" * MAX_CONDITION_DEPTH + term + ")" * MAX_CONDITION_DEPTH
    assert parse_condition(deep, "", EARLIER).to_text() == "{car} = true"
    for bad in (f"({deep})", "(" * 900 + term, "!" * 900 + term):
        with pytest.raises(QuestionnaireError, match="nested too deeply"):
            parse_condition(bad, "", EARLIER)


_WORDS = "{car} {line} {minutes} {day} {views.price} {no} = <> < contains anyof empty and or ! ( ) [ ] ,"
_VALUES = "'bus' '2020-01-01' '+5' 5 -1.5 true bus { '"
PIECES = st.sampled_from([*re.findall(r"\S+", f"{_WORDS} {_VALUES}")])


@given(st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=40))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        condition = parse_condition(text, "", EARLIER)
    except QuestionnaireError:
        return
    again = parse_condition(condition.to_text(), "", EARLIER)
    assert again == condition
    for answers in ANSWERS.values():
        assert again.holds(frozen(answers)) == condition.holds(frozen(answers))
