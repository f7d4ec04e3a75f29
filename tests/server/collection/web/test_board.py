"""The board's addresses: what was signed comes unchanged, and nobody can ask for one receipt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from server.collection.board_folder import read_board
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.collection.web.static_files import ClientFiles
from server.release.board.creating import create_board
from shared.hash_list import format_hashes
from tests.builders import ORGANIZER_KEY
from tests.elections import election_specification
from tests.invited import used_codes
from tests.served import no_client
from tests.server.collection.relay.survey import open_collector
from tests.server.collection.storage import ballots

PAGE = "{{ board.submissions if board else ('later' if invited else 'never') }} {{ command }} {{ language }}"


@pytest.fixture
def closed(data: DataDirectory) -> SurveyStore:
    """An invited survey of six ballots."""
    store = ballots.store_of(data)
    for i in range(6):
        store.submit(ballots.seal_ballot(ballots.DIGEST, ballots.ballot(i, cell=i)))
    store.close()
    return store


def app_of(data: DataDirectory, client: ClientFiles | None = None) -> Flask:
    """An application, with a page or without."""

    def found() -> ClientFiles:
        return client if client is not None else no_client()

    return create_app(Config(public_url="https://survey.example/sub/"), data, client=found)


def page_client() -> ClientFiles:
    """A client whose board page says little."""
    return ClientFiles(assets={}, files={}, page="", texts={}, board_page=PAGE, verify_page="{{ title }}")


NAMES = ("board", "board/checkpoint", "board/receipts")


@pytest.mark.parametrize("name", NAMES)
def test_there_is_no_board_before_it_is_made(data: DataDirectory, closed: SurveyStore, name: str) -> None:
    answer = app_of(data).test_client().get(f"/api/v1/surveys/{closed.id}/{name}")
    assert answer.status_code == 404
    assert answer.json is not None
    assert answer.json["code"] == "not-found.board"


def test_the_files_come_as_they_were_signed(data: DataDirectory, closed: SurveyStore) -> None:
    create_board(closed, used_codes=format_hashes(used_codes(9)), key=ORGANIZER_KEY)
    files = read_board(closed.published.folder)
    client = app_of(data).test_client()
    for name, kind, expected in (
        ("board", "application/vnd.roomful.board+json", files.board),
        ("board/checkpoint", "text/plain; charset=utf-8", files.checkpoint),
        ("board/receipts", "text/plain; charset=utf-8", files.receipts),
    ):
        for _ in range(2):
            answer = client.get(f"/api/v1/surveys/{closed.id}/{name}")
            assert (answer.status_code, answer.data) == (200, expected)
            assert answer.headers["Content-Type"] == kind
            assert answer.headers["Cache-Control"] == "no-store"
    compressed = client.get(f"/api/v1/surveys/{closed.id}/board/receipts", headers={"Accept-Encoding": "br"})
    assert compressed.headers["Content-Encoding"] == "br"


def test_nobody_can_ask_for_one_receipt(data: DataDirectory, closed: SurveyStore) -> None:
    create_board(closed, used_codes=format_hashes(used_codes(9)), key=ORGANIZER_KEY)
    receipt = closed.ballot_receipts()[0]
    app = app_of(data)
    assert not [
        rule.rule for rule in app.url_map.iter_rules() if "board" in rule.rule and "receipt>" in rule.rule
    ]
    client = app.test_client()
    for path in (f"board/receipts/{receipt}", f"board/proof/{receipt}"):
        assert client.get(f"/api/v1/surveys/{closed.id}/{path}").status_code == 404
    assert client.get(f"/api/v1/surveys/{closed.id}/receipts/{receipt}").status_code == 409


def test_the_page_tells_where_the_survey_stands(data: DataDirectory, closed: SurveyStore) -> None:
    client = app_of(data, page_client()).test_client()
    address = f"/s/{closed.id}/board"
    assert client.get(address).text.startswith("later ")
    create_board(closed, used_codes=format_hashes(used_codes(9)), key=ORGANIZER_KEY)
    answer = client.get(address + "?lang=de", headers={"Accept-Language": "en"})
    assert answer.text.startswith("6 ")
    assert answer.text.endswith(" de")
    assert f"https://survey.example/sub/s/{closed.id} --invitation LINK" in answer.text
    assert "camera=(self)" in answer.headers["Permissions-Policy"]
    assert "geolocation=()" in answer.headers["Permissions-Policy"]


def test_an_open_survey_says_that_it_has_none(data: DataDirectory, store: SurveyStore) -> None:
    assert app_of(data, page_client()).test_client().get(f"/s/{store.id}/board").text.startswith("never ")


def test_without_the_built_client_the_page_says_so(
    make_app: Callable[..., Flask], data: DataDirectory, closed: SurveyStore
) -> None:
    assert app_of(data).test_client().get(f"/s/{closed.id}/board").status_code == 503
    assert make_app().test_client().get(f"/s/{closed.id}/board").status_code == 503


def test_a_board_that_was_tampered_with_shows_no_counts(data: DataDirectory, closed: SurveyStore) -> None:
    create_board(closed, used_codes=format_hashes(used_codes(9)), key=ORGANIZER_KEY)
    path: Path = closed.published.folder / "board" / "board.json"
    path.write_bytes(path.read_bytes()[:-2])
    assert app_of(data, page_client()).test_client().get(f"/s/{closed.id}/board").status_code == 500


def test_only_an_election_has_a_page_for_testing_ballots(data: DataDirectory, store: SurveyStore) -> None:
    election = open_collector(data, election_specification())
    client = app_of(data, page_client()).test_client()
    answer = client.get(f"/s/{election.id}/verify")
    assert answer.text == election.specification.title["en"]
    assert "camera=(self)" in answer.headers["Permissions-Policy"]
    assert client.get(f"/s/{store.id}/verify").status_code == 404
    assert app_of(data).test_client().get(f"/s/{election.id}/verify").status_code == 404
