"""Numbers on the desk are those of its language: 400,000 people are 400.000 in German, and not 400."""

from __future__ import annotations

import re
import time
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from server.desk.texts import day, moment, number, odds, say, share, typed, what_failed, written
from shared.errors import InputError
from tests.server.desk.test_mistakes import choose, promise, use
from tests.server.desk.visitor import Visitor, people_csv

NARROW = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (4_436, "4436", "4436"),
        (400_000, "400,000", "400.000"),
        (Decimal("2.50"), "2.5", "2,5"),
        ("-12345.75", "-12,345.75", "-12.345,75"),
        ("0.0000000001", "0.0000000001", "0,0000000001"),
        ("123456789012345678901.5", "123,456,789,012,345,678,901.5", "123.456.789.012.345.678.901,5"),
    ],
)
def test_a_number_keeps_every_digit(value: int | Decimal | str, english: str, german: str) -> None:
    assert (number("en", value), number("de", value)) == (english, german)


@pytest.mark.parametrize(
    ("probability", "english", "german"),
    [
        ("0", "never", "nie"),
        ("0.7", "70.0 %", "70,0 %"),
        ("0.3", "1 in 3.3", "1 zu 3,3"),
        ("0.001", "1 in 1000", "1 zu 1000"),
        ("4.1e-7", "1 in 2.4 million", "1 zu 2,4 Millionen"),
        ("1.01e-6", "1 in 990,000", "1 zu 990.000"),
        ("1e-10", "1 in 10 billion", "1 zu 10 Milliarden"),
        ("1e-14", "1 in 100 trillion", "1 zu 100 Billionen"),
        ("1e-40", "practically never", "praktisch nie"),
    ],
)
def test_odds_can_be_said_aloud(probability: str, english: str, german: str) -> None:
    assert odds("en", Decimal(probability)).replace(NARROW, " ") == english
    assert odds("de", Decimal(probability)).replace(NARROW, " ") == german


def test_odds_are_never_better_than_the_probability() -> None:
    for thousandths in range(1, 500):
        times = odds("en", Decimal(thousandths) / 1000).removeprefix("1 in ").replace(",", "")
        assert 1 / Decimal(times) >= Decimal(thousandths) / 1000


def test_shares_and_days() -> None:
    assert (share("en", 0.0144), share("de", 0.0144)) == ("1.4 %", "1,4 %")
    assert day("de", date(2026, 12, 24)) == "24. Dezember 2026"


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("UTC0", "24. Dezember 2026, 12:30"),
        ("East-14", "25. Dezember 2026, 02:30"),
        ("West3:30", "24. Dezember 2026, 09:00"),
    ],
)
def test_a_moment_is_told_in_the_zone_of_this_machine(
    zone: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert moment("de", "2026-12-24T12:30:00Z") == told
    time.tzset()


def test_a_text_writes_its_numbers_itself() -> None:
    assert say("de", "column.distinct", n=136_854) == "136.854 verschiedene Werte"
    assert say("en", "column.distinct", n="as it is") == "as it is different values"
    assert (say("de", "column.distinct", n=1), say("de", "column.distinct", n=11)) == (
        "ein Wert",
        "11 verschiedene Werte",
    )


def test_a_german_desk_has_no_english_number(visitor: Visitor) -> None:
    choose(
        visitor, people_csv(visitor.folder / "people.csv", 12_345, income=lambda i, _c: str((i % 3908) / 4))
    )
    use(visitor, "age", "income")
    promise(visitor, algorithm="mondrian")
    visitor.post("/language", {"language": "de"})
    pages = {
        path: visitor.text(path)
        for path in ("/population", "/population/cost", "/promise/estimate", "/promise/curve")
    }
    assert "12.345 Datensätze" in pages["/population"]
    assert "Von 0 bis 976,75, in Schritten von 0,01" in pages["/population"]
    assert ">976,75</text>" in pages["/population"]
    assert re.search(r"1 zu \d+[.]000", pages["/promise/estimate"])
    assert ">0,2</text>" in pages["/promise/curve"]
    for path, page in pages.items():
        words = re.sub(r"<style.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
        assert re.findall(r"\d\.\d\W*%|\d,\d{3}\b|1 in \d", words) == [], path
    visitor.post("/language", {"language": "en"})
    assert "12,345 records" in visitor.text("/population")
    assert re.search(r"1 in \d+,000", visitor.text("/promise/estimate"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (" 0,005 ", "0.005"), ("2,5", "2.5"), ("-12,75", "-12.75"), ("3,14159", "3.14159"), ("0.5", "0.5"),
        ("1,234,567", "1,234,567"), ("1,5,", "1,5,"), ("", ""), ("5000", "5000"), ("0.350", "0.350"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_comma_is_a_decimal_sign(language: str, text: str, plain: str) -> None:
    assert typed(language, text) == plain


@pytest.mark.parametrize(
    ("language", "text"), [("en", "1,000"), ("de", "1,000"), ("de", "5.000"), ("de", "-12.345")]
)
def test_what_can_be_thousands_is_asked_back(language: str, text: str) -> None:
    with pytest.raises(InputError, match="can be") as refused:
        typed(language, text)
    plain = text.replace(",", "").replace(".", "")
    assert plain in refused.value.remedy
    assert typed(language, plain) == plain
    assert typed("en", "5.000") == "5.000"


@pytest.mark.parametrize(
    "text", ["0", "0.35", "-2.5", "12345.75", "2.125", "2026-11", "1e-6", "", "some words"]
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_stands_in_a_field_is_read_back(language: str, text: str) -> None:
    read = typed(language, written(language, text))
    assert read == text or Fraction(read) == Fraction(text)


def test_five_thousand_is_not_saved_as_five(visitor: Visitor) -> None:
    """As the greatest rent of a question, and as the end of an attribute; and nothing typed is lost."""
    visitor.post("/language", {"language": "de"})
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age")
    form = {"page": "population", "name": "age", "action": "save", "kind": "numeric"}
    page = visitor.told("/population/attribute", form | {"minimum": "10", "maximum": "5.000"}, "/population")
    assert "5.000 can be 5000 or 5.0000" in page
    assert 'name="maximum" inputmode="decimal" value="5.000"' in page
    question = {
        "page": "questions",
        "type": "number",
        "name": "rent",
        "title-de": "Wie viel?",
        "unit-de": "Euro",
    }
    question |= {"min": "0,5", "step": "0,5", "max": "5.000", "new_page": "on"}
    page = visitor.told("/questions", question | {"action": "add"}, "/questions")
    for kept in ("rent", "Wie viel?", "Euro", "0,5", "5.000"):
        assert f'value="{kept}"' in page
    page = visitor.told("/questions", question | {"action": "add", "max": "5000"}, "/questions")
    assert "Gespeichert" in page
    assert 'value="5000"' in page
    again = question | {
        "action": "save",
        "at_page": "0",
        "at_place": "0",
        "max": "6.000",
        "unit-de": "Euro im Monat",
    }
    page = visitor.told("/questions", again, "/questions")
    assert 'value="Euro im Monat"' in page
    assert 'value="6.000"' in page
    assert page.count('name="unit-de"') == 1, "one form is open again, that of the question"


def test_numbers_are_typed_as_they_are_read(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv", 900, hours=lambda i, _c: str((i % 40) / 2)))
    use(visitor, "age", "hours")
    form = {"name": "hours", "action": "save", "kind": "numeric", "page": "population"}
    visitor.post("/population/attribute", form | {"minimum": "0,0", "maximum": "19,5", "step": "0,5"})
    entry = next(a for a in visitor.desk.draft().document["attributes"] if a["name"] == "hours")
    assert (entry["minimum"], entry["maximum"], entry["step"]) == ("0.0", "19.5", "0.5")
    assert "1,000 can be" in visitor.told("/population/attribute", form | {"maximum": "1,000"}, "/population")
    controls = {"k": "5", "failure": "1e-4", "low": "0,4", "high": "0,6", "correlation": "0,005"}
    visitor.post("/promise", controls | {"page": "promise"})
    section = visitor.desk.draft().section("participation")
    assert (section["low"], section["high"], section["correlation"]) == ("0.4", "0.6", "0.005")


def test_a_survey_begins_in_the_desks_language(visitor: Visitor) -> None:
    visitor.post("/language", {"language": "de"})
    page = visitor.text("/about")
    assert 'name="title-de"' in page
    assert 'name="title-en"' not in page


def test_another_language_is_taken_with_all_that_was_typed(visitor: Visitor) -> None:
    """An empty field of the old language is no reason to refuse the new one."""
    typed = {"name": "Council", "contact": "a@b.example", "retention_days": "90", "opens": "2030-05-01T08:00"}
    page = visitor.told("/about", {"page": "about", "languages": "de", "title-en": "", **typed}, "/about")
    assert "What to do" not in page
    assert 'name="title-de"' in page
    assert 'name="title-en"' not in page
    assert all(f'value="{text}"' in page for text in typed.values())
    visitor.post("/about", {"page": "about", "languages": "de", "title-de": "Wohnen", **typed})
    assert visitor.desk.draft().document["title"] == {"de": "Wohnen"}


def test_a_title_moves_along_with_the_only_language(visitor: Visitor) -> None:
    form = {"page": "about", "languages": "de", "title-en": "Wohnen", "description-en": "Wie es ist."}
    page = visitor.told("/about", form, "/about")
    assert 'id="title-de" name="title-de" lang="de" value="Wohnen"' in page
    assert ">Wie es ist.</textarea>" in page


def test_what_is_no_language_is_refused_with_all_that_was_typed(visitor: Visitor) -> None:
    form = {"page": "about", "languages": "de; en", "title-en": "Wohnen"}
    page = visitor.told("/about", form, "/about")
    assert "is not a language" in page
    assert 'value="Wohnen"' in page


def test_the_promise_is_told_in_words_and_decimals_of_the_language(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age")
    promise(visitor, low="0.35", failure="1e-6")
    visitor.post("/language", {"language": "de"})
    page = visitor.text("/promise")
    assert '<option value="1e-6" selected>1 zu 1 Million (1e-6)</option>' in page
    assert re.search(r'id="low"[^>]* value="0,35"', page)


@pytest.mark.parametrize("page", ["overview", "promise", "roles"])
def test_another_language_leads_back_to_the_same_page(visitor: Visitor, page: str) -> None:
    path = "/" if page == "overview" else f"/{page}"
    assert f'<input type="hidden" name="page" value="{page}">' in visitor.text(path).split("<main")[0]
    assert '<html lang="de">' in visitor.told("/language", {"language": "de", "page": page}, path)


def test_promises_to_choose_from_are_told_in_the_language(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age")
    promise(visitor, low="0.35")
    visitor.post("/language", {"language": "de"})
    page = visitor.post("/promise/recommend", {"page": "promise"}).text
    assert "Hingenommenes Versagen: 1 zu 10.000. Korrelation: 0." in page
    assert "Hingenommenes Versagen: 1 zu 1 Million. Korrelation: 0,005." in page


def test_a_problem_is_told_in_the_language_before_its_english_details(visitor: Visitor) -> None:
    visitor.post("/language", {"language": "de"})
    page = visitor.told("/promise", {"k": "1", "page": "promise"}, "/promise")
    box = page[page.index('id="problem"') :]
    assert re.search(r"<h2>Eine Angabe ist so nicht zu gebrauchen</h2>\s*<p lang=\"en\">", box)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("storage.full", "Der Datenträger ist voll"),
        ("storage.locked", "Das Speichern oder Lesen gelang nicht"),
        ("internal", "Das ging nicht"),
    ],
)
def test_a_code_without_a_sentence_has_that_of_its_kind(code: str, said: str) -> None:
    assert what_failed("de", code) == said
