"""The head counts of a register are lower bounds, and every page that shows one says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from shared.strict_json import dumps
from tests.browser.conftest import KEY
from tests.browser.profiles import DESK
from tests.browser.site import Site
from tests.browser.test_right_to_left import in_arabic
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, sign, small_specification

pytestmark = pytest.mark.browser
WORDS = {"en": "at least 18", "de": "mindestens 18", "ar": "18 على الأقل"}
IN_THE_CHECK = WORDS | {"ar": "18 شخصًا على الأقل"}


@pytest.mark.parametrize("language", WORDS)
def test_the_pages_of_a_register_say_at_least(
    tab: Callable[..., Page], make_site: Callable[..., Site], language: str
) -> None:
    value = small_specification(kind="register").to_object()
    payload = dumps(in_arabic(value) if language == "ar" else value)
    site = make_site(sign(payload, ORGANIZER_KEY).to_bytes(), None)
    walk = Walk(tab(DESK), f"register-{language}")
    page, words = walk.page, WORDS[language]
    walk.open(site.link(KEY).replace("#", f"?lang={language}#"))
    walk.start()
    page.click("#checks summary")
    expect(page.locator("[data-code='check.cell-failure'] p")).to_contain_text(IN_THE_CHECK[language])
    walk.go_on()
    page.locator("#field-0").fill("43")
    page.locator("#field-1-0").check()
    walk.go_on()
    expect(walk.heading).to_contain_text(words)
    expect(page.locator("#screen .promise")).to_contain_text(words)
    walk.see_picture()
    expect(page.locator(".legend")).to_contain_text(words)
    assert words in str(page.locator("figure svg[role=img]").get_attribute("aria-label"))
    walk.go_on()
    page.locator(".questionnaire input[type=radio]").first.check(force=True)
    walk.go_on()
    expect(page.locator(".questionnaire").get_by_text("wage", exact=True)).to_be_visible()
    walk.go_on()
    expect(page.locator("#screen .promise")).to_contain_text(words)
    assert not walk.problems
