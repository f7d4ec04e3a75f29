"""The twelve mistakes at the desk in a real browser: each is made, named and mended with the keyboard alone.

One browser and one desk serve the whole module; each test has its own file and an empty survey.toml.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from waitress.server import create_server

from server.collection.storage.data_directory import DataDirectory
from server.collection.web.serving import in_background
from server.desk.app import create_desk
from server.desk.gate import Gate
from tests.browser.desk_page import examine
from tests.server.desk.test_mistakes import birth_date, half_pounds, member, postcode
from tests.server.desk.visitor import people_csv


@dataclass(frozen=True, kw_only=True)
class Seat:
    """Somebody at the desk, who has no mouse."""

    page: Page
    address: str
    folder: Path

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)

    def choose(self, name: str, n: int = 300, **columns: Any) -> None:
        """Make a file, start anew, and take it."""
        (self.folder / "survey.toml").unlink(missing_ok=True)
        for old in self.folder.glob("*.csv"):
            old.unlink()
        people_csv(self.folder / name, n, **columns)
        self.again(name)

    def again(self, name: str) -> None:
        """Take a file of the folder."""
        self.go("population")
        self.page.locator("#file").focus()
        self.page.keyboard.type(name)
        self.press(self.page.get_by_role("button", name="Use this file"))

    def press(self, button: Locator) -> None:
        """Reach a button by its focus and press Enter; it takes to a new page."""
        button.focus()
        expect(button).to_be_focused()
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def use(self, *columns: str) -> None:
        for column in columns:
            self.press(self.page.get_by_role("button", name=f"Use as attribute: {column}", exact=True))

    def mend(self, name: str) -> None:
        self.press(self.page.get_by_role("button", name=name))

    def type_in(self, field: str, text: str) -> None:
        """Put something in a field's place."""
        self.page.locator(field).focus()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def says(self, text: str) -> None:
        """The page says it, and is accessible while it does."""
        expect(self.page.locator("main")).to_contain_text(text)
        examine(self.page)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A desk on an empty folder: its address, and the folder."""
    folder = tmp_path_factory.mktemp("desk")
    with socket.create_server(("127.0.0.1", 0)) as listener, DataDirectory(folder / "data") as data:
        gate = Gate.new(listener.getsockname()[1])
        with in_background(create_server(create_desk(folder, data, gate), sockets=[listener])):
            yield gate.address, folder


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page at the width of a telephone, in English."""
    context = browser.new_context(viewport={"width": 360, "height": 800}, locale="en")
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def seat(page: Page, desk: tuple[str, Path]) -> Seat:
    return Seat(page=page, address=desk[0], folder=desk[1])


def test_a_wrong_separator(seat: Seat) -> None:
    seat.choose("separator.csv", separator=";")
    seat.says("2 columns")
    seat.page.get_by_text("Correct how the file is read").press("Enter")
    seat.page.locator("#separator").focus()
    seat.page.keyboard.type(",")
    seat.press(seat.page.get_by_role("button", name="Save").first)
    seat.says("age;sex")
    seat.page.get_by_text("Correct how the file is read").press("Enter")
    seat.page.locator("#separator").focus()
    seat.page.keyboard.press("ArrowDown")
    expect(seat.page.locator("#separator")).to_have_value(";")
    seat.press(seat.page.get_by_role("button", name="Save").first)
    seat.says("2 columns")


def test_a_decimal_comma(seat: Seat) -> None:
    seat.choose("comma.csv", separator=";", income=half_pounds)
    seat.says("decimal sign ,")
    seat.says("From 1.5 to 40.5")


def test_a_misspelt_column(seat: Seat) -> None:
    seat.choose("misspelt.csv")
    seat.use("age")
    toml = seat.folder / "survey.toml"
    toml.write_text(toml.read_text().replace('"age"', '"aeg"'))
    seat.go("population")
    seat.says("The attribute aeg is no column of this file.")
    seat.press(seat.page.get_by_role("button", name="Leave out: aeg"))
    expect(seat.page.locator("main")).not_to_contain_text("aeg")


def test_a_category_that_nobody_has(seat: Seat) -> None:
    seat.choose("category.csv")
    seat.use("sex")
    seat.page.get_by_text("Change sex").press("Enter")
    field = seat.page.get_by_label("Categories, one a line")
    field.focus()
    seat.page.keyboard.press("Control+End")
    seat.page.keyboard.type("\nfemal")
    seat.press(seat.page.locator("article.used").get_by_role("button", name="Save"))
    seat.says("Nobody in the model has the sex")


def test_forty_five_years(seat: Seat) -> None:
    seat.choose("years.csv", age=lambda i, c: "45 years" if i == 3 else str(c.randint(18, 79)))
    seat.says("45 years")
    seat.mend("age: Keep the number alone")
    seat.use("age", "sex")
    seat.says("300 people")
    expect(seat.page.locator("main")).not_to_contain_text("45 years")


def test_birth_dates(seat: Seat) -> None:
    seat.choose("born.csv", born=birth_date)
    seat.says("a birth date singles people out")
    day = seat.page.get_by_label("Day on which people have this age")
    day.focus()
    seat.page.keyboard.type("12312025")
    expect(day).to_have_value("2025-12-31")
    seat.mend("born: Put the age on this day in its place")
    seat.says("born age")
    expect(seat.page.locator("main")).not_to_contain_text("birth date")
    seat.says("From 20 to 85")


def test_postcodes_with_leading_zeros(seat: Seat) -> None:
    seat.choose("postcodes.csv", postcode=postcode)
    seat.says("Codes with leading zeros")
    seat.mend("postcode: Join by the first two digits")
    seat.says("9 different values")
    seat.use("postcode")
    assert '"01"' in (seat.folder / "survey.toml").read_text()


def test_empty_rows(seat: Seat) -> None:
    seat.choose("empty.csv")
    file = seat.folder / "empty.csv"
    file.write_text(file.read_text() + ",\n,\n")
    seat.go("population")
    seat.use("age", "sex")
    toml = seat.folder / "survey.toml"
    toml.write_text(toml.read_text().replace('missing = "own-category"\n', ""))
    seat.go("population")
    seat.says("line 302")
    seat.page.get_by_label("Leave out records that lack a value").press("Space")
    seat.press(seat.page.get_by_role("button", name="Save").first)
    seat.says("2 incomplete records were dropped")


def test_duplicates(seat: Seat) -> None:
    seat.choose("twice.csv", member=member)
    file = seat.folder / "twice.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[1], lines[2]]) + "\n")
    seat.go("population")
    seat.says("2 rows are equal to an earlier one")
    seat.mend("Leave out repeated rows")
    seat.says("300 records")


def test_too_small_a_register(seat: Seat) -> None:
    seat.choose("small.csv", 40)
    seat.use("age", "sex")
    seat.go("promise")
    seat.says("too few for two cells")


def test_too_large_a_k(seat: Seat) -> None:
    seat.choose("people.csv")
    seat.use("age", "sex")
    seat.go("promise")
    seat.type_in("#k", "150")
    seat.says("too few for two cells")
    seat.type_in("#k", "5")
    expect(seat.page.locator("#estimate")).not_to_contain_text("too few")


@pytest.mark.parametrize(("rate", "said"), [("0", "this is no probability"), ("30", "For 30 % write 0.3.")])
def test_participation_0_or_30(seat: Seat, rate: str, said: str) -> None:
    seat.choose("people.csv")
    seat.use("age", "sex")
    seat.go("promise")
    seat.type_in("#low", rate)
    seat.type_in("#high", rate)
    seat.press(seat.page.get_by_role("button", name="Keep this promise"))
    seat.says(said)
    expect(seat.page.locator("#low")).to_have_value(rate)  # what was typed is still there
