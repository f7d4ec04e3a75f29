"""The questionnaire is a whitelist."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import AnswerError, QuestionnaireError
from shared.limits import MAX_CHOICES, MAX_COMMENT_CHARACTERS, MAX_QUESTIONS
from shared.questionnaire import ELEMENT_TYPES, Questionnaire
from shared.questions import FreeText, Number, Rating, SingleChoice
from tests.builders import ANSWERS, LANGUAGES, QUESTIONNAIRE, both
from tests.shared.strategies import JSON

SMALLEST: dict[str, dict[str, Any]] = {
    "radiogroup": {"choices": ["a", "b"]},
    "dropdown": {"choices": [{"value": "a"}, {"value": "b", "text": "B"}]},
    "checkbox": {"choices": ["a", "b"]},
    "rating": {},
    "boolean": {},
    "text": {"inputType": "number"},
    "comment": {},
}


def element(kind: str, **members: Any) -> dict[str, Any]:
    """An element with what its type needs."""
    return {"type": kind, "name": "q"} | SMALLEST.get(kind, {}) | members


def parse(*elements: Any) -> Questionnaire:
    """One page."""
    return Questionnaire.parse({"pages": [{"elements": list(elements)}]}, LANGUAGES)


def test_every_type_has_a_smallest_element() -> None:
    assert set(SMALLEST) == set(ELEMENT_TYPES)
    for kind in ELEMENT_TYPES:
        assert parse(element(kind)).questions[0].name == "q"


def test_questionnaire_survives_a_round_trip() -> None:
    everything = copy.deepcopy(QUESTIONNAIRE)
    everything["pages"].append({"elements": [element("comment", name="remarks", maxLength=80)]})
    once = Questionnaire.parse(everything, LANGUAGES)
    assert Questionnaire.parse(once.to_object(), LANGUAGES) == once
    assert [p.name for p in once.pages] == ["one", "two", "page3"]
    assert once.has_free_text
    assert not Questionnaire.parse(QUESTIONNAIRE, LANGUAGES).has_free_text


@pytest.mark.parametrize("kind", [*ELEMENT_TYPES])
@pytest.mark.parametrize(
    "name",
    [
        "visibleIf",
        "enableIf",
        "requiredIf",
        "setValueExpression",
        "defaultValue",
        "validators",
        "html",
        "choicesByUrl",
        "imageLink",
        "hasOther",
        "onChange",
        "__proto__",
        "constructor",
    ],
)
def test_properties_outside_the_whitelist_are_refused_by_name(kind: str, name: str) -> None:
    with pytest.raises(QuestionnaireError) as caught:
        parse(element(kind, **{name: "{age} > 17"}))
    assert caught.value.message == f"unknown field {name!r}"
    assert caught.value.where == "questionnaire.pages[0].elements[0]"


@pytest.mark.parametrize(
    "kind",
    [
        "html",
        "image",
        "expression",
        "file",
        "signaturepad",
        "panel",
        "matrix",
        "imagepicker",
        "",
        "RADIOGROUP",
        None,
        3,
        ["text"],
    ],
)
def test_elements_outside_the_whitelist_are_refused_by_name(kind: Any) -> None:
    with pytest.raises(QuestionnaireError) as caught:
        parse({"type": kind, "name": "q", "html": "<script>"})
    shown = kind if isinstance(kind, str) else ""
    assert caught.value.message == f"the element type {shown!r} is not permitted"


@pytest.mark.parametrize("level", ["document", "page", "choice"])
def test_expressions_are_refused_everywhere_else_too(level: str) -> None:
    document = copy.deepcopy(QUESTIONNAIRE)
    place = {
        "document": document,
        "page": document["pages"][0],
        "choice": document["pages"][0]["elements"][0]["choices"][0],
    }[level]
    place["visibleIf"] = "true"
    with pytest.raises(QuestionnaireError, match="unknown field 'visibleIf'"):
        Questionnaire.parse(document, LANGUAGES)


@pytest.mark.parametrize("input_type", ["text", "date", "email", "password", None, 3])
def test_text_elements_ask_for_numbers_only(input_type: Any) -> None:
    with pytest.raises(QuestionnaireError, match="may only ask for a number") as caught:
        parse(element("text", inputType=input_type))
    assert "comment element" in caught.value.remedy
    with pytest.raises(QuestionnaireError, match="may only ask for a number"):
        parse({"type": "text", "name": "q"})


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "text",
        3,
        [],
        element("boolean", name="1st"),
        element("boolean", name="a b"),
        element("boolean", name="é"),
        element("boolean", name=""),
        element("boolean", isRequired="yes"),
        element("boolean", title=3),
        element("boolean", title={"en": "only English"}),
        element("boolean", title=both("x") | {"fr": "y"}),
        element("boolean", title="a\u202eb"),
        element("radiogroup", choices=["a"]),
        element("radiogroup", choices=["a", "a"]),
        element("radiogroup", choices=["a", ""]),
        element("radiogroup", choices=["a", 3]),
        element("radiogroup", choices=["a", {"text": "b"}]),
        element("radiogroup", choices="ab"),
        element("radiogroup", choices=[str(i) for i in range(MAX_CHOICES + 1)]),
        element("rating", rateMin=5, rateMax=1),
        element("rating", rateMax=True),
        element("rating", rateMin=-101),
        element("text", min="x"),
        element("text", step=0),
        element("text", max=[1]),
        element("comment", maxLength=0),
        element("comment", maxLength=MAX_COMMENT_CHARACTERS + 1),
        element("comment", maxLength="9"),
    ],
)
def test_malformed_elements_are_refused(bad: Any) -> None:
    with pytest.raises(QuestionnaireError):
        parse(bad)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"pages": []},
        {"pages": [{}]},
        {"pages": [{"elements": []}]},
        {"pages": [{"elements": [element("boolean")], "name": " x"}]},
        {"pages": [{"elements": [element("boolean"), element("rating")]}]},
        {"pages": [{"elements": [element("boolean")]}, {"elements": [element("boolean")]}]},
        {
            "pages": [
                {"elements": [element("boolean", name=f"q{p}x{i}") for i in range(300)]} for p in range(2)
            ]
        },
    ],
)
def test_malformed_questionnaires_are_refused(document: Any) -> None:
    with pytest.raises(QuestionnaireError):
        Questionnaire.parse(document, LANGUAGES)


def test_as_many_questions_as_the_limit() -> None:
    many = [element("boolean", name=f"q{i}") for i in range(MAX_QUESTIONS)]
    assert len(parse(*many).questions) == MAX_QUESTIONS


def test_defaults() -> None:
    rating, number, comment, choice = parse(
        element("rating"),
        element("text", name="n"),
        element("comment", name="c"),
        element("dropdown", name="d"),
    ).questions
    assert isinstance(rating, Rating)
    assert (rating.minimum, rating.maximum, rating.title["en"], rating.required) == (1, 5, "q", False)
    assert isinstance(number, Number)
    assert (number.minimum, number.maximum, number.step) == ("0", "1000000", "1")
    assert isinstance(comment, FreeText)
    assert comment.max_characters == MAX_COMMENT_CHARACTERS
    assert isinstance(choice, SingleChoice)
    assert [c.text["de"] for c in choice.choices] == ["a", "B"]


def test_an_empty_text_is_left_empty() -> None:
    (question,) = parse(element("boolean", description="", labelTrue={"en": "", "de": "Ja"})).questions
    assert question.description == both("")


def test_in_one_language_for_the_library() -> None:
    german = Questionnaire.parse(QUESTIONNAIRE, LANGUAGES).to_surveyjs("de")
    page, other = german["pages"]
    assert page["title"] == "Ihre Gesundheit"
    assert page["elements"][0]["title"] == "Wie ist Ihre Gesundheit?"
    assert page["elements"][0]["choices"][2] == {"value": "poor", "text": "Schlecht"}
    assert "description" not in page["elements"][0], "an empty text is left out"
    assert "title" not in other
    assert page["elements"][2]["rateMax"] == 10
    assert other["elements"][1] == {
        "type": "text",
        "name": "wage",
        "title": "wage",
        "isRequired": False,
        "inputType": "number",
        "min": "0",
        "max": "100",
        "step": "0.5",
    }


def test_answers_are_accepted_in_the_order_of_the_questions() -> None:
    questionnaire = Questionnaire.parse(QUESTIONNAIRE, LANGUAGES)
    accepted = questionnaire.accept(dict(reversed(ANSWERS.items())))
    assert list(accepted) == ["health", "conditions", "wellbeing", "smokes", "wage"]
    assert accepted["conditions"] == ("asthma",)
    assert questionnaire.accept(accepted) == accepted


def test_unknown_and_missing_answers_are_refused_without_repeating_them() -> None:
    questionnaire = Questionnaire.parse(QUESTIONNAIRE, LANGUAGES)
    with pytest.raises(AnswerError) as caught:
        questionnaire.accept(ANSWERS | {"canary": "canary"})
    assert "canary" not in str(caught.value)
    with pytest.raises(AnswerError, match="health: a required question has no answer"):
        questionnaire.accept({})


@given(JSON)
def test_any_document_is_a_questionnaire_or_refused(value: Any) -> None:
    try:
        questionnaire = Questionnaire.parse(value, LANGUAGES)
    except QuestionnaireError:
        return
    assert questionnaire.questions


@given(st.dictionaries(st.sampled_from(["health", "conditions", "wage", "vote"]), JSON))
def test_any_answers_are_accepted_or_refused(answers: dict[str, Any]) -> None:
    questionnaire = Questionnaire.parse(QUESTIONNAIRE, LANGUAGES)
    try:
        accepted = questionnaire.accept(answers)
    except AnswerError:
        return
    assert set(accepted) == set(answers)
