"""Chromium keeps connections as long as it may: through the nginx of deploy/ none carries code and ballot."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.invited_office import CODES, office
from tests.browser.test_invited_survey import InvitedWalk
from tests.server.collection.relay.test_deploy import FOLDER, nginx

pytestmark = pytest.mark.browser


def test_a_browser_sends_code_and_ballot_on_two_connections(browser: Browser, tmp_path: Path) -> None:
    site = (FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8")
    log = tmp_path / "proxy" / "connections.log"
    log.parent.mkdir()
    site = site.replace("access_log off;", f"access_log {log} connections;")
    site = f"log_format connections '$connection $request_method $uri';\n{site}"
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    walk = InvitedWalk(page, "")
    with office(tmp_path) as place:
        port = int(place.base.rstrip("/").rpartition(":")[2])
        servers = {"127.0.0.1:8001": port, "127.0.0.1:8002": port}
        with nginx(site, servers, log.parent) as proxy:
            proxy.visit("GET", "/", None, {})  # once it answers
            walk.to_invitation(place.link(CODES[0]).replace(place.base, f"https://127.0.0.1:{proxy.port}/"))
            walk.exchange()
            walk.answer()
            page.check("#when-now")
            walk.go_on()
            expect(page.locator("#receipt")).to_be_visible()
        context.close()
    lines = [line.split() for line in log.read_text().splitlines()]
    connections: dict[str, list[str]] = {}
    for connection, method, path in lines:
        connections.setdefault(connection, []).append(f"{method} {path.rpartition('/')[2]}")
    carried = [found for found in connections.values() if any(name.startswith("POST") for name in found)]
    assert sorted(name for found in carried for name in found if name.startswith("POST")) == [
        "POST submissions",
        "POST tokens",
    ]
    assert len(carried) == 2
    assert all(found[-1].startswith("POST") for found in carried)
    assert max(map(len, connections.values())) > 2  # the browser does keep connections
