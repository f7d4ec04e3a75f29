"""Nothing personal in storage, address, title or history, and nothing on the wire but what the page shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.questionnaire import Questionnaire
from shared.submission import longest_message
from tests.browser.conftest import KEY
from tests.browser.invited_office import CODES
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import LANGUAGES, ORGANIZER_KEY, sign, small_model, small_specification

pytestmark = pytest.mark.browser

AGE = "43"
LEFT_BEHIND = """async () => ({
  local: {...localStorage}, session: {...sessionStorage}, cookies: document.cookie,
  databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  title: document.title, address: location.href, state: history.state, name: window.name,
})"""


def test_nothing_of_the_person_is_left_anywhere(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    walk = Walk(context.new_page())
    page = walk.page
    walk.open(site.link(KEY))
    walk.start()
    walk.to_questions()

    def look() -> dict[str, Any]:
        found: dict[str, Any] = page.evaluate(LEFT_BEHIND)
        assert found["local"] == found["session"] == {}
        assert found["cookies"] == found["name"] == ""
        assert found["databases"] == found["caches"] == found["workers"] == 0
        assert set(found["state"]) == {"step"}
        assert AGE not in found["title"]
        assert "emale" not in found["title"]
        assert found["address"] == site.link(KEY)
        return found

    look()
    walk.to_review()
    look()
    walk.send()
    assert look()["state"] == {"step": 8}
    assert context.cookies() == []
    context.close()


def test_the_history_tells_neither_her_group_nor_her_answers(
    page: Page, make_site: Callable[..., Site]
) -> None:
    """Browsers keep the title of each step, and copy it to her other devices."""
    ask = {"type": "radiogroup", "name": "ill", "choices": ["yes", "no"], "isRequired": True}
    more = {"type": "boolean", "name": "pills"}
    questions = {
        "pages": [
            {"elements": [ask]},
            {"title": "Your treatment", "visibleIf": "{ill} = 'yes'", "elements": [more]},
        ]
    }
    length = longest_message(Questionnaire.parse(questions, LANGUAGES))
    specification = small_specification(questionnaire=questions, message_bytes=length)
    made = make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model(specification))
    walk = Walk(page)
    walk.open(made.link(KEY))
    walk.start()

    def go_on(step: str) -> None:
        walk.go_on()
        expect(page).to_have_title(f"{step} – Health in Smallville")

    go_on("Step 2 of 5")
    page.locator("#field-0").fill(AGE)
    page.locator("#field-1-0").check()
    go_on("Step 3 of 5")
    expect(page.locator("h1")).to_contain_text("25 people")
    go_on("Step 4 of 5")
    page.locator(".questionnaire label").first.click()
    go_on("Step 4 of 5")
    expect(page.locator("h1")).to_have_text("Your treatment")
    go_on("Step 5 of 5")
    walk.send()
    expect(page).to_have_title("Done – Health in Smallville")


def test_only_the_message_leaves_and_it_names_neither_language_nor_page(browser: Browser, site: Site) -> None:
    context = browser.new_context(locale="de-CH")
    walk = Walk(context.new_page())
    walk.open(site.link(KEY))
    walk.start()
    before = len(site.requests)
    walk.to_questions()
    walk.to_review()
    asked = [(method, path) for method, path, _ in site.requests[before:] if "/static/" not in path]
    assert asked == [], "working out the group asks the server nothing"
    walk.send()
    method, path, headers = site.requests[-1]
    assert (method, path.rpartition("/")[2]) == ("POST", "submissions")
    assert headers.get("Accept-Language") in (None, "*")
    assert "Referer" not in headers
    assert "Cookie" not in headers
    body = site.stored[0].decode()
    assert json.loads(body)["cell"] >= 0
    assert set(json.loads(body)) == {"protocol", "specification", "cell", "answers", "padding"}
    for _, address, sent in site.requests:
        assert KEY not in address
        assert all(site.digest not in value for value in sent.values())
    context.close()


def test_reloading_forgets_everything(browser: Browser, site: Site) -> None:
    context = browser.new_context()
    walk = Walk(context.new_page())
    walk.open(site.link(KEY))
    walk.start()
    walk.to_questions()
    walk.page.on("dialog", lambda dialog: dialog.accept())
    walk.page.reload()
    expect(walk.heading).to_have_text("Health in Smallville")
    walk.page.go_forward()
    expect(walk.heading).to_have_text("Health in Smallville")
    walk.start()
    walk.go_on()
    expect(walk.page.get_by_label("Age", exact=True)).to_have_value("")
    context.close()


@pytest.mark.parametrize("state", ["open", "closed", "draft", "released"])
def test_a_code_leaves_the_address_in_every_state_of_the_survey(page: Page, site: Site, state: str) -> None:
    site.state = state
    code = CODES[0].symbols
    page.goto(f"{site.link(KEY)}.{code}")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#start:not([disabled])")).to_have_count(int(state == "open"))
    assert page.url == site.link(KEY)
    assert page.evaluate("history.state") == {"step": 0}
    page.click("[data-language=de]")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#start:not([disabled])")).to_have_count(int(state == "open"))
    assert page.url == site.link(KEY).replace("#", "?lang=de#")
    page.go_back()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert page.url == site.link(KEY)


def test_a_page_that_the_browser_brings_back_has_forgotten_the_answers(page: Page, site: Site) -> None:
    """Some browsers freeze a page that was left, and thaw it, answers and all, for whoever goes back."""
    thaw = "() => { window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })); }"
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.accept()))
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in()
    page.evaluate(thaw)
    walk.start()
    walk.go_on()
    expect(page.get_by_label("Age", exact=True)).to_have_value("")
    assert dialogs == []
    walk.fill_in()
    walk.go_on()
    expect(page.locator("#picture")).to_be_visible()
    walk.go_on()
    walk.to_review()
    walk.send()
    page.evaluate(thaw)
    expect(page.locator("#receipt")).to_be_visible()
