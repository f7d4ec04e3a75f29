"""The organizer's desk in a real browser: readable at every width, quick to redraw, and silent."""

from __future__ import annotations

import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from waitress.server import create_server

from server.collection.storage.data_directory import DataDirectory
from server.collection.web.serving import in_background
from server.desk.app import create_desk
from server.desk.desk import Desk
from server.desk.gate import Gate
from tests.accessibility import breaches
from tests.browser.desk_page import examine
from tests.browser.walk import SCREENSHOTS
from tests.server.desk.visitor import people_csv

SURVEY = """
title = "Ways to work"
[organizer]
name = "Council"
contact = "a@b.example"
[model]
file = "people.csv"
kind = "register"
[[attributes]]
name = "age"
kind = "numeric"
minimum = 18
maximum = 79
[[attributes]]
name = "sex"
kind = "nominal"
categories = ["female", "male"]
[participation]
rate = "0.5"
[anonymity]
k = 5
acceptable_cell_failure = "1e-4"
"""
PAGES = (
    "", "population", "promise", "about", "questions?type=matrix", "units", "design", "sign", "publish",
    "collect", "release", "roles", "roles/trustees",
)  # fmt: skip


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Desk]:
    """A desk on a survey without questions."""
    people_csv(tmp_path / "people.csv")
    (tmp_path / "survey.toml").write_text(SURVEY)
    with socket.create_server(("127.0.0.1", 0)) as listener, DataDirectory(tmp_path / "data") as data:
        gate = Gate.new(listener.getsockname()[1])
        app = create_desk(tmp_path, data, gate)
        with in_background(create_server(app, sockets=[listener])):
            yield app.extensions["desk"]


@pytest.fixture
def desk(opened: Desk) -> str:
    """Its address."""
    return opened.gate.address


@pytest.mark.parametrize(("width", "language", "scheme"), [(360, "de", "dark"), (1280, "en", "light")])
def test_every_page_is_accessible_and_asks_for_nothing_elsewhere(
    browser: Browser, desk: str, width: int, language: str, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, locale=language, color_scheme=scheme
    )
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: told.append(request.url) if elsewhere(request.url, desk) else None)
    for path in PAGES:
        page.goto(desk + path)
        examine(page)
    assert told == []
    context.close()


def elsewhere(url: str, desk: str) -> bool:
    parts, own = urlsplit(url), urlsplit(desk)
    return parts.scheme != "data" and parts.netloc != own.netloc


def test_figures_follow_the_controls_and_the_keyboard_is_enough(browser: Browser, desk: str) -> None:
    page = browser.new_page()
    page.goto(desk + "promise")
    needed = page.locator("#estimate .figures .value").first
    before = needed.inner_text()
    page.focus("#k")
    page.keyboard.press("ArrowUp")
    expect(needed).not_to_have_text(before)
    expect(page.locator("#estimate .curve svg")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("#k")).to_have_value("6")
    page.close()


def test_sliders_move_the_fields_beside_them(browser: Browser, desk: str) -> None:
    page = browser.new_page(locale="en")
    page.goto(desk + "promise")
    needed = page.locator("#estimate .figures .value").first
    for name, key, expected in (
        ("k: fewest answers of a group (slider)", "ArrowRight", ("#k", "6")),
        ("Acceptable failure of a group (slider)", "ArrowRight", ("#failure", "1e-5")),
        ("At least (slider)", "ArrowLeft", ("#low", "0.45")),
    ):
        before = needed.inner_text()
        page.get_by_role("slider", name=name).press(key)
        expect(page.locator(expected[0])).to_have_value(expected[1])
        expect(needed).not_to_have_text(before)
    page.locator("#k").fill("20")
    expect(page.get_by_role("slider", name="k: fewest")).to_have_value("20")
    page.get_by_role("button", name="Keep this promise").click()
    expect(page.locator("#k")).to_have_value("20")
    page.close()


def test_whoever_waits_for_a_page_is_told(browser: Browser, desk: str) -> None:
    page = browser.new_page(locale="en", viewport={"width": 360, "height": 800})
    page.goto(desk + "promise")
    waiting = page.locator("#waiting")
    expect(waiting).to_be_empty()
    # An answer without a page leaves this one there, as one that is long in coming does.
    page.route("**/promise", lambda route: route.fulfill(status=204))
    page.get_by_role("button", name="Keep this promise").click(no_wait_after=True)
    expect(waiting).to_contain_text("Working")
    assert breaches(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / "desk-waiting.png")
    page.unroute("**/promise")
    page.get_by_role("button", name="Keep this promise").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(waiting).to_be_empty()
    page.close()


def test_figures_that_do_not_come_are_not_those_of_before(browser: Browser, desk: str) -> None:
    page = browser.new_page(locale="en", viewport={"width": 360, "height": 800})
    page.route("**/population/cost", lambda route: route.fulfill(status=500))
    page.goto(desk + "population")
    expect(page.locator("#cost")).to_contain_text("did not answer")
    page.goto(desk + "promise")
    expect(page.locator("#estimate .figures")).to_be_visible()
    page.route("**/promise/estimate*", lambda route: route.abort())
    page.locator("#k").fill("20")
    expect(page.locator("#estimate")).to_contain_text("did not answer")
    expect(page.locator("#estimate .figures")).to_have_count(0)
    assert breaches(page).response["violations"] == []
    page.unroute("**/promise/estimate*")
    page.locator("#k").fill("21")
    expect(page.locator("#estimate .figures")).to_be_visible()
    page.close()


def test_a_button_pressed_twice_does_it_once(browser: Browser, desk: str) -> None:
    page = browser.new_page(locale="en")
    page.goto(f"{desk}sign")
    for field in ("#passphrase", "#again"):
        page.fill(field, "correct horse battery staple")
    button = page.get_by_role("button", name="Make the key")
    second = "new MouseEvent('click', { detail: 2, bubbles: true, cancelable: true })"
    assert not button.evaluate(f"button => button.dispatchEvent({second})"), "the second of a double click"
    button.dblclick()
    expect(page.locator("#passphrase")).to_have_count(0)
    expect(page.locator(".problem")).to_have_count(0)
    page.close()


def test_what_is_typed_while_a_design_is_tried_stays(browser: Browser, opened: Desk) -> None:
    """The whole page was loaded anew when the design was there."""
    page, end = browser.new_page(locale="en"), Event()
    opened.jobs.start("try", lambda _: end.wait())
    page.goto(f"{opened.gate.address}promise")
    expect(page.locator("#job progress")).to_be_visible()
    page.locator("#k").fill("20")
    end.set()
    expect(page.locator("#job progress")).to_have_count(0)
    expect(page.locator("#k")).to_have_value("20")
    page.close()


def test_questions_are_put_in_order_by_dragging_and_by_the_keyboard(browser: Browser, desk: str) -> None:
    page = browser.new_page(locale="en", viewport={"width": 1280, "height": 2400})
    for name in ("first", "second", "third"):
        page.goto(desk + "questions?type=boolean#add")
        form = page.locator("section[aria-labelledby=add] form.card")
        form.get_by_label("Short name").fill(name)
        form.get_by_label("What is asked").fill(name)
        if name == "third":
            form.get_by_label("Begin a new page").check()
        with page.expect_navigation():  # going elsewhere meanwhile would take the form back
            form.get_by_role("button", name="Add").click()
    titles = page.locator("#in-order h2")
    expect(titles).to_have_text(["⠿1. first", "⠿2. second", "⠿3. third"])
    card = page.locator("#in-order article").first
    # Dropped on the upper half of the first card, then the second on the lower half of the last.
    page.locator("#in-order article .handle").nth(2).drag_to(card, target_position={"x": 40, "y": 8})
    expect(titles).to_have_text(["⠿1. third", "⠿2. first", "⠿3. second"])
    last = page.locator("#in-order article").nth(2)
    box = last.bounding_box()
    assert box is not None
    page.locator("#in-order article .handle").first.drag_to(
        last, target_position={"x": 40, "y": box["height"] - 8}
    )
    expect(titles).to_have_text(["⠿1. first", "⠿2. second", "⠿3. third"])
    page.get_by_role("button", name="second: move up").press("Enter")
    expect(titles).to_have_text(["⠿1. second", "⠿2. first", "⠿3. third"])
    page.close()


@pytest.mark.parametrize(("width", "language", "scheme"), [(360, "de", "dark"), (1280, "en", "light")])
def test_units_of_law_are_declared_with_the_keyboard(
    browser: Browser, desk: str, tmp_path: Path, width: int, language: str, scheme: str
) -> None:
    """An attribute by the arrow keys, its answers by Tab, and the same after a mistake."""
    path = tmp_path / "survey.toml"
    path.write_text(path.read_text() + '[invited]\npeople = 600\nroll = "roll.txt"\ntop_share = "0.6"\n')
    context = browser.new_context(
        viewport={"width": width, "height": 800}, locale=language, color_scheme=scheme
    )
    page = context.new_page()
    page.goto(f"{desk}units")
    page.locator("input[name=attribute]:checked").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    first = page.locator("#together-0")
    expect(first).to_be_visible()
    page.locator("input[name=attribute]:checked").focus()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_be_visible()
    assert breaches(page).response["violations"] == []
    expect(first).to_have_value("1")
    look(page, f"units-{width}")
    page.locator("#together-1").focus()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.locator(".done-note")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert tomllib.loads(path.read_text())["units"] == {"attribute": "sex", "together": [["female", "male"]]}
    context.close()


def look(page: Page, name: str) -> None:
    """Keep a picture, if pictures are asked for."""
    if SCREENSHOTS:
        folder = Path(SCREENSHOTS)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"desk-{name}.png", full_page=True)
