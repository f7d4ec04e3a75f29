"""The server's own pages in Chromium: accessible, narrow, dark, and silent."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from tests.accessibility import breaches
from tests.server.collection.storage import sample

pytestmark = pytest.mark.browser


@pytest.fixture
def pages(store: SurveyStore, data: DataDirectory, tmp_path: Path) -> list[str]:
    """Every page of the server itself, with long words in them."""
    over = data.survey(data.publish(sample.envelope("Donaudampfschifffahrtsgesellschaft " * 4), sample.MODEL))
    over.open()
    over.close()
    release = tmp_path / "release"
    release.mkdir()
    (release / ("a-very-long-name-of-a-released-table-" * 3 + ".csv")).write_text("a\n")
    over.mark_released(release)
    return ["/", f"/s/{over.id}/release/", f"/s/{store.id}/release/", "/checkup", "/nowhere"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_pages_are_accessible_and_fit(
    browser: Browser, port: int, pages: list[str], scheme: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for path in pages:
        page.goto(f"http://127.0.0.1:{port}{path}")
        violations = breaches(page).response["violations"]
        assert [violation["id"] for violation in violations] == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        small = page.evaluate(
            "[...document.querySelectorAll('.cards a, header a')]"
            ".filter(a => a.getBoundingClientRect().height < 44).length"
        )
        assert small == 0, path
    assert [text for text in said if "404" not in text] == []
    assert context.cookies() == []
    context.close()


def test_the_keyboard_reaches_the_content_first(browser: Browser, port: int, pages: list[str]) -> None:
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{port}{pages[0]}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left >= 0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.close()
