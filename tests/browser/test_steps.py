"""Every step at desktop and telephone width, in light and dark, looked at by axe."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1280, "light", "en"), (360, "dark", "en"), (360, "light", "de"), (1280, "dark", "de")],
)
def test_every_step_reads_well(
    tab: Callable[..., Page], site: Site, width: int, scheme: str, language: str
) -> None:
    walk = Walk(tab({"width": width, "height": 740}, color_scheme=scheme), f"{language}-{width}-{scheme}")
    page = walk.page
    words = ("Female", "Good") if language == "en" else ("Weiblich", "Gut")

    def look(step: str) -> None:
        walk.look(step)
        assert walk.overflow() <= 0, step

    walk.open(site.link(KEY).replace("#", f"?lang={language}#"))
    expect(page.locator("#start:not([disabled])")).to_be_visible()
    look("1-about")
    walk.start()
    look("2-checks")
    walk.go_on()
    walk.go_on()
    expect(page.locator("#error-summary")).to_be_focused()
    look("3-you-errors")
    walk.fill_in("43", words[0])
    walk.go_on()
    walk.see_picture()
    look("4-group")
    walk.go_on()
    expect(walk.question(words[1])).to_be_visible()
    walk.go_on()
    expect(page.locator("#error-summary")).to_be_focused()
    look("5-questions-errors")
    walk.question(words[1]).click()
    walk.go_on()
    expect(walk.question("smokes")).to_be_visible()
    look("5-questions")
    walk.go_on()
    walk.see_message()
    look("6-review")
    receipt = walk.send()
    look("7-receipt")
    assert len(receipt) == 64
    assert walk.problems == []


def test_what_is_shown_is_what_is_sent(page: Page, site: Site) -> None:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.to_questions()
    walk.to_review()
    shown = page.locator("#bytes").inner_text()
    walk.send()
    assert [message.decode() for message in site.stored] == [shown]
    assert json.loads(shown)["answers"] == {"health": "good"}


def test_the_whole_way_by_keyboard(page: Page, site: Site) -> None:
    walk = Walk(page)
    walk.open(site.link(KEY))
    expect(page.locator("#start:not([disabled])")).to_be_visible()
    page.keyboard.press("Enter")
    expect(walk.heading).to_have_text("About you")
    page.keyboard.press("Tab")
    page.keyboard.type("43")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(walk.heading).to_have_text("Your group: 25 people")
    page.keyboard.press("Enter")
    expect(walk.question("Good")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(walk.question("smokes")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#raw")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#receipt")).to_be_visible()
    assert len(site.stored) == 1


def test_the_focus_is_always_visible_and_errors_lead_to_their_fields(page: Page, site: Site) -> None:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.go_on()
    address = page.url
    page.locator("#error-summary a").first.focus()
    page.keyboard.press("Enter")
    field = page.get_by_label("Age", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    described = page.locator(f"#{field.get_attribute('aria-describedby').split()[-1]}")  # type: ignore[union-attr]
    expect(described).to_contain_text("Age: enter a number")
    assert page.url == address
    outline = field.evaluate("element => getComputedStyle(element).outlineWidth")
    assert int(outline.removesuffix("px")) >= 3


def test_targets_are_large_enough_for_a_thumb(tab: Callable[..., Page], site: Site) -> None:
    walk = Walk(tab())
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    targets = walk.page.locator("button, select, input[type=text], label.choice, summary, nav a")
    sizes = targets.filter(visible=True).evaluate_all(
        "found => found.map((one) => one.getBoundingClientRect().height)"
    )
    assert len(sizes) >= 5
    small = [size for size in sizes if size < 44]
    assert small == []
