"""Conditions of questions: the form in which each is signed, and for whom it holds."""

from __future__ import annotations

from typing import Any, Final

from shared.conditions import parse_condition
from shared.errors import QuestionnaireError
from shared.questions import Question
from tests.every_question import everything

ASKED: Final[tuple[Question, ...]] = everything().questions
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "nobody": {},
    "bus": {"travel": "bus", "line": "Line 7", "car": False, "minutes": "61.5", "day": "2026-02-28"},
    "boat": {
        "travel": "other",
        "reasons": ["time", "other"],
        "car": True,
        "minutes": "10",
        "content": 1,
        "views_price": "bad",
    },
    "nothing": {"travel": "none", "reasons": [], "content": 5, "word": "it's"},
}
_TEXTS: Final = (
    "{travel} = 'bus'",
    '{travel} == "bus"',
    "{travel} equal bus",
    "{travel} != 'bus'",
    "{travel} anyof ['bus', 'other']",
    "{travel} noneof ['bus']",
    "{travel} empty",
    "{travel} notempty",
    "{reasons} contains 'time'",
    "{reasons} notcontains 'time'",
    "{reasons} anyof ['price', 'other']",
    "{reasons} allof ['time', 'other']",
    "{reasons} noneof ['time']",
    "{reasons} = ['other', 'time']",
    "{reasons} = 'time'",
    "{reasons} != ['none']",
    "{reasons} empty",
    "{car}",
    "{car} = true",
    "{car} = 'false'",
    "!{car}",
    "negate {car}",
    "{minutes} > 61",
    "{minutes} >= 61.50",
    "{minutes} < 10.5",
    "{minutes} <> 10",
    "{content} lessorequal 1",
    "{content} anyof [1, 5]",
    "{day} > '2026-02-27'",
    "{views.price} = 'bad'",
    "{views_price} = 'bad'",
    "{word} notempty",
    "{order} empty",
    "{travel} = 'bus' and {minutes} > 60 or {car}",
    "{travel} = 'bus' and ({minutes} > 60 or {car})",
    "{travel} = 'bus' && ({car} || {content} = 5)",
    "!({travel} = 'bus' or {car})",
    "!(!({car}))",
    "{travel} = 'bus' or ({travel} = 'other' or {travel} = 'none')",
)
_REFUSED: Final = (
    "",
    "{unknown} = 1",
    "{remarks}",
    "{travel} = 'train'",
    "{travel} > 'bus'",
    "{travel} contains 'bus'",
    "{travel} = ['bus', 'other']",
    "{travel} = {line}",
    "{travel}",
    "{travel} =",
    "{travel} = 'bus' {car}",
    "{travel} = 'bus' and",
    "({car}",
    "{reasons} = 'slow'",
    "{reasons} anyof ['time'",
    "{minutes} > soon",
    "{day} > 'today'",
    "{word} = 'late'",
    "{order} = 'speed'",
    "{agree} = false",
    "{line} = 'Line 7",
    "iif({car}, 1, 2) = 1",
    "today() > '2026-01-01'",
    "5 < {minutes}",
)


def conditions() -> dict[str, Any]:
    """Every condition with the names of the people for whom it holds, and what is refused."""
    earlier = {question.name: question for question in ASKED if question.name != "remarks"}
    found = []
    for text in _TEXTS:
        condition = parse_condition(text, "visibleIf", earlier)
        holds = [name for name, answers in ANSWERS.items() if condition.holds(_frozen(answers))]
        found.append({"text": text, "signed": condition.to_text(), "holds": holds})
    refused = []
    for text in _REFUSED:
        try:
            parse_condition(text, "visibleIf", earlier)
        except QuestionnaireError as error:
            refused.append({"text": text, "message": error.message})
    return {"answers": ANSWERS, "conditions": found, "refused": refused}


def _frozen(answers: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in answers.items()}
