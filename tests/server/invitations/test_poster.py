"""Posters and letters for everybody, as a reader and a telephone see them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from click.testing import CliRunner
from reportlab.lib.units import mm

from server.cli.poster import poster
from server.collection.storage.published import PublishedSurvey
from server.invitations.poster import FILES, make_posters
from server.invitations.texts import TEXTS
from shared.errors import InputError
from shared.invitation import Invitation
from shared.words import digest_words
from tests.server.collection.storage import sample

PAPERS = ("poster.pdf", "letter.pdf")
URL = "https://a-rather-long-name-of-a-server.statistics.example.org/surveys/"
TITLES = {
    "en": "How the people of Smallville and its surroundings live, work and travel",
    "de": "Lebensverhältnisse, Verkehrsmittelwahl und Gesundheitsversorgung in Kleinstadt",
    "fr": "La santé à Petiteville",
    "ar": "الصحة في المدينة الصغيرة",
}


def published(**changes: Any) -> PublishedSurvey:
    """A survey in every language that letters have."""
    document = json.loads(json.dumps(sample.document()))
    document["languages"] = list(TITLES)
    document["title"] = TITLES
    document["description"] = dict.fromkeys(TITLES, "Two sentences. " * 12)
    for attribute in document["attributes"]:
        attribute["label"] = attribute["help"] = dict.fromkeys(TITLES, "Age")
    document["questionnaire"]["pages"][0]["title"] = dict.fromkeys(TITLES, "")
    document |= changes
    envelope = sample.sign(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
    return PublishedSurvey.verify(Path(), envelope, organizer_key=None)


@pytest.mark.parametrize("language", sorted(TEXTS))
@pytest.mark.parametrize("name", PAPERS)
def test_everybody_gets_the_same_link_and_words(name: str, language: str) -> None:
    survey = published()
    data = make_posters(survey, public_url=URL, language=language)[name]
    document = pypdfium2.PdfDocument(data)
    assert len(document) == 1
    page = document[0]
    (code,) = zxingcpp.read_barcodes(page.render(scale=100 / 72).to_pil())
    assert code.text.startswith(f"{URL}s/{survey.id}#")
    invitation = Invitation.parse_fragment(code.text.partition("#")[2])
    assert (invitation.digest, invitation.organizer_key) == (survey.digest, survey.organizer_key)
    assert invitation.code is None
    text = page.get_textpage().get_text_bounded()
    assert f"{URL}s/{survey.id}" in text
    for word in digest_words(survey.digest).split("-"):
        assert word in text
    assert document.get_metadata_value("Title") == TITLES[language]
    assert f"/Lang ({language})".encode() in data
    assert b"/DisplayDocTitle true" in data


@pytest.mark.parametrize("name", PAPERS)
def test_nothing_leaves_the_page(name: str) -> None:
    data = make_posters(published(), public_url=URL, language="de")[name]
    page = pypdfium2.PdfDocument(data)[0]
    for thing in page.get_objects():
        left, bottom, right, top = thing.get_bounds()
        assert 10 * mm < left
        assert right < 205 * mm
        assert 10 * mm < bottom
        assert top < 290 * mm


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_the_message_says_the_same_and_a_reminder_goes_to_all(language: str) -> None:
    survey = published()
    for reminder in (False, True):
        made = make_posters(survey, public_url=URL, language=language, reminder=reminder)
        text = made["message.txt"].decode("utf-8")
        link = next(line for line in text.splitlines() if line.startswith(URL))
        assert Invitation.parse_fragment(link.partition("#")[2]).digest == survey.digest
        for word in digest_words(survey.digest).split("-"):
            assert word in text
        assert (TEXTS[language].poster_reminder in text) is reminder
        paper = pypdfium2.PdfDocument(made["letter.pdf"])[0].get_textpage().get_text_bounded()
        if language != "ar":  # which stands there in visual order
            assert (TEXTS[language].poster_reminder[:40] in paper) is reminder


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Until December 1, 2030, 08:00 UTC"),
        ("de", "Bis 1. Dezember 2030, 08:00 UTC"),
        ("ar", "1 ديسمبر 2030, 08:00 UTC"),
    ],
)
def test_the_last_moment_is_on_it_as_the_language_writes_it(language: str, said: str) -> None:
    survey = published(period={"opens": None, "closes": "2030-12-01T08:00:00Z"})
    made = make_posters(survey, public_url=URL, language=language)
    assert said in made["message.txt"].decode("utf-8")
    if language != "ar":  # which stands there in visual order
        page = pypdfium2.PdfDocument(made["poster.pdf"])[0]
        assert said in page.get_textpage().get_text_bounded()


def test_what_the_font_lacks_is_refused() -> None:
    with pytest.raises(InputError, match="font"):
        make_posters(published(title=TITLES | {"en": "健康"}), public_url=URL)


def test_the_command_writes_both(tmp_path: Path) -> None:
    (tmp_path / "survey.dsse.json").write_bytes(sample.envelope())
    out = tmp_path / "print"
    done = CliRunner().invoke(
        poster, [str(tmp_path), "--out", str(out), "--public-url", "http://127.0.0.1:8000/"]
    )
    assert done.exit_code == 0, done.output
    assert "only this machine" in done.output
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
