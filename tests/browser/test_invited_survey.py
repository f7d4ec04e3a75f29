"""An invited person's way in a real browser: from a letter to a sealed ballot and its receipt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from shared import base64url
from shared.ballot import Ballot
from shared.invitation_code import InvitationCode
from shared.receipt import BallotReceipt
from shared.sealing import ballot_info, box_info
from shared.specification import Specification
from shared.submission import decode
from shared.token import HeldToken
from tests.browser.invited_office import CODES, UNKNOWN, Office, is_ballot, office
from tests.browser.late import hear
from tests.browser.profiles import DESK, PHONE
from tests.browser.test_right_to_left import in_arabic
from tests.browser.walk import Walk
from tests.invited import COLLECTOR, COLLECTOR_KEY, HPKE, OPENING_KEY, ROLL_ID, token_key

pytestmark = pytest.mark.browser
WAGE = "13.5"


class InvitedWalk(Walk):
    """The steps that an invited survey adds, by ids, so that they are the same in every language."""

    def to_invitation(self, url: str) -> None:
        self.open(url)
        self.start()
        self.go_on()
        expect(self.page.locator("#code, #token-there")).to_be_visible()

    def exchange(self) -> None:
        self.page.click("#get-token")
        expect(self.page.locator("#token-there")).to_be_visible()

    def answer(self) -> None:
        """From the token to the review."""
        self.go_on()
        self.page.fill("#field-0", "43")
        self.answer_from_you()
        self.see_message()

    def answer_to_review(self) -> None:
        """The same, whatever the review says."""
        self.go_on()
        self.page.fill("#field-0", "43")
        self.answer_from_you()

    def answer_from_you(self) -> None:
        """From her details, the first of them filled in, to the review."""
        page = self.page
        page.check("#field-1-0")
        self.go_on()
        self.see_picture()
        self.go_on()
        page.locator(".questionnaire .sd-item").first.click()
        self.go_on()
        wage = page.locator(".questionnaire input[type=text]")
        expect(wage).to_be_visible()
        wage.fill(WAGE)
        self.go_on()
        expect(page.locator("#raw, #send-problem .error").first).to_be_visible()

    def send_now(self) -> str:
        """Send; the receipt's text."""
        self.page.check("#when-now")
        self.go_on()
        expect(self.page.locator("#receipt")).to_be_visible()
        return "".join(self.page.locator("#receipt span").all_inner_texts())

    def let_wait(self, minutes: int = 0) -> None:
        """Stop this page's calendar so many minutes from now; until it moves, no drawn moment comes."""
        self.page.clock.set_fixed_time(datetime.now(UTC) + timedelta(minutes=minutes))

    def kept(self) -> dict[str, Any]:
        """What this tab keeps over a reload."""
        found: dict[str, str] = self.page.evaluate("({...localStorage, ...sessionStorage})")
        assert len(found) <= 1
        return json.loads(next(iter(found.values()))) if found else {}

    def look(self, step: str) -> None:
        super().look(step)
        assert self.overflow() <= 0, step


@pytest.fixture
def visit(tab: Callable[..., Page]) -> Callable[..., InvitedWalk]:
    """A new profile of a browser on each call."""

    def make(name: str, viewport: ViewportSize = PHONE, **more: Any) -> InvitedWalk:
        page = tab(viewport, **more)
        page.on("dialog", lambda dialog: dialog.accept())
        return InvitedWalk(page, name)

    return make


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(tmp_path_factory.mktemp("direct")) as place:
        yield place


def ballot_in(body: bytes, place: Office) -> Ballot:
    """Open the outer seal as the collector does."""
    data = HPKE.decrypt(body, COLLECTOR_KEY, ballot_info(place.digest))
    return Ballot.parse(data, place.store.specification)


def test_from_the_letter_to_the_sealed_ballot(direct: Office, visit: Callable[..., InvitedWalk]) -> None:
    walk = visit("invited-360", color_scheme="light")
    page = walk.page
    walk.open(direct.link(CODES[0]))
    expect(page.locator("#more")).to_contain_text("only 2 of 3 key holders together")
    assert page.url == direct.link(), "the code has left the address"
    walk.look("1-about")
    walk.start()
    expect(page.locator("#indicator")).to_contain_text("Step 1 of 6")
    walk.go_on()
    expect(page.locator("#code")).to_have_value(CODES[0].text)
    expect(page.locator("#code-said")).to_have_text("The code is complete and typed correctly.")
    assert direct.web.posted("/tokens") == [], "opening a link spends nothing"
    assert walk.kept() == {}
    walk.look("3-invitation")

    # Mistakes are told while she types, and again when she goes on all the same.
    page.fill("#code", CODES[0].text.lower()[:-4])
    expect(page.locator("#code-said")).to_have_text("16 characters of 20 so far.")
    page.fill("#code", "U" + CODES[0].text[1:])
    expect(page.locator("#code-said")).to_contain_text("No code contains “U”")
    exchanged = CODES[0].text[1] + CODES[0].text[0] + CODES[0].text[2:]
    page.fill("#code", exchanged)
    page.press("#code", "Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    expect(page.locator("#error-summary")).to_contain_text("two have changed places")
    walk.look("3-invitation-wrong")
    page.fill("#code", UNKNOWN.text)
    page.click("#get-token")
    expect(page.locator("#error-summary")).to_contain_text(
        "nobody was invited with it, or it was used already"
    )
    expect(page.locator("#error-summary")).not_to_contain_text("group by group")
    expect(page.locator("#code-advice")).to_contain_text("group by group")
    assert walk.kept() == {}

    # The answer is lost three times and the page loaded again: the same request gets the token.
    direct.web.arrived.clear()
    direct.web.lose = 3
    page.fill("#code", CODES[0].text.lower().replace("-", " ").replace("1", "l").replace("0", "o"))
    page.click("#get-token")
    expect(page.locator("#unanswered")).to_be_visible()
    expect(page.locator("#unanswered")).to_be_focused()
    walk.look("3-invitation-lost")
    assert walk.kept()["format"] == "roomful-request/3"
    page.reload()
    walk.start()
    walk.go_on()
    expect(page.locator("#code")).to_have_value(CODES[0].text)
    walk.exchange()
    assert len(direct.web.posted("/tokens")) == 4
    assert len(set(direct.web.posted("/tokens"))) == 1
    kept = walk.kept()
    assert kept["format"] == "roomful-token/2"
    assert CODES[0].symbols not in json.dumps(kept)
    walk.look("3-invitation-token")
    page.reload()
    walk.to_invitation(direct.link())
    expect(page.locator("#token-there")).to_be_visible()

    walk.answer()
    expect(page.locator("#stored li").nth(1)).to_contain_text("encrypted answers")
    expect(page.locator("#journey li")).to_have_count(3)
    walk.look("7-review")
    receipt = BallotReceipt.parse(walk.send_now())
    walk.look("8-receipt")
    (body,) = direct.web.posted("/submissions")
    ballot = ballot_in(body, direct)
    assert ballot.receipt == receipt.digest.hex()
    ballot.token.verify(token_key().public_key().public_numbers().n, direct.digest)
    ballot.verify(direct.digest)
    info = box_info(direct.digest, ballot.token.prefix, ballot.token.device_key, ballot.cell)
    opened = decode(
        HPKE.decrypt(ballot.box, OPENING_KEY, info),
        direct.store.specification.message_bytes,
    )
    assert opened.answers["wage"] == WAGE
    assert direct.store.total() == 1
    assert walk.kept() == {}
    board = page.locator("#board-link").get_attribute("href")
    assert board is not None
    signed = replace(receipt, acceptance=COLLECTOR.accept(direct.digest, receipt.digest))
    assert BallotReceipt.parse(board.partition("#")[2]) == signed
    with page.expect_download() as download:
        page.click("#save-receipt")
    saved = Path(download.value.path()).read_text("utf-8")
    assert BallotReceipt.parse(saved) == signed
    assert board in saved
    assert walk.problems == []
    assert page.context.cookies() == []
    nothing_is_where_it_does_not_belong(direct, ballot, receipt)


def nothing_is_where_it_does_not_belong(place: Office, ballot: Ballot, receipt: BallotReceipt) -> None:
    """The proof of the code goes to the registrar only; the code, answers, details and token to nobody."""
    code, proof = CODES[0].symbols, base64url.encode(CODES[0].proof(ROLL_ID))
    secrets = [base64url.encode(ballot.token.prefix), WAGE, "wage", "female", '"43"', "roomful-token"]
    for arrived in place.everything():
        about, body = arrived.text, arrived.body.decode("latin-1")
        assert code not in about.replace("-", "").upper()
        assert code not in body.replace("-", "").upper()
        assert (proof in body) == (arrived.path.endswith("/tokens") and arrived.method == "POST")
        assert receipt.digest.hex() not in (about + body).lower()
        for secret in secrets:
            assert secret not in body, arrived.path
            assert secret not in about.split("PATH_INFO")[-1], arrived.path
        assert ballot.token.prefix.decode("latin-1") not in body
        assert (arrived.method != "GET") == arrived.path.endswith(("/tokens", "/submissions"))
    sent = [arrived for arrived in place.everything() if is_ballot(arrived)]
    assert len(sent) == 1


def test_a_token_is_saved_and_spent_elsewhere(
    direct: Office, visit: Callable[..., InvitedWalk], tmp_path: Path
) -> None:
    first = visit("elsewhere", DESK, color_scheme="dark")
    page = first.page
    first.to_invitation(direct.link(CODES[1]))
    first.look("invitation-dark")
    first.exchange()
    page.click("#elsewhere summary")
    with page.expect_download() as download:
        page.click("#save-token")
    file = tmp_path / "token.json"
    download.value.save_as(file)
    held = HeldToken.parse_file(file.read_bytes(), direct.digest)
    page.click("#show-token")
    expect(page.locator("#token-code svg.qr")).to_be_visible()
    first.look("token-code")
    picture = tmp_path / "code.png"
    page.locator("#token-code svg.qr").screenshot(path=picture)
    page.click("#forget-token")
    expect(page.locator("#code")).to_have_value("")
    assert first.kept() == {}
    page.fill("#code", CODES[1].text)
    page.click("#get-token")
    expect(page.locator("#error-summary")).to_contain_text(
        "nobody was invited with it, or it was used already"
    )

    # Elsewhere: from the file; sent by itself at a random moment, once it is called off and let go again.
    second = visit("waiting", locale="de-DE")
    page = second.page
    second.to_invitation(direct.link(query="?lang=de"))
    expect(second.heading).to_have_text("Ihre Einladung")
    page.fill("#code", "U" + CODES[1].text[1:])
    expect(page.locator("#code-said")).to_contain_text("In keinem Code kommt „U“ vor.")
    page.set_input_files("#token-file", file)
    expect(page.locator("#token-there")).to_be_visible()
    second.look("3-invitation-token")
    second.answer()
    second.look("7-review")
    before = direct.store.total()
    second.let_wait()
    page.check("#when-random")
    second.go_on()
    expect(page.locator("#waiting")).to_contain_text("15 Minuten")
    second.look("7-waiting")
    assert page.evaluate(BEFORE_UNLOAD), "closing the page now is warned of"
    page.click("#call-off")
    expect(page.locator("#when-random")).to_be_checked()
    second.go_on()
    expect(page.locator("#waiting")).to_be_visible()
    assert direct.store.total() == before
    second.let_wait(minutes=16)
    expect(page.locator("#receipt")).to_be_visible()
    assert ballot_in(direct.web.posted("/submissions")[-1], direct).token == held.token

    # A third device scans the picture: the token opens, and is found to be spent only when it is used.
    third = visit("spent")
    page = third.page
    third.to_invitation(direct.link())
    page.set_input_files("#token-file", picture)
    expect(page.locator("#token-there")).to_be_visible()
    third.answer()
    page.check("#when-now")
    third.go_on()
    expect(page.locator("#send-problem [data-code]")).to_have_attribute("data-code", "token.spent")
    assert [*first.problems, *second.problems, *third.problems] == []


BEFORE_UNLOAD = """() => {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}"""


def test_over_a_relay_from_right_to_left(tmp_path: Path, visit: Callable[..., InvitedWalk]) -> None:
    def arabic(specification: Specification) -> Specification:
        return Specification.parse(json.dumps(in_arabic(specification.to_object())).encode())

    walk = visit("relay-ar")
    page = walk.page
    with office(tmp_path, arabic, over_relay=True) as place:
        assert place.pool is not None
        assert place.relay is not None
        walk.to_invitation(place.link(CODES[0], "?lang=ar"))
        walk.look("3-invitation")
        walk.exchange()
        page.click("#elsewhere summary")
        page.click("#show-token")
        expect(page.locator("#token-code svg.qr")).to_be_visible()
        walk.look("3-token")
        walk.answer()
        expect(page.locator("#journey")).to_contain_text(urlsplit(place.relay_url).netloc)
        walk.look("7-review")
        walk.let_wait()
        page.check("#when-random")
        walk.go_on()
        expect(page.locator("#waiting")).to_be_visible()
        walk.look("7-waiting")
        page.click("#send-now")
        expect(page.locator("#receipt")).to_be_visible()
        expect(walk.heading).to_have_text("شكرًا، إجاباتك في الطريق")
        walk.look("8-receipt")
        assert walk.problems == []
        (body,) = place.relay.posted("/submissions")
        assert place.web.posted("/submissions") == []
        assert place.pool.totals().waiting == 1
        receipt = BallotReceipt.parse("".join(page.locator("#receipt span").all_inner_texts()))
        nothing_is_where_it_does_not_belong(place, ballot_in(body, place), receipt)


def send_and_hear_nothing(walk: InvitedWalk, place: Office, code: InvitationCode) -> None:
    """From the letter to a ballot that the relay has, and whose answer is lost."""
    assert place.relay is not None
    walk.to_invitation(place.link(code))
    walk.exchange()
    walk.answer()
    walk.page.check("#when-now")
    place.relay.lose = 1
    walk.go_on()
    problem = walk.page.locator("#send-problem [data-code]")
    expect(problem).to_have_attribute("data-code", "remote.unreachable")


def arrived_once(walk: InvitedWalk, place: Office) -> None:
    """The relay got the very same twice and keeps it once, and the receipt is of it."""
    assert place.pool is not None
    assert place.relay is not None
    receipt = BallotReceipt.parse("".join(walk.page.locator("#receipt span").all_inner_texts()))
    first, again = place.relay.posted("/submissions")
    assert first == again
    assert place.pool.totals().waiting == 1
    assert ballot_in(first, place).receipt == receipt.digest.hex()


def test_after_a_change_the_relay_gets_the_first_message_again(
    tmp_path: Path, visit: Callable[..., InvitedWalk]
) -> None:
    walk = visit("relay-earlier")
    page = walk.page
    with office(tmp_path, over_relay=True) as place:
        send_and_hear_nothing(walk, place, CODES[0])
        expect(page.locator("#send-problem [data-code]")).to_be_focused()
        walk.look("lost")
        page.click("#back")
        wage = page.locator(".questionnaire input[type=text]")
        expect(wage).to_have_value(WAGE)
        wage.fill("14.5")
        walk.go_on()
        expect(page.locator("#bytes")).to_contain_text("14.5")
        page.check("#when-now")
        walk.go_on()
        expect(page.locator(".notice.good")).to_contain_text("the changed one was not")
        expect(walk.heading).to_have_text("Thank you, your answers are on their way")
        walk.look("8-receipt")
        arrived_once(walk, place)


def test_after_a_reload_the_relay_gets_the_very_same_again(
    tmp_path: Path, visit: Callable[..., InvitedWalk]
) -> None:
    """Sealed anew, one token would be in two ballots, and perhaps in two pools, hers alone."""
    walk = visit("relay-again")
    page = walk.page
    with office(tmp_path, over_relay=True) as place:
        send_and_hear_nothing(walk, place, CODES[0])
        page.reload()
        walk.start()
        walk.go_on()
        expect(page.locator("#sent-before")).to_be_visible()
        walk.look("sent-before")
        held: list[Route] = []
        page.context.route("**/submissions", lambda route: held.append(route))
        page.click("#send-again")
        hear(page, lambda: held)
        page.get_by_role("link", name="Deutsch").click()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("#send-again")).to_be_disabled()
        held[0].abort()
        expect(page.locator("#send-problem .error")).to_be_focused()
        page.context.unroute("**/submissions")
        page.click("#send-again")
        expect(page.locator("#receipt")).to_be_visible()
        arrived_once(walk, place)
        assert page.evaluate("sessionStorage.length") == 0
    with office(tmp_path / "other", over_relay=True) as place:
        send_and_hear_nothing(walk, place, CODES[1])
        page.reload()
        walk.start()
        walk.go_on()
        page.click("#screen button:has-text('Continue')")
        page.fill("#field-0", "44")
        walk.answer_from_you()
        page.check("#when-now")
        walk.go_on()
        expect(page.locator(".notice.good")).to_contain_text("the changed one was not")
        arrived_once(walk, place)


def test_the_camera_may_be_used_on_this_page_only(direct: Office, page: Page) -> None:
    answer = page.request.get(direct.link().partition("#")[0])
    assert re.search(r"camera=\(self\)", answer.headers["permissions-policy"])
