"""A respondent's way through the pages, as steps that tests can take one by one."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.accessibility import breaches
from tests.browser.profiles import DESK, PHONE

STEPS = ("about", "checks", "you", "group", "questions-1", "questions-2", "review", "receipt")
SCREENSHOTS = os.environ.get("ROOMFUL_SCREENSHOTS", "")
_LOOKS = """() => new MutationObserver((_, seen) => {
  const checks = document.querySelector("#checks");
  if (checks === null) return;
  seen.disconnect();
  checks.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift", bubbles: true }));
}).observe(document.querySelector("#screen"), { childList: true, subtree: true })"""


class Walk:
    """Drives one page.

    Attributes
    ----------
    problems : list of str
        Errors of scripts, and breaches of the policy.
    """

    def __init__(self, page: Page, name: str = "") -> None:
        self.page = page
        self.name = name
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda m: self._noted(m.type, m.text))

    def _noted(self, kind: str, text: str) -> None:
        known = "net::ERR" in text or "status of 4" in text
        if kind == "error" and not known:
            self.problems.append(text)

    @property
    def heading(self) -> Locator:
        return self.page.locator("#screen h1")

    @property
    def primary(self) -> Locator:
        return self.page.locator("#screen button.primary")

    def open(self, url: str) -> None:
        self.page.goto(url)

    def start(self) -> None:
        """From the first page to the checks, wait until they are done, and stay."""
        self.begin()
        expect(self.page.locator("#sound")).to_be_visible()

    def begin(self) -> None:
        """From the first page to the checks, and stay: whoever does anything there wants to look.

        She does it in the moment in which they are drawn: the page goes on by itself after 1.5 s, for which
        a machine may stand still.
        """
        self.page.wait_for_selector("#start:not([disabled])")
        self.page.evaluate(_LOOKS)
        self.page.click("#start:not([disabled])")

    def go_on(self) -> None:
        self.primary.click()

    def fill_in(self, age: str = "43", sex: str = "Female") -> None:
        self.page.get_by_label("Age" if sex in ("Female", "Male") else "Alter", exact=True).fill(age)
        self.page.get_by_label(sex, exact=True).check()

    def to_group(self) -> None:
        """From what she said of herself to her group, which may take a moment to be found."""
        self.go_on()
        expect(self.page.locator("#picture > summary")).to_be_visible()

    def to_questions(self) -> None:
        """From the checks to the first page of questions."""
        self.go_on()
        self.fill_in()
        self.go_on()
        self.see_picture()
        self.go_on()
        expect(self.question("Good")).to_be_visible()

    def see_picture(self) -> None:
        """Unfold the picture of her group."""
        self.page.click("#picture > summary")
        expect(self.page.locator("figure svg").first).to_be_visible()

    def see_message(self) -> None:
        """Unfold the message itself."""
        self.page.click("#raw > summary")
        expect(self.page.locator("#bytes")).to_be_visible()

    def question(self, label: str) -> Locator:
        return self.page.locator(".questionnaire").get_by_text(label, exact=True)

    def to_review(self) -> None:
        """From the first page of questions to the message itself."""
        self.question("Good").click()
        self.go_on()
        expect(self.question("smokes")).to_be_visible()
        self.go_on()
        self.see_message()

    def send(self) -> str:
        self.go_on()
        expect(self.page.locator("#receipt")).to_be_visible()
        return "".join(self.page.locator("#receipt span").all_inner_texts())

    def look(self, step: str) -> None:
        """Keep a picture of the step where the environment asks for it, and let axe look at it."""
        if SCREENSHOTS:
            folder = Path(SCREENSHOTS)
            folder.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=folder / f"{self.name}-{step}.png", full_page=True)
        found = breaches(self.page)
        assert found.violations_count == 0, f"{self.name} {step}:\n{found.generate_report()}"

    def look_in_both(self, step: str) -> None:
        """Look at the step in the width of a telephone and of a desk, and go on in that of the walk."""
        own = self.page.viewport_size
        assert own in (PHONE, DESK)
        for size in (PHONE, DESK):
            self.page.set_viewport_size(size)
            self.look(f"{step}-{size['width']}")
            assert self.overflow() <= 0, step
        self.page.set_viewport_size(own)

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return width
