"""Chromium sends from the collector's page to the relay, which is another origin; and nowhere else."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from server.collection.config import Config
from server.collection.relay.pool import RelayPool, prepare
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.collection.web.relay import create_relay_app
from server.collection.web.static_files import ClientFiles, StaticFile
from shared.ballot import CONTENT_TYPE
from tests.programs import free_port
from tests.served import running
from tests.server.collection.relay.survey import link_of, open_collector, relayed, sealed
from tests.server.collection.relay.test_relay_http import ENGLISH

pytestmark = pytest.mark.browser

#: Sends as web/platform.mjs does.
WORKER = b"""
self.onmessage = async ({ data: [url, text] }) => {
  const body = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  try {
    const answer = await fetch(url, { method: "POST", body, credentials: "omit", redirect: "error",
      referrerPolicy: "no-referrer", cache: "no-store",
      headers: { "Accept-Language": "*", "Content-Type": "%s" } });
    self.postMessage([answer.status, await answer.text()]);
  } catch (error) {
    self.postMessage([0, error.name]);
  }
};
""" % CONTENT_TYPE.encode()
PAGE = """<!doctype html><html lang="{{ language }}"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>{{ title }}</title>
<main id="main" data-id="{{ id }}"{% if relayed %} data-relayed{% endif %}></main></html>"""
SEND = """([worker, url, body]) => new Promise((resolve) => {
  const started = new Worker(worker, { type: "module" });
  started.onmessage = ({ data }) => resolve(data);
  started.onerror = () => resolve([-1, "no worker"]);
  started.postMessage([url, body]);
})"""
NAME = "worker.0123456789abcdef.mjs"


class Installation:
    """A collector and a relay on two ports."""

    def __init__(self, data: DataDirectory, pool: RelayPool, port: int, relay_port: int) -> None:
        self.data, self.pool, self.port, self.relay_port = data, pool, port, relay_port
        self.digest = pool.survey.digest
        self.address = f"http://127.0.0.1:{relay_port}/api/v1/surveys/{pool.survey.id}/submissions"

    def visit(self, page: Page) -> None:
        page.goto(f"http://127.0.0.1:{self.port}/s/{self.pool.survey.id}")

    def send(self, page: Page, worker: str, url: str) -> Any:
        body = base64.b64encode(sealed(self.digest, 1)).decode()
        return page.evaluate(SEND, [f"/static/{NAME}{worker}", url, body])


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    port, relay_port = free_port(), free_port()
    specification = relayed(f"http://127.0.0.1:{relay_port}/", messages=100)
    script = StaticFile.compress("text/javascript; charset=utf-8", WORKER, immutable=True)
    client = ClientFiles(assets={"worker.mjs": NAME}, files={NAME: script}, page=PAGE, texts={"en": ENGLISH})
    config, relay_config = Config(port=port, threads=4), Config(port=relay_port, threads=4)
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(DataDirectory(tmp_path / "data", quiet_seconds=60))
        open_collector(data, specification)
        stack.enter_context(running(create_app(config, data, client=lambda: client), config))
        link = link_of(specification, config.public_url)
        pool = stack.enter_context(RelayPool(prepare(tmp_path / "relay", link), link, quiet_seconds=60))
        app = create_relay_app(relay_config, {pool.survey.id: pool}, tmp_path / "relay")
        stack.enter_context(running(app, relay_config))
        yield Installation(data, pool, port, relay_port)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_the_page_says_that_its_ballots_are_relayed(installation: Installation, page: Page) -> None:
    installation.visit(page)
    assert page.locator("#main").get_attribute("data-relayed") == ""
    assert installation.digest.startswith(page.locator("#main").get_attribute("data-id") or "-")


def test_a_ballot_reaches_the_relay_from_the_collectors_page(installation: Installation, page: Page) -> None:
    installation.visit(page)
    worker = f"?survey={installation.pool.survey.id}"
    assert installation.send(page, worker, installation.address) == [202, '{"accepted": true}']
    assert installation.pool.totals().waiting == 1


def test_a_refusal_can_be_read_across_origins_too(installation: Installation, page: Page) -> None:
    installation.pool.store.accept(sealed(installation.digest, 9))
    installation.pool.store.take()
    installation.pool.store.settle({}, {installation.pool.store.leaving()[0]: "state.closed"})
    installation.visit(page)
    status, text = installation.send(page, f"?survey={installation.pool.survey.id}", installation.address)
    assert status == 409
    assert "state.closed" in text


def test_the_policy_holds_everything_else_back(installation: Installation, page: Page) -> None:
    installation.visit(page)
    survey = installation.pool.survey.id
    own = f"?survey={survey}"
    elsewhere = installation.address.replace(str(installation.relay_port), str(free_port()))
    for worker, url in (
        ("", installation.address),  # the worker of a survey without relay
        (own, installation.address + "/more"),
        (own, installation.address.replace("submissions", "tokens")),
        (own, elsewhere),
    ):
        assert installation.send(page, worker, url) == [0, "TypeError"], (worker, url)
    from_page = page.evaluate(
        "url => fetch(url, {method: 'POST'}).then(() => 'sent', () => 'held')", installation.address
    )
    assert from_page == "held"
    assert installation.pool.totals().waiting == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_the_relays_page_fits_and_needs_no_script(
    installation: Installation, browser: Browser, width: int, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    answer = page.goto(f"http://127.0.0.1:{installation.relay_port}/")
    assert answer is not None
    assert answer.status == 200
    assert page.locator("h1").inner_text() == "A relay for sealed answers"
    box = page.locator("body").bounding_box()
    assert box is not None
    assert box["width"] <= width
    page.screenshot(path=str(tmp_path / f"relay-{width}.png"), full_page=True)
    context.close()
