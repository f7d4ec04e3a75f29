"""An invited person beside the plan: held keys, a camera left on, another language meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.invited_office import CODES, Office, office
from tests.browser.late import hear
from tests.browser.test_invited_survey import WAGE, InvitedWalk, visit
from tests.waiting import until

pytestmark = pytest.mark.browser
__all__ = ["visit"]

CAMERA = """
window.tracks = [];
navigator.mediaDevices.getUserMedia = async () => {
  const canvas = document.createElement("canvas");
  canvas.getContext("2d").fillRect(0, 0, 10, 10);
  const stream = canvas.captureStream(10);
  window.tracks.push(...stream.getTracks());
  return stream;
};
"""

HOLD_THE_DRAW = """
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message) {
  if (message.method !== "delay") return post.call(this, message);
  window.draw = () => new Promise((drawn) => {
    this.addEventListener("message", ({ data }) => { if (data.id === message.id) setTimeout(drawn); });
    post.call(this, message);
  });
};
"""


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(tmp_path_factory.mktemp("mishaps")) as place:
        yield place


def tracks_are(page: Page, states: list[str]) -> None:
    """Wait until the camera's tracks are in these states."""
    seen = "tracks.map((track) => track.readyState)"
    until(lambda: page.evaluate(seen) == states, lambda: str(page.evaluate(seen)))


def test_the_camera_is_let_go_when_its_screen_goes(direct: Office, visit: Callable[..., InvitedWalk]) -> None:
    walk = visit("mishap")
    page = walk.page
    page.add_init_script(CAMERA)
    walk.to_invitation(direct.link())
    page.click("#scan")
    page.click("#scanner button")
    expect(page.locator("#scanner video")).to_be_visible()
    tracks_are(page, ["live"])
    page.click("#scan")  # once more: another scanner takes the place of the first
    tracks_are(page, ["ended"])
    page.click("#scanner button")
    expect(page.locator("#scanner video")).to_be_visible()
    page.click("#back")
    tracks_are(page, ["ended", "ended"])
    assert walk.problems == []


def test_a_held_key_does_not_skip_the_random_moment(
    direct: Office, visit: Callable[..., InvitedWalk]
) -> None:
    walk = visit("mishap")
    page = walk.page
    walk.to_invitation(direct.link(CODES[2]))
    walk.exchange()
    walk.answer()
    before = direct.store.total()
    expect(walk.primary).to_be_enabled()
    walk.let_wait()
    page.check("#when-random")
    page.keyboard.down("Enter")
    expect(page.locator("#waiting")).to_be_visible()
    page.keyboard.down("Enter")  # repeated by the keyboard
    page.keyboard.up("Enter")
    page.keyboard.press("Enter")  # and pressed twice
    page.wait_for_timeout(700)
    expect(page.locator("#waiting")).to_be_visible()
    assert direct.store.total() == before


def test_a_voucher_outlives_its_tab_on_the_device_that_she_names(
    direct: Office, visit: Callable[..., InvitedWalk]
) -> None:
    """Closing the tab after the code was used cost her the vote; nothing stays unless she asks for it."""
    walk = visit("mishap")
    page = walk.page
    walk.to_invitation(direct.link(CODES[5]))
    expect(page.locator("#spends")).to_contain_text("keep it on this device")
    page.check("#on-device")
    walk.exchange()
    context = page.context
    page.close()
    again = InvitedWalk(context.new_page())
    again.to_invitation(direct.link())
    expect(again.page.locator("#token-there")).to_contain_text("from an earlier visit")
    again.page.uncheck("#on-device")
    assert again.page.evaluate("localStorage.length") == 0
    assert again.kept()["format"].startswith("roomful-token")
    again.page.check("#on-device")
    assert again.page.evaluate("sessionStorage.length") == 0
    again.answer()
    again.send_now()
    assert again.page.evaluate("localStorage.length + sessionStorage.length") == 0


@pytest.mark.parametrize("goes_back", [True, False])
def test_the_moment_is_drawn_for_nobody_who_has_gone_back(
    direct: Office, visit: Callable[..., InvitedWalk], goes_back: bool
) -> None:
    """She types on undisturbed, and nothing is sent behind her back; otherwise it waits as she wished."""
    walk = visit("mishap")
    page = walk.page
    page.add_init_script(HOLD_THE_DRAW)
    walk.to_invitation(direct.link(CODES[0 if goes_back else 1]))
    walk.exchange()
    walk.answer()
    before = direct.store.total()
    walk.let_wait()
    page.check("#when-random")
    walk.go_on()
    page.wait_for_function("() => 'draw' in window")
    if not goes_back:
        page.evaluate("draw()")
        expect(page.locator("#waiting")).to_be_visible()
        return
    page.click("#back")
    wage = page.locator(".questionnaire input[type=text]")
    expect(wage).to_have_value(WAGE)
    wage.focus()
    page.evaluate("draw()")
    expect(wage).to_be_focused()
    walk.let_wait(minutes=16)
    walk.go_on()
    expect(page.locator("#raw")).to_be_visible()
    assert direct.store.total() == before
    walk.send_now()


@pytest.mark.parametrize("ends_well", [True, False])
def test_another_language_while_it_is_sent(
    direct: Office, visit: Callable[..., InvitedWalk], ends_well: bool
) -> None:
    """There is nothing to press meanwhile, and neither the receipt nor the failure gets lost."""
    walk = visit("mishap")
    page = walk.page
    walk.to_invitation(direct.link(CODES[3 if ends_well else 4]))
    walk.exchange()
    walk.answer()
    held: list[Route] = []
    page.context.route("**/submissions", lambda route: held.append(route))
    page.check("#when-now")
    walk.go_on()
    hear(page, lambda: held)
    page.click("[data-language=de]")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#screen button:not([disabled])")).to_have_count(0)
    expect(page.locator("#screen")).to_contain_text("gesendet")
    if ends_well:
        held[0].continue_()
        expect(page.locator("#receipt")).to_be_visible()
    else:
        held[0].abort()
        expect(page.locator("#send-problem [data-code]")).to_be_focused()
        expect(page.locator("#send-problem [data-code]")).to_have_attribute("data-code", "remote.unreachable")
        page.context.unroute("**/submissions")
        page.check("#when-now")
        walk.go_on()
        expect(page.locator("#receipt")).to_be_visible()
    assert walk.problems == []
