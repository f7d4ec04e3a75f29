"""The pages: list of surveys, a survey, its released files, the checkup, and errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import ReleasedFile
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.collection.web import security
from server.collection.web.checkup import examine_server
from server.collection.web.own_pages import HTML, OwnPages
from server.collection.web.problems import Problem
from server.collection.web.rendering import RespondentPages
from server.collection.web.sending import send
from server.collection.web.static_files import ClientFiles, content_type
from shared.errors import NotFoundError, RoomfulError, SetupError
from shared.specification import Specification

WORKER: Final = "worker.mjs"
"""The part of the client that sends, by its name in the client's manifest."""
ID_DIGITS: Final = 16
_CHANGED_LINK: Final = re.compile(r"[0-9a-f]{16}[^0-9a-f].*", re.DOTALL)
_FRAGMENT: Final = re.compile(r"[0-9a-f]{64}(\.[A-Za-z0-9_-]*){0,3}")
_SECRETS_AT: Final = 2
"""Points before the code of a link, see :mod:`shared.invitation`."""
_ENDS: Final = ">)]}\"'»”’.,;:!? \t\r\n"
"""What a mail program puts behind a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSurvey:
    """A line of the first page."""

    id: str
    title: str
    language: str
    state: str
    organizer: str


class PageSite:
    """All pages of one server.

    Parameters
    ----------
    config : Config
        The configuration.
    data : DataDirectory
        The surveys.
    client : ClientFiles or None
        The respondent's client; without it the pages of surveys say that it is missing.
    keeps : bool
        False in a preview.
    """

    def __init__(
        self, *, config: Config, data: DataDirectory, client: ClientFiles | None, keeps: bool = True
    ) -> None:
        self._keeps = keeps
        self._config = config
        self._data = data
        self._client = client
        self._own = OwnPages(config)
        self._static = {self._own.style_name: self._own.style, **(client.files if client else {})}
        self._pages = None if client is None else RespondentPages(client, config.base)

    def blueprint(self) -> Blueprint:
        """The routes of the pages."""
        routes = Blueprint("pages", __name__)
        routes.add_url_rule("/", "index", self.index)
        routes.add_url_rule("/s/<survey>", "survey", self.survey)
        routes.add_url_rule("/s/<survey>/release/", "release", self.release)
        routes.add_url_rule("/s/<survey>/release/<name>", "released_file", self.released_file)
        routes.add_url_rule("/checkup", "checkup", self.checkup)
        routes.add_url_rule("/static/<path:name>", "static", self.static)
        return routes

    def index(self) -> Response:
        """Titles of the surveys that are open or released; a draft is nobody's business yet."""
        listed = self._listed() if self._config.list_surveys else []
        return self._own.render(
            "index.html.j2",
            title="Surveys",
            open=[survey for survey in listed if survey.state == State.OPEN],
            released=[survey for survey in listed if survey.state == State.RELEASED],
            hidden=not self._config.list_surveys,
        )

    def survey(self, survey: str) -> Response:
        """The respondent's page, readable before any script runs."""
        if _CHANGED_LINK.fullmatch(survey):
            return self.changed_link(survey)
        store = self._data.survey(survey)
        if self._pages is None:
            raise SetupError("the respondent's client is not built", code="setup.client-missing")
        specification = store.specification
        language = choose_language(specification.languages)
        trial = "test" if store.is_test and self._keeps else None if self._keeps else "preview"
        page = self._pages.survey(specification, store.id, language, store.met.value, trial)
        response = Response(page, content_type=HTML)
        response.headers["Vary"] = "Accept-Language"
        response.headers["Content-Language"] = language
        if specification.invited is not None:
            # A code on a letter is read with the camera, if she wants.
            response.headers["Permissions-Policy"] = security.CAMERA_PERMISSIONS
        return response

    def changed_link(self, link: str) -> Response:
        """A link whose "#" became "%23", or that has a bracket at its end: what it was, to follow.

        A mail program has done that, and what stands behind the "#" has reached this server.
        """
        if self._client is None:
            raise NotFoundError("no such survey")
        survey, _, fragment = link.partition("#")
        store = self._data.survey(survey[:ID_DIGITS])
        texts = self._client.texts
        language, own = choose_language(tuple(texts)), choose_language(store.specification.languages)
        text = texts[language].__getitem__
        fragment = fragment.rstrip(_ENDS)
        whole = _FRAGMENT.fullmatch(fragment) is not None
        response = self._own.render(
            "link.html.j2",
            language=language,
            direction=text("direction"),
            title=text("link.heading"),
            survey=store.specification.title[own],
            survey_language=own,
            text=text("link.text" if whole else "link.cut"),
            told=text("link.told") if fragment.count(".") >= _SECRETS_AT else "",
            go=text("link.go") if whole else "",
            href=f"{self._config.base}s/{store.id}#{fragment}",
        )
        response.status_code = HTTPStatus.NOT_FOUND
        response.headers["Vary"] = "Accept-Language"
        return response

    def release(self, survey: str) -> Response:
        """The list of released files."""
        store = self._data.survey(survey)
        specification = store.specification
        language = choose_language(specification.languages)
        return self._own.render(
            "release.html.j2",
            title=specification.title[language],
            language=language,
            state=store.state.value,
            organizer=specification.organizer.name,
            k=specification.k,
            id=store.id,
            files=self._released(survey),
        )

    def released_file(self, survey: str, name: str) -> Response:
        """One released file; a report is shown, everything else is saved."""
        for file in self._released(survey):
            if file.name == name:
                response = Response(file.path.read_bytes(), content_type=content_type(name))
                if name.endswith(".html"):
                    response.headers["Content-Security-Policy"] = security.REPORT_POLICY
                else:
                    response.headers["Content-Disposition"] = f'attachment; filename="{_ascii(name)}"'
                return response
        raise NotFoundError("no such released file")

    def checkup(self) -> Response:
        """The state of this installation, without paths or addresses."""
        lines = examine_server(self._config, self._data, self._client)
        return self._own.render("checkup.html.j2", title="Checkup", lines=lines)

    def static(self, name: str) -> Response:
        """A file with the hash of its bytes in its name."""
        file = self._static.get(name)
        if file is None:
            raise NotFoundError("no such file")
        response = send(file)
        survey = request.args.get("survey")
        if survey and self._client is not None and name == self._client.assets.get(WORKER):
            # The worker sends the ballot, and a worker has the policy that it came with, not its page's.
            address = relay_address(self._data.survey(survey))
            if address is not None:
                response.headers["Content-Security-Policy"] = security.relay_policy(address)
        return response

    def problem_page(self, problem: Problem) -> Response:
        """An error as a page."""
        return self._own.problem(problem)

    def _listed(self) -> list[ListedSurvey]:
        found = []
        for survey in self._data.ids():
            try:
                store = self._data.survey(survey)
                specification: Specification = store.specification
                state = store.met.value
            except RoomfulError:
                continue  # a damaged survey is the checkup's business, and must not take the others with it
            language = choose_language(specification.languages)
            found.append(
                ListedSurvey(
                    id=survey,
                    title=specification.title[language],
                    language=language,
                    state=state,
                    organizer=specification.organizer.name,
                )
            )
        return sorted(found, key=lambda listed: (listed.title.casefold(), listed.id))

    def _released(self, survey: str) -> tuple[ReleasedFile, ...]:
        store = self._data.survey(survey)
        return store.published.released_files() if store.state is State.RELEASED else ()


def relay_address(store: SurveyStore) -> str | None:
    """Where the ballots of a survey go first; None if they go to the collector directly."""
    invited = store.specification.invited
    if invited is None or invited.relay is None:
        return None
    return f"{invited.relay.url}api/v1/surveys/{store.id}/submissions"


def choose_language(languages: tuple[str, ...]) -> str:
    """The survey's language that fits the request best: the one asked for, the browser's, or the first."""
    asked = request.args.get("lang", "")
    if asked in languages:
        return asked
    return request.accept_languages.best_match(languages, default=languages[0]) or languages[0]


def _ascii(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)
