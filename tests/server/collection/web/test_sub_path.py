"""The same server at the root of an address and under a sub-path, whichever way the proxy goes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from server.collection.storage.store import SurveyStore
from tests.server.collection.storage import sample


@pytest.mark.parametrize(
    ("public_url", "base", "prefix"),
    [
        ("https://example.org/", "/", ""),
        ("https://example.org/surveys/", "/surveys/", "/surveys"),
        ("https://example.org/surveys/", "/surveys/", ""),  # the proxy takes the sub-path off
        ("https://example.org/a/b/", "/a/b/", "/a/b"),
    ],
)
def test_every_address_on_every_page_stays_under_the_sub_path(
    make_app: Callable[..., Flask], store: SurveyStore, public_url: str, base: str, prefix: str
) -> None:
    client = make_app(public_url=public_url).test_client()
    for path in ("/", f"/s/{store.id}", f"/s/{store.id}/release/", "/checkup", "/nowhere"):
        answer = client.get(prefix + path)
        text = answer.get_data(as_text=True)
        addresses = [a for a in re.findall(r'(?:href|src)="([^"]*)"', text) if a[:1] not in ("#", "?", "d")]
        assert addresses, path
        for address in addresses:
            assert address.startswith(base), (path, address)
            assert client.get(prefix + address[len(base) - 1 :]).status_code == 200, address
    assert f'data-base="{base}"' in client.get(f"{prefix}/s/{store.id}").get_data(as_text=True)
    submitted = client.post(
        f"{prefix}/api/v1/surveys/{store.id}/submissions",
        data=sample.message(), content_type="application/json",
    )  # fmt: skip
    assert submitted.status_code == 201


def test_errors_of_the_api_are_problems_under_a_sub_path_too(make_app: Callable[..., Flask]) -> None:
    client = make_app(public_url="https://example.org/surveys/").test_client()
    for path in ("/surveys/api/v1/nowhere", "/api/v1/nowhere", "/surveys/api/v1/surveys/0/status"):
        answer = client.get(path)
        assert (answer.status_code, answer.content_type) == (404, "application/problem+json")


def test_the_sub_path_without_its_slash_is_the_first_page(make_app: Callable[..., Flask]) -> None:
    client = make_app(public_url="https://example.org/surveys/").test_client()
    assert client.get("/surveys").status_code == 200
    assert client.get("/surveysx").status_code == 404


@pytest.mark.parametrize("path", ["s/{id}/release", "s/{id}/", "checkup/", "//", "s//{id}"])
def test_no_address_redirects(make_app: Callable[..., Flask], store: SurveyStore, path: str) -> None:
    """A redirect would be built from the Host header, which a visitor chooses."""
    client = make_app(public_url="https://example.org/surveys/").test_client()
    answer = client.get("/surveys/" + path.format(id=store.id), headers={"Host": "evil.example"})
    assert answer.status_code in (200, 404)
    assert "Location" not in answer.headers
    assert "evil.example" not in answer.get_data(as_text=True)
