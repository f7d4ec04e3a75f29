"""A survey in parts: she is asked before her device tells the server her district, and no lie passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.strict_json import dumps, loads
from tests.browser.conftest import KEY
from tests.browser.profiles import PHONE
from tests.browser.site import Site
from tests.browser.test_before_python import Held
from tests.browser.test_right_to_left import in_place_of_german
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, sign
from tests.in_parts import envelope_in_parts, survey_in_parts
from tests.vectors.part_vectors import referenced

pytestmark = pytest.mark.browser
SURVEY, PARTS = survey_in_parts()
YOUNG, OLD = (reference.digest for reference in SURVEY.parts)


@pytest.fixture
def parted(make_site: Callable[..., Site]) -> Site:
    """Two districts of 72 people each: up to 51 years old, and older."""
    return make_site(envelope_in_parts(), parts=dict(PARTS))


def asked_for(site: Site) -> list[str]:
    """Parts that were asked for, in order."""
    return [path.rpartition("/")[2] for _, path, _ in site.requests if "/parts/" in path]


def to_the_question(walk: Walk, link: str, age: str = "43") -> None:
    """To where she is asked whether her part may be loaded."""
    walk.open(link)
    walk.begin()
    expect(walk.page.locator("#looked")).to_be_visible()
    walk.go_on()
    walk.page.locator("#field-0").fill(age)
    walk.page.locator("#field-1-0").check()
    walk.go_on()
    expect(walk.page.locator("#load-part")).to_be_visible()


def test_only_her_part_is_loaded_and_not_before_she_agrees(page: Page, parted: Site) -> None:
    walk = Walk(page, "parts")
    to_the_question(walk, parted.link(KEY))
    assert asked_for(parted) == []
    expect(page.locator("#part-tells")).to_contain_text("one of at least 72 people")
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG]
    walk.see_picture()
    walk.go_on()
    walk.question("Good").click()
    walk.go_on()
    expect(walk.question("smokes")).to_be_visible()
    walk.go_on()
    walk.see_message()
    walk.send()
    assert len(parted.stored) == 1
    cell = loads(parted.stored[0], error=ValueError, where="", max_bytes=10**6)["cell"]
    assert cell in range(4)
    assert asked_for(parted) == [YOUNG]
    assert not walk.problems


def test_she_is_asked_about_herself_while_python_loads_and_then_for_the_part(
    browser: Browser, parted: Site
) -> None:
    context = browser.new_context()
    walk = Walk(context.new_page(), "parts-before-python")
    held = Held(walk.page)
    walk.open(parted.link(KEY))
    walk.begin()
    expect(walk.page.locator("#looked")).to_be_visible()
    walk.go_on()
    expect(walk.page.get_by_text("you are asked before it is loaded")).to_be_visible()
    walk.fill_in("x")
    walk.go_on()
    expect(walk.page.locator("#checking")).to_be_visible()
    held.release()
    expect(walk.page.locator("#error-summary")).to_be_focused()
    assert asked_for(parted) == []
    walk.fill_in("43")
    walk.go_on()
    walk.page.click("#load-part")
    expect(walk.page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG]
    walk.page.go_back()
    expect(walk.heading).to_contain_text("is here and checked")
    assert not walk.problems
    again = Walk(context.new_page())
    held = Held(again.page)
    again.open(parted.link(KEY))
    again.begin()
    again.go_on()
    again.fill_in("80")
    again.go_on()
    expect(again.page.locator("#checking")).to_be_visible()
    held.release()
    expect(again.page.locator("#part-tells")).to_be_visible()
    again.page.click("#load-part")
    expect(again.page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG, OLD]
    assert not again.problems
    context.close()


def test_she_may_load_everything_and_tell_nothing(page: Page, parted: Site) -> None:
    walk = Walk(page)
    to_the_question(walk, parted.link(KEY), "80")
    page.click("#load-all")
    expect(page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG, OLD]
    page.go_back()
    page.go_back()
    page.locator("#field-0").fill("20")
    walk.go_on()
    expect(page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG, OLD]
    assert not walk.problems


def test_another_district_is_asked_for_again_by_name(page: Page, parted: Site) -> None:
    walk = Walk(page)
    to_the_question(walk, parted.link(KEY))
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()
    page.go_back()
    expect(walk.heading).to_contain_text("is here and checked")
    page.go_back()
    page.locator("#field-0").fill("80")
    walk.go_on()
    expect(page.locator("#load-part")).to_be_visible()
    assert asked_for(parted) == [YOUNG]
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()
    page.go_back()
    page.go_back()
    page.locator("#field-0").fill("43")
    walk.go_on()  # both parts are here
    expect(page.locator("#picture > summary")).to_be_visible()
    assert asked_for(parted) == [YOUNG, OLD]
    assert not walk.problems


def test_a_part_that_does_not_arrive_can_be_asked_for_again(page: Page, parted: Site) -> None:
    walk = Walk(page)
    to_the_question(walk, parted.link(KEY))
    parted.faults.add("unreachable")
    page.click("#load-part")
    expect(page.locator("#part-status [role=alert]")).to_be_visible()
    parted.faults.clear()
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()


def test_a_part_that_comes_when_she_has_moved_is_not_taken_for_hers(page: Page, parted: Site) -> None:
    """The page asked for her group over and over, and showed none."""
    late = Held(page, "**/parts/*")
    walk = Walk(page)
    to_the_question(walk, parted.link(KEY))
    page.click("#load-part")
    expect(page.locator("#load-part")).to_be_disabled()
    page.go_back()
    page.locator("#field-0").fill("80")
    walk.go_on()
    expect(page.locator("#load-part")).to_be_enabled()
    with page.expect_response("**/parts/*"):
        late.release()
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()
    expect(page.locator("#example")).to_contain_text("80")
    assert asked_for(parted) == [YOUNG, OLD]
    assert not walk.problems


LIES = {
    "another": PARTS[YOUNG].replace(b"[18]", b"[19]", 1),
    "much too long": PARTS[YOUNG] + b" " * 10_000,
    "swapped": PARTS[OLD],
    "missing": None,
}
"""Others of the kind: tests/respondent_client/test_parts.py."""


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_server_is_refused_and_gets_nothing(page: Page, parted: Site, lie: str) -> None:
    walk = Walk(page)
    to_the_question(walk, parted.link(KEY))
    told = LIES[lie]
    del parted.parts[YOUNG]
    if told is not None:
        parted.parts[YOUNG] = told
    page.click("#load-part")
    expect(page.locator("#refusal")).to_contain_text("sent nothing")
    assert page.locator("button.primary").count() == 0
    assert parted.stored == []


@pytest.mark.parametrize("change", ["cells", "people", "site"])
def test_a_root_that_says_something_else_of_a_part_is_refused(
    page: Page, make_site: Callable[..., Site], change: str
) -> None:
    root, parts = SURVEY.to_object(), dict(PARTS)
    if change == "site":  # signed, and finer than a register may tell
        part = loads(PARTS[YOUNG], error=ValueError, where="", max_bytes=10**6)
        part["cells"]["sites"][0][0] = 166
        data = dumps(part)
        referenced(root, 0, data)
        parts[root["cells"]["districts"][0]["digest"]] = data
    else:
        root["cells"]["districts"][0][change] = {"cells": 3, "people": [73]}[change]
    site = make_site(sign(dumps(root), ORGANIZER_KEY).to_bytes(), parts=parts)
    walk = Walk(page)
    to_the_question(walk, site.link(KEY))
    page.click("#load-part")
    expect(page.locator("#refusal")).to_be_visible()
    assert site.stored == []


@pytest.mark.parametrize("language", ["en", "de", "fr", "ar"])
def test_the_question_is_seen_and_heard(
    tab: Callable[..., Page], make_site: Callable[..., Site], language: str
) -> None:
    root = SURVEY.to_object()
    payload = dumps(root if language in ("en", "de") else in_place_of_german(root, language))
    site = make_site(sign(payload, ORGANIZER_KEY).to_bytes(), parts=dict(PARTS))
    walk = Walk(tab(PHONE), f"parts-{language}")
    to_the_question(walk, site.link(KEY).replace("#", f"?lang={language}#"))
    walk.look_in_both("question")
    focused = walk.page.evaluate("document.activeElement.tagName")
    assert focused == "H1"
    walk.page.keyboard.press("Tab")
    assert walk.page.evaluate("document.activeElement.id") == "load-part"
    walk.page.keyboard.press("Enter")
    expect(walk.page.locator("#picture > summary")).to_be_visible()
    walk.look_in_both("group")
    walk.page.go_back()
    walk.look_in_both("loaded")
    assert not walk.problems
