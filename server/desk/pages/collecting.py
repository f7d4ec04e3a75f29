"""While people answer: the total and nothing smaller; closing."""

from __future__ import annotations

from flask import Flask, Response, request

from server.collection.publishing.handing_over import place_of
from server.collection.storage.retention import utc_today
from server.collection.storage.states import NOT_CLOSED, State
from server.collection.totals import arrived
from server.desk.desk import Desk
from server.desk.forecast import closing_day, forecast, note_total
from server.desk.pages import go, show
from server.desk.pages.publishing import server_of, signed
from server.desk.pages.signing import require_name, title_of
from server.desk.steps import DESIGN_FOLDER, published_store
from server.invitations.poster import MESSAGE, make_posters
from shared.specification import Specification


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/collect")
    def collect() -> str:
        store = published_store(desk.folder, desk.data)
        there = None if store is not None else desk.said
        total = arrived(store) if store is not None else None if there is None else there.total
        state = store.state.value if store is not None else None if there is None else there.state
        ahead, specification = None, None
        if state is not None:
            specification = signed(desk).specification
        if specification is not None and total is not None and state == State.OPEN:
            today = utc_today()
            closes = None if specification.period is None else specification.period.closes
            told = note_total(desk.folder, total, today)
            ahead = forecast(
                told, closing_day(closes, today), so_far=total, people=people_asked(specification)
            )
        return show(
            desk,
            "collect.html.j2",
            "collect",
            command="roomful status"
            if store is None
            else f"roomful status {store.id} --data {desk.data.path}",
            store=store,
            place=place_of(desk.folder / DESIGN_FOLDER),
            state=state,
            total=total,
            ahead=ahead,
            expected=0 if specification is None else expected_answers(specification),
            about=specification is not None and specification.invited is not None and state in NOT_CLOSED,
            period=None if specification is None else specification.period,
            messages=[] if state != State.OPEN else _messages(desk),
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


def _messages(desk: Desk) -> list[tuple[str, str]]:
    """What is sent to everybody as a reminder, in each language of the survey."""
    survey, server = signed(desk), server_of(desk)
    return [
        (
            language,
            make_posters(survey, public_url=server, language=language, reminder=True)[MESSAGE].decode(
                "utf-8"
            ),
        )
        for language in survey.specification.languages
    ]


def people_asked(specification: Specification) -> int:
    """How many people can answer."""
    invited = specification.invited
    return specification.model.people if invited is None else invited.people


def expected_answers(specification: Specification) -> int:
    """Answers at the lowest participation that the specification states.

    The counts of a register's cells are lower bounds: of them the shares of the levels are taken, and of the
    model the number of people.
    """
    levels = [sum(counts) for counts in zip(*specification.eligible, strict=True)]
    shares = zip(levels, specification.levels, strict=True)
    rate: float = sum(counted * float(level.lowest) for counted, level in shares) / sum(levels)
    return round(rate * people_asked(specification))
