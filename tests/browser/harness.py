"""The client's own worker, driven message by message from a test."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import KEY
from tests.browser.site import Site

_START = """(url) => new Promise((resolve, reject) => {
  const worker = new Worker(url, {type: "module"});
  const waiting = new Map();
  let number = 0;
  window.ask = (method, given) => new Promise((answered) => {
    waiting.set(++number, answered);
    worker.postMessage({id: number, method, arguments: given});
  });
  worker.addEventListener("message", ({data}) => {
    if (data.kind === "ready") resolve(data.milliseconds);
    if (data.kind === "failed") {
      reject(new Error(data.cause + data.detail));
      for (const answered of waiting.values()) answered({crashed: data.cause});
    }
    if (data.kind === "answer") {
      waiting.get(data.id)(data);
      waiting.delete(data.id);
    }
  });
})"""


class Harness:
    """A worker in a page of the site, started once.

    Attributes
    ----------
    start_ms : int
        From the worker's start until Python was ready.
    """

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self.start_ms = 0
        self.start()

    def start(self) -> None:
        """Start a worker afresh."""
        site = self.site
        self.page.goto(f"{site.base}s/none")
        self.start_ms = self.page.evaluate(_START, f"{site.base}static/{site.assets['worker.mjs']}")

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """The worker's answer, with ``result``, ``error`` or ``crashed``."""
        answer: dict[str, Any] = self.page.evaluate("([m, g]) => window.ask(m, g)", [method, given])
        return answer

    def open(self, fragment: str | None = None) -> dict[str, Any]:
        """Fetch and check the survey that the site serves."""
        fragment = f"{self.site.digest}.{KEY}" if fragment is None else fragment
        answer = self.ask("open", base=self.site.base, survey=self.site.id, fragment=fragment)
        opened = answer.get("result", {})
        return self.ask("recount") if opened.get("survey") and not opened["sound"] else answer
