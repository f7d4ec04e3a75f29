"""What people see."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web import security
from server.collection.web.app import create_app
from shared.errors import SetupError
from tests.server.collection.storage import sample


@pytest.fixture
def released(data: DataDirectory, tmp_path: Path) -> SurveyStore:
    """A survey at the end of its life."""
    store = data.survey(data.publish(sample.envelope("Over"), sample.MODEL))
    store.open()
    store.close()
    release = tmp_path / "release"
    release.mkdir()
    (release / "microdata.csv").write_text("age,health\n20,good\n")
    (release / "report.html").write_text("<style>p{color:red}</style><p>Report</p>")
    store.mark_released(release)
    return store


def test_the_first_page_lists_open_and_released_surveys_only(
    client: FlaskClient, data: DataDirectory, store: SurveyStore, released: SurveyStore
) -> None:
    draft = data.publish(sample.envelope("Secret draft"), sample.MODEL)
    closed = data.survey(data.publish(sample.envelope("Closed one"), sample.MODEL))
    closed.open()
    closed.close()
    text = client.get("/").get_data(as_text=True)
    assert f'href="/s/{store.id}"' in text
    assert f'href="/s/{released.id}/release/"' in text
    assert draft not in text
    assert "Secret draft" not in text
    assert "Closed one" not in text


@pytest.mark.parametrize(("accept", "words"), [("de-AT,de", "unterwegs"), ("xx", "was changed")])
def test_a_link_that_a_mail_program_changed_is_mended(
    client: FlaskClient, store: SurveyStore, accept: str, words: str
) -> None:
    fragment = f"{store.published.digest}.{'k' * 43}"
    answer = client.get(f"/s/{store.id}%23{fragment}%3E", headers={"Accept-Language": accept})
    text = answer.get_data(as_text=True)
    assert answer.status_code == 404
    assert 'dir="ltr"' in text
    assert words in text
    assert f'<a href="/s/{store.id}#{fragment}">' in text
    assert "<script" not in text
    assert client.get(f"/s/{store.id}").status_code == 200


@pytest.mark.parametrize(
    "end",
    [
        "%3E",
        ")",
        "%23",
        "%23abc",
        "%22%3E%3Cscript%3E",
        "%23%22onclick=%22x",
        "%0a",
        "%23" + "a" * 64 + "<b>",
    ],
)
def test_of_a_link_that_cannot_be_mended_the_page_says_so_and_repeats_nothing(
    client: FlaskClient, store: SurveyStore, end: str
) -> None:
    answer = client.get(f"/s/{store.id}{end}")
    text = answer.get_data(as_text=True)
    assert answer.status_code == 404
    assert "Copy the whole link from your invitation." in text
    assert f"/s/{store.id}" not in text
    assert "onclick" not in text
    assert "script" not in text


def test_with_a_code_in_it_the_page_says_that_the_code_was_seen(
    client: FlaskClient, store: SurveyStore
) -> None:
    fragment = f"{store.published.digest}.{'k' * 43}"
    assert "Your code" not in client.get(f"/s/{store.id}%23{fragment}").get_data(as_text=True)
    assert "Your code" in client.get(f"/s/{store.id}%23{fragment}.2222-3333").get_data(as_text=True)
    assert client.get(f"/s/{'0' * 16}%23{fragment}").get_data(as_text=True).count("Small survey") == 0


def test_the_list_can_be_turned_off(make_app: Callable[..., Flask], store: SurveyStore) -> None:
    text = make_app(list_surveys=False).test_client().get("/").get_data(as_text=True)
    assert store.id not in text
    assert "Small survey" not in text


def test_a_damaged_survey_does_not_take_the_others_with_it(
    client: FlaskClient, data: DataDirectory, store: SurveyStore
) -> None:
    bad = data.publish(sample.envelope("Bad"), sample.MODEL)
    (data.path / "surveys" / bad / "specification.dsse.json").write_bytes(b"{}")
    data.end()
    text = client.get("/").get_data(as_text=True)
    assert "Small survey" in text
    assert bad not in text


def test_the_operator_is_named_on_every_page(make_app: Callable[..., Flask]) -> None:
    app = make_app(operator="Example <Office>, office@example.org")
    for path in ("/", "/checkup", "/nowhere"):
        text = app.test_client().get(path).get_data(as_text=True)
        assert "Run by Example &lt;Office&gt;, office@example.org" in text


def test_the_survey_page_is_readable_at_once(client: FlaskClient, store: SurveyStore) -> None:
    answer = client.get(f"/s/{store.id}")
    text = answer.get_data(as_text=True)
    assert answer.content_type == "text/html; charset=utf-8"
    assert "<h1>Small survey</h1>" in text
    assert "About &lt;b&gt;health&lt;/b&gt; &amp; work" in text  # the organizer's text is text
    assert f'data-base="/" data-id="{store.id}" data-state="open"' in text
    assert 'src="/static/app.0123456789abcdef.mjs"' in text
    statement = re.findall("<li>(.*?)</li>", text)
    assert statement == [
        "Age stay here.", "A group of at least 40 people.", "Nobody knows if 50% take part.",
        "2 questions.", "Free text.",
        "At least 5 answered.", "Deleted after 365 days.",
    ]  # fmt: skip
    german = client.get(f"/s/{store.id}?lang=de").get_data(as_text=True)
    assert "<li>Alter bleiben hier.</li><li>A group of at least 40 people.</li>" in german


@pytest.mark.parametrize(
    ("query", "header", "language"),
    [
        ("", "", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.1", "de"),
        ("", "fr", "en"),
        ("?lang=de", "en", "de"),
        ("?lang=fr", "de", "de"),
        ("?lang=<script>", "", "en"),
    ],
)
def test_the_language_is_the_one_asked_for(
    client: FlaskClient, store: SurveyStore, query: str, header: str, language: str
) -> None:
    answer = client.get(f"/s/{store.id}{query}", headers={"Accept-Language": header})
    assert answer.headers["Content-Language"] == language
    title = {"en": "Small survey", "de": "Kleine Umfrage"}[language]
    assert f"<h1>{title}</h1>" in answer.get_data(as_text=True)


def test_without_the_built_client_the_survey_page_says_so(data: DataDirectory, store: SurveyStore) -> None:
    def missing() -> None:
        raise SetupError("not built")

    client = create_app(Config(), data, client=missing).test_client()
    answer = client.get(f"/s/{store.id}")
    assert answer.status_code == 503
    assert "not set up completely" in answer.get_data(as_text=True)
    assert client.get("/").status_code == 200
    assert client.get(f"/api/v1/surveys/{store.id}/status").status_code == 200
    assert "respondent_client.build" in client.get("/checkup").get_data(as_text=True)


def test_released_files_are_listed_and_sent(client: FlaskClient, released: SurveyStore) -> None:
    page = client.get(f"/s/{released.id}/release/").get_data(as_text=True)
    assert "at least 5 answers" in page
    assert f'href="/s/{released.id}/release/microdata.csv"' in page
    table = client.get(f"/s/{released.id}/release/microdata.csv")
    assert table.data == b"age,health\n20,good\n"
    assert table.content_type == "text/csv; charset=utf-8"
    assert table.headers["Content-Disposition"] == 'attachment; filename="microdata.csv"'


def test_a_released_report_gets_its_own_policy_without_script_and_origin(
    client: FlaskClient, released: SurveyStore
) -> None:
    report = client.get(f"/s/{released.id}/release/report.html")
    policy = report.headers["Content-Security-Policy"]
    assert policy == security.REPORT_POLICY
    assert "script-src" not in policy
    assert "sandbox" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("name", ["nothing.csv", "..%2fanswers.sqlite", "..", "%2e%2e/answers.sqlite"])
def test_nothing_else_is_sent(client: FlaskClient, released: SurveyStore, name: str) -> None:
    answer = client.get(f"/s/{released.id}/release/{name}")
    assert answer.status_code in (404, 308)
    assert b"SQLite" not in answer.data


def test_before_the_release_there_is_nothing_to_get(
    client: FlaskClient, store: SurveyStore, tmp_path: Path
) -> None:
    release = tmp_path / "early"
    release.mkdir()
    (release / "microdata.csv").write_text("early canary")
    store.published.take_release(release)  # files are there, but the state is not
    assert "Nothing has been released yet" in client.get(f"/s/{store.id}/release/").get_data(as_text=True)
    assert client.get(f"/s/{store.id}/release/microdata.csv").status_code == 404
    store.close()
    assert "not been released yet" in client.get(f"/s/{store.id}/release/").get_data(as_text=True)
    assert client.get(f"/s/{store.id}/release/microdata.csv").status_code == 404


def test_errors_of_pages_are_pages(client: FlaskClient) -> None:
    answer = client.get("/s/0000000000000000")
    assert answer.status_code == 404
    assert answer.content_type == "text/html; charset=utf-8"
    assert "There is nothing at this address" in answer.get_data(as_text=True)


def test_the_checkup_page_tells_no_place_and_no_secret(
    client: FlaskClient, data: DataDirectory, store: SurveyStore
) -> None:
    answer = client.get("/checkup")
    text = answer.get_data(as_text=True)
    assert answer.status_code == 200
    assert "Passed:" in text
    assert str(data.path) not in text
    assert str(Path.home()) not in text
    assert "127.0.0.1" not in text
