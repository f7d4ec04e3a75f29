"""Every named vector of the soundness checks, in the browser; the eleven codes also on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.checks import CODES
from tests.browser.harness import Harness
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import small_envelope, small_model

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).resolve().parent.parent / "vectors" / "soundness"
VECTORS = {path.stem: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


@pytest.fixture(scope="module")
def harness(browser: Browser, static: Path) -> Iterator[Harness]:
    site = Site(static, small_envelope(), small_model())
    context = browser.new_context()
    yield Harness(context.new_page(), site)
    context.close()
    site.close()


def serve(site: Site, vector: dict[str, Any]) -> None:
    site.envelope = vector["envelope"].encode()
    site.model = None if vector["model"] is None else vector["model"].encode()


@pytest.mark.parametrize("name", VECTORS)
def test_the_browser_decides_like_the_vector(harness: Harness, name: str) -> None:
    vector = VECTORS[name]
    serve(harness.site, vector)
    answer = harness.open(vector["invitation"])
    if "crashed" in answer:
        harness.start()
    assert set(answer) == {"kind", "id", "result"}, answer
    if vector["check"] is None:
        assert answer["result"]["survey"] is not None
    else:
        assert answer["result"]["refused"]["code"] == vector["check"]
        assert answer["result"]["survey"] is None


@pytest.mark.parametrize("code", CODES)
def test_a_refusal_is_a_clear_sentence_without_a_way_past(page: Page, site: Site, code: str) -> None:
    name, vector = next((n, v) for n, v in VECTORS.items() if v["check"] == code)
    serve(site, vector)
    walk = Walk(page, f"refusal-{code}")
    page.goto(f"{site.link(digest='')}#{vector['invitation']}")
    refusal = page.locator("#refusal")
    expect(refusal).to_have_attribute("data-code", code)
    expect(page.locator("#screen button")).to_have_count(0)
    expect(page.get_by_text("name this mark")).to_contain_text(code)
    page.go_forward()
    page.keyboard.press("Enter")
    expect(refusal).to_be_visible()
    walk.look(name)
    assert site.stored == []
