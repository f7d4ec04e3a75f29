"""The whole page in French, on a telephone; the server says what the page says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from shared.strict_json import dumps
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.test_right_to_left import in_place_of_german
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, sign, small_model, small_specification

pytestmark = pytest.mark.browser


def test_a_walk_in_french(tab: Callable[..., Page], make_site: Callable[..., Site]) -> None:
    payload = dumps(in_place_of_german(small_specification().to_object(), "fr"))
    site = make_site(sign(payload, ORGANIZER_KEY).to_bytes(), small_model())
    walk = Walk(tab(reduced_motion="reduce"), "fr-360")
    page = walk.page

    def look(step: str) -> None:
        walk.look(step)
        assert walk.overflow() <= 0, step

    walk.open(site.link(KEY).replace("#", "?lang=fr#"))
    page.locator("#start:not([disabled])").wait_for()
    written = page.locator(".statement").inner_text()
    assert "Reste sur cet appareil : Alter et Geschlecht." in written
    look("about")
    walk.start()
    look("checks")
    page.go_back()
    expect(page.locator(".statement")).to_have_text(written, use_inner_text=True)
    page.go_forward()
    walk.go_on()
    expect(walk.heading).to_have_text("À propos de vous")
    walk.go_on()
    expect(page.locator("#error-summary")).to_contain_text("Il y a 2 choses à corriger")
    page.get_by_label("Alter", exact=True).fill("43")
    page.get_by_label("Weiblich", exact=True).check()
    look("you")
    walk.go_on()
    expect(walk.heading).to_have_text("Votre groupe : 25 personnes".replace(" :", "\u202f:"))
    look("group")
    walk.go_on()
    walk.question("Gut").click()
    look("questions")
    walk.go_on()
    expect(walk.question("Gut")).to_have_count(0)
    walk.go_on()
    walk.see_message()
    look("review")
    walk.go_on()
    expect(page.locator("#receipt")).to_be_visible()
    look("receipt")
    assert walk.problems == []
