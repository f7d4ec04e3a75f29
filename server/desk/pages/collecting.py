"""While people answer: the total and nothing smaller; closing."""

from __future__ import annotations

from flask import Flask, Response, request

from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.collection.totals import arrived
from server.desk.desk import Desk
from server.desk.pages import go, show
from server.desk.pages.signing import require_name, title_of
from server.desk.steps import published_store


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/collect")
    def collect() -> str:
        store = published_store(desk.folder, desk.data)
        return show(
            desk,
            "collect.html.j2",
            "collect",
            command="roomful status"
            if store is None
            else f"roomful status {store.id} --data {desk.data.path}",
            store=store,
            state=None if store is None else store.state,
            total=None if store is None else arrived(store),
            expected=0 if store is None else expected_answers(store),
            about=store is not None
            and store.specification.invited is not None
            and store.state in (State.DRAFT, State.OPEN),
            period=None if store is None else store.specification.period,
            title=title_of(desk.draft()),
            data=desk.data.path,
        )

    @app.post("/close", endpoint="close")
    def close_it() -> Response:
        require_name(desk.draft())
        store = desk.published()
        if not request.form.get("early"):
            store.require_promised_end()
        store.close()
        return go(desk, "release", note="closed")


def expected_answers(store: SurveyStore) -> int:
    """Answers at the lowest participation that the specification states.

    The counts of a register's cells are lower bounds: of them the shares of the levels are taken, and of the
    model the number of people.
    """
    specification = store.specification
    levels = [sum(counts) for counts in zip(*specification.eligible, strict=True)]
    shares = zip(levels, specification.levels, strict=True)
    rate: float = sum(counted * float(level.lowest) for counted, level in shares) / sum(levels)
    invited = specification.invited
    people = specification.model.people if invited is None else invited.people
    return round(rate * people)
