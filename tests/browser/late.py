"""Answers of the page's worker that arrive when a test lets them: later than on any machine of ours."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page

from tests.waiting import until

_HOLDING = """(methods) => {
  const asked = new Map();
  const late = window.late = {
    methods: new Set(methods),
    held: [],
    release() { this.methods.clear(); for (const arrive of this.held.splice(0)) arrive(); },
  };
  const { postMessage, addEventListener } = Worker.prototype;
  Worker.prototype.postMessage = function (message) {
    asked.set(message.id, message.method);
    postMessage.apply(this, arguments);
  };
  Worker.prototype.addEventListener = function (kind, listener) {
    if (kind === "message") late.tell = (data) => listener({ data });
    addEventListener.call(this, kind, (event) => {
      const isHeld = event.data?.kind === "answer" && late.methods.has(asked.get(event.data.id));
      if (isHeld) late.held.push(() => listener(event));
      else listener(event);
    });
  };
}"""


def hear(page: Page, condition: Callable[[], object]) -> None:
    """Wait until something is true that a page's own events make so, such as a request that is held.

    Events are told only while the page is asked something: a test that sleeps hears of none.
    """
    until(lambda: condition() or page.wait_for_timeout(20))


class Late:
    """Holds back what Python answers to some methods; to be made before the page is opened.

    Parameters
    ----------
    page : Page
    methods : str
        As the bridge names them.
    """

    def __init__(self, page: Page, *methods: str) -> None:
        self._page = page
        page.add_init_script(f"({_HOLDING})({json.dumps(methods)})")

    def wait(self, answers: int = 1) -> None:
        """Until so many answers are held."""
        self._page.wait_for_function(f"() => late.held.length >= {answers}")

    def hold(self, *methods: str) -> None:
        """Hold back what is answered to these methods from now on."""
        self._page.evaluate(f"for (const method of {json.dumps(methods)}) late.methods.add(method)")

    def tell(self, message: dict[str, str]) -> None:
        """Say to the page what the worker might."""
        self._page.evaluate("message => late.tell(message)", message)

    def release(self) -> None:
        """Let them arrive in their order, and later ones at once."""
        self._page.evaluate("late.release()")
