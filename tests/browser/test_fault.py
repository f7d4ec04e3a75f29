"""A fault of the page itself: it says so, says what to do, and loses nothing that was entered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


def faulty_once(route: Route) -> None:
    """The screen "About you" with a fault that the first press of its button meets."""
    body = route.fetch().text()
    place = "  event.preventDefault();\n  const { state, language } = context;"
    assert place in body
    fault = 'if (!window.met) { window.met = true; throw new TypeError("a fault"); }'
    route.fulfill(body=body.replace(place, f"{place}\n  {fault}"), content_type="text/javascript")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_button_that_fails_says_so_and_can_be_pressed_again(
    browser: Browser, site: Site, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, locale="en-GB")
    page = context.new_page()
    page.route("**/you.*.mjs", faulty_once)
    walk = Walk(page, f"fault-{width}")
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in()
    expect(page.locator("#fault")).to_have_count(0)
    walk.go_on()
    expect(page.locator("#fault")).to_contain_text("Something on this page failed")
    expect(page.locator("#fault")).to_contain_text("Nothing has been sent")
    expect(page.locator("#fault .error")).to_be_focused()
    expect(page.locator("#fault")).to_contain_text("TypeError")
    expect(page.get_by_label("Female", exact=True)).to_be_checked()
    walk.look("you")
    assert walk.overflow() <= 0
    walk.go_on()
    expect(page.locator("figure svg").first).to_be_visible()
    expect(page.locator("#fault")).to_have_count(0)
    context.close()
