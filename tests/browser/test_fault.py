"""A fault of the page itself: it says so, says what to do, and loses nothing that was entered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY
from tests.browser.profiles import PHONE
from tests.browser.site import Site
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


#: The button of the screen "About you" meets a fault when it is pressed first.
FAULTY_ONCE = """const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (data) {
  if (data.method === "place" && !window.met) { window.met = true; throw new TypeError("a fault"); }
  return send.call(this, data);
};"""


def test_a_button_that_fails_says_so_and_can_be_pressed_again(tab: Callable[..., Page], site: Site) -> None:
    page = tab(PHONE, locale="en-GB")
    page.add_init_script(FAULTY_ONCE)
    walk = Walk(page, "fault")
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.fill_in()
    expect(page.locator("#fault")).to_have_count(0)
    walk.go_on()
    expect(page.locator("#fault")).to_contain_text("Something on this page failed")
    expect(page.locator("#fault")).to_contain_text("Nothing has been sent")
    expect(page.locator("#fault .error")).to_be_focused()
    expect(page.locator("#fault")).to_contain_text("TypeError")
    expect(page.get_by_label("Female", exact=True)).to_be_checked()
    walk.look_in_both("you")
    walk.go_on()
    expect(page.locator("#picture")).to_be_visible()
    expect(page.locator("#fault")).to_have_count(0)
