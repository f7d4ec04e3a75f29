"""Whoever uses the browser next is offered nothing that was typed: no field of the page has a history.

Browsers keep what stands in a form's fields and offer it in fields that look alike. The fields about oneself
said that they want none of that, and those of the questionnaire, which SurveyJS draws, did not.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from shared.declarations import Permissions
from shared.questionnaire import Questionnaire
from shared.submission import longest_message
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import LANGUAGES, ORGANIZER_KEY, sign, small_model, small_specification

pytestmark = pytest.mark.browser

QUESTIONS = {
    "pages": [
        {
            "elements": [
                {"type": "text", "inputType": "number", "name": "income"},
                {"type": "text", "inputType": "date", "name": "since"},
                {"type": "comment", "name": "why", "maxLength": 100},
                {"type": "radiogroup", "name": "party", "choices": ["a", "b"], "hasOther": True},
            ]
        }
    ]
}


def test_no_answer_is_kept_for_the_next_person(page: Page, make_site: Callable[..., Site]) -> None:
    length = longest_message(Questionnaire.parse(QUESTIONS, LANGUAGES))
    specification = small_specification(
        questionnaire=QUESTIONS,
        message_bytes=length,
        permissions=Permissions(free_text=True, balls_from_register=False),
    )
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes()
    walk = Walk(page)
    walk.open(make_site(envelope, small_model(specification)).link(KEY))
    walk.start()
    walk.go_on()
    page.locator("#field-0").fill("43")
    page.locator("#field-1-0").check()
    without_history(page, 3)
    walk.go_on()
    walk.go_on()
    page.locator(".questionnaire label").last.click()  # "other", which asks for words
    without_history(page, 7)


def without_history(page: Page, least: int) -> None:
    fields = page.locator("main :is(input, textarea, select)").all()
    assert len(fields) >= least
    for field in fields:
        said = field.evaluate("field => [field.autocomplete, field.form?.autocomplete]")
        assert "off" in said, field.evaluate("field => field.outerHTML")
