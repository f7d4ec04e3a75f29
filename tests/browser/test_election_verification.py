"""The result of an election verified in a real browser: its lines are those of the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from respondent_client.build import WEB
from server.collection.board_folder import BOARD_FOLDER, publish_board
from server.release.board.election_files import publish_result
from server.release.trustees.tallying import report_of
from shared.specification import Specification
from shared.strict_json import dumps
from tests.browser.invited_office import Office, office
from tests.browser.late import hear
from tests.browser.profiles import DESK, PHONE
from tests.browser.test_election import reach
from tests.browser.test_invited_survey import InvitedWalk, visit
from tests.browser.test_right_to_left import in_place_of_german
from tests.elections import HeldElection, election_specification
from tests.published_elections import CHANGES, Change, PublishedElection
from tests.server.cli.test_election import board_files

pytestmark = pytest.mark.browser
__all__ = ["visit"]
COUNTS = (2, 0, 1, 1, 2, 0, 1, 2)
CHOSEN = [
    change for change in CHANGES if change.name in ("a moved vote", "an altered factor", "an altered ballot")
]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> PublishedElection:
    return PublishedElection(HeldElection(tmp_path_factory.mktemp("published")).fill(*COUNTS))


@contextmanager
def on_a_board(published: PublishedElection, folder: Path) -> Iterator[Office]:
    """A server with the result of an election."""
    election = published.election
    with office(folder / "office", lambda _: election.specification) as place:
        place.store.close()
        export = folder / "export"
        export.mkdir()
        for name, data in published.files.items():
            (export / name).write_bytes(data)
        publish_board(place.store.published.folder, board_files(export))
        publish_result(place.store.published, export, published.files["result.json"], lambda *_: None)
        yield place


@pytest.fixture
def board(published: PublishedElection, tmp_path: Path) -> Iterator[Office]:
    with on_a_board(published, tmp_path) as place:
        yield place


def see_tokens(page: Page) -> None:
    """The registrar of these tests issued no token; this one did."""
    page.route("**/api/v1/surveys/*/tokens", lambda route: route.fulfill(json={"tokens": list(COUNTS)}))


def open_board(walk: InvitedWalk, place: Office, *, language: str = "en") -> Page:
    see_tokens(walk.page)
    walk.page.goto(f"{place.base}s/{place.store.id}/board?lang={language}#{place.link().partition('#')[2]}")
    expect(walk.page.locator("#verify-result")).to_be_visible()
    return walk.page


def lines_of(page: Page) -> list[tuple[str | None, str | None]]:
    """What the page says of each line."""
    rows = page.locator("#verification-lines li").all()
    return [(row.get_attribute("data-line"), row.get_attribute("data-outcome")) for row in rows]


def lines_here(published: PublishedElection, files: dict[str, bytes], folder: Path) -> list[dict[str, Any]]:
    """What the terminal says."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    found: list[dict[str, Any]] = report_of(published.received(folder), lambda *_: None).to_object()["lines"]
    return found


def test_the_published_result_is_verified(
    board: Office,
    published: PublishedElection,
    visit: Callable[..., InvitedWalk],
    tmp_path: Path,
) -> None:
    walk = visit("verification")
    page = open_board(walk, board)
    expect(page.locator("#verification-takes")).to_contain_text("9 ballots")
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        page.locator("#skip").focus()
        reach(walk, "#verify-result")
    walk.look_in_both("1-before")
    page.keyboard.press("Enter")
    expect(page.locator("#cancel-verification")).to_be_focused()
    expect(page.locator("#verifying")).to_have_attribute("role", "status")
    verdict = page.locator("#verification-verdict")
    expect(verdict).to_be_focused()
    expect(verdict).to_have_attribute("data-outcome", "passed")
    expect(verdict).to_contain_text("exactly 9 ballots")
    votes = [sum(group.votes[0][i] for group in published.result.groups) for i in range(3)]
    expect(verdict).to_contain_text(f"ada {votes[0]}")
    page.locator("#verified summary").click()
    walk.look_in_both("2-passed")
    told = lines_here(published, published.files, tmp_path / "here")
    expected = {line["line"]: line["outcome"] for line in told} | {"token-numbers": "passed"}
    assert dict(lines_of(page)) == expected
    expect(page.locator("#cancel-verification")).to_be_hidden()
    assert walk.problems == []


def test_a_folder_that_somebody_has(
    board: Office, published: PublishedElection, visit: Callable[..., InvitedWalk], tmp_path: Path
) -> None:
    """Each change is refused with the line and the culprit of the terminal."""
    walk = visit("verification-folder", PHONE)
    page = open_board(walk, board)
    for number, change in enumerate(CHOSEN):
        files = change.of(published.files)
        folder = tmp_path / str(number)
        told = lines_here(published, files, folder)
        page.set_input_files("#election-files", sorted(folder.iterdir()))
        verdict = page.locator("#verification-verdict")
        expect(verdict).to_have_attribute("data-line", change.line)
        expect(verdict).to_be_focused()
        expect(verdict).to_have_attribute("data-culprit", change.culprit)
        (refused,) = (line for line in told if line["outcome"] == "refused")
        expect(verdict.locator(".detail")).to_have_text(
            f"{refused['where']}: {refused['message']} ({refused['code']})"
        )
        assert change.where in refused["where"]
        assert lines_of(page) == [(line["line"], line["outcome"]) for line in told]
        walk.look(f"{number}-{change.line}")
    assert walk.problems == []


@pytest.mark.parametrize("language", ["de", "fr", "ar"])
def test_in_other_languages(visit: Callable[..., InvitedWalk], language: str, tmp_path: Path) -> None:
    document = in_place_of_german(election_specification().to_object(), language)
    election = HeldElection(tmp_path, specification=Specification.parse(dumps(document))).fill(*COUNTS)
    published = PublishedElection(election)
    walk = visit(f"verification-{language}", PHONE)
    with on_a_board(published, tmp_path / "server") as place:
        page = open_board(walk, place, language=language)
        expect(page.locator("html")).to_have_attribute("lang", language)
        folder = tmp_path / "altered"
        lines_here(published, CHOSEN[1].of(published.files), folder)
        page.set_input_files("#election-files", sorted(folder.iterdir()))
        verdict = page.locator("#verification-verdict")
        expect(verdict).to_be_focused()
        said = json.loads((WEB / "texts" / f"{language}.json").read_text("utf-8"))
        for key in ("refused", "culprit.factor", "refused.next"):
            expect(verdict).to_contain_text(said[f"verification.{key}"])
        walk.look("refused")
        page.click("#verify-result")
        expect(verdict).to_have_attribute("data-outcome", "passed")
        expect(verdict).to_contain_text(said["verification.passed"])
        walk.look("passed")
    assert walk.problems == []


def test_it_can_be_stopped_and_started_again(board: Office, visit: Callable[..., InvitedWalk]) -> None:
    walk = visit("verification-stopped", PHONE)
    page = open_board(walk, board)
    page.click("#verify-result")
    page.click("#cancel-verification")
    expect(page.locator("#verified [data-outcome='verification.cancelled']")).to_be_visible()
    expect(page.locator("#verify-result")).to_be_focused()
    hear(page, lambda: not page.workers)
    tokens = "**/api/v1/surveys/*/tokens"
    page.route(tokens, lambda route: route.abort())
    page.click("#verify-result")
    expect(page.locator("#verified [data-outcome='verification.network']")).to_be_visible()
    page.route(tokens, lambda route: route.fulfill(status=409))  # it is not the registrar
    page.click("#verify-result")
    expect(page.locator("#verification-verdict")).to_have_attribute("data-outcome", "passed")
    assert ("token-numbers", "not-run") in lines_of(page)


def test_a_server_that_publishes_another_result_is_found_out(
    board: Office, published: PublishedElection, visit: Callable[..., InvitedWalk]
) -> None:
    moved: Change = CHOSEN[0]
    (board.store.published.folder / BOARD_FOLDER / "result.json").write_bytes(
        moved.of(published.files)["result.json"]
    )
    walk = visit("verification-moved", DESK)
    page = open_board(walk, board)
    page.click("#verify-result")
    verdict = page.locator("#verification-verdict")
    expect(verdict).to_have_attribute("data-line", "votes")
    expect(verdict).to_contain_text("whoever made this result")
    walk.look("refused")


def test_tokens_that_the_registrar_did_not_tell(board: Office, visit: Callable[..., InvitedWalk]) -> None:
    """Its server says that nobody had one; the terminal says the same of this address."""
    walk = visit("verification-tokens", PHONE)
    walk.page.goto(f"{board.base}s/{board.store.id}/board#{board.link().partition('#')[2]}")
    walk.page.click("#verify-result")
    verdict = walk.page.locator("#verification-verdict")
    expect(verdict).to_have_attribute("data-culprit", "token-numbers")
    expect(verdict).to_have_attribute("data-line", "token-numbers")


def test_a_visitor_without_a_link_compares_words(board: Office, visit: Callable[..., InvitedWalk]) -> None:
    walk = visit("verification-unpinned", PHONE)
    see_tokens(walk.page)
    walk.page.goto(f"{board.base}s/{board.store.id}/board")
    walk.page.click("#verify-result")
    verdict = walk.page.locator("#verification-verdict")
    expect(verdict).to_have_class("notice warning")
    expect(walk.page.locator("#verified > .words")).to_have_count(2)
    walk.look("compare")
