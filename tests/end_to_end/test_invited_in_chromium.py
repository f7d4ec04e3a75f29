"""An invited survey from keys to board, with people who take part in a real Chromium.

Every step is a command or a process of its own, as organizer, registrar, relay and trustees run them. Three
people come with what their letters hold: the link, the code to type, the printed code to scan. The others are
simulated. In the end each of the three finds her receipt, and every count agrees.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from PIL.Image import Image
from playwright.sync_api import Browser, expect

from respondent_client.build import build
from shared.receipt import BallotReceipt
from tests.browser.profiles import DESK, PHONE
from tests.browser.test_invited_survey import WAGE, InvitedWalk
from tests.end_to_end.office import Office
from tests.end_to_end.test_invited_survey import PEOPLE, close_and_release, draft, rehearse
from tests.programs import free_port

pytestmark = pytest.mark.browser
SIMULATED_WAGE = "20"
DPI = 150
ENGLISH: dict[str, Any] = {"viewport": PHONE, "locale": "en-GB", "color_scheme": "light"}
GERMAN: dict[str, Any] = {"viewport": DESK, "locale": "de-DE", "color_scheme": "dark"}


class ResidentWalk(InvitedWalk):
    """The way of somebody in the town of the end-to-end tests, with a look at every screen."""

    def about(self, url: str) -> None:
        """Open an address, read the first page, and wait for the checks."""
        self.open(url)
        self.look("1-about")
        self.begin()
        expect(self.page.locator("#sound, #words-match")).to_be_visible()
        self.look("2-checks")

    def invitation(self) -> None:
        self.go_on()
        expect(self.page.locator("#code")).to_be_visible()

    def exchange(self) -> None:
        super().exchange()
        self.look("3-token")

    def answer(self) -> None:
        page = self.page
        self.go_on()
        page.fill("#field-0", "43")
        page.check("#field-1-0")
        page.check("#field-2-3")
        self.look("4-you")
        self.go_on()
        self.see_picture()
        self.look("5-group")
        self.go_on()
        page.locator(".questionnaire .sd-item").first.click()
        self.look("6-questions")
        self.go_on()
        wage = page.locator(".questionnaire input[type=text]")
        expect(wage).to_be_visible()
        wage.fill(WAGE)
        self.go_on()
        self.see_message()
        expect(page.locator("#journey li")).to_have_count(3)
        self.look("7-review")

    def send_now(self) -> str:
        receipt = super().send_now()
        self.look("8-receipt")
        return receipt


@contextmanager
def resident(browser: Browser, name: str, **profile: Any) -> Iterator[ResidentWalk]:
    """A device of its own, which shares nothing with the others."""
    context = browser.new_context(**profile)
    walk = ResidentWalk(context.new_page(), name)
    walk.page.on("dialog", lambda dialog: dialog.accept())
    yield walk
    assert walk.problems == []
    assert context.cookies() == []
    context.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLetter:
    """A page of ``letters.pdf`` as its reader sees it: words, and two squares."""

    words: str
    code: str
    link: str
    small_square: Image


def read_letters(path: Path, *, first: int) -> list[PrintedLetter]:
    """Draw each page, find its QR codes with a reader that is not ours, and cut out the small one."""
    letters = []
    for page in itertools.islice(pypdfium2.PdfDocument(path), first):
        picture = page.render(scale=DPI / 72).to_pil()
        link, code = sorted(zxingcpp.read_barcodes(picture), key=lambda found: "#" not in found.text)
        corner, opposite = code.position.top_left, code.position.bottom_right
        margin = (opposite.x - corner.x) // 4
        box = (corner.x - margin, corner.y - margin, opposite.x + margin, opposite.y + margin)
        letters.append(
            PrintedLetter(
                words=str(page.get_textpage().get_text_bounded()),
                code=code.text,
                link=link.text,
                small_square=picture.crop(box),
            )
        )
    return letters


def invite(office: Office, url: str) -> list[PrintedLetter]:
    """Letters for everybody, of which three are read; the others' codes in a file of their own."""
    words = ["--codes", "codes/codes.csv", "--public-url", url, "--line", "{schooling}"]
    office.run("invite", "out", *words, "--out", "letters")
    letters = read_letters(office.folder / "letters" / "letters.pdf", first=3)
    with (office.folder / "letters" / "mail-merge.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["link"] for row in rows[:3]] == [letter.link for letter in letters]
    codes = "".join(f"{row['code']}\n" for row in rows[3:])
    (office.folder / "others.csv").write_text("code\n" + codes)
    return letters


def simulate(office: Office, link: str) -> int:
    """Some dozens of the others take part; how many."""
    with (office.folder / "town.csv").open(newline="", encoding="utf-8") as file:
        people = [row | {"wage": SIMULATED_WAGE} for row in csv.DictReader(file)]
    with (office.folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, people[0])
        writer.writeheader()
        writer.writerows(people)
    words = ["--model", "people.csv", "--codes", "others.csv", "--answers", "wage=wage"]
    words += [
        "--invited",
        str(PEOPLE - 3),
        "--participants",
        "0.1",
        "--seed",
        "4",
        "--into-real-survey",
        "--json",
    ]
    report = json.JSONDecoder().raw_decode(office.run("simulate", link, *words))[0]
    return int(report["submissions"])


def by_link(browser: Browser, letter: PrintedLetter) -> str:
    """The first opens the link of the large square on her telephone."""
    with resident(browser, "link-en", **ENGLISH) as walk:
        walk.about(letter.link)
        assert letter.code not in walk.page.url.replace("-", "")
        walk.invitation()
        code = walk.page.locator("#code").input_value()
        assert code.replace("-", "") == letter.code
        assert code in letter.words
        walk.look("3-invitation")
        walk.exchange()
        walk.answer()
        return walk.send_now()


def by_typing(browser: Browser, letter: PrintedLetter, folder: Path) -> str:
    """The second types address and code at a desk, saves her token, and answers on another device."""
    token = folder / "token.json"
    with resident(browser, "typed-de", **GERMAN) as walk:
        walk.about(letter.link.partition("#")[0] + "?lang=de")
        shown = walk.page.locator(".words span").all_inner_texts()
        assert "".join(shown) in "".join(letter.words.split()).replace("-", "")
        walk.page.click("#words-match")
        expect(walk.page.locator("#sound")).to_be_visible()
        walk.invitation()
        walk.look("3-invitation-empty")
        walk.page.fill("#code", letter.code.lower())
        expect(walk.page.locator("#code-said.well")).to_be_visible()
        walk.look("3-invitation-typed")
        walk.exchange()
        walk.page.click("#elsewhere summary")
        with walk.page.expect_download() as download:
            walk.page.click("#save-token")
        download.value.save_as(token)
        walk.page.click("#show-token")
        expect(walk.page.locator("#token-code svg.qr")).to_be_visible()
        walk.look("3-token-elsewhere")
    with resident(browser, "elsewhere-de", **GERMAN | {"viewport": PHONE}) as walk:
        walk.about(letter.link.partition("#")[0] + "?lang=de")
        walk.page.click("#words-match")
        expect(walk.page.locator("#sound")).to_be_visible()
        walk.invitation()
        walk.page.set_input_files("#token-file", token)
        expect(walk.page.locator("#token-there")).to_be_visible()
        walk.answer()
        walk.let_wait()
        walk.page.check("#when-random")
        walk.go_on()
        expect(walk.page.locator("#waiting")).to_be_visible()
        walk.look("7-waiting")
        walk.page.click("#send-now")
        expect(walk.page.locator("#receipt")).to_be_visible()
        walk.look("8-receipt")
        return "".join(walk.page.locator("#receipt span").all_inner_texts())


def by_scanning(browser: Browser, letter: PrintedLetter, link: str, folder: Path) -> str:
    """The third takes a picture of the small square, which holds her code alone."""
    picture = folder / "square.png"
    letter.small_square.save(picture)
    with resident(browser, "scanned-en", **ENGLISH | {"viewport": DESK}) as walk:
        walk.about(link)
        walk.invitation()
        walk.page.click("#scan")
        expect(walk.page.locator(".scanner")).to_be_visible()
        walk.look("3-invitation-scanner")
        walk.page.set_input_files(".scanner input[type=file]", picture)
        expect(walk.page.locator("#code-said.well")).to_be_visible()
        assert walk.page.locator("#code").input_value().replace("-", "") == letter.code
        walk.exchange()
        walk.answer()
        return walk.send_now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The survey after its end, while its server still runs."""

    office: Office
    survey: str
    link: str
    simulated: int
    receipts: tuple[str, ...]
    opened: dict[str, Any]

    def board(self, language: str) -> str:
        """Address of the board's page, with what pins the survey."""
        address, _, pin = self.link.partition("#")
        return f"{address}/board?lang={language}#{pin}"

    def verify(self, *options: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """What ``roomful board verify`` says, asking the server as an outsider does."""
        text = self.office.run("board", "verify", self.link, "--json", *options, code=code)
        return {line["code"]: line for line in json.JSONDecoder().raw_decode(text)[0]}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Held]:
    build(progress=False)
    office = Office(tmp_path_factory.mktemp("office"))
    port, relay_port = free_port(), free_port()
    survey = draft(office, "merge", relay_port)
    ann, bea, cem = invite(office, f"http://127.0.0.1:{port}/")
    rehearse(office, survey)
    with office.serve(port) as server:
        link = server.found
        relay = ["relay", link, "--data", "relay", "--port", str(relay_port)]
        with office.start("http://", *relay):
            receipts = (
                by_link(browser, ann),
                by_typing(browser, bea, office.folder),
                by_scanning(browser, cem, link, office.folder),
            )
            simulated = simulate(office, link)
            office.run("relay", link, "--data", "relay", "--flush", "--yes")
        opened = close_and_release(office, survey, link)
        yield Held(
            office=office, survey=survey, link=link, simulated=simulated, receipts=receipts, opened=opened
        )


def test_every_count_agrees(held: Held) -> None:
    sent = held.simulated + len(held.receipts)
    assert held.simulated > 30
    assert held.opened["ballots"] == sent
    lines = held.verify()
    assert {name for name, line in lines.items() if line["outcome"] != "passed"} == {"board.complaints"}
    assert lines["board.complaints"]["outcome"] == "not-run"  # only elections have a time for complaints
    figures = {
        name: int(value)
        for line in lines.values()
        for name, value in line["figures"].items()
        if value.isdecimal()
    }
    assert figures["submissions"] == figures["tokens_issued"] == figures["receipts"] == sent
    assert figures["released"] + figures["withheld"] + figures["invalid"] == sent
    assert figures["invalid"] == 0
    with (held.office.folder / "release" / "microdata.csv").open(newline="", encoding="utf-8") as file:
        wages = [row["wage"] for row in csv.DictReader(file)]
    assert len(wages) == figures["released"]
    assert wages.count(WAGE) == len(held.receipts)


def test_each_receipt_is_found_on_the_board_and_an_invented_one_is_not(held: Held, browser: Browser) -> None:
    survey = BallotReceipt.parse(held.receipts[0]).to_text().rpartition(":")[0]
    invented = f"{survey}:{os.urandom(32).hex()}"
    for language, profile in (("en", ENGLISH), ("de", GERMAN)):
        with resident(browser, f"board-{language}", **profile) as walk:
            walk.open(held.board(language))
            walk.look("1-board")
            for number, receipt in enumerate((*held.receipts, invented)):
                outcome = "refused" if receipt == invented else "passed"
                walk.page.fill("#receipt", receipt)
                walk.page.click("#look")
                expect(walk.page.locator("#verdict")).to_have_attribute("data-outcome", outcome)
                if number != 1:
                    walk.look(f"2-{outcome}")
    for receipt in held.receipts:
        assert held.verify("--receipt", receipt)["board.receipt"]["outcome"] == "passed"
    assert held.verify("--receipt", invented, code=5)["board.receipt"]["outcome"] == "refused"
