"""The page's texts: every key that is used exists, and every language says the same things."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from respondent_client.build import WEB
from shared.attributes import KINDS
from shared.checks import CODES
from shared.declarations import RELEASE_RULES
from shared.specification import STORED
from shared.verification.election import LINES, NOT_RUN, PASSED, REFUSED
from shared.verification.faults import CULPRITS
from tests.kinds import MADE

LANGUAGES = sorted(path.stem for path in (WEB / "texts").glob("*.json"))
PLURAL = re.compile(r"\.(zero|one|two|few|many|other)$")
QUOTES = {"ar": "«»", "de": "„“", "en": "“”", "fr": "«»"}
MARKS = frozenset('"„“”«»‹›')


def texts(language: str) -> dict[str, str]:
    result: dict[str, str] = json.loads((WEB / "texts" / f"{language}.json").read_text("utf-8"))
    return result


def stems(language: str) -> set[str]:
    return {PLURAL.sub("", key) for key in texts(language)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_texts(language: str) -> None:
    assert stems(language) == stems("en")
    assert all(text.strip() for text in texts(language).values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_use_the_same_figures(language: str) -> None:
    english = texts("en")
    for key, text in texts(language).items():
        original = english.get(key) or english[PLURAL.sub("", key) + ".other"]
        used = set(re.findall(r"\{([a-z_-]+)\}", text))
        assert used == set(re.findall(r"\{([a-z_-]+)\}", original)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_quote_with_their_own_marks(language: str) -> None:
    opening, closing = QUOTES[language]
    for key, text in texts(language).items():
        outside = re.sub(f"{opening}[^{opening}{closing}]+{closing}", "", text)
        assert not MARKS & set(outside), key


@pytest.mark.parametrize("path", sorted(WEB.glob("*.mjs")), ids=lambda path: path.name)
def test_no_module_quotes_in_one_language(path: Path) -> None:
    assert not set("„“”«»‹›") & set(path.read_text("utf-8"))


def test_every_counted_text_has_a_form_for_all_other_numbers() -> None:
    for language in LANGUAGES:
        keys = texts(language)
        for key in keys:
            if key.endswith(".one") and not key.startswith("chance."):
                assert PLURAL.sub(".other", key) in keys, (language, key)


def _keys_in(path: Path) -> set[str]:
    return set(re.findall(r'\bt\(\s*"([a-z0-9.-]+)"', path.read_text("utf-8")))


@pytest.mark.parametrize("path", sorted(WEB.glob("*.mjs")), ids=lambda path: path.name)
def test_every_key_in_a_module_has_a_text(path: Path) -> None:
    missing = {key for key in _keys_in(path) if key not in stems("en")}
    assert not missing


def test_every_check_has_a_name_an_outcome_and_a_refusal_in_words() -> None:
    for code in CODES:
        for key in (f"{code}.name", f"{code}.passed", f"refused.{code}", f"meaning.{code}"):
            assert key in texts("en"), key


def test_every_cause_of_failure_has_words() -> None:
    code = (WEB / "worker.mjs").read_text("utf-8") + (WEB / "engine.mjs").read_text("utf-8")
    causes = set(re.findall(r'(?:fail|#fail)\("([a-z0-9-]+)"', code)) | set(
        re.findall(r'return "([a-z0-9-]+)";', code)
    )
    causes |= set(re.findall(r'cause: "([a-z0-9-]+)"', code))
    assert len(causes) >= 11
    assert {f"failure.{cause}" for cause in causes} <= set(texts("en"))


def test_what_is_stored_and_released_has_words() -> None:
    assert {f"stored.{code}" for codes in STORED.values() for code in codes} <= set(texts("en"))
    assert {f"group.rule.{rule}" for rule in RELEASE_RULES} <= set(texts("en"))
    assert {f"statement.release.{rule}" for rule in RELEASE_RULES} <= set(texts("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_register_has_words_for_what_is_a_lower_bound(language: str) -> None:
    keys = texts(language)
    assert "{number}" in keys["at-least"]
    assert keys["at-least"] != "{number}"
    assert "{largest}" not in keys["check.cell-failure.passed.register"]
    assert keys["board.groups.people.at-least"] != keys["board.groups.people"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_tells_of_size_classes(language: str) -> None:
    """Every message of a survey has one length, whatever was answered."""
    stale = {"ar": "الحجم نفسه", "de": "dieselbe Größe", "en": "the same size", "fr": "la même taille"}[
        language
    ]
    assert not [key for key, text in texts(language).items() if stale in text]


JARGON = {
    "ar": "ختم إجابات|مختوم|الأمناء|بايت|استبدال|القواعد الموقّعة|سليم البنية",
    "de": r"\bToken|eintausch|eingetauscht|Treuhänd|versiegel|\bByte|signierten Regeln"
    r"|unterschriebenen Regeln|wohlgeformt|mit einer Wahrscheinlichkeit|Mensch",
    "fr": r"\bjeton|échang|mandataire|scell|\boctet|règles signées|bien formé|avec une probabilité",
    "en": r"\btokens?\b|exchang|trustee|\bseal|\bbytes?\b|signed rules|formed|with a chance",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_without_jargon(language: str) -> None:
    """Words of the protocol, and in German two words for one thing; figures in braces are no words."""
    said = {key: re.sub(r"\{[a-z_-]+\}", "", text) for key, text in texts(language).items()}
    assert not {key: text for key, text in said.items() if re.search(JARGON[language], text, re.IGNORECASE)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_promise_names_its_condition_wherever_it_stands(language: str) -> None:
    keys = texts(language)
    for key in ("statement.nobody", "checks.promise", "group.risk"):
        assert "{share}" in keys[key], key
    for key in ("checks.promise", "group.risk"):
        assert {"{half}", "{half_share}"} <= set(re.findall(r"\{[a-z_]+\}", keys[key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_says_that_the_registrar_sees_a_code(language: str) -> None:
    """A device shows the proof of a code and never the code."""
    stale = {"ar": "يرى الرمز ولا", "de": "sieht den Code", "en": "sees the code", "fr": "voit le code"}[
        language
    ]
    assert not [key for key, text in texts(language).items() if stale in text]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_attribute_has_words_for_a_wrong_answer(kind: str) -> None:
    form = MADE[kind]().form_field()["form"]
    for key in (f"you.empty.{form}", f"you.wrong.{form}"):
        assert key in texts("en"), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_a_verification_and_every_culprit_has_words(language: str) -> None:
    said = texts(language)
    assert {f"verification.line.{code}" for code in LINES} <= set(said)
    assert {f"verification.culprit.{name}" for name in CULPRITS} <= set(said)
    assert {f"verification.outcome.{outcome}" for outcome in (PASSED, REFUSED, NOT_RUN)} <= set(said)
