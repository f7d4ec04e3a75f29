"""What used to end in a page that says nothing, or says something wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY
from tests.browser.profiles import DESK
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


def test_without_its_first_script_the_page_says_what_to_do(tab: Callable[..., Page], site: Site) -> None:
    """Start stayed grey for ever: no script was there to say that none came."""
    page = tab(reduced_motion="reduce")
    page.route("**/start.*.mjs", lambda route: route.abort())
    page.goto(site.link(KEY))
    expect(page.locator("#late")).to_have_count(1)
    expect(page.locator("#late")).not_to_be_visible()
    # It takes 15 seconds, by an animation of the style sheet.
    page.context.new_cdp_session(page).send("Animation.setPlaybackRate", {"playbackRate": 20})
    expect(page.locator("#late")).to_be_visible()
    expect(page.locator("#late")).to_contain_text("Load the page again")


@pytest.mark.parametrize("end", [">", "%3E", ")", "»", "”.", ">,", "%22%3E"])
def test_what_a_mail_program_puts_behind_a_link_does_no_harm(page: Page, site: Site, end: str) -> None:
    page.route("**/worker.*.mjs", lambda route: route.abort())  # Python has no part in it
    page.goto(site.link(KEY) + end)
    expect(page.locator("#start:not([disabled])")).to_be_visible()
    assert page.url == site.link(KEY)


@pytest.mark.parametrize("end", ["%23", "x", ".a.b.c", "<b>", "%3Ex"])
def test_a_damaged_link_is_judged_at_once(page: Page, site: Site, end: str) -> None:
    """It took until Python was there, and she had begun."""
    page.route("**/pyodide/**", lambda route: route.abort())
    page.goto(site.link(KEY) + end)
    expect(page.locator("#refusal")).to_have_attribute("data-code", "verification.invitation")


def test_a_lost_connection_is_not_said_to_be_the_browsers(page: Page, site: Site) -> None:
    page.route("**/worker.*.mjs", lambda route: route.abort())
    page.goto(site.link(KEY))
    expect(page.locator("#loading h2")).to_have_text("This page is not complete")


def test_a_survey_closed_meanwhile_offers_no_second_try(page: Page, site: Site) -> None:
    walk = Walk(page)
    walk.open(site.link(KEY))
    expect(page.locator("#late")).to_have_count(0)
    walk.start()
    walk.to_questions()
    walk.to_review()
    page.get_by_role("button", name="Change: How is your health?").click()
    walk.question("Fair").click()
    walk.go_on()
    expect(walk.question("smokes")).to_be_visible()
    walk.go_on()
    expect(page.locator(".facts")).to_contain_text("Fair")
    site.faults.add("closed")
    walk.go_on()
    expect(page.locator("#send-problem")).to_contain_text("no longer takes answers")
    expect(walk.primary).to_have_count(0)


def test_a_preview_does_not_say_that_anything_is_stored(tab: Callable[..., Page], site: Site) -> None:
    site.trial = "preview"
    walk = Walk(tab(DESK))
    walk.open(site.link(KEY))
    walk.to_questions()
    walk.to_review()
    walk.go_on()
    expect(walk.heading).to_have_text("Preview: nothing is stored")
    expect(walk.page.locator("#receipt")).to_have_count(0)


def test_large_german_texts_stay_within_a_narrow_window(tab: Callable[..., Page], site: Site) -> None:
    """200 % at 360 px, from the first page to the receipt; the focus is seen, the console empty."""
    walk = Walk(tab(reduced_motion="reduce"), "large-de")
    page = walk.page
    site.trial = "test"  # marked on every screen
    walk.open(site.link(KEY).replace("#", "?lang=de#"))
    page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")

    def look(step: str) -> None:
        walk.look(step)
        assert walk.overflow() <= 0, step
        page.mouse.wheel(0, 300)
        expect(page.locator("#trial")).to_have_text("Probe: Antworten zählen hier nicht")
        expect(page.locator("#trial")).to_be_in_viewport()

    look("about")
    box = page.locator("#skip").bounding_box()
    assert box is None or box["width"] <= 2
    walk.start()
    look("checks")
    walk.go_on()
    page.get_by_label("Alter", exact=True).fill("43")
    page.get_by_label("Weiblich", exact=True).check()
    look("you")
    walk.go_on()
    expect(page.locator("#risk")).to_be_visible()
    look("group")
    walk.go_on()
    walk.question("Gut").click()
    look("questions")
    walk.go_on()
    chosen = page.locator(".questionnaire select")
    page.keyboard.press("Tab")  # a ring is for whoever uses the keyboard
    chosen.focus()
    assert chosen.evaluate("(field) => getComputedStyle(field).outlineStyle") == "solid"
    walk.go_on()
    walk.see_message()
    look("review")
    walk.go_on()
    expect(page.locator("#receipt")).to_be_visible()
    look("receipt")
    page.keyboard.press("Enter")  # it wiped the receipt, unasked
    expect(page.locator("#receipt")).to_be_visible()
    assert walk.problems == []
