"""Small print: what is signed is not what is shown, or not what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import QuestionnaireError, SpecificationError
from shared.questionnaire import Questionnaire
from shared.specification import STORED, Specification
from tests.builders import LANGUAGES, both, small_specification
from tests.invited import invited_specification
from tests.vectors.surveys import altered

CHOICES = [{"value": "yes", "text": "Yes"}, {"value": "no", "text": "No"}]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "You earn {wage}. Are you sure?"},
        {"title": {"en": "Fine", "de": "Gut, {wage}"}},
        {"description": "{wage"},
        {"choices": [*CHOICES, {"value": "x", "text": "{wage}"}]},
        {"choices": ["{wage}", "b"]},
    ],
    ids=["title", "one language", "unclosed", "choice", "plain choice"],
)
def test_a_text_into_which_the_page_would_put_an_answer_is_refused(change: dict[str, Any]) -> None:
    """SurveyJS replaces ``{name}`` in every text by the answer to that question."""
    element = {"type": "radiogroup", "name": "q", "choices": CHOICES} | change
    with pytest.raises(QuestionnaireError, match="brace"):
        Questionnaire.parse({"pages": [{"elements": [element]}]}, LANGUAGES)


@pytest.mark.parametrize("name", ["minRateDescription", "maxRateDescription"])
def test_so_is_a_brace_at_the_ends_of_a_scale(name: str) -> None:
    element = {"type": "rating", "name": "q", name: "{wage}"}
    with pytest.raises(QuestionnaireError, match="brace"):
        Questionnaire.parse({"pages": [{"elements": [element]}]}, LANGUAGES)


@pytest.mark.parametrize("name", ["labelTrue", "labelFalse"])
def test_and_at_yes_and_no_and_in_the_title_of_a_page(name: str) -> None:
    element = {"type": "boolean", "name": "q", name: "{wage}"}
    with pytest.raises(QuestionnaireError, match="brace"):
        Questionnaire.parse({"pages": [{"elements": [element]}]}, LANGUAGES)
    page = {"title": both("{q}"), "elements": [{"type": "boolean", "name": "q"}]}
    with pytest.raises(QuestionnaireError, match="brace"):
        Questionnaire.parse({"pages": [page]}, LANGUAGES)


@pytest.mark.parametrize("kind", ["open", "invited"])
def test_a_list_of_what_is_stored_that_leaves_something_out_is_refused(kind: str) -> None:
    """A respondent who reads an empty list believes that nothing is kept."""
    survey = small_specification() if kind == "open" else invited_specification()
    whole = list(STORED[kind])
    assert Specification.parse(altered(survey, lambda d: d.update(stored=whole))).stored == STORED[kind]
    for listed in ([], whole[:1], whole[:-1], whole[::-1], [*whole[:-1], "nothing"]):
        payload = altered(survey, lambda d, listed=listed: d.update(stored=listed))
        with pytest.raises(SpecificationError) as caught:
            Specification.parse(payload)
        assert caught.value.code == "specification.stored"
