"""Another link in the same tab: what it keeps may be another's, and is neither spent nor lost unasked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import KEY
from tests.browser.invited_office import CODES, Office, office
from tests.browser.profiles import PHONE
from tests.browser.site import Site
from tests.browser.test_invited_survey import InvitedWalk

pytestmark = pytest.mark.browser
HERS, HIS = CODES[0], CODES[1]
AGAIN = "url => { location.href = url; }"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(tmp_path_factory.mktemp("another")) as place:
        yield place


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport=PHONE)
    yield context
    context.close()


@pytest.fixture(scope="module")
def tab(place: Office, context: BrowserContext) -> InvitedWalk:
    """A tab in which she has exchanged her code and gone away; the tests of this file follow one another."""
    walk = InvitedWalk(context.new_page(), "another-link")
    walk.page.on("dialog", lambda dialog: dialog.accept())
    walk.to_invitation(place.link(HERS))
    walk.exchange()
    return walk


def test_the_link_of_another_person_is_asked_about(tab: InvitedWalk, place: Office) -> None:
    page, hers = tab.page, tab.kept()
    page.goto("about:blank")
    tab.open(place.link(HIS))
    tab.start()
    tab.go_on()
    expect(page.locator("#use-kept")).to_be_visible()
    expect(page.locator("#screen button.primary")).to_have_count(0)
    tab.look("which")
    page.keyboard.press("Enter")
    expect(page.locator("#use-kept")).to_be_visible()
    assert tab.kept() == hers

    page.click("#use-kept")
    expect(page.locator("#token-there")).to_be_visible()
    expect(page.locator("#not-mine")).to_be_visible()
    tab.look("kept-before")
    assert tab.kept() == hers


def test_what_was_kept_can_be_dropped_for_the_link(tab: InvitedWalk, place: Office) -> None:
    page, before = tab.page, len(place.web.posted("/tokens"))
    page.goto("about:blank")
    tab.open(place.link(HIS))
    tab.start()
    tab.go_on()
    page.click("#use-link")
    expect(page.locator("#code")).to_have_value(HIS.text)
    assert tab.kept() == {}
    assert len(place.web.posted("/tokens")) == before


def test_an_unanswered_request_of_another_person_is_asked_about(tab: InvitedWalk, place: Office) -> None:
    page = tab.page
    place.web.lose = 3
    page.click("#get-token")
    expect(page.locator("#unanswered")).to_be_visible()
    request = tab.kept()
    page.goto("about:blank")
    tab.open(place.link(CODES[2]))
    tab.start()
    tab.go_on()
    page.click("#use-kept")
    expect(page.locator("#unanswered")).to_be_visible()
    expect(page.locator("#code")).to_have_value(HIS.text)
    assert tab.kept() == request
    page.goto("about:blank")
    tab.open(place.link(HIS))
    tab.start()
    tab.go_on()
    expect(page.locator("#unanswered")).to_be_visible()
    tab.exchange()


def test_a_token_from_before_is_shown_as_such_on_a_link_without_a_code(
    tab: InvitedWalk, place: Office
) -> None:
    page = tab.page
    expect(page.locator("#not-mine")).to_have_count(0)
    page.goto("about:blank")
    tab.to_invitation(place.link())
    page.click("#not-mine summary")
    page.click("#not-mine button")
    expect(page.locator("#code")).to_have_value("")
    assert tab.kept() == {}


@pytest.mark.parametrize("stays", [True, False])
def test_another_link_over_a_page_in_use_is_asked_about(
    place: Office, context: BrowserContext, stays: bool
) -> None:
    page = context.new_page()
    walk = InvitedWalk(page, "other-link")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.accept()))
    walk.to_invitation(place.link(CODES[3 if stays else 4]))
    walk.exchange()
    walk.go_on()
    page.fill("#field-0", "43")
    page.evaluate(AGAIN, place.link(CODES[2]))
    expect(page.locator("#stay")).to_be_visible()
    walk.look("asked")
    assert page.url == place.link()
    assert CODES[2].symbols not in str(page.evaluate("JSON.stringify(history.state)"))
    page.click("#stay" if stays else "#open-other")
    if stays:
        expect(page.locator("#field-0")).to_have_value("43")
        walk.answer_from_you()
        walk.send_now()
    else:
        walk.start()
        walk.go_on()
        expect(page.locator("#use-kept")).to_be_visible()
        assert page.url == place.link()
    assert dialogs == []
    assert walk.problems == []
    page.close()


def test_the_same_link_again_changes_nothing(place: Office, context: BrowserContext) -> None:
    page = context.new_page()
    walk = InvitedWalk(page)
    walk.to_invitation(place.link())
    page.fill("#code", "ABC")
    page.evaluate(AGAIN, place.link())
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    expect(page.locator("#code")).to_have_value("ABC")
    page.close()


def test_another_survey_says_what_the_tab_keeps(place: Office, context: BrowserContext, site: Site) -> None:
    """Two surveys of one server; what the tab keeps of the first is told on the page of the second."""
    page = context.new_page()
    walk = InvitedWalk(page, "other-survey")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(site.link(KEY))
    page.evaluate("sessionStorage.setItem('roomful:0123456789abcdef', '{}')")
    page.reload()
    expect(page.locator("#others")).to_be_visible()
    walk.look("about")
    walk.start()
    expect(page.locator("#others")).to_be_hidden()
    page.go_back()
    page.click("#remove-others")
    expect(page.locator("#others button")).to_have_count(0)
    assert walk.kept() == {}
    page.reload()
    expect(page.locator("#start:not([disabled])")).to_be_visible()
    expect(page.locator("#others")).to_be_hidden()
    page.close()


def test_closing_the_tab_is_warned_of_while_a_code_is_on_its_way(
    place: Office, context: BrowserContext
) -> None:
    page: Page = context.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.accept()))
    walk = InvitedWalk(page)
    walk.to_invitation(place.link(CODES[2]))
    place.web.lose = 3
    page.click("#get-token")
    expect(page.locator("#unanswered")).to_be_visible()
    page.reload()
    assert dialogs == ["beforeunload"], "the request exists in this tab alone"
    page.close()
