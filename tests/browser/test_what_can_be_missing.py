"""Browsers and servers that lack something: the page says what, in plain words, and what else she can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import small_envelope, small_model
from tests.chromium import ARGUMENTS, CHROMIUM
from tests.waiting import until

pytestmark = pytest.mark.browser


@pytest.fixture
def fresh(browser: Browser) -> Iterator[BrowserContext]:
    """A profile with nothing in its cache."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    yield context
    context.close()


def failure(page: Page, site: Site) -> str:
    page.goto(site.link(KEY))
    notice = page.locator("#loading .error")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("Nothing has been sent")
    expect(notice.locator("li")).to_have_count(3)
    assert site.stored == []
    return notice.inner_text()


def test_without_javascript_the_page_can_be_read_and_says_what_it_needs(browser: Browser, site: Site) -> None:
    without = [*ARGUMENTS, "--blink-settings=scriptEnabled=false"]
    other = browser.browser_type.launch(executable_path=str(CHROMIUM), args=without)
    page = other.new_page()
    page.goto(site.link(KEY))
    expect(page.locator("h1")).to_have_text("Health in Smallville")
    expect(page.locator(".statement li").first).to_be_visible()
    expect(page.locator("noscript h2")).to_have_text("This page needs JavaScript")
    expect(page.locator("noscript h2")).to_be_visible()
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("noscript h2")).to_have_text("Diese Seite braucht JavaScript")
    other.close()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("wasm-policy", "forbids this page to run WebAssembly"),
        ("wasm-type", "with the wrong type"),
        ("missing:python_stdlib", "did not arrive"),
        ("missing:pyodide.asm.wasm", "did not arrive"),
        ("missing:roomful", "did not arrive"),
        ("missing:worker", "did not arrive"),
    ],
)
def test_faults_of_the_server_are_named(fresh: BrowserContext, site: Site, fault: str, words: str) -> None:
    site.faults.add(fault)
    assert words in failure(fresh.new_page(), site)


@pytest.mark.parametrize(
    ("lack", "words"),
    [
        ("delete window.WebAssembly", "WebAssembly is missing"),
        ("Object.defineProperty(window.crypto, 'subtle', {value: undefined})", "cannot check signatures"),
        ("delete window.Worker", "in the background"),
        ("Object.defineProperty(window, 'isSecureContext', {value: false})", "unprotected connection"),
    ],
)
def test_faults_of_the_browser_are_named(fresh: BrowserContext, site: Site, lack: str, words: str) -> None:
    page = fresh.new_page()
    page.add_init_script(lack)
    assert words in failure(page, site)


def test_a_failure_is_told_on_later_steps_too_and_reads_well(fresh: BrowserContext, site: Site) -> None:
    page = fresh.new_page()
    walk = Walk(page, "wasm-blocked")
    site.faults.add("wasm-policy")
    failure(page, site)
    walk.look("about")
    page.click("#start")
    expect(page.locator("#loading .error")).to_be_visible()
    expect(walk.primary).to_be_disabled()


def test_an_unreachable_api_is_no_riddle(fresh: BrowserContext, site: Site) -> None:
    site.faults.add("unreachable")
    page = fresh.new_page()
    page.clock.install()
    page.goto(site.link(KEY))
    refusal = page.locator("#refusal")
    expect(page.locator("#unreached")).to_contain_text("Trying again")
    page.click("#start")
    expect(page.locator("#unreached, #refusal")).to_have_count(1)
    until(lambda: page.clock.run_for(1000) or refusal.count())
    asked = [path for _, path, _ in site.requests if path.endswith("/specification")]
    assert len(asked) >= 1 + len((2, 5, 10)), "it asks once more after each pause"
    expect(refusal).to_have_attribute("data-code", "remote.unreachable")
    expect(refusal).to_contain_text("cannot be reached")


def test_a_damaged_link_is_told_apart_from_one_that_says_nothing(fresh: BrowserContext, site: Site) -> None:
    page = fresh.new_page()
    page.goto(site.link(KEY, digest=site.digest[:-1]))
    expect(page.locator("#refusal")).to_have_attribute("data-code", "verification.invitation")
    expect(page.locator("#refusal")).to_contain_text("Your link is damaged")


def test_a_link_without_digest_and_key_asks_to_compare_words(
    fresh: BrowserContext, make_site: Callable[..., Site]
) -> None:
    site = make_site(small_envelope(), small_model())
    page = fresh.new_page()
    walk = Walk(page, "compare")
    page.goto(site.link(digest=""))
    page.click("#start:not([disabled])")
    expect(page.locator(".words span")).to_have_count(8)
    expect(walk.primary).to_be_disabled()
    walk.look("words")
    page.click("#words-match")
    expect(page.locator("#sound")).to_be_visible()
    walk.to_questions()


@pytest.mark.parametrize("pinned", ["neither", "digest", "key"])
def test_words_are_compared_and_she_is_asked_while_python_is_on_its_way(
    fresh: BrowserContext, site: Site, pinned: str
) -> None:
    """A link without the organizer's key waited for Python before it showed the words."""
    page = fresh.new_page()
    page.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    held: list[Route] = []
    link = {"neither": site.link(digest=""), "digest": site.link(), "key": site.link(KEY, digest="")}[pinned]
    page.goto(link)
    page.click("#start:not([disabled])")
    expect(page.locator(".words span")).to_have_count(8)
    page.click("#words-match")
    expect(page.locator("#looked")).to_be_visible()
    walk = Walk(page)
    walk.go_on()
    walk.fill_in()
    walk.go_on()
    expect(page.locator("#checking")).to_be_visible()
    assert held
    for route in held:
        route.continue_()
    expect(page.locator("#picture")).to_be_visible()
    assert walk.problems == []


def test_words_that_differ_end_the_way(fresh: BrowserContext, site: Site) -> None:
    page = fresh.new_page()
    page.goto(site.link(digest=""))
    page.click("#start:not([disabled])")
    page.click("#words-differ")
    expect(page.locator("#refusal")).to_contain_text("not the survey you were invited to")
    expect(page.locator("#screen button")).to_have_count(0)
