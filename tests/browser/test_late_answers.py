"""Python or the server answers late, and she has gone on meanwhile: the end is as if they came at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import KEY
from tests.browser.invited_office import CODES, Office, office
from tests.browser.late import Late
from tests.browser.profiles import PHONE
from tests.browser.site import Site
from tests.browser.test_before_python import Held
from tests.browser.test_invited_survey import InvitedWalk
from tests.browser.walk import Walk
from tests.builders import small_envelope, small_model

pytestmark = pytest.mark.browser
TWICE = "button => { button.click(); button.click(); }"


@pytest.fixture
def fresh(browser: Browser) -> Iterator[Page]:
    """A tab of a profile with nothing in its cache."""
    context = browser.new_context(viewport=PHONE)
    yield context.new_page()
    context.close()


@pytest.fixture
def invited(tmp_path: Path) -> Iterator[Office]:
    with office(tmp_path) as place:
        yield place


def test_she_is_found_and_answers_as_she_typed_last_and_sends_once(page: Page, site: Site) -> None:
    late = Late(page, "place")
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in("43")
    walk.go_on()
    late.wait()
    page.get_by_label("Age", exact=True).fill("85")
    late.release()
    assert walk.heading.inner_text() == "About you", "her group is found for what she has corrected"
    walk.go_on()
    expect(page.locator("#example")).to_contain_text("about 87")
    walk.go_on()
    walk.question("Good").click()
    walk.go_on()
    wage = page.locator(".questionnaire input[type=text]")
    wage.fill("12.5")
    late.hold("check_answers")
    walk.go_on()
    late.wait()
    wage.fill("x")
    late.release()
    expect(page.locator("#error-summary")).to_be_focused()
    wage.fill("13.5")
    walk.go_on()
    expect(page.locator("#raw")).to_be_visible()
    held: list[Route] = []
    page.route("**/submissions", lambda route: held.append(route))
    with page.expect_request("**/submissions"):
        walk.go_on()
    expect(walk.heading).to_have_text("Sending…")
    here = page.evaluate("history.state.step")
    page.go_back()
    page.wait_for_function(f"() => history.state.step === {here}")
    assert walk.heading.inner_text() == "Sending…", "it cannot be changed any more"
    held[0].abort()
    expect(page.locator("#send-problem .error")).to_be_focused()
    page.unroute("**/submissions")
    walk.send()
    assert len(site.stored) == 1
    assert walk.problems == []


def test_the_language_that_she_chose_last_is_shown_whatever_comes_later(fresh: Page, site: Site) -> None:
    texts, library = Held(fresh, "**/de.*.json"), Held(fresh, "**/survey.core.*.js")
    walk = Walk(fresh)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    fresh.get_by_role("link", name="Deutsch").click()
    fresh.get_by_role("link", name="English").click()
    with fresh.expect_response("**/de.*.json"):
        texts.release()

    expect(fresh.locator("html")).to_have_attribute("lang", "en")
    fresh.get_by_role("link", name="Deutsch").click()
    expect(walk.heading).to_have_text("Über Sie")
    library.release()
    walk.fill_in("43", "Weiblich")
    walk.to_group()
    walk.go_on()
    expect(walk.question("Gut")).to_be_visible()
    assert walk.problems == []


def test_a_language_without_its_parts_says_so(fresh: Page, site: Site) -> None:
    """The link did nothing, or the questions stayed in the other language."""
    walk = Walk(fresh)
    walk.open(site.link(KEY))
    walk.start()
    walk.to_questions()
    fresh.route("**/de.*.json", lambda route: route.abort())
    fresh.get_by_role("link", name="Deutsch").click()
    expect(fresh.locator("#fault")).to_be_visible()
    fresh.unroute("**/de.*.json")
    fresh.evaluate("window.first = Survey")
    fresh.route("**/survey.de.*.js", lambda route: route.abort())
    fresh.get_by_role("link", name="Deutsch").click()
    expect(fresh.locator("#screen .error")).to_be_visible()
    fresh.unroute("**/survey.de.*.js")
    walk.go_on()
    expect(walk.question("Gut")).to_be_visible()
    assert fresh.evaluate("window.first === Survey"), "the library that draws is loaded once"


def test_questions_whose_library_never_comes_are_not_prepared_for_ever(fresh: Page, site: Site) -> None:
    library = Held(fresh, "**/survey.core.*.js")
    fresh.clock.install()
    walk = Walk(fresh)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in()
    walk.to_group()
    walk.go_on()
    expect(fresh.locator("#screen")).to_contain_text("Preparing the questions")
    fresh.clock.run_for(60_000)
    expect(fresh.locator("#screen .error")).to_be_visible()
    library.release()
    walk.go_on()
    expect(walk.question("Good")).to_be_visible()
    assert walk.problems == []


def test_another_language_before_the_page_is_there_keeps_the_link(fresh: Page, site: Site) -> None:
    """The key of the organizer and the code of a letter were left behind."""
    first = Held(fresh, "**/start.*.mjs")
    Held(fresh, "**/app.*.mjs")
    fresh.goto(site.link(KEY), wait_until="commit")
    expect(fresh.locator("#late")).to_have_count(1)
    expect(fresh.locator("#languages")).to_be_hidden()
    first.release()
    expect(fresh.locator("#late")).to_have_count(0)
    fresh.get_by_role("link", name="Deutsch").click()
    fresh.wait_for_url(site.link(KEY).replace("#", "?lang=de#"))


def test_nothing_leads_on_from_the_checks_when_python_has_failed(fresh: Page, site: Site) -> None:
    late = Late(fresh)
    Held(fresh)
    fresh.clock.install(time=0)
    fresh.clock.pause_at(60)
    walk = Walk(fresh)
    walk.open(site.link(KEY))
    expect(fresh.locator("#start")).to_be_enabled()
    fresh.click("#start")
    expect(fresh.locator("#looked")).to_be_visible()
    late.tell({"kind": "failed", "cause": "crashed"})
    fresh.clock.run_for(10_000)
    expect(walk.heading).to_have_text("Can this survey keep its promise?")


def test_words_compared_twice_count_the_model_once(page: Page, make_site: Callable[..., Site]) -> None:
    site = make_site(small_envelope(), small_model())
    page.goto(site.link(digest=""))
    Walk(page).begin()
    expect(page.locator("#checks ol.checks")).to_be_visible()
    page.locator("#words-match").evaluate(TWICE)
    expect(page.locator("#sound")).to_be_visible()
    assert len([path for _, path, _ in site.requests if path.endswith("/model")]) == 1


def test_nothing_is_typed_before_it_is_known_what_is_kept_and_nothing_moves_when_a_token_comes(
    page: Page, invited: Office
) -> None:
    late = Late(page, "begin_invitation", "fetch_token")
    walk = InvitedWalk(page)
    walk.open(invited.link(CODES[0]))
    walk.start()
    walk.go_on()
    late.wait()
    expect(page.locator("#code")).to_have_count(0)
    late.release()
    expect(page.locator("#code")).not_to_have_value("")
    late.hold("fetch_token")
    page.click("#get-token")
    late.wait()
    page.go_back()
    more = page.locator("#checks summary")
    more.focus()
    late.release()
    expect(more).to_be_focused()
    page.go_forward()
    expect(page.locator("#token-there")).to_be_visible()
    assert walk.problems == []
