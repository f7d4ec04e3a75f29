"""Back, forward, languages, lost connections: nothing is lost, nothing is sent twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from shared.declarations import Permissions
from shared.model import format_model
from shared.questionnaire import Questionnaire
from shared.submission import longest_message
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import (
    LANGUAGES,
    ORGANIZER_KEY,
    age,
    build_specification,
    sex,
    sign,
    small_cells,
    small_model,
    small_rows,
    small_specification,
)

pytestmark = pytest.mark.browser


@pytest.fixture
def walk(page: Page, site: Site) -> Walk:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    return walk


def test_back_keeps_everything_and_forward_works(walk: Walk) -> None:
    page = walk.page
    walk.to_questions()
    walk.question("Good").click()
    for heading in ("Your group: 25 people", "About you"):
        page.get_by_role("button", name="Back", exact=True).click()
        expect(walk.heading).to_have_text(heading)
    expect(page.get_by_label("Age", exact=True)).to_have_value("43")
    expect(page.get_by_label("Female", exact=True)).to_be_checked()
    page.go_forward()
    expect(walk.heading).to_have_text("Your group: 25 people")
    page.go_forward()
    expect(walk.heading).to_have_text("Your health")
    expect(page.locator(".questionnaire input[type=radio]").first).to_be_checked()
    for _ in range(4):
        page.go_back()
    expect(walk.heading).to_have_text("Health in Smallville")


def test_a_double_click_skips_no_step(walk: Walk) -> None:
    page = walk.page
    walk.go_on()
    walk.fill_in()
    walk.primary.dblclick()
    expect(walk.heading).to_have_text("Your group: 25 people")
    expect(page.locator("#picture")).to_be_visible()
    walk.go_on()
    walk.question("Good").click()
    page.evaluate("() => { const b = document.querySelector('#screen .primary'); b.click(); b.click(); }")
    expect(walk.question("smokes")).to_be_visible()
    expect(page.locator("#indicator")).to_contain_text("Step 4 of 5: questions, page 2 of 2")


def test_a_slow_double_click_skips_no_step(walk: Walk) -> None:
    """The second click comes when the next screen is there, under the same finger."""
    page = walk.page
    walk.go_on()
    walk.fill_in()
    for clicks, heading in ((1, "Your group: 25 people"), (2, "Your group: 25 people"), (1, "Your health")):
        walk.primary.scroll_into_view_if_needed()
        box = walk.primary.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down(click_count=clicks)
        page.mouse.up(click_count=clicks)
        page.evaluate("() => new Promise((done) => setTimeout(done, 300))")
        expect(walk.heading).to_have_text(heading)


def test_forward_does_not_skip_a_changed_answer(walk: Walk) -> None:
    page = walk.page
    walk.to_questions()
    page.go_back()
    page.go_back()
    page.get_by_label("Age", exact=True).fill("85")
    page.go_forward()
    expect(walk.heading).to_have_text("About you")
    walk.go_on()
    expect(walk.heading).to_have_text("Your group: 25 people")
    expect(page.locator("#example")).to_contain_text("about 87")


def test_the_language_changes_without_losing_answers(walk: Walk) -> None:
    page = walk.page
    walk.to_questions()
    walk.question("Good").click()
    page.get_by_role("link", name="Deutsch").click()
    expect(walk.heading).to_have_text("Ihre Gesundheit")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator(".questionnaire input[type=radio]").first).to_be_checked()
    page.go_back()
    expect(walk.heading).to_have_text("Ihre Gruppe: 25 Personen")
    page.go_back()
    expect(page.get_by_label("Alter", exact=True)).to_have_value("43")
    page.get_by_role("link", name="English").click()
    expect(walk.heading).to_have_text("About you")
    expect(page.get_by_label("Age", exact=True)).to_have_value("43")


def test_a_decimal_comma_is_accepted_where_it_is_written(page: Page, make_site: Callable[..., Site]) -> None:
    cells = small_cells()
    specification = build_specification(
        attributes=(age(maximum="9.9", step="0.1", open_above=False), sex()), rows=small_rows(), cells=cells
    )
    model = format_model(specification.attributes, small_rows())
    site = make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), model)
    walk = Walk(page)
    walk.open(site.link(KEY).replace("#", "?lang=de#"))
    walk.start()
    walk.go_on()
    expect(page.locator(".hint").first).to_contain_text("0 bis 9,9")
    walk.fill_in("4,35", "Weiblich")
    walk.go_on()
    expect(page.locator("#error-summary")).to_contain_text("in Schritten von 0,1")
    walk.fill_in("4,3", "Weiblich")
    walk.go_on()
    expect(walk.heading).to_have_text("Ihre Gruppe: 25 Personen")
    walk.go_on()
    walk.question("Gut").click()
    walk.go_on()
    page.locator(".questionnaire input[type=text]").fill("12,5")
    walk.go_on()
    expect(page.locator("#bytes")).to_contain_text('"wage":"12.5"')
    expect(page.locator(".facts")).to_contain_text("12,5")


def test_after_a_lost_answer_the_same_bytes_are_sent_again(walk: Walk, site: Site) -> None:
    page = walk.page
    walk.to_questions()
    walk.to_review()
    site.faults.add("lost-answer")
    walk.go_on()
    problem = page.locator("#send-problem .error")
    expect(problem).to_be_focused()
    expect(problem).to_have_attribute("data-code", "remote.unreachable")
    expect(problem).to_contain_text("counts only once")
    site.faults.clear()
    expect(page.get_by_role("button", name="Send again")).to_be_enabled()
    walk.send()
    assert len(site.stored) == 1


def test_changing_an_answer_after_a_lost_answer_counts_once(walk: Walk, site: Site) -> None:
    page = walk.page
    walk.to_questions()
    walk.to_review()
    site.faults.add("lost-answer")
    walk.go_on()
    expect(page.locator("#send-problem .error")).to_be_visible()
    site.faults.clear()
    page.go_back()
    page.go_back()
    walk.question("Poor").click()
    walk.go_on()
    expect(walk.question("smokes")).to_be_visible()
    walk.go_on()
    expect(page.locator("#bytes")).to_contain_text('"health":"poor"')
    walk.send()
    expect(page.locator(".notice.good")).to_contain_text("first message had arrived")
    assert len(site.stored) == 1


def test_a_survey_that_was_closed_meanwhile_says_so(walk: Walk, site: Site) -> None:
    walk.to_questions()
    walk.to_review()
    site.faults.add("closed")
    walk.go_on()
    expect(walk.page.locator("#send-problem .error")).to_contain_text("no longer takes answers")
    expect(walk.page.locator("#send-problem .error")).to_contain_text(
        "only the organizer could open it again"
    )


def test_after_sending_there_is_no_way_back_to_the_answers_and_start_over_wipes(
    walk: Walk, site: Site
) -> None:
    page = walk.page
    walk.to_questions()
    walk.to_review()
    walk.send()
    page.go_back()
    expect(page.locator("#receipt")).to_be_visible()
    page.keyboard.press("Enter")  # once more than was meant
    expect(page.locator("#receipt")).to_be_visible()
    page.click("#start-over")
    expect(page.locator("#receipt")).to_be_visible()
    page.click("#wipe")
    expect(walk.heading).to_have_text("Health in Smallville")
    walk.start()
    walk.go_on()
    expect(page.get_by_label("Age", exact=True)).to_have_value("")
    expect(page.get_by_label("Female", exact=True)).not_to_be_checked()
    assert len(site.stored) == 1


def test_free_text_comes_with_a_warning(page: Page, make_site: Callable[..., Site]) -> None:
    questions = {"pages": [{"elements": [{"type": "comment", "name": "remarks", "maxLength": 100}]}]}
    questionnaire = Questionnaire.parse(questions, LANGUAGES)
    specification = replace(
        small_specification(),
        questionnaire=questionnaire,
        message_bytes=longest_message(questionnaire),
        permissions=Permissions(free_text=True, balls_from_register=False),
    )
    site = make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model())
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in()
    walk.to_group()
    walk.go_on()
    expect(page.locator(".notice.warning")).to_contain_text("can tell who you are")
    page.locator(".questionnaire textarea").fill("Two\nlines")
    walk.look("free-text")
    walk.go_on()
    walk.see_message()
    assert json.loads(page.locator("#bytes").inner_text())["answers"] == {"remarks": "Two\nlines"}
