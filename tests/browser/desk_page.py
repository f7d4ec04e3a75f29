"""A look at a page of the desk."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.accessibility import breaches


def examine(page: Page) -> None:
    """When its parts have come, the page is accessible and no wider than the window."""
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    found = breaches(page).response["violations"]
    assert found == [], (page.url, found)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
