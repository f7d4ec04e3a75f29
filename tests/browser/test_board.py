"""The public board's page in a real browser: verdicts of the command line, and nothing told to anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import segno
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from respondent_client.build import WEB, build
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.collection.web.static_files import ClientFiles
from server.release.board.creating import create_board, finish_board
from server.release.board.verifying import verify_board
from shared.envelope import encode_key
from shared.errors import BoardError
from shared.hash_list import format_hashes
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.receipt import BallotReceipt
from tests.attacks.test_forged_board import folder_of
from tests.boards import SUBMISSIONS, TOKENS
from tests.browser.late import hear
from tests.browser.site import Site
from tests.builders import ORGANIZER_KEY, public_bytes, small_envelope
from tests.invited import ROLL_ID, code, used_codes
from tests.served import serving
from tests.server.collection.storage import ballots
from tests.server.release.board.survey import released_files
from tests.vectors.generate import FOLDER

pytestmark = pytest.mark.browser
VECTORS: dict[str, Any] = json.loads((FOLDER / "board.json").read_text("utf-8"))
CASES = {case["name"]: case for case in VECTORS["cases"]}
BALLOTS = 12
FILES = r"/(specification|board|checkpoint|receipts|roll|used-codes|\w+\.(mjs|json))$"
_MODULES = ("board_check.mjs", "board_receipt.mjs", "board_code.mjs")
JUDGE = """async ([checks, receipts, codes, specification, pin, item]) => {
  const { verifyBoard } = await import(checks);
  const { parsePin, parseReceipt } = await import(receipts);
  const { parseCode } = await import(codes);
  const { board, checkpoint, receipts: list } = item;
  const files = { specification, board, "board/checkpoint": checkpoint, "board/receipts": list,
    "board/roll": item.roll, "board/used-codes": item.used_codes };
  const bytes = (text) => new TextEncoder().encode(text);
  const found = await verifyBoard({
    fetchFile: async (name) => bytes(files[name]),
    fetchReleased: async (name) => (name in item.released ? bytes(item.released[name]) : null),
    pin: parsePin(`#${pin}`),
    receipt: item.receipt === null ? null : parseReceipt(item.receipt),
    code: item.code === null ? null : parseCode(item.code),
  });
  const used = ({ figures }) => (figures.used === true ? "yes" : "no");
  return found.lines.map((line) => [line.code, line.outcome, used(line)]);
}"""


@pytest.fixture(scope="module")
def judge(browser: Browser) -> Iterator[Callable[[dict[str, Any]], list[list[str]]]]:
    """The page's program, run over a vector."""
    site = Site(build(progress=False), small_envelope(), None)
    page = browser.new_page()
    page.goto(f"{site.base}s/none")
    modules = [f"{site.base}extra/{name}" for name in _MODULES]

    def run(case: dict[str, Any]) -> list[list[str]]:
        survey = VECTORS | case
        given = [*modules, survey["specification"], survey["invitation"], case]
        lines: list[list[str]] = page.evaluate(JUDGE, given)
        return lines

    yield run
    page.close()
    site.close()


@pytest.mark.parametrize("name", CASES)
def test_every_vector_is_judged_as_by_python(
    name: str, judge: Callable[[dict[str, Any]], list[list[str]]]
) -> None:
    lines = judge(CASES[name])
    case = CASES[name]
    refused = [code for code, outcome, _ in lines if outcome == "refused"]
    assert (refused[0] if refused else None) == case["refused"]
    if case["refused"] is None:
        outcomes = {code: outcome for code, outcome, _ in lines}
        assert outcomes["board.survey"] == "passed"
        assert case["receipt"] is None or outcomes["board.receipt"] == "passed"
        assert case["code"] is None or lines[-1] == ["board.code", "passed", case["code_used"]]
        assert outcomes["board.tokens"] == ("discrepancy" if case["discrepancy"] else "passed")


@pytest.mark.parametrize("name", CASES)
def test_every_line_of_a_vector_is_as_by_python(
    name: str, judge: Callable[[dict[str, Any]], list[list[str]]], tmp_path: Path
) -> None:
    """Not only the verdict: both count the same lines, and each comes to the same in both (decision 0114)."""
    case = CASES[name]
    pinned = Invitation.parse_fragment((VECTORS | case)["invitation"])
    receipt = None if case["receipt"] is None else BallotReceipt.parse(case["receipt"])
    code = None if case["code"] is None else InvitationCode.parse(case["code"])
    try:
        found = verify_board(folder_of(case, tmp_path), pinned, receipt, code)
    except BoardError:  # a file of no form; the page refuses its line
        assert "refused" in [line[1] for line in judge(case)]
        return
    shown = [(code, outcome) for code, outcome, _ in judge(case) if code != "board.survey"]
    judged = [(code, "passed" if outcome == "discrepancy" else outcome) for code, outcome in shown]
    assert judged == [(line.code, line.outcome) for line in found.recounted.lines]


@pytest.mark.parametrize("member", ["board", "checkpoint", "receipts", "roll", "used_codes"])
def test_no_flipped_bit_passes(member: str, judge: Callable[[dict[str, Any]], list[list[str]]]) -> None:
    honest = CASES["closed"]
    data = honest[member].encode()
    for at in range(0, len(data), max(1, len(data) // 25)):
        changed = data[:at] + bytes([data[at] ^ 1 << at % 6]) + data[at + 1 :]
        lines = judge(honest | {member: changed.decode("utf-8", "replace")})
        assert "refused" in [line[1] for line in lines], (member, at)


@dataclass(kw_only=True)
class Served:
    """A closed survey on a real server."""

    base: str
    store: SurveyStore
    receipts: list[str]

    @property
    def pin(self) -> str:
        """What an invitation names."""
        return f"{self.store.published.digest}.{encode_key(public_bytes(ORGANIZER_KEY))}"

    def link(self, query: str = "", fragment: str | None = None) -> str:
        """Address of the board."""
        return f"{self.base}s/{self.store.id}/board{query}#{self.pin if fragment is None else fragment}"

    def receipt(self, i: int = 0) -> str:
        """As a respondent keeps it."""
        return BallotReceipt.of(self.store.published.digest, self.receipts[i]).to_text()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Twelve ballots, a board, and a server."""
    data = DataDirectory(tmp_path_factory.mktemp("board") / "data")
    store = ballots.store_of(data)
    receipts = [
        store.submit(ballots.seal_ballot(ballots.DIGEST, ballots.ballot(i, cell=i % 8)))
        for i in range(BALLOTS)
    ]
    store.close()
    create_board(store, used_codes=format_hashes(used_codes(20)), key=ORGANIZER_KEY)
    client = ClientFiles.load(build(progress=False))
    with serving(create_app(Config(), data, client=lambda: client)) as port:
        yield Served(base=f"http://127.0.0.1:{port}/", store=store, receipts=receipts)
    data.end()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A telephone."""
    context: BrowserContext = browser.new_context(viewport={"width": 360, "height": 740}, locale="en-GB")
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if "Policy" in message.text else None)
    yield page
    context.close()
    assert not problems


def requested(page: Page) -> list[str]:
    """Addresses that the page asks for from now on."""
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url + (request.post_data or "")))
    return addresses


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_pasted_receipt_is_found_and_never_sent(served: Served, page: Page, language: str) -> None:
    page.goto(served.link(f"?lang={language}"))
    expect(page.locator("html")).to_have_attribute("lang", language)
    page.wait_for_load_state("networkidle")
    addresses = requested(page)
    page.locator("#receipt").fill(served.receipt(3).lower())
    page.locator("#look").click()
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
    number = sorted(served.receipts).index(served.receipts[3]) + 1
    expect(page.locator("#verdict")).to_contain_text(re.compile(rf"\b{number}\b.*\b{BALLOTS}\b"))
    assert addresses
    for address in addresses:
        assert served.receipts[3] not in address.lower()
        assert re.search(FILES, address), address


@pytest.mark.parametrize(("language", "words"), [("en", "was used"), ("de", "wurde benutzt")])
def test_a_code_is_looked_for_and_never_sent(served: Served, page: Page, language: str, words: str) -> None:
    page.goto(served.link(f"?lang={language}"))
    page.wait_for_load_state("networkidle")  # its texts, in English beside her language
    addresses = requested(page)
    page.locator("#code").fill(code(7).text.lower())
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
    expect(page.locator("#verdict")).to_contain_text(words)
    assert addresses
    own = (code(7).symbols.lower(), code(7).proof(ROLL_ID).hex())
    for address in addresses:
        assert re.search(FILES, address), address
        assert not [secret for secret in own if secret in address.lower().replace("-", "")]
    asked = list(addresses)
    addresses.clear()
    page.locator("#code").fill(code(20).text)
    page.keyboard.press("Enter")
    expect(page.locator("#verdict h2")).to_have_text(re.compile("was not used|nicht benutzt"))
    assert addresses == asked


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Enter the code"),
        ("0000-0000-0000-0000-0001", "This is not a code"),
        (InvitationCode.create(b"nobody's code").text, "not of this survey"),
    ],
)
def test_what_is_no_code_of_this_survey_is_said(served: Served, page: Page, typed: str, said: str) -> None:
    page.goto(served.link())
    page.locator("#code").fill(typed)
    page.locator("#look-code").click()
    expect(page.locator("#outcome .notice")).to_contain_text(said)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_discrepancy_is_the_first_thing_on_the_page(browser: Browser, tmp_path: Path, width: int) -> None:
    with DataDirectory(tmp_path / "data") as data:
        store = ballots.store_of(data)
        for i in range(BALLOTS):
            store.submit(ballots.seal_ballot(ballots.DIGEST, ballots.ballot(i, cell=i % 8)))
        store.close()
        used = format_hashes(used_codes(BALLOTS - 2))
        create_board(store, used_codes=used, key=ORGANIZER_KEY, accept_discrepancy=f"{BALLOTS}/{BALLOTS - 2}")
        client = ClientFiles.load(build(progress=False))
        with serving(create_app(Config(), data, client=lambda: client)) as port:
            page = browser.new_page(viewport={"width": width, "height": 900})
            pin = f"{ballots.DIGEST}.{encode_key(public_bytes(ORGANIZER_KEY))}"
            page.goto(f"http://127.0.0.1:{port}/s/{ballots.DIGEST[:16]}/board?lang=en#{pin}")
            first = page.locator("#main > h1 + .notice")
            expect(first).to_contain_text(f"more submissions ({BALLOTS}) than codes that were used (10)")
            page.locator("#code").fill(code(3).text)
            page.locator("#look-code").click()
            expect(page.locator("#outcome > :first-child")).to_have_id("discrepancy")
            expect(page.locator("#verdict")).to_contain_text("Your code was used")
            page.close()


def test_everybody_asks_for_the_same_addresses(served: Served, page: Page) -> None:
    asked = []
    for receipt in (served.receipt(0), served.receipt(7), "0" * 64):
        page.goto("about:blank")
        page.goto(served.link())
        page.wait_for_load_state("networkidle")  # the texts that the page itself loads
        addresses = requested(page)
        page.locator("#receipt").fill(receipt)
        page.locator("#look").click()
        expect(page.locator("#verdict")).to_be_visible()
        asked.append(list(addresses))
    assert asked[0] == asked[1] == asked[2]


def test_a_receipt_that_is_missing_is_said_with_what_to_do(served: Served, page: Page) -> None:
    page.goto(served.link())
    page.locator("#receipt").fill("ab" * 32)
    page.locator("#look").click()
    verdict = page.locator("#verdict")
    expect(verdict).to_have_attribute("data-outcome", "refused")
    expect(verdict).to_contain_text("Your receipt is not on the list")
    expect(verdict).to_contain_text("board.receipt")
    expect(verdict).to_be_focused()


@pytest.mark.parametrize(
    ("typed", "said"), [("", "Enter your receipt first"), ("ROOMFUL-RECEIPT:12", "not a receipt")]
)
def test_what_is_no_receipt_is_said(served: Served, page: Page, typed: str, said: str) -> None:
    page.goto(served.link())
    page.locator("#receipt").fill(typed)
    page.locator("#look").click()
    expect(page.locator("#outcome")).to_contain_text(said)


def test_without_an_invitation_words_are_to_be_compared(served: Served, page: Page) -> None:
    page.goto(served.link(fragment=""))
    page.locator("#count").click()
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "compare")
    expect(page.locator("#outcome .words")).to_have_count(3)


def test_another_invitation_is_refused(served: Served, page: Page) -> None:
    page.goto(served.link(fragment="0" * 64 + served.pin[64:]))
    page.locator("#count").click()
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "refused")
    expect(page.locator("[data-code='board.survey']")).to_have_attribute("data-outcome", "refused")


def test_a_saved_receipt_pins_the_survey_too(served: Served, page: Page, tmp_path: Path) -> None:
    saved = tmp_path / "receipt.txt"
    saved.write_text(f"Your receipt\r\n\r\n{served.receipt(5)}\r\n\r\n{served.link()}\r\n", "utf-8")
    page.goto(served.link(fragment=""))
    page.locator("#saved").set_input_files(saved)
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")


def test_a_language_switch_takes_along_what_stands_in_the_field(served: Served, page: Page) -> None:
    field = page.locator("#receipt")
    page.goto(served.link(fragment=f"{served.pin}.{served.receipt(3)}"))
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
    field.fill("")
    page.click("[data-language=de]")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#look")).to_be_visible()
    expect(field).to_have_value("")
    field.fill(served.receipt(4))
    page.click("[data-language=en]")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(field).to_have_value(served.receipt(4))
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
    assert page.url == served.link("?lang=en")


def test_no_receipt_stays_in_the_address(served: Served, page: Page) -> None:
    """Neither one of another survey, nor one that comes while the page is open."""
    other = BallotReceipt.of("f" * 64, served.receipts[0]).to_text()
    page.goto(served.link(fragment=f"{served.pin}.{other}"))
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("This receipt is for another survey")
    assert page.url == served.link()
    page.evaluate("text => { location.hash = text; }", f"{served.pin}.{served.receipt(2)}")
    expect(verdict).to_have_attribute("data-outcome", "passed")
    expect(page.locator("#receipt")).to_have_value(served.receipt(2))
    assert page.url == served.link()


def test_before_there_is_a_board_no_receipt_stays_in_the_address(tmp_path: Path, page: Page) -> None:
    receipt = BallotReceipt.of(ballots.DIGEST, "ab" * 32).to_text()
    client = ClientFiles.load(build(progress=False))
    with DataDirectory(tmp_path / "data") as data:
        store = ballots.store_of(data)
        with serving(create_app(Config(), data, client=lambda: client)) as port:
            board = f"http://127.0.0.1:{port}/s/{store.id}/board"
            pin = f"{ballots.DIGEST}.{encode_key(public_bytes(ORGANIZER_KEY))}"
            page.goto(f"{board}#{pin}.{receipt}")
            expect(page.locator(".notice")).to_contain_text("not closed yet")
            assert page.url == f"{board}#{pin}"


def test_the_groups_of_the_results_fit_on_a_telephone(tmp_path: Path, page: Page) -> None:
    client = ClientFiles.load(build(progress=False))
    files = tmp_path / "files"
    files.mkdir()
    for name, content in released_files().items():
        (files / name).write_bytes(content)
    with DataDirectory(tmp_path / "data") as data:
        store = ballots.store_of(data)
        for i in range(SUBMISSIONS):
            store.submit(ballots.seal_ballot(ballots.DIGEST, ballots.ballot(i, cell=i % 8)))
        store.close()
        create_board(store, used_codes=format_hashes(used_codes(TOKENS)), key=ORGANIZER_KEY)
        store.mark_released(files)
        finish_board(store, key=ORGANIZER_KEY)
        with serving(create_app(Config(), data, client=lambda: client)) as port:
            for language in ("en", "de"):
                page.goto(f"http://127.0.0.1:{port}/s/{store.id}/board?lang={language}")
                page.locator("details:has(.table) summary").click()
                expect(page.locator(".table tbody tr")).to_have_count(3)
                hidden = "(table) => table.scrollWidth - table.clientWidth"
                assert page.locator(".table").evaluate(hidden) == 0, language


def test_a_saved_receipt_of_another_survey_raises_no_alarm(
    served: Served, page: Page, tmp_path: Path
) -> None:
    other = BallotReceipt.of("f" * 64, served.receipts[0]).to_text()
    link = served.link(fragment=f"{'f' * 64}{served.pin[64:]}")
    saved = tmp_path / "receipt.txt"
    saved.write_text(f"Your receipt\r\n\r\n{other}\r\n\r\n{link}\r\n", "utf-8")
    page.goto(served.link())
    page.locator("#saved").set_input_files(saved)
    expect(page.locator("#verdict")).to_contain_text("This receipt is for another survey")
    page.locator("#receipt").fill(served.receipt(1))
    page.locator("#look").click()
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")


@pytest.mark.parametrize("scale", [3, 12])
def test_a_picture_of_the_code_is_read(served: Served, page: Page, tmp_path: Path, scale: int) -> None:
    picture = tmp_path / "receipt.png"
    segno.make(served.receipt(2), error="m").save(str(picture), scale=scale)
    page.goto(served.link())
    page.locator("#scan").click()
    page.locator(".scanner input[type=file]").set_input_files(picture)
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")
    expect(page.locator("#receipt")).to_have_value(served.receipt(2))
    expect(page.locator(".scanner")).to_have_count(0)


def test_a_picture_without_a_code_or_with_another_is_said(served: Served, page: Page, tmp_path: Path) -> None:
    other, nothing, text = tmp_path / "other.png", tmp_path / "nothing.png", tmp_path / "text.png"
    segno.make_qr("something else").save(str(other), scale=8)
    segno.make_qr("white on white").save(str(nothing), scale=8, dark="#ffffff")
    text.write_bytes(b"no picture")
    page.goto(served.link())
    page.locator("#scan").click()
    for path, said in ((other, "something else"), (nothing, "No code was found"), (text, "not a picture")):
        page.locator(".scanner input[type=file]").set_input_files(path)
        expect(page.locator(".scanner")).to_contain_text(said)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".scanner")).to_have_count(0)


def test_the_counts_can_be_read_without_javascript(served: Served, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(served.link())
    expect(page.locator("#counts ~ .bars").first).to_contain_text("150")
    expect(page.locator("noscript p")).to_contain_text("Looking for a receipt takes JavaScript")
    expect(page.locator("noscript p")).to_be_visible()
    context.close()


def test_the_answer_is_to_the_question_that_was_put_last(served: Served, page: Page) -> None:
    """A verdict about another receipt than the one in the field, and a button that did nothing."""
    held: list[Route] = []
    page.route("**/board/receipts", lambda route: held.append(route))
    page.goto(served.link())
    page.locator("#count").click()
    hear(page, lambda: len(held) == 1)
    page.locator("#receipt").fill(served.receipt(3))
    page.locator("#look").click()
    hear(page, lambda: len(held) == 2)
    held[1].continue_()
    expect(page.locator("#verdict")).to_contain_text(re.compile(rf"\b{BALLOTS}\b"))
    said = page.locator("#verdict").inner_text()
    page.locator("#receipt").fill("no receipt")
    page.locator("#look").click()
    with page.expect_response("**/board/receipts"):
        held[0].continue_()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.locator("#verdict").count() == 0
    assert page.locator("#outcome").inner_text() not in ("", said)


def test_a_page_whose_texts_do_not_arrive_says_so(served: Served, page: Page) -> None:
    page.route("**/en.*.json", lambda route: route.abort())
    page.goto(served.link())
    expect(page.locator("#lost")).to_be_visible()
    page.unroute("**/en.*.json")
    page.click("#load-again")
    expect(page.locator("#look")).to_be_visible()


def test_a_lost_connection_is_said(served: Served, page: Page) -> None:
    page.goto(served.link())
    page.route("**/board/receipts", lambda route: route.fulfill(status=503))
    page.locator("#count").click()
    expect(page.locator("#outcome")).to_contain_text("did not arrive")
    page.unroute("**/board/receipts")
    page.locator("#count").click()
    expect(page.locator("#verdict")).to_have_attribute("data-outcome", "passed")


def test_a_receipt_is_saved_and_drawn_so_that_it_is_read_again(served: Served, page: Page) -> None:
    """What the receipt's screen uses: a file with the link, and a code that this page reads."""
    page.goto(served.link())
    client = ClientFiles.load(build(progress=False))

    def module(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        own = client.files[client.assets[name]].bodies["identity"] if name in client.assets else None
        route.fulfill(body=own or (WEB / name).read_bytes(), content_type="text/javascript")

    page.route("**/modules/*", module)
    modules = [f"/modules/{name}" for name in ("board_receipt.mjs", "code.mjs", "scan.mjs")]
    saved, pin, read = page.evaluate(
        """async ([[receipts, code, scan], given]) => {
          const { receiptFile, receiptText, parsePin } = await import(receipts);
          const { codePicture } = await import(code);
          const { codeInPicture } = await import(scan);
          const text = receiptText(given.surveyId, given);
          const picture = await codePicture(text, "Your receipt");
          picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
          picture.setAttribute("width", "400");
          picture.setAttribute("height", "400");
          const image = new Image();
          const drawn = new XMLSerializer().serializeToString(picture);
          image.src = `data:image/svg+xml,${encodeURIComponent(drawn)}`;
          await image.decode();
          const canvas = new OffscreenCanvas(400, 400);
          canvas.getContext("2d").drawImage(image, 0, 0);
          const saved = receiptFile({ ...given, text });
          return [saved, parsePin(saved), await codeInPicture(await canvas.convertToBlob())];
        }""",
        [
            modules,
            {
                "title": "A survey",
                "surveyId": served.store.id,
                "digest": served.receipts[1],
                "acceptance": "5a" * 64,
                "link": served.link(),
                "lines": ["Keep it."],
            },
        ],
    )
    signed = replace(BallotReceipt.parse(served.receipt(1)), acceptance=b"\x5a" * 64)
    assert read == signed.to_text()
    assert signed.to_text() in saved.split("\r\n")
    assert BallotReceipt.parse(saved) == signed
    assert f"{pin['digest']}.{pin['key']}" == served.pin
