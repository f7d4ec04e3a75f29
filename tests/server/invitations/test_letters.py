"""Letters as a reader and a telephone see them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from reportlab.lib.units import mm

from server.invitations import letters, typeface
from server.invitations.letters import Letter, LetterFrame, render_letters, require_printable
from server.invitations.texts import ENGLISH, TEXTS, texts_for
from shared.errors import InputError
from shared.invitation import Invitation, survey_link
from shared.invitation_code import InvitationCode
from shared.words import digest_words
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.server.collection.storage.ballots import DIGEST

KEY = public_bytes(ORGANIZER_KEY)
URL = "https://survey.example.org/umfragen/"
TITLES = {
    "en": "Health in Smallville",
    "de": "Gesundheit in Kleinstadt",
    "ar": "الصحة في المدينة الصغيرة",
    "fr": "La santé à Petiteville",
}


def _frame(language: str = "en", **changes: Any) -> LetterFrame:
    frame = LetterFrame(
        texts=TEXTS[language],
        title=TITLES[language],
        organizer="Institut für Umfragen",
        contact="survey@example.org",
        address=f"{URL}s/{DIGEST[:16]}",
        words=digest_words(DIGEST),
        k=10,
    )
    return dataclasses.replace(frame, **changes)


def _letter(number: int = 0, lines: tuple[str, ...] = ("Ann O'Neill", "12 Mill Lane", "York")) -> Letter:
    code = InvitationCode.create(bytes([number]) * 12)
    return Letter(
        lines=lines, code=code, link=survey_link(URL, DIGEST, KEY, code=code), place=f"line {number}"
    )


def _text(page: Any) -> str:
    return str(page.get_textpage().get_text_bounded())


def _codes(page: Any, dpi: int = 150) -> set[str]:
    image = page.render(scale=dpi / 72).to_pil()
    return {found.text for found in zxingcpp.read_barcodes(image)}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_both_codes_of_each_letter_can_be_scanned(language: str) -> None:
    made = tuple(_letter(number) for number in range(3))
    document = pypdfium2.PdfDocument(render_letters(_frame(language), made))
    assert len(document) == 3
    for letter, page in zip(made, document, strict=True):
        assert _codes(page) == {letter.link, letter.code.symbols}
        assert Invitation.parse_fragment(letter.link.partition("#")[2]).code == letter.code
        assert letter.code.text in _text(page)


def test_the_codes_survive_a_coarse_printer() -> None:
    letter = _letter()
    document = pypdfium2.PdfDocument(render_letters(_frame(), (letter,)))
    assert _codes(document[0], dpi=100) == {letter.link, letter.code.symbols}


def test_a_letter_says_what_it_must() -> None:
    page = pypdfium2.PdfDocument(render_letters(_frame("de"), (_letter(),)))[0]
    text = " ".join(_text(page).split())
    first, second = digest_words(DIGEST)[:23], digest_words(DIGEST)[24:]
    for told in ("Einladung: Gesundheit in Kleinstadt", "Ann O'Neill", "Institut für Umfragen", first, second,
                 "survey@example.org", f"{URL}s/{DIGEST[:16]}", "mindestens 10 Personen"):  # fmt: skip
        assert told in text, told
    reminder = pypdfium2.PdfDocument(render_letters(_frame("de", reminder=True), (_letter(),)))[0]
    assert "Erinnerung:" in _text(reminder)


@pytest.mark.parametrize(
    "lines", [("A",), tuple(f"Line {n}" for n in range(6)), ("Wide " * 30,), ("W" * 200,)]
)
def test_the_address_is_where_the_window_is(lines: tuple[str, ...]) -> None:
    """DIN 5008 form B: 20 to 105 mm from the left, 45 to 90 mm from the top; all else is below 100 mm."""
    page = pypdfium2.PdfDocument(render_letters(_frame(), (_letter(lines=lines),)))[0]
    text, height = page.get_textpage(), page.get_height()
    window = text.get_text_bounded(
        left=20 * mm, right=105 * mm, top=height - 45 * mm, bottom=height - 92 * mm
    )
    assert "".join(window.split()).endswith("".join("".join(lines).split()))
    above = text.get_text_bounded(left=0, right=210 * mm, top=height, bottom=height - 100 * mm)
    assert above.split() == window.split()


def test_nothing_runs_over_the_foot_of_the_page() -> None:
    frame = _frame(
        "de", title="Wohlbefinden und Gesundheit " * 12, organizer="Institut " * 40, contact="x" * 300
    )
    page = pypdfium2.PdfDocument(render_letters(frame, (_letter(),)))[0]
    text = page.get_textpage()
    boxes = [text.get_charbox(n) for n in range(text.count_chars())]
    assert min(bottom for _, bottom, _, _ in boxes) > 8 * mm
    assert max(right for _, _, right, _ in boxes) < 200 * mm
    assert len(_codes(page)) == 2


def test_arabic_is_joined_and_runs_from_the_right() -> None:
    assert typeface.to_visual("سلام", right_to_left=True) == "\ufee1\ufefc\ufeb3"
    assert typeface.to_visual("رمز ABC 12", right_to_left=True).startswith("ABC 12 ")
    assert typeface.to_visual("plain", right_to_left=False) == "plain"


@pytest.mark.parametrize("line", ["山田", "नमस्ते", "🙂"])
def test_what_the_font_cannot_print_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(InputError) as caught:
        require_printable(_frame(), [_letter(7, (line,))])
    assert (caught.value.code, caught.value.where) == ("input.letter-font", "line 7")


@pytest.mark.parametrize("line", ["Änne Groß", "Łukasz Żuk", "Иван Петров", "Γιάννης", "محمد علي", "דנה לוי"])
def test_many_names_can_be_printed(line: str) -> None:
    require_printable(_frame(), [_letter(1, (line,))])
    assert render_letters(_frame(), (_letter(1, (line,)),))


def test_languages_without_texts_get_english_letters() -> None:
    assert texts_for("de-AT") is TEXTS["de"]
    assert texts_for("fi") is ENGLISH


def test_letters_are_small_and_the_same_each_time() -> None:
    made = tuple(_letter(number) for number in range(20))
    first = render_letters(_frame(), made)
    assert first == render_letters(_frame(), made)
    assert len(first) < 60_000 + 20 * 8_000
    assert letters.Letter.__repr__(made[0]).count(made[0].code.symbols) == 0
