"""Fixtures for every room: reference data and figures, where they are present."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.chromium import ARGUMENTS, CHROMIUM, PLAIN
from tests.waiting import PATIENCE_SECONDS

# A shell starts what it puts into the background with Ctrl-C ignored, and so do its children, ours too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Property tests: the same examples in every run and in every selection of tests, however slow the machine.
settings.register_profile(
    "roomful", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("roomful")
PATIENCE_MILLISECONDS = 1000 * PATIENCE_SECONDS
expect.set_options(timeout=PATIENCE_MILLISECONDS)

PROJECT = Path(__file__).resolve().parent.parent
_DATA = Path(os.environ.get("ROOMFUL_REFERENCE_DATA", PROJECT.parent / "shared" / "data"))


def _reference_folder(name: str) -> Path:
    folder = _DATA.parent / name
    if not folder.is_dir():
        pytest.skip(f"no reference folder {name!r}; set ROOMFUL_REFERENCE_DATA to run this test")
    return folder


gc.disable()  # while tests are collected: what that makes stays


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files begin first, so that no core waits for one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Let the collector of garbage look no more at a million objects that stay until the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """Folder of real data sets."""
    return _reference_folder(_DATA.name)


@pytest.fixture(scope="session")
def reference_figures() -> Path:
    """Folder of published figures and exact values."""
    return _reference_folder("reference")


@pytest.fixture(scope="session")
def oracle() -> Path:
    """Folder of slow, independent reference programs."""
    return _reference_folder("oracle")


@pytest.fixture(scope="session")
def anonymity_oracle(oracle: Path) -> ModuleType:
    """Exact effective anonymity in fractions."""
    return load_module(oracle / "effective_anonymity_oracle.py")


@pytest.fixture(scope="session")
def mdav_oracle(oracle: Path) -> ModuleType:
    """Plain numpy MDAV."""
    return load_module(oracle / "mdav_oracle.py")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives Chromium."""
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}; set ROOMFUL_CHROMIUM to run this test")
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Chromium for all tests; each test has a context of its own."""
    with _chromium(playwright, ARGUMENTS) as browser:
        yield browser


@pytest.fixture(scope="module")
def plain_browser(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium that people have, for the whole way."""
    with _chromium(playwright, PLAIN) as browser:
        yield browser


@contextmanager
def _chromium(playwright: Playwright, arguments: list[str]) -> Iterator[Browser]:
    browser = playwright.chromium.launch(
        executable_path=str(CHROMIUM), args=arguments, timeout=PATIENCE_MILLISECONDS
    )
    browser.on("context", lambda context: context.set_default_timeout(PATIENCE_MILLISECONDS))
    yield browser
    browser.close()


def load_module(path: Path) -> ModuleType:
    """Import a file that is no package."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module
