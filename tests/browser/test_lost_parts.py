"""Parts of the page that do not arrive when they are needed, and a worker that breaks down."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import KEY
from tests.browser.invited_office import CODES, Office, office
from tests.browser.profiles import PHONE
from tests.browser.site import Site
from tests.browser.test_before_python import Held
from tests.browser.test_invited_mishaps import CAMERA, tracks_are
from tests.browser.test_invited_survey import InvitedWalk
from tests.browser.walk import Walk

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(tmp_path_factory.mktemp("lost")) as place:
        yield place


@pytest.fixture
def fresh(browser: Browser) -> Iterator[Page]:
    """A tab of a profile with nothing in its cache."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    context.close()


@pytest.mark.parametrize("part", ["**/app.*.mjs", "**/en.*.json"])
def test_a_page_that_is_not_complete_says_so_and_loads_again(fresh: Page, site: Site, part: str) -> None:
    walk = Walk(fresh, "lost")
    fresh.route(part, lambda route: route.abort())
    walk.open(f"{site.link(KEY)}.{CODES[0].symbols}")
    expect(fresh.locator("#lost")).to_be_visible()
    expect(fresh.locator("#start")).to_be_disabled()
    walk.look("page")
    assert fresh.url == site.link(KEY)
    fresh.unroute(part)
    fresh.click("#load-again")
    walk.start()
    assert fresh.url == site.link(KEY)


def test_a_seal_that_does_not_arrive_can_be_asked_for_again(fresh: Page, place: Office) -> None:
    walk = InvitedWalk(fresh, "no-seal")
    fresh.context.route("**/hpke.*.mjs", lambda route: route.abort())
    walk.to_invitation(place.link(CODES[0]))
    walk.exchange()
    walk.answer_to_review()
    expect(fresh.locator("#send-problem .error")).to_contain_text("Nothing has been sent")
    walk.look("review")
    fresh.context.unroute("**/hpke.*.mjs")
    walk.go_on()
    expect(fresh.locator("#raw")).to_be_visible()
    walk.send_now()


def test_a_camera_does_not_stay_on_without_the_program_that_reads(fresh: Page, place: Office) -> None:
    fresh.add_init_script(CAMERA)
    walk = InvitedWalk(fresh)
    walk.to_invitation(place.link())
    fresh.route("**/qr.*.mjs", lambda route: route.abort())
    fresh.click("#scan")
    fresh.locator("#scanner button").first.click()
    expect(fresh.locator("#scanner .hint")).to_contain_text("did not arrive")
    tracks_are(fresh, ["ended"])
    assert walk.problems == []


def test_a_token_whose_picture_cannot_be_drawn_is_not_taken_for_saved(fresh: Page, place: Office) -> None:
    walk = InvitedWalk(fresh)
    walk.to_invitation(place.link(CODES[1]))
    walk.exchange()
    fresh.route("**/qr.*.mjs", lambda route: route.abort())
    fresh.click("#elsewhere summary")
    fresh.click("#show-token")
    expect(fresh.locator("#token-code")).to_contain_text("did not arrive")
    expect(fresh.locator("#forget-token")).to_have_count(0)
    assert walk.problems == []


def test_a_token_whose_picture_comes_when_she_has_gone_on_is_not_taken_for_saved(
    fresh: Page, place: Office
) -> None:
    walk = InvitedWalk(fresh)
    walk.to_invitation(place.link(CODES[5]))
    walk.exchange()
    late = Held(fresh, "**/qr.*.mjs")
    fresh.click("#elsewhere summary")
    with fresh.expect_request("**/qr.*.mjs"):
        fresh.click("#show-token")
    fresh.go_back()
    expect(fresh.locator("#token-there")).to_have_count(0)
    with fresh.expect_response("**/qr.*.mjs") as arrived:
        late.release()
    arrived.value.finished()
    fresh.go_forward()
    expect(fresh.locator("#token-there")).to_be_visible()
    expect(fresh.locator("#forget-token")).to_have_count(0)


@pytest.mark.parametrize("sending", [True, False])
def test_a_worker_that_breaks_down_does_not_claim_that_nothing_was_sent(
    fresh: Page, place: Office, sending: bool
) -> None:
    fresh.add_init_script(
        "const Real = Worker; window.Worker = class extends Real "
        "{ constructor(...given) { super(...given); window.worker = this; } };"
    )
    walk = InvitedWalk(fresh)
    walk.to_invitation(place.link(CODES[2 if sending else 3]))
    walk.exchange()
    walk.answer()
    held: list[Route] = []
    if sending:
        fresh.context.route("**/submissions", lambda route: held.append(route))
        fresh.check("#when-now")
        walk.go_on()
        expect(fresh.locator("#screen button:not([disabled])")).to_have_count(0)
    fresh.evaluate(
        "worker.dispatchEvent(new MessageEvent('message', {data: {kind: 'failed', cause: 'crashed'}}))"
    )
    notice = fresh.locator("#loading .error")
    expect(notice).to_contain_text("may have arrived" if sending else "Nothing has been sent")
    expect(fresh.locator("#screen")).not_to_contain_text("Sending")


def test_a_browser_that_keeps_nothing_says_so_before_the_code_is_spent(fresh: Page, place: Office) -> None:
    fresh.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
    )
    walk = InvitedWalk(fresh, "keeps-nothing")
    walk.to_invitation(place.link(CODES[4]))
    expect(fresh.locator("#screen")).to_contain_text("This browser keeps nothing for this page")
    walk.look("invitation")
