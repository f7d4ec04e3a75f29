"""The whole way in a real browser against the real server, started as an operator starts it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from server.collection.storage.data_directory import DataDirectory
from shared.invitation import survey_link
from tests.browser.walk import Walk
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes, small_envelope, small_model
from tests.programs import free_port
from tests.server.collection.web.process import ServerProcess

pytestmark = pytest.mark.browser
ROOMFUL = str(Path(sys.executable).with_name("roomful"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """A running server under a sub-path, with one open survey."""

    data: Path
    survey: str
    link: str

    def roomful(self, *arguments: str) -> str:
        """Standard output of a command."""
        command = [ROOMFUL, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def office(static: Path, tmp_path: Path) -> Iterator[Office]:
    with DataDirectory(tmp_path) as directory:
        survey = directory.publish(small_envelope(), small_model())
        directory.open(survey)
        digest = directory.survey(survey).published.digest
    port = free_port()
    url = f"http://127.0.0.1:{port}/surveys/"
    with ServerProcess(tmp_path, port, public_url=url):
        link = survey_link(url, digest, public_bytes(ORGANIZER_KEY))
        yield Office(data=tmp_path, survey=survey, link=link)


def test_from_the_link_to_the_stored_answer(plain_browser: Browser, office: Office, tmp_path: Path) -> None:
    context = plain_browser.new_context(viewport={"width": 360, "height": 740})
    walk = Walk(context.new_page(), "real")
    walk.open(office.link)
    before = walk.page.locator(".statement li").all_inner_texts()
    walk.look("about")
    walk.start()
    walk.page.go_back()
    expect(walk.heading).to_have_text("Health in Smallville")
    after = walk.page.locator(".statement li").all_inner_texts()
    assert len(before) == 3
    assert after == before
    walk.page.go_forward()
    walk.to_questions()
    walk.to_review()
    receipt = walk.send()
    walk.look("receipt")
    assert walk.problems == []
    assert context.cookies() == []
    context.close()
    # The command line finds the same group for the same person, and the server counts both.
    person = tmp_path / "person.json"
    person.write_text(json.dumps({"quasi_identifiers": {"age": "43", "sex": "female"}, "answers": ANSWERS}))
    headless = json.loads(office.roomful("respond", office.link, "--answers", str(person), "--json"))
    assert headless["sent"]
    assert headless["receipt"] != receipt
    status = json.loads(office.roomful("status", office.survey, "--data", str(office.data), "--json"))
    assert '"total": 2' in json.dumps(status)
