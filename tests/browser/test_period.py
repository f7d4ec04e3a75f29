"""Opening and closing times as the respondent reads them: in her zone, with day and date, in every state."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from shared.period import Period
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import small_envelope, small_model

pytestmark = pytest.mark.browser
OPENS, CLOSES = "2030-12-01T08:00:00Z", "2030-12-15T23:30:00Z"
LINE = "Answers are taken from {} until {}."


def test_the_period_is_told_in_her_time_zone(browser: Browser, make_site: Callable[..., Site]) -> None:
    site = make_site(small_envelope(period=Period(opens=OPENS, closes=CLOSES)), small_model())
    context = browser.new_context(timezone_id="Europe/Berlin")
    page = context.new_page()
    line = page.locator("#period")
    walk = Walk(page)
    walk.open(site.link(KEY))
    expect(line).to_contain_text("Sunday")
    walk.start()
    page.go_back()  # now the page says it from what was checked
    for text in ("Sunday, December 1, 2030", "9:00", "Monday, December 16, 2030", "12:30", "GMT+1"):
        expect(line).to_contain_text(text)
    page.click("[data-language=de]")
    expect(line).to_contain_text("Montag, 16. Dezember 2030")
    assert walk.problems == []
    assert page.locator("#trial").count() == 0
    site.state = "draft"
    page.goto("about:blank")
    page.goto(site.link(KEY).replace("#", "?lang=de#"))
    expect(line).to_contain_text("Sonntag, 1. Dezember 2030")
    context.close()
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(site.link(KEY))
    expect(page.locator("#period")).to_have_text(LINE.format("2030-12-01 08:00 UTC", "2030-12-15 23:30 UTC"))
    plain.close()
