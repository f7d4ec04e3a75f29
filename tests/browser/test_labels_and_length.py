"""What a label is counted as, and that no answer makes a message longer, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.attacks.test_false_labels import FALSE, SURVEY
from tests.browser.conftest import KEY
from tests.browser.profiles import DESK, PHONE
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, sign, small_model

pytestmark = pytest.mark.browser


def lying_site(make_site: Callable[..., Site]) -> Site:
    return make_site(sign(SURVEY.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model(SURVEY))


def test_a_false_label_stands_beside_what_it_is_counted_as(
    tab: Callable[..., Page], make_site: Callable[..., Site]
) -> None:
    walk = Walk(tab(PHONE, locale="en-GB"), "labels")
    walk.open(lying_site(make_site).link(KEY))
    walk.start()
    expect(walk.page.locator('li[data-code="check.length"]')).to_have_attribute("data-outcome", "passed")
    walk.look_in_both("checks")
    walk.go_on()
    notes = walk.page.locator(".counted")
    expect(notes).to_have_count(1)
    expect(notes).to_have_text("counted as: female")
    expect(walk.page.get_by_label(FALSE, exact=True)).to_have_accessible_description("counted as: female")
    walk.look_in_both("you")
    walk.page.get_by_label("Age", exact=True).fill("43")
    walk.page.get_by_label(FALSE, exact=True).check()
    walk.go_on()
    expect(walk.page.locator("#more")).to_contain_text(f"{FALSE} (counted as: female)")
    walk.look_in_both("group")
    assert walk.problems == []


def test_the_shortest_and_the_longest_answers_are_equally_long(
    tab: Callable[..., Page], make_site: Callable[..., Site]
) -> None:
    site = lying_site(make_site)
    for full in (False, True):
        walk = Walk(tab(DESK, locale="en-GB"), "length")
        walk.open(site.link(KEY))
        walk.start()
        walk.go_on()
        walk.page.get_by_label("Age", exact=True).fill("43")
        walk.page.get_by_label("Male", exact=True).check()
        walk.to_group()
        walk.go_on()
        if full:
            for choice in ("asthma", "diabetes", "other"):
                walk.question(choice).click()
        walk.to_review()
        walk.send()
    assert len(site.stored) == 2
    assert {len(message) for message in site.stored} == {SURVEY.message_bytes}
