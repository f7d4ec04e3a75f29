"""Publishing, here or on a server of somebody else; opening; the link, and what is printed with it."""

from __future__ import annotations

import os

import segno
from flask import Flask, Response, request

from server.collection.config import Config
from server.collection.publishing.from_files import publish_files
from server.collection.publishing.handing_over import hand_over, place_of, state_at
from server.collection.storage.published import PublishedSurvey
from server.collection.storage.states import State
from server.desk.desk import Desk
from server.desk.pages import go, show
from server.desk.pages.signing import require_name, title_of
from server.desk.steps import DESIGN_FOLDER, published_store
from server.files import read_file
from server.invitations.poster import FILES, make_posters
from server.keys.signing import envelope_at
from server.release.preview import require_releasable
from shared.errors import NotFoundError, StateError
from shared.invitation import survey_link
from shared.limits import MAX_ENVELOPE_BYTES


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/publish")
    def publish() -> str:
        store, place = published_store(desk.folder, desk.data), place_of(desk.folder / DESIGN_FOLDER)
        link = picture = ""
        server = ""
        if desk.progress().done("sign"):
            survey, server = signed(desk), server_of(desk)
            link = survey_link(server, survey.digest, survey.organizer_key)
            picture = segno.make(link, error="m").svg_data_uri(scale=4, border=4, light="#fff")
        return show(
            desk,
            "publish.html.j2",
            "publish",
            command=_command(desk, None if store is None else store.id),
            store=store,
            state=None if store is None else store.state,
            place=place,
            said=desk.said if place is not None else None,
            server=server,
            link=link,
            picture=picture,
            languages_of_survey=desk.draft().languages,
            posters=FILES,
            title=title_of(desk.draft()),
            data=desk.data.path,
        )

    @app.post("/publish")
    def publish_it() -> Response:
        desk.require("publish")
        publish_files(desk.data, desk.folder / DESIGN_FOLDER, is_test=bool(request.form.get("test")))
        return go(desk, "publish", note="published")

    @app.post("/publish/server", endpoint="hand_over")
    def publish_there() -> Response:
        desk.require("publish")
        form = request.form
        hand_over(
            desk.folder / DESIGN_FOLDER,
            form.get("to", ""),
            form.get("publishing_code", ""),
            is_test=bool(form.get("test")),
        )
        return go(desk, "publish", note="published")

    @app.post("/publish/ask", endpoint="ask")
    def ask_the_server() -> Response:
        place = place_of(desk.folder / DESIGN_FOLDER)
        if place is None:
            raise StateError("it is published on no server", code="state.desk-step")
        desk.said = state_at(place)
        return go(desk, "collect" if request.form.get("page") == "collect" else "publish")

    @app.post("/discard", endpoint="discard")
    def delete_draft() -> Response:
        require_name(desk.draft())
        desk.data.discard(desk.published().id)
        return go(desk, "publish", note="discarded")

    @app.post("/open", endpoint="open")
    def open_it() -> Response:
        require_name(desk.draft())
        store = desk.published()
        if store.specification.invited is not None:
            raise StateError(
                "an invited survey opens by its command, with the trustees' rehearsal",
                remedy=f"roomful open {store.id} --data {desk.data.path} --rehearsal rehearsal.json",
                code="state.desk-step",
            )
        if store.state is State.DRAFT:
            require_releasable(store.specification)
        desk.data.open(store.id)
        return go(desk, "publish", note="opened")

    @app.get("/print/<language>/<name>", endpoint="printed")
    def print_it(language: str, name: str) -> Response:
        reminder = bool(request.args.get("reminder"))
        made = make_posters(signed(desk), public_url=server_of(desk), language=language, reminder=reminder)
        if name not in made:
            raise NotFoundError("there is no such paper")
        kind = "application/pdf" if name.endswith(".pdf") else "text/plain; charset=utf-8"
        response = Response(made[name], content_type=kind)
        response.headers.set("Content-Disposition", "attachment", filename=f"{language}-{name}")
        return response


def _command(desk: Desk, survey: str | None) -> str:
    here = f"roomful publish {DESIGN_FOLDER} --data {desk.data.path}"
    if survey is None:
        return f"{here}\nroomful publish {DESIGN_FOLDER} --to URL"
    printed = f"roomful poster {DESIGN_FOLDER} --out print --public-url URL"
    return f"roomful open {survey} --data {desk.data.path}\n{printed}"


def signed(desk: Desk) -> PublishedSurvey:
    """The signed survey in the folder."""
    path = desk.folder / DESIGN_FOLDER
    if not desk.progress().done("sign"):
        raise StateError("the survey is not signed yet", code="state.desk-step")
    envelope = read_file(envelope_at(path), "a signed survey", MAX_ENVELOPE_BYTES)
    return PublishedSurvey.verify(path, envelope, organizer_key=None)


def server_of(desk: Desk) -> str:
    """The address for links: as the page was asked, else where it was published, else of this machine."""
    place = place_of(desk.folder / DESIGN_FOLDER)
    asked = request.args.get("server", "").strip()
    config = Config.load(desk.data.path, os.environ, {})
    return Config(public_url=asked or ("" if place is None else place.server) or config.public_url).public_url
