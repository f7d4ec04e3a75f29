"""A vote in a real browser: the page encrypts it in Python, the collector verifies it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, ViewportSize, expect

from server.collection.board_folder import publish_board
from server.keys.sealing import SealingKey
from server.release.board.creating import create_board, finish_board
from server.release.board.election_files import publish_result
from server.release.election_report import render_election_report
from shared.ballot import Ballot
from shared.complaint import find_sealed, sealed_text
from shared.edwards import L
from shared.election.electorate import election_terms
from shared.election.group import GENERATOR, IDENTITY
from shared.election.trustees import lagrange
from shared.election.verifying import verify
from shared.election.vote import EncryptedVote
from shared.hash_list import format_hashes
from shared.invited import Relay
from shared.receipt import BallotReceipt
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from shared.specification import Specification
from shared.strict_json import dumps
from shared.units import names_of_units
from tests import election_held as held
from tests.browser.invited_office import Office, office
from tests.browser.late import Late
from tests.browser.profiles import DESK, PHONE
from tests.browser.test_invited_survey import InvitedWalk, visit
from tests.browser.test_right_to_left import in_arabic
from tests.builders import ORGANIZER_KEY
from tests.election import GROUP
from tests.elections import (
    BOXES,
    COUNTS,
    HeldElection,
    code_in,
    collector,
    election_keys,
    election_specification,
    proofs_of,
    relay_key,
)
from tests.server.cli.test_election import board_files
from tests.server.collection.relay.survey import RELAY_URL
from tests.unit_cells import election_of_units

pytestmark = pytest.mark.browser
__all__ = ["visit"]


@pytest.fixture
def election(tmp_path: Path) -> Iterator[Office]:
    with office(tmp_path, lambda _: election_specification(), voting=False) as place:
        yield place


def votes_in(vote: EncryptedVote) -> list[list[int]]:
    """By the tests' trustees, who do here what they never do: decrypt one ballot."""
    secret = sum(w * held.secrets()[i - 1] for w, i in zip(lagrange((1, 2)), (1, 2), strict=True)) % L
    known = {IDENTITY: 0, GENERATOR: 1}
    return [
        [known[GROUP.combine((1, L - secret), (s, r))] for r, s in contest.ciphertexts]
        for contest in vote.contests
    ]


TEST_AND_CAST = """() => {
  const cast = document.querySelector("#screen button.primary");
  document.getElementById("test-ballot").click();
  cast.click();
}"""
"""Pressed together; a tested ballot is never cast."""


def words_of(walk: InvitedWalk) -> str:
    """The words of a ballot on the screen."""
    return "-".join(walk.page.locator(".words span").all_inner_texts())


@pytest.mark.parametrize(("number", "viewport"), [(0, PHONE), (1, DESK)], ids=["360", "1280"])
def test_a_vote(
    election: Office, visit: Callable[..., InvitedWalk], number: int, viewport: ViewportSize
) -> None:
    walk = visit(f"election-{viewport['width']}", viewport)
    page = walk.page
    specification = election.store.specification
    box = specification.cells.assign(specification.vector({"age": "43", "sex": "female"}))
    wrong, own = code_in((box + 1) % BOXES, number), code_in(box, number)
    walk.open(election.link(wrong))
    expect(page.locator(".statement li").first).to_contain_text("your device knows your vote")
    expect(page.locator("#more")).to_contain_text("sums of whole groups")
    walk.look("1-about")
    walk.start()
    walk.go_on()
    page.fill("#field-0", "43")
    page.check("#field-1-0")
    walk.go_on()
    walk.see_picture()
    walk.go_on()
    expect(page.locator("#own-group")).to_contain_text(f"group {box}")
    walk.look("4-invitation")
    page.click("#get-token")
    expect(page.locator("#code-error")).to_contain_text("another group")
    walk.look("5-other-group")
    assert election.registrar().issued() == 0, "nothing was spent"
    page.fill("#code", own.text)
    walk.exchange()
    expect(page.locator("#later")).to_be_visible()
    walk.look("5-later")
    election.store.open()
    page.reload()
    walk.start()
    walk.go_on()
    page.fill("#field-0", "43")
    page.check("#field-1-0")
    walk.go_on()
    expect(page.locator("#holders")).to_contain_text("1 has a voucher")
    expect(page.locator("#joining")).to_contain_text(f"number {box}. If it has fewer than 3 ballots")
    walk.go_on()
    expect(page.locator("#later")).to_have_count(0)
    walk.go_on()
    page.locator(".questionnaire .sd-item").nth(1).click()
    page.locator(".questionnaire .sd-boolean, .questionnaire .sd-item").last.click()
    walk.look("6-questions")
    walk.go_on()
    walk.see_message()
    walk.look("7-review")
    tested = words_of(walk)
    page.evaluate(TEST_AND_CAST)
    assert words_of(walk) == tested
    walk.look("7-tested")
    text = page.locator("#test-text").text_content()
    link = page.locator("#verify-link").get_attribute("href")
    assert text
    assert link
    other = visit(f"election-test-{viewport['width']}", viewport)
    other.open(link)
    other.page.fill("#test", text)
    other.look("1-test")
    other.page.keyboard.press("Tab")
    expect(other.page.locator("#check")).to_be_focused()
    other.page.keyboard.press("Enter")
    expect(other.page.locator("#rebuilt")).to_be_focused()
    assert words_of(other) == tested
    expect(other.page.locator("#rebuilt .facts dd").first).to_have_text("ben")
    other.look("2-rebuilt")
    other.page.fill("#test", text.replace('"chosen":[1,', '"chosen":[0,'))
    other.page.click("#check")
    expect(other.page.locator("#rebuilt .facts dd").first).to_have_text("ada")
    assert words_of(other) != tested
    other.page.fill("#test", "no test")
    other.page.click("#check")
    expect(other.page.locator("#outcome .error")).to_be_focused()
    assert other.problems == []
    assert election.web.posted("/submissions") == []
    page.click("#new-ballot")
    expect(page.locator("#booth")).to_be_visible()
    assert words_of(walk) != tested
    if viewport == DESK:
        what_cannot_be_sealed_is_dead_and_another_is_cast(walk)
    receipt = BallotReceipt.parse(walk.send_now())
    walk.look("8-receipt")
    with page.expect_download() as download:
        page.click("#save-receipt")
    saved = Path(download.value.path()).read_text("utf-8")
    assert BallotReceipt.parse(saved).digest == receipt.digest
    assert find_sealed(saved) == election.web.posted("/submissions")[-1]
    data = collector().open(ballot_info(election.digest), election.web.posted("/submissions")[-1])
    ballot = Ballot.parse(data, election.store.specification)
    assert ballot.receipt == receipt.digest.hex()
    terms = election_terms(election.store.specification, election.digest)
    vote = EncryptedVote.of(ballot, terms)
    verify(vote, terms, GROUP)
    board, statutes = votes_in(vote)
    assert board == [0, 1, 0]
    assert sum(statutes) == 1
    assert walk.problems == []


def what_cannot_be_sealed_is_dead_and_another_is_cast(walk: InvitedWalk) -> None:
    """While the program that seals is on its way she can neither go back nor press anything."""
    page, dead, held = walk.page, words_of(walk), list[Route]()
    page.check("#when-now")
    page.context.route("**/hpke*.mjs", lambda route: held.append(route))
    with page.expect_request("**/hpke*.mjs"):
        walk.go_on()
    expect(page.locator("#screen button")).to_have_count(0)
    here = page.evaluate("history.state.step")
    page.go_back()
    page.wait_for_function(f"() => history.state.step === {here}")
    expect(page.locator("#screen button")).to_have_count(0)
    held[0].abort()
    expect(page.locator("#send-problem .error")).to_be_focused()
    expect(page.locator("#booth")).to_be_visible()
    page.context.unroute("**/hpke*.mjs")
    assert words_of(walk) != dead


def test_the_page_that_tests_a_ballot_tells_what_is_lost_from_what_is_false(
    election: Office, visit: Callable[..., InvitedWalk]
) -> None:
    """It called a lost connection, and a program that had stopped, no election."""
    walk = visit("election-test-lost")
    page = walk.page
    late = Late(page, "confirm_words", "open")
    address, _, pinned = election.link().partition("#")
    page.context.route("**/specification", lambda route: route.abort())
    walk.open(f"{address}/verify#{pinned}")
    late.wait()
    late.release()
    expect(page.locator("#refusal")).to_contain_text("cannot be reached")
    page.context.unroute("**/specification")
    page.reload()
    late.wait()
    late.tell({"kind": "failed", "cause": "crashed"})
    expect(page.locator("#loading .error")).to_be_visible()
    expect(page.locator("#refusal")).to_have_count(0)
    walk.open(f"{address}/verify?lang=en")
    late.wait()
    late.release()
    late.hold("confirm_words")
    page.click("#words-match")
    expect(page.locator("#words-match")).to_have_count(0)
    late.wait()
    late.release()
    expect(page.locator("#test")).to_be_visible()


@pytest.fixture
def of_units(tmp_path: Path) -> Iterator[Office]:
    with office(tmp_path, lambda _: election_of_units(), voting=False) as place:
        yield place


def test_her_unit_and_with_whom_it_may_be_joined(of_units: Office, visit: Callable[..., InvitedWalk]) -> None:
    walk = visit("units")
    walk.open(of_units.link(code_in(3)))
    walk.start()
    walk.go_on()
    walk.page.fill("#field-0", "90")
    walk.page.check("#field-1-0")
    walk.go_on()
    told = walk.page.locator("#joining")
    expect(told).to_contain_text("number 3, in the unit Female")
    expect(told).to_contain_text("groups of its unit, 2 first")
    expect(told).to_contain_text(
        "Only if the whole unit has fewer than 3, it is joined with the unit beside it: Male"
    )
    walk.look_in_both("group-in-a-unit")


@pytest.mark.parametrize(
    ("viewport", "specification"),
    [(PHONE, election_of_units()), (DESK, election_specification())],
    ids=["units", ""],
)
def test_the_board_shows_the_result(
    tmp_path: Path,
    visit: Callable[..., InvitedWalk],
    viewport: ViewportSize,
    specification: Specification,
) -> None:
    held_election = HeldElection(tmp_path, specification=specification).fill(*COUNTS)
    export = held_election.write()
    result = held_election.result(export).result
    with office(tmp_path / "office", lambda _: held_election.specification) as place:
        place.store.close()
        publish_board(place.store.published.folder, board_files(export))
        publish_result(place.store.published, export, result.to_bytes(), lambda *_: None)
        units = [names_of_units(specification, group.cells, "en") for group in result.groups]
        walk = visit(f"election-board-{'units' if any(units) else 'cells'}", viewport)
        walk.page.goto(f"{place.base}s/{place.store.id}/board")
        expect(walk.page.locator("#result")).to_have_text("Result")
        shown = walk.page.locator("section dl.bars").nth(1).locator(".figure").all_inner_texts()
        assert list(map(int, shown)) == [sum(g.votes[0][i] for g in result.groups) for i in range(3)]
        walk.page.click("#by-group summary")
        expect(walk.page.locator("#by-group tbody tr")).to_have_count(len(result.groups))
        named = ["; ".join(names) for names in units if names]
        assert walk.page.locator("#by-group td.units").all_inner_texts() == named
        assert walk.page.locator("#by-group th", has_text="Unit").count() == bool(named)
        walk.look_in_both("1-result")
        walk.page.reload()
        expect(walk.page.locator("#count")).to_be_visible()
        reach(walk, "#by-group summary")
        walk.page.keyboard.press("Enter")
        reach(walk, "#by-group .table")
        walk.page.reload()
        expect(walk.page.locator("#count")).to_be_visible()
        for control in ("#receipt", "#look", "#scan", "#open-file", "#count"):
            reach(walk, control)
        walk.page.keyboard.press("Enter")
        expect(walk.page.locator("#verdict")).to_be_focused()
        walk.look_in_both("2-counted")


def reach(walk: InvitedWalk, selector: str) -> None:
    """Go on to a control with the keyboard alone."""
    for _ in range(30):
        walk.page.keyboard.press("Tab")
        if walk.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached with Tab")


def test_the_report_scrolls_its_tables_and_not_the_page(
    tmp_path: Path, visit: Callable[..., InvitedWalk]
) -> None:
    held_election = HeldElection(tmp_path).fill(*COUNTS)
    tally = held_election.result(held_election.write())
    examined = tally.election.examined
    page = render_election_report(
        examined.survey.specification, examined.survey.digest, tally.result, examined.counts, "command"
    )
    (tmp_path / "report.html").write_bytes(page)
    walk = visit("election-report")
    walk.page.goto((tmp_path / "report.html").as_uri())
    walk.page.locator("summary").last.click()
    assert walk.page.locator(".scroll[tabindex='0'] table").count() == walk.page.locator("table").count()
    walk.look_in_both("1-report")


@pytest.mark.parametrize(("viewport", "relay"), [(PHONE, False), (DESK, True)], ids=["", "relay"])
def test_a_missing_ballot_comes_back_by_the_board(
    tmp_path: Path, visit: Callable[..., InvitedWalk], viewport: ViewportSize, relay: bool
) -> None:
    """Lost by the collector, who signed to have taken it, or on the way of a relay that signed."""
    keys = election_keys(relay=Relay(url=RELAY_URL, messages=5, seconds=1, key=relay_key().public_key))
    held_election = HeldElection(tmp_path)
    if relay:
        held_election.specification = election_specification(invited=keys)
    with office(tmp_path / "office", lambda _: held_election.specification) as place:
        ballots = [held_election.ballot(box) for box in (0, 1, 1)]
        seal = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
        messages = [seal.seal(ballot_info(place.digest), ballot.to_bytes()) for ballot in ballots]
        for message in messages:
            place.store.submit(message)
        place.store.close()
        missing = ballots[0]
        with sqlite3.connect(place.store.published.folder / "answers.sqlite") as connection:
            connection.execute("DELETE FROM ballot WHERE token = ?", (missing.token.prefix,))
        connection.close()
        create_board(place.store, used_codes=format_hashes(proofs_of(0, 1, 1)), key=ORGANIZER_KEY)
        acceptance = place.store.acceptance(missing.receipt)
        assert acceptance is not None
        if relay:
            acceptance = relay_key().accept(place.digest, messages[0])
        receipt = BallotReceipt.of(place.digest, missing.receipt, acceptance).to_text()
        file = tmp_path / "receipt.txt"
        walk = visit(f"election-complaint-{'relay' if relay else 'collector'}", viewport)
        page = walk.page
        page.goto(f"{place.base}s/{place.store.id}/board#{place.link().partition('#')[2]}")
        expect(page.locator("#provisional")).to_be_visible()
        walk.look_in_both("1-provisional")
        listed = BallotReceipt.of(place.digest, ballots[1].receipt, acceptance).to_text()
        file.write_text(f"{listed}\n\n{sealed_text(messages[1])}\n", "utf-8")
        page.set_input_files("#saved", file)
        expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
        page.fill("#receipt", receipt)  # the ballot in the file before is another one
        page.click("#look")
        expect(page.locator("#complaint")).to_contain_text("Open the file")
        expect(page.locator("#complain")).to_have_count(0)
        file.write_text(f"{receipt}\n\n{sealed_text(messages[0])}\n", "utf-8")
        page.set_input_files("#saved", file)
        expect(page.locator("#complain")).to_be_visible()
        expect(page.locator("#verdict h2")).to_contain_text("The relay took" if relay else "The server took")
        walk.look_in_both("2-missing")
        assert place.web.posted("/complaints") == []
        page.keyboard.press("Tab")
        expect(page.locator("#complain")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#complained")).to_have_attribute("data-outcome", "admitted")
        walk.look_in_both("3-admitted")
        assert place.web.posted("/complaints") == [acceptance + messages[0]]
        finish_board(place.store, key=ORGANIZER_KEY)
        page.reload()
        expect(page.locator("#admitted")).to_contain_text("1")
        page.set_input_files("#saved", file)
        expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
        expect(page.locator("[data-code='board.complaints']")).to_have_attribute("data-outcome", "passed")
        walk.look_in_both("4-final")
        assert walk.problems == []


@pytest.mark.parametrize("language", ["de", "ar"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["360", "1280"])
def test_code_and_complaint_with_the_keyboard_alone(
    tmp_path: Path, visit: Callable[..., InvitedWalk], viewport: ViewportSize, language: str
) -> None:
    """Was my code used, where is my ballot, bring it back: in a long language, and from right to left."""
    document = election_of_units().to_object()
    specification = Specification.parse(dumps(in_arabic(document) if language == "ar" else document))
    held_election = HeldElection(tmp_path, specification=specification)
    with office(tmp_path / "office", lambda _: specification) as place:
        ballots = [held_election.ballot(box) for box in (0, 1, 1)]
        seal = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
        messages = [seal.seal(ballot_info(place.digest), ballot.to_bytes()) for ballot in ballots]
        acceptances = [place.store.acceptance(place.store.submit(message)) for message in messages]
        place.store.close()
        with sqlite3.connect(place.store.published.folder / "answers.sqlite") as connection:
            connection.execute("DELETE FROM ballot WHERE token = ?", (ballots[0].token.prefix,))
        connection.close()
        create_board(place.store, used_codes=format_hashes(proofs_of(0, 1, 1)), key=ORGANIZER_KEY)
        file = tmp_path / "receipt.txt"
        receipt = BallotReceipt.of(place.digest, ballots[0].receipt, acceptances[0] or b"").to_text()
        file.write_text(f"{receipt}\n\n{sealed_text(messages[0])}\n", "utf-8")
        walk = visit(f"election-keyboard-{language}-{viewport['width']}", viewport)
        page, pin = walk.page, place.link().partition("#")[2]
        page.goto(f"{place.base}s/{place.store.id}/board?lang={language}#{pin}")
        expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
        expect(page.locator("#code")).to_be_visible()
        reach(walk, "#code")
        page.keyboard.type(code_in(0).text)
        page.keyboard.press("Enter")
        expect(page.locator("#verdict")).to_be_focused()
        expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
        walk.look("1-code")
        assert walk.overflow() <= 0
        page.keyboard.press("Home")
        page.locator("#receipt").focus()
        with page.expect_file_chooser() as chooser:
            reach(walk, "#open-file")
            page.keyboard.press("Enter")
        chooser.value.set_files(file)
        expect(page.locator("#verdict")).to_be_focused()
        reach(walk, "#complain")
        walk.look("2-missing")
        page.keyboard.press("Enter")
        expect(page.locator("#complained")).to_have_attribute("data-outcome", "admitted")
        walk.look("3-admitted")
        assert walk.overflow() <= 0
        assert walk.problems == []
