"""While Python loads she may fill in "About you"; nothing is shown or sent before every check has passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import KEY
from tests.browser.late import Late
from tests.browser.site import Site
from tests.browser.test_soundness_vectors import VECTORS, serve
from tests.browser.walk import Walk
from tests.builders import small_envelope

pytestmark = pytest.mark.browser
MOST_REQUESTS = 20
"""Until the first question; there were 41, and on a slow telephone network each is two seconds."""


class Held:
    """A page whose Python, or something else, does not come before :meth:`release`."""

    def __init__(self, page: Page, what: str = "**/pyodide.asm.wasm") -> None:
        self._routes: list[Route] = []
        self._page = page
        self._what = what
        page.context.route(what, lambda route: self._routes.append(route))

    def release(self) -> None:
        for route in self._routes:
            route.continue_()
        self._page.context.unroute(self._what)


@pytest.fixture
def walk(browser: Browser) -> Iterator[Walk]:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    yield Walk(context.new_page(), "before-python")
    context.close()


def go_ahead(walk: Walk, site: Site, age: str) -> None:
    """As far as one comes without Python."""
    walk.open(site.link(KEY))
    walk.begin()
    expect(walk.page.locator("#looked")).to_contain_text("survey of your invitation")
    walk.look("checks")
    walk.go_on()
    walk.fill_in(age)
    walk.go_on()
    expect(walk.page.locator("#checking")).to_be_visible()
    assert [method for method, _, _ in site.requests if method != "GET"] == []


def test_about_you_is_filled_in_meanwhile_and_the_group_waits(walk: Walk, site: Site) -> None:
    held = Held(walk.page)
    go_ahead(walk, site, "43")
    walk.look("checking")
    assert walk.overflow() <= 0
    held.release()
    expect(walk.heading).to_have_text("Your group: 25 people")
    asked = [path for _, path, _ in site.requests if path.endswith("/specification")]
    assert len(asked) == 1, "Python checks the very bytes that the page has looked at"
    walk.go_on()
    expect(walk.question("Good")).to_be_visible()
    assert len(site.requests) <= MOST_REQUESTS
    walk.to_review()
    walk.send()
    assert walk.problems == []


def test_what_is_wrong_is_said_a_step_later(walk: Walk, site: Site) -> None:
    """And leads back by one step, however often it is asked for."""
    held, late = Held(walk.page), Late(walk.page, "place")
    go_ahead(walk, site, "x")
    held.release()
    late.wait()
    walk.page.get_by_role("link", name="Deutsch").click()
    late.wait(2)
    late.release()
    expect(walk.page.locator("#error-summary")).to_be_focused()
    expect(walk.page.get_by_label("Weiblich", exact=True)).to_be_checked()
    walk.page.get_by_role("link", name="English").click()
    expect(walk.page.locator("#error-summary")).to_be_visible()
    walk.fill_in("43")
    walk.go_on()
    expect(walk.heading).to_have_text("Your group: 25 people")


def test_a_survey_refused_at_last_takes_what_she_entered_with_it(
    walk: Walk, make_site: Callable[..., Site]
) -> None:
    """The model is another one: only the recount sees it."""
    site = make_site(small_envelope(), b"age,sex\n1,female\n")
    held = Held(walk.page)
    go_ahead(walk, site, "43")
    held.release()
    expect(walk.page.locator("#refusal")).to_have_attribute("data-code", "check.model")
    walk.page.go_back()
    expect(walk.page.locator("#refusal")).to_be_visible()
    expect(walk.page.locator("#screen input")).to_have_count(0)
    assert site.stored == []


@pytest.mark.parametrize("name", ["signed-by-another-key", "swapped-specification"])
def test_nothing_is_asked_early_of_a_survey_that_is_not_the_invitations(
    walk: Walk, site: Site, name: str
) -> None:
    """A hostile server; all vectors are in ``tests/respondent_client/test_early.py``."""
    vector = VECTORS[name]
    serve(site, vector)
    Held(walk.page)
    walk.open(f"{site.link(digest='')}#{vector['invitation']}")
    walk.page.click("#start:not([disabled])")
    expect(walk.page.locator("#checks")).to_contain_text("Checking")
    walk.page.wait_for_timeout(300)
    expect(walk.page.locator("#looked")).to_have_count(0)
    expect(walk.primary).to_be_disabled()
