"""Headers on every answer, and nothing in them that marks a visitor."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.collection.storage.store import SurveyStore
from server.collection.web import security
from tests.server.collection.storage import sample

#: Section 11 of the design, word for word.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def _every_kind_of_answer(app: Flask, store: SurveyStore) -> Iterator[TestResponse]:
    client = app.test_client()
    values = {"survey": store.id, "receipt": "0" * 64, "digest": "0" * 64, "name": "nothing"}
    for rule in app.url_map.iter_rules():
        with app.test_request_context():
            path = app.url_for(rule.endpoint, **{name: values[name] for name in rule.arguments})
        for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE", "TRACE"):
            yield client.open(path, method=method)
    yield client.get("/nowhere")
    yield client.get("/api/v1/nowhere")
    yield client.get("/s/zz")
    yield client.post(f"/api/v1/surveys/{store.id}/submissions", data=b"x" * 70_000)
    yield client.post(
        f"/api/v1/surveys/{store.id}/submissions", data=sample.message(), content_type="application/json"
    )


def test_every_answer_has_every_header_once(make_app: Callable[..., Flask], store: SurveyStore) -> None:
    seen = set()
    may_scan = {f"/s/{store.id}/board"}  # the survey is open to all, so no letter is scanned on its own page
    for answer in _every_kind_of_answer(make_app(), store):
        seen.add(answer.status_code)
        wanted = dict(security.HEADERS)
        if (
            answer.request.path in may_scan
            and answer.status_code == 200
            and answer.request.method != "OPTIONS"
        ):
            wanted["Permissions-Policy"] = security.CAMERA_PERMISSIONS
        for name, value in wanted.items():
            assert answer.headers.getlist(name) == [value], (answer.request.path, name)
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert len(answer.headers.getlist("Cache-Control")) == 1
    assert {200, 201, 404, 405, 413} <= seen


def test_no_answer_marks_the_visitor(make_app: Callable[..., Flask], store: SurveyStore) -> None:
    for answer in _every_kind_of_answer(make_app(), store):
        for name in ("Set-Cookie", "ETag", "Last-Modified", "Server", "X-Request-Id"):
            assert name not in answer.headers, (answer.request.path, name)


def test_nothing_but_hashed_files_is_kept_by_browsers(
    make_app: Callable[..., Flask], store: SurveyStore
) -> None:
    for answer in _every_kind_of_answer(make_app(), store):
        assert answer.headers["Cache-Control"] == "no-store"


def test_browsers_are_told_to_come_encrypted_only_if_they_can(
    make_app: Callable[..., Flask], client: FlaskClient
) -> None:
    assert "Strict-Transport-Security" not in client.get("/").headers
    answer = make_app(public_url="https://example.org/").test_client().get("/")
    assert answer.headers["Strict-Transport-Security"] == "max-age=63072000"


@pytest.mark.parametrize("path", ["/", "/checkup", "/nowhere"])
def test_pages_have_no_inline_script_or_style_and_no_form(client: FlaskClient, path: str) -> None:
    text = client.get(path).get_data(as_text=True).lower()
    for forbidden in ("<script", "style=", "<style", "<form", "onclick", "http://", "https://", "<iframe"):
        assert forbidden not in text, forbidden


def test_what_a_request_brings_does_not_change_the_answer(client: FlaskClient, store: SurveyStore) -> None:
    """Neither host nor proxy headers nor cookies are read: nothing to be tracked or tricked by."""
    plain = client.get(f"/s/{store.id}")
    dressed = client.get(
        f"/s/{store.id}",
        headers={
            "Host": "evil.example",
            "X-Forwarded-For": "203.0.113.7",
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Prefix": "/evil",
            "Cookie": "session=1",
            "If-None-Match": '"1"',
            "User-Agent": "somebody",
        },
    )
    assert dressed.data == plain.data
    assert dict(dressed.headers) == dict(plain.headers)
