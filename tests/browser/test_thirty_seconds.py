"""Half a minute decides: few words, few presses, and the promise with its condition."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser
MOST_WORDS, MOST_CLICKS = 250, 3
MOST_WORDS_OF_EACH_SCREEN = """
    const wordsOfScreens = window.wordsOfScreens = {};
    new MutationObserver(() => {
      window.saidThatItLooked ||= document.querySelector("#looked, #sound") !== null;
      const name = document.querySelector("main h1")?.innerText;
      if (!name || document.querySelector("#start:disabled")) return;
      const words = document.querySelector("main").innerText.trim().split(/\\s+/).length;
      wordsOfScreens[name] = Math.max(wordsOfScreens[name] ?? 0, words);
    }).observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
"""
CONDITION = "if at least 50% of the people take part, as the organizer expects"


def test_few_words_and_clicks_stand_before_the_first_question(page: Page, site: Site) -> None:
    """There were 740 to 880 words and 4 to 6 clicks. What shows for a moment only counts too."""
    page.add_init_script(MOST_WORDS_OF_EACH_SCREEN)
    walk = Walk(page)
    walk.open(site.link(KEY))
    clicks = 0

    def click(selector: str) -> None:
        nonlocal clicks
        clicks += 1
        page.click(selector)

    assert page.locator(".statement li").count() == 3
    assert CONDITION in page.locator(".statement").inner_text()
    click("#start:not([disabled])")
    expect(walk.heading).to_have_text("About you")
    assert page.evaluate("saidThatItLooked"), "for 1.5 s, after which the page goes on by itself"
    walk.fill_in()
    click("#screen button.primary")
    expect(walk.heading).to_have_text("Your group: 25 people")
    assert CONDITION in page.locator("#risk").inner_text()
    expect(page.locator("#risk")).to_contain_text("if only 25% do")
    expect(page.locator("#example")).to_contain_text("“about 37, Female” may stand for your “43, Female”")
    assert page.locator("figure svg").count() == 0
    click("#screen button.primary")
    expect(walk.question("Good")).to_be_visible()
    assert clicks <= MOST_CLICKS
    words: dict[str, int] = page.evaluate("wordsOfScreens")
    for waiting in ("The last checks", "Questions"):  # a slow device shows them while she waits
        words.pop(waiting, None)
    words.popitem()  # the question
    assert len(words) == 4, words
    assert sum(words.values()) <= MOST_WORDS, words
    assert walk.problems == []


def test_the_checks_hold_still_for_whoever_looks_or_comes_back(page: Page, site: Site) -> None:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    page.click("#checks summary")
    promise = page.locator("#promise")
    expect(promise).to_contain_text(CONDITION)
    expect(promise).to_contain_text(re.compile("If only 25% take part, the risk .* is 1 in [0-9]+"))
    page.wait_for_timeout(1700)
    expect(walk.heading).to_have_text("Can this survey keep its promise?")
    walk.go_on()
    page.go_back()
    page.wait_for_timeout(1700)
    expect(walk.heading).to_have_text("Can this survey keep its promise?")


def test_the_page_says_who_asks_and_how_to_reach_them(browser: Browser, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.link(KEY))
    organizer = site.specification.organizer
    expect(page.locator("#screen")).to_contain_text(f"{organizer.name} ({organizer.contact})")
    expect(page.locator(".statement li").nth(0)).to_contain_text("Stays on this device: Age and Sex.")
    context.close()
