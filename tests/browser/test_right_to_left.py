"""A survey in a language that is written from right to left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shared.strict_json import dumps
from tests.browser.conftest import KEY
from tests.browser.profiles import DESK
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, sign, small_model, small_specification

pytestmark = pytest.mark.browser


def in_place_of_german(value: Any, language: str) -> Any:
    """The document with another language in the place of German."""
    if isinstance(value, dict):
        return {(language if k == "de" else k): in_place_of_german(v, language) for k, v in value.items()}
    if isinstance(value, list):
        return [in_place_of_german(item, language) for item in value]
    return language if value == "de" else value


def in_arabic(value: Any) -> Any:
    """The document with Arabic in the place of German."""
    return in_place_of_german(value, "ar")


def test_pages_mirror_and_stay_within_the_window(
    tab: Callable[..., Page], make_site: Callable[..., Site]
) -> None:
    payload = dumps(in_arabic(small_specification().to_object()))
    site = make_site(sign(payload, ORGANIZER_KEY).to_bytes(), small_model())
    walk = Walk(tab(DESK), "ar")
    page = walk.page
    walk.open(site.link(KEY).replace("#", "?lang=ar#"))
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    walk.look_in_both("1-about")
    walk.start()
    title = page.locator("#survey-title").bounding_box()
    languages = page.locator("#languages").bounding_box()
    assert title is not None
    assert languages is not None
    assert title["x"] > languages["x"], "what stood at the left stands at the right"
    walk.look_in_both("2-checks")
    walk.go_on()
    page.locator("#field-0").fill("٤٣")  # 43 in the digits of the language
    page.locator("#field-1-0").check()
    walk.go_on()
    walk.see_picture()
    expect(page.locator("#risk")).to_contain_text("50")
    walk.look_in_both("4-group")
    page.get_by_role("link", name="English").click()
    expect(walk.heading).to_have_text("Your group: 25 people")
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    page.go_back()
    expect(page.locator("#field-0")).to_have_value("٤٣")
