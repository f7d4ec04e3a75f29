"""The organizer's logo: on the first page before any script runs, and again from what was checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from shared.pictures import Logo
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import small_envelope, small_model
from tests.every_question import data_url, png

pytestmark = pytest.mark.browser
LOGO = Logo(image=data_url(png(64)), alt={"en": "A tower", "de": "Ein Turm"})


def test_the_logo_is_shown_at_once_and_after_the_checks(
    browser: Browser, make_site: Callable[..., Site]
) -> None:
    site = make_site(small_envelope(logo=LOGO), small_model())
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(site.link(KEY))
    image = page.get_by_role("img", name="A tower")
    assert image.evaluate("image => [image.naturalWidth, image.clientHeight <= 80]") == [64, True]
    plain.close()
    page = browser.new_page(viewport={"width": 320, "height": 640})
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    page.go_back()
    expect(page.get_by_role("img", name="A tower")).to_be_visible()
    page.click("[data-language=de]")
    expect(page.get_by_role("img", name="Ein Turm")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert walk.problems == []
    page.close()
