"""What programs that watch a server are told, and that it times no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web import checkup
from server.collection.web.monitoring import METRICS_TYPE, Gauge, blueprint, watch_server
from server.collection.web.static_files import ClientFiles
from tests.invited import invited_specification
from tests.server.collection.relay.survey import open_collector
from tests.server.collection.storage import sample


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1_900_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(clock: Clock, data: DataDirectory, client_folder: Path) -> FlaskClient:
    """A visitor of a server whose clock stands."""
    app = Flask(__name__)
    app.register_blueprint(watch_server(Config(), data, ClientFiles.load(client_folder), now=clock))
    return app.test_client()


def figures(client: FlaskClient) -> dict[str, float]:
    """Every sample by name and label, as Prometheus' own reader sees it."""
    answer = client.get("/metrics")
    assert (answer.status_code, answer.content_type) == (200, METRICS_TYPE)
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.type == "gauge"
        assert family.documentation.endswith(".")
        for sample_ in family.samples:
            key = " ".join([sample_.name, *sample_.labels.values()])
            assert key not in found
            found[key] = sample_.value
    return found


def test_a_server_that_can_serve(client: FlaskClient, store: SurveyStore) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.get_json() == {"status": "ok", "failing": []}
    assert answer.headers["Cache-Control"] == "no-store"
    found = figures(client)
    assert found["roomful_surveys open"] == 1
    assert found["roomful_surveys closed"] == found["roomful_surveys released"] == 0
    assert "roomful_surveys draft" not in found
    assert found[f"roomful_answers {store.id}"] == 0
    assert found["roomful_check_failed data-writable"] == 0
    assert found["roomful_check_warning operator"] == 1
    assert found["roomful_disk_free_bytes"] % 10**9 == 0


def test_a_full_disk_is_503_and_named(
    clock: Clock, watched: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup, "disk_free", lambda _path: 10**6)
    answer = watched.get("/healthz")
    assert answer.status_code == 503
    assert answer.get_json() == {"status": "failing", "failing": ["disk-space"]}
    monkeypatch.undo()
    assert watched.get("/healthz").status_code == 503  # the same minute
    clock.seconds += 60
    assert watched.get("/healthz").status_code == 200


def test_answers_appear_in_tens_and_with_the_minute(
    watched: FlaskClient, clock: Clock, store: SurveyStore
) -> None:
    """Whoever asks all the time sees at most one step a minute, whatever came in it."""
    name = f"roomful_answers {store.id}"
    told = []
    for _ in range(25):
        store.submit(sample.message())
        told.append(figures(watched)[name])
    assert told == [0] * 25  # looked at once, before the tenth
    clock.seconds += 20
    assert figures(watched)[name] == 20
    for _ in range(25, 31):
        store.submit(sample.message())
    clock.seconds += 59
    assert figures(watched)[name] == 20
    clock.seconds += 1
    assert figures(watched)[name] == 30


def test_every_process_looks_anew_at_the_same_moment(clock: Clock) -> None:
    """With a minute of its own for each process, many processes would tell more."""
    looks: list[int] = []

    def visitor(process: int) -> FlaskClient:
        app = Flask(__name__)

        def measure() -> Iterator[Gauge]:
            looks.append(process)
            yield Gauge(name="one", meaning="One.", values={"": 1})

        app.register_blueprint(blueprint(tuple, measure, now=clock))
        return app.test_client()

    visitors = [visitor(0), visitor(1)]
    for _second in range(120):
        for http in visitors:
            assert http.get("/metrics").text.endswith("\nroomful_one 1\n")
        clock.seconds += 1
    assert looks == [0, 1] * 3  # it began within a minute


def test_an_open_invited_survey_tells_what_is_drawn_once_a_day(
    client: FlaskClient, data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_collector(data, invited_specification())
    monkeypatch.setattr("server.collection.totals.draw_noise", lambda _chance: 57)
    total = client.get(f"/api/v1/surveys/{store.id}/status").get_json()["total"]
    assert figures(client)[f"roomful_answers {store.id}"] == total == 50


def test_what_the_first_page_does_not_list_is_not_named(
    make_app: Callable[..., Flask], store: SurveyStore, data: DataDirectory
) -> None:
    draft = data.publish(sample.envelope(kind="register"), None)
    hidden = make_app(list_surveys=False).test_client().get("/metrics").text
    assert "roomful_surveys" in hidden
    assert "roomful_answers" not in hidden
    for text in (hidden, make_app().test_client().get("/metrics").text):
        assert draft not in text
        assert str(data.path) not in text
    registrar = make_app(role="registrar").test_client().get("/metrics").text
    assert store.id not in registrar


def test_a_damaged_survey_takes_nothing_else_with_it(watched: FlaskClient, store: SurveyStore) -> None:
    (store.published.folder.parent / ("0" * 16)).mkdir()
    found = figures(watched)
    assert found["roomful_check_failed surveys"] == 1
    assert found["roomful_surveys open"] == 1
    assert watched.get("/healthz").status_code == 200
