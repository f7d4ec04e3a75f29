"""docs/glossary.md is the dictionary: pages say the plain words, and never the terms that they stand for."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.documents import ROOT, text_of

TEXTS = ROOT / "respondent_client" / "web" / "texts"
#: Terms of art that no respondent should have to read.
JARGON = (
    "quasi-identifier",
    "microaggregation",
    "centroid",
    "specification",
    "envelope",
    "payload",
    "digest",
    "eligible",
    "n_min",
    "padding",
    "tuple",
    "microdata",
    "k-anonym",
)


def rows() -> list[tuple[str, str, str]]:
    """Term, plain word and meaning of each entry."""
    found = []
    for line in text_of("docs/glossary.md").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[0] not in ("term", "---"):
            found.append((cells[0], cells[1], cells[2]))
    return found


def read_by_respondents() -> dict[str, str]:
    """English texts of the respondent's pages, placeholders left out."""
    texts = json.loads((TEXTS / "en.json").read_text("utf-8"))
    return {key: re.sub(r"\{[^}]*\}", "", text) for key, text in texts.items()}


def test_every_term_stands_once_and_has_a_meaning() -> None:
    terms = [term for term, _, _ in rows()]
    assert len(terms) == len(set(terms)) > 60
    assert all(meaning for _, _, meaning in rows())


@pytest.mark.parametrize(("term", "plain"), [(term, plain) for term, plain, _ in rows() if plain])
def test_every_plain_word_stands_on_the_pages(term: str, plain: str) -> None:
    everything = " ".join(read_by_respondents().values()).lower()
    for word in plain.split(", "):
        assert word.lower() in everything, f"{term}: no page says {word!r}"


@pytest.mark.parametrize("word", JARGON)
def test_no_page_says_a_term_of_art(word: str) -> None:
    saying = [key for key, text in read_by_respondents().items() if word in text.lower()]
    assert not saying


@pytest.mark.parametrize("word", JARGON)
def test_every_term_of_art_is_in_the_glossary(word: str) -> None:
    assert word in text_of("docs/glossary.md").lower() or word == "k-anonym"


def test_the_terms_of_the_states_and_shapes_are_those_of_the_code() -> None:
    from server.collection.storage.states import State
    from shared.attributes import KINDS
    from shared.cells import SHAPES
    from shared.declarations import RELEASE_RULES

    terms = " ".join(term for term, _, _ in rows())
    for word in (*State, *KINDS, *(shape.replace("-", " ") for shape in SHAPES), *RELEASE_RULES):
        assert str(word) in terms, f"docs/glossary.md: add the line | {word} | | ... |"
