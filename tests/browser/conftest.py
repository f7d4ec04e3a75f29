"""A real Chromium, the built client, and the tiny server of :mod:`tests.browser.site`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from respondent_client.build import build
from shared.envelope import encode_key
from tests.browser.profiles import DESK, plain_profiles, profiles, runtime, tab
from tests.browser.site import Site
from tests.builders import ORGANIZER_KEY, public_bytes, small_envelope, small_model

__all__ = ["plain_profiles", "profiles", "runtime", "tab"]
KEY = encode_key(public_bytes(ORGANIZER_KEY))


@pytest.fixture(scope="session")
def static() -> Path:
    """The built client."""
    return build(progress=False)


@pytest.fixture
def page(tab: Callable[..., Page]) -> Page:
    """A tab of the size of a desk."""
    return tab(DESK, locale="en-GB")


@pytest.fixture
def make_site(static: Path) -> Iterator[Callable[..., Site]]:
    """Serve an envelope and a model; everything is closed at the end."""
    sites: list[Site] = []

    def make(
        envelope: bytes,
        model: bytes | None = None,
        *,
        extra: Path | None = None,
        parts: dict[str, bytes] | None = None,
    ) -> Site:
        site = Site(static, envelope, model, extra=extra, parts=parts)
        sites.append(site)
        return site

    yield make
    for site in sites:
        site.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The small survey of the tests."""
    return make_site(small_envelope(), small_model())
