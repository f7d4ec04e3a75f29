"""What axe finds on a page.

A page gets the script once and gives breaches alone, not also what is in order: half of a look otherwise.
"""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

_BREACHES = "axe.run({resultTypes: ['violations']}).then(({violations}) => ({violations}))"


def breaches(page: Page) -> AxeResults:
    """Every rule of axe that the page breaks as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return AxeResults(page.evaluate(_BREACHES))
