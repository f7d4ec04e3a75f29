"""``/healthz`` and ``/metrics``, for programs that watch a server: whether it can serve, and a few figures.

Guarantee: neither tells when a single answer came. Nothing here counts requests; what grows with answers is
rounded down, to tens and to gigabytes, and is taken anew once a minute of the clock, by all processes at
once. While an invited survey is open its total is the one of :mod:`server.collection.totals`, which is drawn
once a day. Both answers hold what ``/checkup`` shows to everybody, and no more.

References
----------
Prometheus, text-based exposition format 0.0.4.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from flask import Blueprint, Response

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.collection.totals import STEP, arrived
from server.collection.web.checkup import disk_free, examine_server, machine_lines
from server.collection.web.checkup_line import Line, Outcome
from server.collection.web.static_files import ClientFiles
from shared.errors import RoomfulError

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
REFRESH_SECONDS: Final = 60
_GIGABYTE: Final = 10**9
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """A figure with its values by label.

    Attributes
    ----------
    name, meaning : str
        Name of the family without its prefix ``roomful_``, and a sentence without line breaks.
    label : str
        Name of the only label; empty if there is one value alone.
    values : mapping
        By the label's value, which is made of letters, digits, ``-`` and ``.`` alone.
    """

    name: str
    meaning: str
    label: str = ""
    values: Mapping[str, int]

    def __str__(self) -> str:
        head = f"# HELP roomful_{self.name} {self.meaning}\n# TYPE roomful_{self.name} gauge\n"
        return head + "".join(
            f"roomful_{self.name}" + (f'{{{self.label}="{value}"}}' if self.label else "") + f" {number}\n"
            for value, number in self.values.items()
        )


def blueprint(
    essential: Callable[[], Iterable[Line]],
    measure: Callable[[], Iterable[Gauge]],
    *,
    now: Callable[[], float] = time.time,
) -> Blueprint:
    """The two routes.

    Parameters
    ----------
    essential : callable
        The lines of the checkup without which nothing can be taken.
    measure : callable
        The figures.
    now : callable
        Seconds since 1970.
    """
    routes = Blueprint("watching", __name__)
    health, metrics = _ByTheMinute(essential, now), _ByTheMinute(measure, now)

    @routes.get("/healthz")
    def healthz() -> Response:
        failing = [line.code for line in health.latest() if line.outcome is Outcome.FAILED]
        said = {"status": "failing" if failing else "ok", "failing": failing}
        return Response(json.dumps(said), 503 if failing else 200, content_type="application/json")

    @routes.get("/metrics")
    def figures() -> Response:
        return Response("".join(map(str, metrics.latest())), content_type=METRICS_TYPE)

    return routes


def watch_server(
    config: Config,
    data: DataDirectory,
    client: ClientFiles | None,
    *,
    now: Callable[[], float] = time.time,
) -> Blueprint:
    """The routes of a server of surveys."""

    def measure() -> Iterable[Gauge]:
        stores = _served(data)
        states = Counter(store.met for store in stores)
        yield Gauge(
            name="surveys",
            meaning="Surveys by state, drafts left out.",
            label="state",
            values={state.value: states[state] for state in State if state is not State.DRAFT},
        )
        if config.takes_answers and config.list_surveys:
            yield Gauge(
                name="answers",
                meaning="Answers kept, rounded down to tens; of an open invited survey as drawn once a day.",
                label="survey",
                values={store.id: total for store in stores if (total := _in_tens(store)) is not None},
            )
        yield from _machine(data.path, examine_server(config, data, client))

    return blueprint(lambda: machine_lines(data.path), measure, now=now)


def watch_relay(directory: Path) -> Blueprint:
    """The routes of a relay; nothing of what it holds."""
    return blueprint(
        lambda: machine_lines(directory), lambda: _machine(directory, tuple(machine_lines(directory)))
    )


def _served(data: DataDirectory) -> list[SurveyStore]:
    """Everything that is or was open; damaged ones are the checkup's business."""
    found = []
    for survey in data.ids():
        try:
            store = data.survey(survey)
            if store.state is not State.DRAFT:
                found.append(store)
        except RoomfulError:
            continue
    return found


def _in_tens(store: SurveyStore) -> int | None:
    try:
        total = arrived(store)
    except RoomfulError:  # what is told of an invited survey cannot be kept: the disk is full
        return None
    return None if total is None else total - total % STEP


def _machine(path: Path, lines: Iterable[Line]) -> Iterable[Gauge]:
    outcomes = {line.code: line.outcome for line in lines}
    for outcome in (Outcome.FAILED, Outcome.WARNING):
        yield Gauge(
            name=f"check_{outcome.value}",
            meaning=f"1 if this line of the checkup came out as {outcome.value}.",
            label="check",
            values={code: int(found is outcome) for code, found in outcomes.items()},
        )
    yield Gauge(
        name="disk_free_bytes",
        meaning="Free on the disk of the data directory, rounded down to gigabytes.",
        values={"": disk_free(path) // _GIGABYTE * _GIGABYTE},
    )


class _ByTheMinute(Generic[T]):
    """Something that is made anew once a minute of the clock, when it is first asked for."""

    def __init__(self, make: Callable[[], Iterable[T]], now: Callable[[], float]) -> None:
        self._make, self._now = make, now
        self._minute: int | None = None
        self._made: tuple[T, ...] = ()
        self._lock = threading.Lock()

    def latest(self) -> tuple[T, ...]:
        """What was made in this minute."""
        minute = int(self._now()) // REFRESH_SECONDS
        with self._lock:
            if minute != self._minute:
                self._made, self._minute = tuple(self._make()), minute
            return self._made
