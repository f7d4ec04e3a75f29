"""The public board of an invited survey: its files as they were signed, and its page.

There is no address that answers whether one receipt, or one code, is on the board. Whoever asked it would
tell the collector, who knows which ballot has which receipt, from which network address its sender comes.
Everybody gets the whole lists, and searches them herself.
"""

from __future__ import annotations

import threading
from typing import Final

from flask import Blueprint, Response

from server.collection.board_folder import (
    BALLOTS_FILE,
    BOARD_FILE,
    BOARD_FOLDER,
    CHECKPOINT_FILE,
    RECEIPTS_FILE,
    REHEARSAL_FILE,
    RESULT_FILE,
    ROLL_FILE,
    USED_CODES_FILE,
    has_board,
    read_board_file,
    read_counts,
)
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import PublishedSurvey
from server.collection.web import security
from server.collection.web.own_pages import HTML
from server.collection.web.pages import choose_language
from server.collection.web.rendering import RespondentPages
from server.collection.web.sending import send
from server.collection.web.static_files import ClientFiles, StaticFile
from shared.board import Board
from shared.election.result import Result
from shared.errors import NotFoundError, SetupError

BOARD_TYPE: Final = "application/vnd.roomful.board+json"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
JSON_TYPE: Final = "application/json"
BYTES_TYPE: Final = "application/octet-stream"


class BoardSite:
    """The addresses of the board.

    Parameters
    ----------
    config : Config
        The configuration.
    data : DataDirectory
        The surveys.
    client : ClientFiles or None
        The respondent's client, which has the page and the program in it.
    """

    def __init__(self, *, config: Config, data: DataDirectory, client: ClientFiles | None) -> None:
        self._config, self._data = config, data
        self._lists: dict[tuple[str, str], tuple[bytes, StaticFile]] = {}
        self._results: dict[str, Result] = {}
        self._lock = threading.Lock()
        self._pages = None if client is None else RespondentPages(client, config.base)

    def blueprint(self) -> Blueprint:
        """The routes."""
        routes = Blueprint("board", __name__)
        api = "/api/v1/surveys/<survey>/board"
        routes.add_url_rule(api, "counts", self.counts)
        routes.add_url_rule(f"{api}/checkpoint", "checkpoint", self.checkpoint)
        routes.add_url_rule(f"{api}/receipts", "receipts", self.receipts)
        routes.add_url_rule(f"{api}/roll", "roll", self.roll)
        routes.add_url_rule(f"{api}/used-codes", "used-codes", self.used_codes)
        routes.add_url_rule(f"{api}/ballots", "ballots", self.ballots)
        routes.add_url_rule(f"{api}/rehearsal", "rehearsal", self.rehearsal)
        routes.add_url_rule(f"{api}/result", "result", self.result)
        routes.add_url_rule("/s/<survey>/board", "page", self.page)
        routes.add_url_rule("/s/<survey>/verify", "verify", self.verify)
        return routes

    def counts(self, survey: str) -> Response:
        """The signed counts."""
        data = read_board_file(self._data.survey(survey).published.folder, BOARD_FILE)
        return Response(data, content_type=BOARD_TYPE)

    def checkpoint(self, survey: str) -> Response:
        """The signed note."""
        data = read_board_file(self._data.survey(survey).published.folder, CHECKPOINT_FILE)
        return Response(data, content_type=TEXT_TYPE)

    def receipts(self, survey: str) -> Response:
        """The list of receipts."""
        return self._list(survey, RECEIPTS_FILE)

    def roll(self, survey: str) -> Response:
        """The hashes of all codes."""
        return self._list(survey, ROLL_FILE)

    def used_codes(self, survey: str) -> Response:
        """The list of used codes."""
        return self._list(survey, USED_CODES_FILE)

    def ballots(self, survey: str) -> Response:
        """Of an election with a result: all ballots, encrypted, as the trustees got them."""
        data = read_board_file(self._data.survey(survey).published.folder, BALLOTS_FILE)
        return Response(data, content_type=BYTES_TYPE)

    def rehearsal(self, survey: str) -> Response:
        """Its trustees' signatures of the specification."""
        data = read_board_file(self._data.survey(survey).published.folder, REHEARSAL_FILE)
        return Response(data, content_type=JSON_TYPE)

    def result(self, survey: str) -> Response:
        """Its result, with statements and factors."""
        data = read_board_file(self._data.survey(survey).published.folder, RESULT_FILE)
        return Response(data, content_type=JSON_TYPE)

    def _list(self, survey: str, name: str) -> Response:
        """A whole list; it never changes, so it is compressed once."""
        store = self._data.survey(survey)
        folder = store.published.folder
        checkpoint = read_board_file(folder, CHECKPOINT_FILE)
        with self._lock:
            key, file = self._lists.get((store.id, name), (b"", None))
            if file is None or key != checkpoint:
                file = StaticFile.compress(TEXT_TYPE, read_board_file(folder, name))
                self._lists[store.id, name] = checkpoint, file
        return send(file)

    def page(self, survey: str) -> Response:
        """The counts in words and bars, readable before any script runs, and the search for a receipt."""
        store = self._data.survey(survey)
        specification = store.specification
        language = choose_language(specification.languages)
        address = f"{self._config.public_url.rstrip('/')}/s/{store.id}"
        page = None
        if self._pages is not None:
            board = _board(store.published)
            result = self._result(store.published)
            page = self._pages.board(
                specification, store.id, language, store.state.value, board, address, result
            )
        if page is None:
            raise SetupError("the respondent's client is not built", code="setup.client-missing")
        return _answer(page, language)

    def _result(self, published: PublishedSurvey) -> Result | None:
        """The result of an election, which was verified when it was published; read once."""
        path = published.folder / BOARD_FOLDER / RESULT_FILE
        if not path.is_file():
            return None
        with self._lock:
            if published.digest not in self._results:
                self._results[published.digest] = Result.parse(path.read_bytes())
            return self._results[published.digest]

    def verify(self, survey: str) -> Response:
        """Of an election: the page on which another device makes a ballot again that a voter tests."""
        store = self._data.survey(survey)
        language = choose_language(store.specification.languages)
        page = None if self._pages is None else self._pages.verify(store.specification, store.id, language)
        if page is None:
            raise NotFoundError("no ballot of this survey can be tested")
        return _answer(page, language)


def _answer(page: str, language: str) -> Response:
    response = Response(page, content_type=HTML)
    response.headers["Vary"] = "Accept-Language"
    response.headers["Content-Language"] = language
    response.headers["Permissions-Policy"] = security.CAMERA_PERMISSIONS
    return response


def _board(published: PublishedSurvey) -> Board | None:
    """The board as it was signed; None if there is none yet."""
    return read_counts(published.folder) if has_board(published.folder) else None
