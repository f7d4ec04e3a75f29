"""Nothing personal in storage, address, title or history, and nothing on the wire but what the page shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import KEY
from tests.browser.invited_office import CODES
from tests.browser.site import Site
from tests.browser.walk import Walk

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
