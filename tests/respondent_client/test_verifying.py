"""What the worker answers when it verifies an election, without a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from respondent_client.browser import verifying
from respondent_client.browser.verifying import verify_files
from server.release.trustees.tallying import report_of
from shared.envelope import encode_key
from shared.verification.election import LINES
from shared.words import digest_words
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.elections import HeldElection
from tests.published_elections import CHANGES, Change, PublishedElection
from tests.respondent_client.fakes import FakePlatform

COUNTS = (2, 0, 0, 1, 0, 0, 0, 2)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> PublishedElection:
    return PublishedElection(HeldElection(tmp_path_factory.mktemp("published")).fill(*COUNTS))


def verified(files: Mapping[str, bytes], fragment: str = "", platform: Any = None) -> dict[str, Any]:
    text = json.dumps({"fragment": fragment})
    answer: dict[str, Any] = json.loads(verify_files(text, files, platform or FakePlatform()))
    return answer


def test_every_line_is_told_as_it_begins(published: PublishedElection) -> None:
    platform, key = FakePlatform(), public_bytes(ORGANIZER_KEY)
    invitation = published.election.invitation
    fragment = f"{published.election.digest}.{encode_key(key)}"
    assert invitation.organizer_key == key
    tokens = json.dumps({"tokens": list(COUNTS)}).encode()
    found = verified(published.files | {"tokens.json": tokens}, fragment, platform)["result"]
    assert found["pinned"]
    assert found["key_words"] == digest_words(key.hex())
    outcomes = {line["line"]: line["outcome"] for line in found["lines"]}
    assert outcomes == dict.fromkeys(LINES, "passed") | {"known-board": "not-run"}
    begun = list(dict.fromkeys(notice["line"] for notice in platform.notices))
    assert begun == [line for line in LINES if line not in ("form", "known-board")]
    assert all(notice["done"] <= notice["total"] for notice in platform.notices)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_refusal_is_that_of_the_terminal(
    published: PublishedElection, change: Change, tmp_path: Path
) -> None:
    files = change.of(published.files)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    there = report_of(published.received(tmp_path), lambda *_: None).to_object()
    found = verified(files, f"{published.election.digest}.{encode_key(public_bytes(ORGANIZER_KEY))}")
    assert found["result"]["lines"] == there["lines"]
    assert "totals" not in found["result"]


def test_without_a_link_nothing_is_pinned(published: PublishedElection) -> None:
    found = verified(published.files)["result"]
    assert not found["pinned"]
    assert found["survey_words"] == digest_words(published.election.digest)


def test_a_damaged_link_is_an_answer(published: PublishedElection) -> None:
    assert verified(published.files, "abc")["error"]["code"].startswith("verification")


def test_what_nobody_foresaw_is_an_answer_without_a_value(
    published: PublishedElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("something of somebody")

    monkeypatch.setattr(verifying, "report_of", breaks)
    error = verified(published.files)["error"]
    assert error["code"] == "internal"
    assert "somebody" not in json.dumps(error)
