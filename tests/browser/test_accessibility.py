"""Looks at a page, one after the other."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.accessibility import breaches
from tests.browser.site import Site

pytestmark = pytest.mark.browser


def test_a_second_look_sees_what_the_first_did_not(page: Page, site: Site) -> None:
    page.goto(f"{site.base}s/none")
    page.set_content("<html lang='en'><title>A</title><main><h1>A</h1></main></html>")
    assert breaches(page).violations_count == 0
    page.evaluate("document.querySelector('main').append(new Image())")
    (found,) = breaches(page).response["violations"]
    assert found["id"] == "image-alt"
    assert "image-alt" in breaches(page).generate_report()
    page.evaluate("document.querySelector('img').alt = 'A town'")
    assert breaches(page).violations_count == 0
