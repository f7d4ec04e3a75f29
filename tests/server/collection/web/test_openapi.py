"""The document and the routes are the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.collection.web.openapi import document
from server.collection.web.problems import CONTENT_TYPE


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(document("https://example.org/x/")).validate()


def test_every_route_is_in_the_document_and_vice_versa(make_app: Callable[..., Flask]) -> None:
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in make_app().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {
        (path, method)
        for path, item in document("https://example.org/")["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert routes == described


def test_every_operation_of_the_api_answers_problems_as_described() -> None:
    described = document("/")
    problem = described["components"]["responses"]["Problem"]["content"]
    assert list(problem) == [CONTENT_TYPE]
    for path, item in described["paths"].items():
        for method, operation in item.items():
            if path.startswith("/api/v1/surveys/") and method != "parameters":
                assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}


def test_it_is_served_with_the_public_address(make_app: Callable[..., Flask], client: FlaskClient) -> None:
    assert client.get("/api/v1/openapi.json").get_json()["servers"] == [{"url": "http://127.0.0.1:8000"}]
    app = make_app(public_url="https://example.org/surveys/")
    answer = app.test_client().get("/surveys/api/v1/openapi.json")
    assert answer.get_json()["servers"] == [{"url": "https://example.org/surveys"}]
