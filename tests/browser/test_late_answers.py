"""Python answers late, and she has gone on meanwhile: the end is that of a machine that answers at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY
from tests.browser.late import Late
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


def test_the_group_is_that_of_what_she_typed_last(page: Page, site: Site) -> None:
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
    expect(walk.heading).to_have_text("About you")
    walk.go_on()
    expect(page.locator("#example")).to_contain_text("about 87")
