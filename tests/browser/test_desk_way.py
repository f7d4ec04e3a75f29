"""The whole way at the desk in a real browser, from a CSV to the exported table, on a telephone's width."""

from __future__ import annotations

import socket
from pathlib import Path

import pyreadstat
from playwright.sync_api import Browser, Locator, expect
from waitress.server import create_server

from server.collection.storage.data_directory import DataDirectory
from server.collection.web.serving import in_background
from server.desk.app import create_desk
from server.desk.gate import Gate
from tests.browser.desk_page import examine
from tests.server.desk.test_way import answer
from tests.server.desk.visitor import people_csv

NAME, PASSPHRASE = "Ways to work", "correct horse battery staple"


def test_from_a_csv_to_the_exported_table(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "survey-folder"
    folder.mkdir()
    csv = people_csv(tmp_path / "people.csv", 900)
    with socket.create_server(("127.0.0.1", 0)) as listener, DataDirectory(folder / "data") as data:
        gate = Gate.new(listener.getsockname()[1])
        app = create_desk(folder, data, gate)
        desk = app.extensions["desk"]
        with in_background(create_server(app, sockets=[listener])):
            context = browser.new_context(viewport={"width": 360, "height": 800}, locale="en")
            page = context.new_page()
            button, field = page.get_by_role, page.get_by_label

            def press(what: str | Locator) -> None:
                target = button("button", name=what).first if isinstance(what, str) else what
                with page.expect_navigation():
                    target.click()
                examine(page)

            def confirm(form: str, press_on: str) -> None:
                page.locator(f"form[action$='{form}'] input[name=name]").fill(NAME)
                press(press_on)

            page.goto(gate.address)
            press(page.get_by_role("link", name="Go on: Population"))
            field("Or one from elsewhere").set_input_files(csv)
            press("Copy it here")
            field("Yes, it is a public table").check()
            press("Save")
            press("Use as attribute: age")
            press("Use as attribute: sex")
            press(page.get_by_role("link", name="Go on: Promise"))
            field("k: fewest answers of a group", exact=True).fill("5")
            field("Acceptable failure of a group", exact=True).select_option("1e-4")
            field("How groups are made").select_option("mdav")
            press("Keep this promise")
            page.goto(f"{gate.address}about")
            field("Title").fill(NAME)
            field("Who answers for the survey").fill("Council")
            field("How respondents reach you").fill("a@b.example")
            press("Save")
            page.goto(f"{gate.address}questions?type=rating#add")
            form = page.locator("section[aria-labelledby=add] form.card")
            form.get_by_label("Short name").fill("content")
            form.get_by_label("What is asked").fill("How content are you?")
            form.get_by_label("Lowest rating").fill("1")
            form.get_by_label("Highest rating").fill("5")
            press(form.get_by_role("button", name="Add"))
            page.goto(f"{gate.address}design")
            with page.expect_navigation():
                button("button", name="Design the survey").click()
            # The page is drawn anew when the design is made; whoever looks at that moment has lost the page.
            press(page.get_by_role("link", name="Go on: Key and signature"))
            page.locator("#passphrase").fill(PASSPHRASE)
            page.locator("#again").fill(PASSPHRASE)
            press("Make")
            page.locator("#passphrase").fill(PASSPHRASE)
            confirm("/sign", "Sign")
            press("Publish as a draft")
            confirm("/open", "Open the survey")
            with page.expect_download() as download:
                page.get_by_role("link", name="Poster (PDF)").click()
            assert download.value.path().read_bytes().startswith(b"%PDF-")
            answer(desk.published())
            press(page.get_by_role("link", name="Go on: Collect answers"))
            confirm("/close", "Close for good")
            page.locator("form[action$='/release'] input[name=name]").fill(NAME)
            with page.expect_navigation():
                button("button", name="Release").first.click()
            # If that takes long, the page is drawn anew when it is done.
            expect(page.locator("main")).to_contain_text("The table is released.")
            examine(page)
            with page.expect_download() as download:
                page.get_by_role("link", name="microdata.sav").click()
            frame, _ = pyreadstat.read_sav(download.value.path())
            assert len(frame) == desk.published().total()
            assert set(frame) >= {"age", "sex", "content"}
            page.goto(gate.address)
            expect(page.locator(".steps .next, .steps .blocked")).to_have_count(0)
            context.close()
