"""Registrar and collector as two servers: what each refuses, and both behind one address."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.totals import STEP
from server.collection.web.app import create_app
from shared.ballot import CONTENT_TYPE
from shared.errors import SetupError
from tests.invited import make_ballot, seal_ballot
from tests.programs import free_port
from tests.served import no_client
from tests.server.collection.storage import ballots, sample
from tests.server.collection.storage.ballots import DIGEST, sealed, store_of
from tests.server.collection.web.process import ServerProcess
from tests.server.collection.web.token_requests import PATH, ask, make_codes, make_request
from tests.waiting import PATIENCE_SECONDS

SUBMISSIONS = PATH.removesuffix("tokens") + "submissions"
ROUTES = Path(__file__).parents[4] / "deploy" / "roles" / "nginx.conf"


def _client(data: DataDirectory, role: str) -> FlaskClient:
    return create_app(Config(role=role), data, client=no_client).test_client()


def test_a_role_refuses_the_others_work_whatever_keys_it_has(data: DataDirectory) -> None:
    store = store_of(data)
    code = make_codes(1)[0]
    body = make_request(code).body
    registrar, collector = _client(data, "registrar"), _client(data, "collector")
    refused = registrar.post(SUBMISSIONS, data=sealed(1), content_type=CONTENT_TYPE)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "state.role")
    refused = collector.post(PATH, data=body, content_type="application/json")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "state.role")
    assert (store.total(), data.registrar(store.id).issued()) == (0, 0)
    assert registrar.post(PATH, data=body, content_type="application/json").status_code == 200
    assert collector.post(SUBMISSIONS, data=sealed(1), content_type=CONTENT_TYPE).status_code == 201


def test_a_registrar_takes_no_answers_of_open_surveys_either(data: DataDirectory) -> None:
    store = data.survey(data.publish(sample.envelope(), sample.MODEL))
    store.open()
    url = f"/api/v1/surveys/{store.id}/submissions"
    refused = _client(data, "registrar").post(url, data=sample.message(), content_type="application/json")
    assert refused.get_json()["code"] == "state.role"


@pytest.mark.parametrize("role", ["relay", "", "Registrar"])
def test_other_roles_are_refused(role: str) -> None:
    with pytest.raises(SetupError) as caught:
        Config(role=role)
    assert caught.value.code == "setup.config"
    if role == "relay":
        assert "roomful relay" in caught.value.remedy


def test_anchors_lie_where_the_setting_says(tmp_path: Path) -> None:
    config = Config(anchor_dir=str(tmp_path / "elsewhere"))
    with config.open_data(tmp_path / "data") as data:
        ballots.publish(data)
    assert (tmp_path / "elsewhere" / f"{DIGEST[:16]}.answers").is_file()
    assert not (tmp_path / "data.anchors").exists()
    with pytest.raises(SetupError):
        Config(anchor_dir="relative")


def test_the_api_never_says_how_many_tokens_were_issued(data: DataDirectory) -> None:
    store = store_of(data)
    codes = make_codes(15)
    http = _client(data, "all")
    before = http.get(f"/api/v1/surveys/{store.id}/status").get_json()
    for code in codes:
        http.post(PATH, data=make_request(code).body, content_type="application/json")
    assert data.registrar(store.id).issued() == 15
    assert http.get(f"/api/v1/surveys/{store.id}/status").get_json() == before
    assert before.keys() == {"state", "total"}  # the total is drawn once a day, so that often it is not 0
    assert before["total"] % STEP == 0


def test_a_registrar_knows_no_number_of_answers(data: DataDirectory) -> None:
    """Its own data directory has none; a total of zero, or noise around it, would be a false one."""
    status = _client(data, "registrar").get(f"/api/v1/surveys/{store_of(data).id}/status").get_json()
    assert status == {"state": "open", "total": None}


@contextmanager
def _proxy(registrar: int, collector: int, pattern: str) -> Iterator[int]:
    """A reverse proxy with the one rule of the example configuration."""

    class Handler(BaseHTTPRequestHandler):
        def _pass(self) -> None:
            port = registrar if re.search(pattern, self.path) else collector
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection.request(self.command, self.path, body, {"Content-Type": self.headers["Content-Type"]})
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type", ""))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _pass  # noqa: N815 - names that http.server calls

        def log_message(self, *_: object) -> None:
            """Keep no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_two_servers_behind_one_address(tmp_path: Path) -> None:
    """Two data directories with one key each; the device sees one address and no difference."""
    pattern = re.search(r"location ~ (\S+) \{", ROUTES.read_text("utf-8"))
    assert pattern is not None
    folders = {"registrar": tmp_path / "registrar", "collector": tmp_path / "collector"}
    codes = make_codes(3)
    for role, folder in folders.items():
        with DataDirectory(folder) as data:
            data.path.mkdir()
            store = ballots.publish(data, token_key=role == "registrar", collector_key=role == "collector")
            store.open()
            if role == "registrar":
                ports = {role: free_port() for role in folders}
    with (
        ServerProcess(folders["registrar"], ports["registrar"], role="registrar"),
        ServerProcess(folders["collector"], ports["collector"], role="collector"),
        _proxy(ports["registrar"], ports["collector"], pattern[1]) as port,
    ):
        requests = [make_request(code) for code in codes]
        for request in requests:
            status, answer = ask(port, request.body)
            assert status == 200
            ballot = make_ballot(DIGEST, 0, request.finish(answer))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            headers = {"Content-Type": CONTENT_TYPE}
            connection.request("POST", SUBMISSIONS, seal_ballot(DIGEST, ballot), headers)
            response = connection.getresponse()
            assert (response.status, ballot.receipt in response.read().decode()) == (201, True)
            connection.close()
        status, problem = ask(ports["collector"], requests[0].body)
        assert (status, problem["code"]) == (409, "state.role")
    assert not list(folders["collector"].rglob("registrar.sqlite"))
    with DataDirectory(folders["collector"]) as data:
        assert data.survey(DIGEST[:16]).total() == 3
    with DataDirectory(folders["registrar"]) as data:
        assert data.survey(DIGEST[:16]).total() == 0
        assert data.registrar(DIGEST[:16]).issued() == 3
