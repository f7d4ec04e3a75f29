"""Every refusal at once, with path, reason and remedy; none exactly if the document can be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from server.cli.main import roomful
from server.design.questionnaire_file.checking import Checked, check
from server.design.questionnaire_file.surveyjs import languages_of, respelled
from shared.errors import RoomfulError
from shared.questionnaire import Questionnaire
from tests.builders import LANGUAGES
from tests.every_question import EVERY, MADE
from tests.shared.strategies import JSON

CHOICES: dict[str, Any] = {"type": "radiogroup", "name": "q", "choices": ["a", "b"]}


def of(*elements: Any, **page: Any) -> Checked:
    return check({"pages": [{"elements": [*elements], **page}]}, LANGUAGES)


def refused(*elements: Any, **page: Any) -> dict[str, tuple[str, str]]:
    return {r.path: (r.reason, r.remedy) for r in of(*elements, **page).refusals}


@pytest.mark.parametrize(
    ("element", "path", "reason", "remedy"),
    [
        ({"type": "html", "name": "q", "html": "x"}, "", "'html' is not permitted", "description of"),
        ({"type": "file", "name": "q"}, "", "'file' is not permitted", "tell who sent them"),
        ({"type": "novel", "name": "q"}, "", "'novel' is not permitted", "Use one of radiogroup"),
        ({"type": "text", "name": "q", "inputType": "email"}, ".inputType", "may ask for", "not be asked"),
        (CHOICES | {"colCount": 2}, ".colCount", "'colCount' is not permitted here", "how something looks"),
        (CHOICES | {"defaultValue": "a"}, ".defaultValue", "not permitted", "is not hers"),
        (CHOICES | {"choicesByUrl": {}}, ".choicesByUrl", "not permitted", "Nothing is fetched"),
        (CHOICES | {"foo": 1}, ".foo", "'foo' is not permitted here", "known here are type, name"),
        (CHOICES | {"name": "b b"}, ".name", "is no question name", "Write a letter"),
        (CHOICES | {"choices": ["a"]}, ".choices", "1 entries", "2 to 1000"),
        (CHOICES | {"choices": ["a", {"value": 1, "x": 1}]}, ".choices[1].x", "not permitted", "Remove it"),
        (CHOICES | {"visibleIf": "age({x}) > 1"}, ".visibleIf", "'age' stands where", "earlier question"),
        (CHOICES | {"visibleIf": "{x} = 1"}, ".visibleIf", "is not asked before", "earlier questions"),
        ({"type": "rating", "name": "q", "rateMin": 9}, "", "scale is impossible", "rateMin < rateMax"),
    ],
)  # fmt: skip
def test_each_refusal_has_its_path_reason_and_remedy(
    element: dict[str, Any], path: str, reason: str, remedy: str
) -> None:
    found = refused(element)
    assert list(found) == [f"pages[0].elements[0]{path}"]
    said = found[f"pages[0].elements[0]{path}"]
    assert reason.lower() in said[0].lower()
    assert remedy in said[1]
    assert said[0].endswith(".")


def test_all_refusals_are_told_at_once_and_the_rest_is_kept() -> None:
    wrong = CHOICES | {"name": "one two", "colCount": 3}
    later = CHOICES | {"name": "r", "visibleIf": "{one two} = 'a'", "width": "1em"}
    checked = of(MADE["image"], wrong, later, CHOICES, CHOICES, mode="x")
    assert [r.path for r in checked.refusals] == [
        "pages[0].mode",
        "pages[0].elements[1].colCount",
        "pages[0].elements[1].name",
        "pages[0].elements[2].width",
        "pages[0].elements[2].visibleIf",
        "pages[0].elements[4]",
    ]
    assert "Put 'one two' right first" in checked.refusals[4].remedy
    assert "two questions are called 'q'" in checked.refusals[5].reason.lower()
    assert checked.questionnaire is not None
    assert [question.name for question in checked.questionnaire.questions] == ["r", "q"]


@pytest.mark.parametrize(
    ("value", "path"),
    [(None, "pages"), ([], "pages"), ({"pages": []}, "pages"), ({"pages": [{"elements": []}]}, "pages"),
     ({"pages": [3]}, "pages[0]"), ({"pages": [{"elements": [3]}]}, "pages[0].elements[0]")],
)  # fmt: skip
def test_what_is_no_questionnaire_is_refused(value: Any, path: str) -> None:
    checked = check(value, LANGUAGES)
    assert checked.refusals[0].path == path
    assert checked.refusals[0].remedy
    assert checked.questionnaire is None


ELEMENTS = st.sampled_from([*MADE.values(), CHOICES])
CHANGED = st.builds(
    lambda element, key, value: element | {key: value},
    ELEMENTS,
    st.sampled_from(
        ["name", "title", "choices", "rows", "visibleIf", "type", "min", "colCount", "validators"]
    ),
    JSON | st.sampled_from(["{q} = 'a'", "{travel} empty", "number"]),
)


@given(st.lists(ELEMENTS | CHANGED | JSON, max_size=4) | JSON)
def test_there_is_a_refusal_exactly_if_the_document_is_refused(elements: Any) -> None:
    document = {"pages": [{"elements": elements}]}
    checked = check(document, LANGUAGES)
    try:
        parsed = Questionnaire.parse(document, LANGUAGES, "")
    except RoomfulError:
        assert checked.refusals
        assert all(r.path and r.reason and r.remedy for r in checked.refusals)
        if checked.questionnaire is not None:
            assert check(checked.questionnaire.to_object(), LANGUAGES).refusals == ()
    else:
        assert checked.refusals == ()
        assert checked.questionnaire == parsed


def test_other_spellings_are_read() -> None:
    value = {
        "title": {"default": "Work", "de": "Arbeit"},
        "locale": "en",
        "elements": [
            {"type": "text", "name": "h", "inputType": "number", "min": "0.5", "max": "3.5", "step": "0.5"},
            CHOICES
            | {"title": {"default": "Which?", "de": "Was?"}, "showOtherItem": True, "choices": [1, True]},
        ],
    }
    document = respelled(value, ("en", "de"))
    assert document.title == {"en": "Work", "de": "Arbeit"}
    assert document.place("pages[0].elements[1].name") == "elements[1].name"
    parsed = Questionnaire.parse(document.value, ("en", "de"), "")
    assert [question.name for question in parsed.questions] == ["h", "q", "q-Comment"]
    assert parsed.questions[1].title == {"en": "Which?", "de": "Was?"}
    assert parsed.questions[1].accept("1") == "1"
    assert parsed.questions[1].accept("true") == "true"
    assert languages_of(value) == ("en", "de")


def run(path: Path, *options: str) -> Any:
    return CliRunner().invoke(roomful, ["questionnaire", "check", str(path), *options])


def test_the_command_says_them_with_the_paths_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    number = {"type": "text", "name": "h", "inputType": "number", "max": 2, "step": 0.5}
    path.write_text(json.dumps({"elements": [number | {"min": 0.5}, CHOICES | {"colCount": 1}]}))
    result = run(path)
    assert "elements[1].colCount (q)\n    The property 'colCount' is not permitted here.\n" in result.output
    assert "1 thing is refused" in str(result.exception)
    path.write_text(json.dumps({"elements": [number | {"min": 0.5}, CHOICES]}))
    assert run(path).output == "q.json can be used: 2 questions in en.\n"
    told = json.loads(run(path, "--json", "--languages", "de,ar").output)
    assert told == {"refusals": [], "languages": ["de", "ar"], "questions": ["h", "q"], "free_text": []}
    path.write_text(json.dumps(EVERY))
    assert "in free text, which needs free_text = true" in run(path).output
    assert "is not a language" in str(run(path, "--languages", "deutsch!").exception)


@pytest.mark.parametrize("first", [CHOICES | {"choices": ["a"]}, {"type": "file", "name": "q"}])
def test_a_second_question_of_a_refused_one_s_name_is_told_as_well(first: dict[str, Any]) -> None:
    checked = of(first, CHOICES)
    assert [(r.path, r.name) for r in checked.refusals] == [
        (f"pages[0].elements[0]{'.choices' if 'choices' in first else ''}", "q"),
        ("pages[0].elements[1]", "q"),
    ]
    assert "Two questions are called 'q'." in checked.refusals[1].reason
    assert checked.questionnaire is not None
    assert [q.name for q in checked.questionnaire.questions] == ["q"]
