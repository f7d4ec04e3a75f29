"""Profiles of a browser, shared by tests that each find them empty.

The tabs of a profile share a process, and with it the compiled runtime while one tab holds that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from respondent_client.build import build
from tests.browser.site import Site
from tests.builders import small_envelope

PHONE: ViewportSize = {"width": 360, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 800}
_COMPILE = (
    """url => WebAssembly.compileStreaming(fetch(url)).then((compiled) => { window.compiled = compiled; })"""
)


class Profiles:
    """Profiles by their place in a test and their language; the first tab of each holds the runtime.

    Parameters
    ----------
    browser : Browser
    site : Site
        Where the runtime comes from.
    """

    def __init__(self, browser: Browser, site: Site) -> None:
        self._browser = browser
        self._site = site
        self._kept: dict[tuple[int, str | None], BrowserContext] = {}
        self._used: list[BrowserContext] = []

    def tab(
        self,
        viewport: ViewportSize = PHONE,
        *,
        locale: str | None = None,
        color_scheme: Literal["dark", "light"] | None = None,
        reduced_motion: Literal["reduce"] | None = None,
    ) -> Page:
        """A tab of a profile in which nothing is stored; each tab of a test has another one."""
        key = (len(self._used), locale)
        context = self._kept.get(key) or self._start(locale)
        self._kept[key] = context
        self._used.append(context)
        page = context.new_page()
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        return page

    def forget(self) -> None:
        """Close the tabs that a test opened, and delete what their pages stored."""
        for context in self._used:
            context.unroute_all(behavior="ignoreErrors")
            holder, *tabs = context.pages
            for tab in tabs:
                tab.close()
            session = context.new_cdp_session(holder)
            session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
            session.detach()
        self._used.clear()

    def _start(self, locale: str | None) -> BrowserContext:
        context = self._browser.new_context(locale=locale)
        holder = context.new_page()
        holder.goto(f"{self._site.base}s/none")
        runtime = self._site.assets["pyodide/pyodide.asm.wasm"]
        holder.evaluate(_COMPILE, f"{self._site.base}static/{runtime}")
        return context


@pytest.fixture(scope="session")
def runtime() -> Iterator[Site]:
    """Where the runtime comes from."""
    site = Site(build(progress=False), small_envelope(), None)
    yield site
    site.close()


@pytest.fixture(scope="session")
def profiles(browser: Browser, runtime: Site) -> Profiles:
    """Those of all tests of this process."""
    return Profiles(browser, runtime)


@pytest.fixture(scope="module")
def plain_profiles(plain_browser: Browser, runtime: Site) -> Profiles:
    """Those of a file whose pages work out so much that faster code is worth its making."""
    return Profiles(plain_browser, runtime)


@pytest.fixture
def tab(profiles: Profiles) -> Iterator[Callable[..., Page]]:
    """Open tabs of profiles that hold nothing."""
    yield profiles.tab
    profiles.forget()
