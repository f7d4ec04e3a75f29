"""The questionnaire is a whitelist."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import AnswerError, QuestionnaireError
from shared.limits import MAX_CHOICES, MAX_COMMENT_CHARACTERS, MAX_PICTURE_BYTES, MAX_QUESTIONS
from shared.questionnaire import ELEMENT_TYPES, Questionnaire
from shared.questions import ELEMENTS, FreeText, Number, Rating, SingleChoice
from tests.builders import ANSWERS, LANGUAGES, QUESTIONNAIRE, both
from tests.every_question import BY_BUS, EVERY, OTHERWISE, data_url, everything, png
from tests.shared.strategies import JSON

SMALLEST: dict[str, dict[str, Any]] = {
    "radiogroup": {"choices": ["a", "b"]},
    "dropdown": {"choices": [{"value": "a"}, {"value": "b", "text": "B"}]},
    "checkbox": {"choices": ["a", "b"]},
    "rating": {},
    "boolean": {},
    "text": {"inputType": "number"},
    "comment": {},
    "ranking": {"choices": ["a", "b"]},
    "matrix": {"rows": ["r"], "columns": ["a", "b"]},
    "image": {"imageLink": data_url(png()), "altText": "A picture"},
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
        assert parse(element(kind), element("boolean", name="z")).pages[0].elements[0].name == "q"


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
        "enableIf",
        "setValueExpression",
        "defaultValue",
        "html",
        "choicesByUrl",
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
        "expression",
        "file",
        "signaturepad",
        "panel",
        "matrixdynamic",
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


@pytest.mark.parametrize("level", ["document", "choice"])
def test_expressions_are_refused_everywhere_else_too(level: str) -> None:
    document = copy.deepcopy(QUESTIONNAIRE)
    place = {
        "document": document,
        "choice": document["pages"][0]["elements"][0]["choices"][0],
    }[level]
    place["visibleIf"] = "true"
    with pytest.raises(QuestionnaireError, match="unknown field 'visibleIf'"):
        Questionnaire.parse(document, LANGUAGES)


@pytest.mark.parametrize("input_type", ["email", "password", "tel", "url", "datetime-local", None, 3])
def test_text_elements_ask_for_numbers_dates_and_texts_only(input_type: Any) -> None:
    with pytest.raises(QuestionnaireError, match="nothing that a text element may ask for") as caught:
        parse(element("text", inputType=input_type))
    assert "who somebody is" in caught.value.remedy
    (question,) = parse({"type": "text", "name": "q"}).questions
    assert question.free_text


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
        element("radiogroup", choices=["a", None]),
        element("radiogroup", choices=["a", {"value": "b" * 65, "text": "b"}]),
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


def test_every_type_of_element_survives_a_round_trip() -> None:
    questionnaire = everything()
    assert Questionnaire.parse(questionnaire.to_object(), LANGUAGES) == questionnaire
    assert questionnaire.has_conditions
    assert not Questionnaire.parse(QUESTIONNAIRE, LANGUAGES).has_conditions
    assert not parse(element("boolean")).has_conditions
    only_required = parse(element("boolean"), element("rating", name="r", requiredIf="{q}"))
    assert only_required.has_conditions
    words = {element for page in EVERY["pages"] for element in (e["type"] for e in page["elements"])}
    assert words == {word.partition(":")[0] for word in ELEMENTS}


@pytest.mark.parametrize("answers", [BY_BUS, OTHERWISE])
def test_answers_to_every_type_of_element(answers: dict[str, Any]) -> None:
    assert everything().accept(answers) == answers
    assert everything().accept(dict(reversed(answers.items()))) == answers


def test_a_hidden_question_has_no_answer() -> None:
    questionnaire = everything()
    changed = BY_BUS | {"travel": "none"}
    with pytest.raises(AnswerError, match="line: a question that was not asked has an answer"):
        questionnaire.accept(changed)
    kept = questionnaire.without_hidden(changed | {"car": "yes", "remarks": "hidden by its page"})
    assert kept == {name: value for name, value in changed.items() if name != "line"} | {"car": "yes"}
    with pytest.raises(AnswerError, match="reasons-Comment: a question that was not asked"):
        questionnaire.accept(OTHERWISE | {"reasons": ("time",)})


def test_what_must_be_answered_under_a_condition() -> None:
    questionnaire = everything()
    without = {name: value for name, value in BY_BUS.items() if name != "day"}
    with pytest.raises(AnswerError, match="day: a required question has no answer"):
        questionnaire.accept(without)
    assert questionnaire.accept(without | {"minutes": "60"})
    asked = parse(element("boolean"), element("checkbox", name="c", requiredIf="{q}"))
    with pytest.raises(AnswerError, match="c: a required question has no answer"):
        asked.accept({"q": True, "c": []})
    assert asked.accept({"q": False, "c": []}) == {"q": False, "c": ()}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (element("boolean", visibleIf="{q} = true"), "'q', which is not asked before"),
        (element("boolean", requiredIf="{later} = true"), "'later', which is not asked before"),
        (element("boolean", visibleIf=3), "a number stands here"),
        (element("boolean", validators=[]), "another validator"),
        (element("radiogroup", choices=["a", "none"], hasNone=True), "the value 'none' is that of hasNone"),
        (element("radiogroup", otherText="x"), "'other' is not offered"),
        (element("comment", inputType="text"), "a comment has several lines"),
        (element("text", inputType="date", min="2020-02-30"), "no days"),
        (element("text", inputType="date", min="today()"), "no days"),
        (element("image", altText=""), "does not say what the picture shows"),
        (element("image", imageLink="https://example.org/p.png"), "not in the document"),
        (element("image", imageLink="data:image/svg+xml;base64,PHN2Zy8+"), "not in the document"),
        (element("image", imageLink="data:image/png;base64,***"), "not written in base64"),
        (element("image", imageLink=data_url(b"GIF89a")), "of another format"),
        (element("image", imageLink=data_url(png() + bytes(MAX_PICTURE_BYTES))), "the picture has"),
        (element("matrix", rows=[]), "0 entries"),
        (element("ranking", choices=["a"]), "1 entries"),
    ],
)
def test_what_an_element_refuses_of_its_own(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(QuestionnaireError) as caught:
        parse(bad, element("boolean", name="later"))
    assert message in caught.value.message


def test_names_of_rows_are_names_of_questions() -> None:
    with pytest.raises(QuestionnaireError, match="two questions are called 'q_r'"):
        parse(element("boolean", name="q_r"), element("matrix"))


def test_pictures_are_bounded_together() -> None:
    picture = data_url(png() + bytes(MAX_PICTURE_BYTES - 200))
    pictures = [element("image", name=f"p{i}", imageLink=picture) for i in range(5)]
    with pytest.raises(QuestionnaireError, match="too large together"):
        parse(element("boolean"), *pictures)
    assert len(parse(element("boolean"), *pictures[:4]).pages[0].elements) == 5


def test_a_picture_alone_is_no_questionnaire() -> None:
    with pytest.raises(QuestionnaireError, match="no question, or too many"):
        parse(element("image"))


def test_a_picture_may_have_a_condition() -> None:
    shown = parse(element("boolean"), element("image", name="p", visibleIf="{q}")).to_object()
    assert shown["pages"][0]["elements"][1]["visibleIf"] == "{q} = true"
