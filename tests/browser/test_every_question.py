"""Every type of element on the page: shown and hidden by the answers, drawn, sent as it is signed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shared.declarations import Permissions
from shared.questionnaire import Questionnaire
from shared.submission import longest_message
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.test_before_python import Held
from tests.browser.walk import Walk
from tests.builders import (
    LANGUAGES,
    ORGANIZER_KEY,
    register_cells,
    sign,
    small_model,
    small_specification,
)
from tests.every_question import BY_BUS, EVERY, OTHERWISE
from tests.in_parts import CUT
from tests.vectors.surveys import districts_of, register

ROOM = """(field) => {
  const left = (element) => element.getBoundingClientRect().left;
  let room = left(field);
  for (let at = field.parentElement; at !== document.documentElement; at = at.parentElement) {
    if (getComputedStyle(at).overflowX !== "visible") room = Math.min(room, left(field) - left(at));
  }
  return room;
}"""
"""Pixels to the left of a field before something cuts off what is drawn there."""
HEARD = """{
  const asked = new Map();
  const { postMessage, addEventListener } = Worker.prototype;
  Worker.prototype.postMessage = function (message) {
    asked.set(message.id, message.method);
    postMessage.apply(this, arguments);
  };
  Worker.prototype.addEventListener = function (kind, listener) {
    addEventListener.call(this, kind, (event) => {
      listener(event);
      if (event.data?.kind === "answer") document.documentElement.classList.add(asked.get(event.data.id));
    });
  };
}"""
"""To what Python has answered becomes a class of the page."""
pytestmark = pytest.mark.browser
QUESTIONNAIRE = Questionnaire.parse(EVERY, LANGUAGES)
LENGTH = longest_message(QUESTIONNAIRE)


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The survey of all types."""
    permissions = Permissions(free_text=True, balls_from_register=False)
    specification = small_specification(questionnaire=EVERY, message_bytes=LENGTH, permissions=permissions)
    return make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model(specification))


@pytest.fixture
def parted(make_site: Callable[..., Site]) -> Site:
    """The same questions to two districts."""
    specification = register(districts_of(register_cells(), CUT))
    permissions = replace(specification.permissions, free_text=True)
    root, parts = replace(
        specification, questionnaire=QUESTIONNAIRE, message_bytes=LENGTH, permissions=permissions
    ).in_parts()
    return make_site(sign(root.to_bytes(), ORGANIZER_KEY).to_bytes(), parts=dict(parts))


def to_questions(page: Page, site: Site) -> Walk:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    from_checks(walk)
    return walk


def from_checks(walk: Walk) -> None:
    walk.go_on()
    tell_of_her(walk)
    walk.to_group()
    walk.go_on()
    expect(walk.page.locator(".questionnaire input").first).to_be_visible()


def tell_of_her(walk: Walk) -> None:
    walk.page.locator("#field-0").fill("43")
    walk.page.locator("#field-1-0").check()


def begin(page: Page, site: Site) -> Walk:
    """To the checks, where Python has been asked of the questions and has answered."""
    page.add_init_script(HEARD)
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.begin()
    page.wait_for_selector("html.check_answers")
    return walk


def tick(page: Page, name: str) -> None:
    page.locator(".questionnaire label", has_text=name).first.click()


def sent(site: Site) -> dict[str, Any]:
    (message,) = site.stored
    answers: dict[str, Any] = json.loads(message)["answers"]
    return answers


def plain(answers: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(answers))
    return result


@pytest.mark.parametrize("width", [360, 1280])
def test_what_is_hidden_is_passed_over_and_not_sent(tab: Callable[..., Page], site: Site, width: int) -> None:
    """Somebody who goes by bus, after she had said otherwise."""
    page = tab({"width": width, "height": 2400})
    walk = to_questions(page, site)
    walk.name = f"every-{width}"
    assert page.get_by_text("Which line?").count() == 0
    walk.go_on()
    expect(page.locator("#error-summary li")).to_have_count(2)
    expect(page.locator("#error-summary")).to_contain_text("Tick this box to go on.")
    tick(page, "I agree")
    tick(page, "By bicycle")
    walk.go_on()
    expect(page.get_by_text("What keeps you from the bus?").first).to_be_visible()
    tick(page, "price")
    tick(page, "None of these")
    expect(page.locator(".sd-item--checked")).to_have_count(1)
    walk.look("1")
    walk.page.locator("#back, #screen .actions button:not(.primary)").last.click()
    tick(page, "By bus")
    expect(page.get_by_text("Which line?").first).to_be_visible()
    search = page.get_by_role("searchbox", name="Search the list")
    search.fill("7")
    expect(page.get_by_text("2 choices").first).to_be_visible()
    assert search.evaluate(ROOM) >= 8, "the ring of the focus is cut off"
    search.press("Enter")
    page.get_by_role("combobox", name="Which line?").select_option("Line 7")
    walk.look("2")
    walk.go_on()
    expect(page.locator("#indicator")).to_contain_text("page 2 of 2")  # two others are not for her
    expect(page.get_by_text("How content are you?").first).to_be_visible()
    expect(page.get_by_text("Take your time.").first).to_be_visible()
    expect(page.get_by_role("img", name="A map of the lines")).to_be_visible()
    page.get_by_role("radio", name="4 on a scale").check(force=True)
    tick(page, "No")
    page.get_by_role("textbox", name="How many minutes").fill("61.5")
    walk.go_on()
    summary = page.locator("#error-summary")
    expect(summary).to_contain_text("“What do you think of it?” – Please answer every row.")
    expect(summary).to_contain_text("“When was the last time?” – Please answer this question.")
    page.locator("input[type=date]").fill("2026-02-28")
    rows = page.locator(".sd-table__row, .sd-matrix tr").filter(has_text="The")
    rows.filter(has_text="The price").locator("label").nth(0).click()
    rows.filter(has_text="The staff").locator("label").nth(2).click()
    for name in ("comfort", "price", "speed"):
        page.get_by_role("checkbox", name=name).locator("xpath=ancestor::label").click()
    expect(page.get_by_role("checkbox", name="comfort – place 1")).to_be_checked()
    page.get_by_role("textbox", name="One word?").fill("late")
    walk.look("3")
    assert walk.overflow() <= 0
    walk.go_on()
    walk.see_message()
    walk.look("4")
    walk.send()
    assert sent(site) == plain(BY_BUS)
    assert walk.problems == []


def test_what_is_hidden_is_known_before_her_part_is_there(page: Page, parted: Site) -> None:
    walk = begin(page, parted)
    walk.go_on()
    tell_of_her(walk)
    walk.go_on()
    page.click("#load-part")
    expect(page.locator("#picture > summary")).to_be_visible()
    walk.go_on()
    expect(page.locator(".questionnaire input").first).to_be_visible()
    assert page.get_by_text("Which line?").count() == 0
    assert walk.problems == []


def test_who_is_asked_more_and_says_it_in_her_words(page: Page, site: Site) -> None:
    """On a network on which the model arrives last."""
    held = Held(page, "**/model")
    walk = begin(page, site)
    held.release()
    from_checks(walk)
    assert page.get_by_text("Which line?").count() == 0
    tick(page, "I agree")
    tick(page, "Other")
    walk.go_on()
    expect(page.locator("#error-summary")).to_contain_text("Please write what you mean by this choice.")
    page.locator(".questionnaire textarea, .questionnaire input[type=text]").first.fill("By boat")
    walk.go_on()
    tick(page, "time")
    tick(page, "Other")
    page.locator(".questionnaire textarea, .questionnaire input[type=text]").first.fill("No stop")
    walk.go_on()
    page.get_by_role("radio", name="1 on a scale").check(force=True)
    page.get_by_role("textbox", name="How many minutes").fill("10")
    rows = page.locator(".sd-table__row, .sd-matrix tr").filter(has_text="The")
    for row in ("The price", "The staff"):
        rows.filter(has_text=row).locator("label").nth(1).click()
    walk.go_on()
    page.get_by_role("textbox", name="Anything else?").fill("More boats.")
    walk.go_on()
    expect(page.locator(".facts")).to_contain_text("By boat")
    walk.send()
    assert sent(site) == plain(OTHERWISE)
    assert walk.problems == []
