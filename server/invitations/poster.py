"""A poster and a letter for everybody: the survey's link as a QR code, its address, the words to compare.

Nothing on them is secret, and they are the same for all: who scans one tells nothing about herself.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Final

from reportlab.lib.units import mm

from server.collection.storage.published import PublishedSurvey
from server.invitations import typeface
from server.invitations.inviting import frame_of
from server.invitations.letters import LetterFrame
from server.invitations.sheet import HEIGHT, LEFT, RIGHT, WIDTH, Sheet, fitting, halves, new_canvas
from server.invitations.typeface import BOLD, MONOSPACED
from shared.invitation import survey_link
from shared.specification import Specification

FILES: Final = ("poster.pdf", "letter.pdf")


def make_posters(
    published: PublishedSurvey, *, public_url: str, language: str | None = None
) -> dict[str, bytes]:
    """Draw both, as PDF by the names in :data:`FILES`.

    Parameters
    ----------
    published : PublishedSurvey
        The signed survey, verified.
    public_url : str
        Address of the server.
    language : str, optional
        One of the survey's; its first by default. Where we have no sentences in it, they are English.

    Raises
    ------
    InputError
        If the survey does not have the language, or the font lacks a character.
    """
    typeface.load_fonts()
    frame = frame_of(published, language, public_url)
    link = survey_link(public_url, published.digest, published.organizer_key)
    chosen = published.specification.languages[0] if language is None else language
    about = published.specification.description.get(chosen, "")
    for text in (frame.title, frame.organizer, frame.contact, about):
        typeface.require_printable(text, "the survey's title, description and organizer")
    drawn: dict[str, Callable[[Sheet, LetterFrame, str, str, list[str]], None]] = {
        "poster.pdf": _draw_poster,
        "letter.pdf": _draw_letter,
    }
    made = {}
    for name in FILES:
        output = io.BytesIO()
        canvas = new_canvas(output, title=frame.title, author=frame.organizer, language=frame.texts.language)
        sheet = Sheet(canvas, right_to_left=frame.texts.right_to_left)
        drawn[name](sheet, frame, about, link, _facts(published.specification, frame))
        canvas.showPage()
        canvas.save()
        made[name] = output.getvalue()
    return made


def _facts(specification: Specification, frame: LetterFrame) -> list[str]:
    """What is the same for everybody: until when, and with what one takes part."""
    texts, period = frame.texts, specification.period
    closes = None if period is None or period.closes is None else period.closes
    found = [] if closes is None else [texts.poster_closes.format(day=_moment(closes))]
    return [*found, texts.poster_same if specification.invited is None else texts.poster_code]


def _moment(moment: str) -> str:
    """A moment in UTC as everybody reads it."""
    return f"{moment[:10]}, {moment[11:16]} UTC"


def _draw_poster(sheet: Sheet, frame: LetterFrame, about: str, link: str, facts: list[str]) -> None:
    texts, side = frame.texts, 95 * mm
    y = sheet.paragraph(frame.title, HEIGHT - 38 * mm, font=BOLD, size=30, most=3)
    y = sheet.paragraph(about or texts.poster_intro, y - 3 * mm, size=15, most=5)
    y -= side + 1 * mm
    sheet.qr(link, (WIDTH - side) / 2, y, side)
    open_it = texts.poster_type.format(address=frame.address)
    y = sheet.paragraph(open_it, y - 7 * mm, size=fitting(open_it, 15.0, RIGHT - LEFT, least=8.0))
    y = _words(sheet, frame, y - 5 * mm, size=13.0)
    for fact in facts:
        y = sheet.paragraph(fact, y - 1 * mm, size=13)
    y = sheet.paragraph(texts.poster_promise.format(k=frame.k), y - 2 * mm, size=13)
    _contact(sheet, frame, y - 2 * mm, size=11.0)


def _draw_letter(sheet: Sheet, frame: LetterFrame, about: str, link: str, facts: list[str]) -> None:
    texts, side = frame.texts, 58 * mm
    y = sheet.paragraph(texts.title.format(title=frame.title), HEIGHT - 45 * mm, font=BOLD, size=14, most=2)
    y = sheet.paragraph(texts.poster_intro, y - 3 * mm, size=10.5)
    if about:
        y = sheet.paragraph(about, y - 2 * mm, size=10.5)
    top = y - 3 * mm
    sheet.qr(link, RIGHT - side if sheet.right_to_left else LEFT, top - side, side)
    beside = side + 5 * mm
    y = sheet.paragraph(texts.scan_title, top - 6 * mm, font=BOLD, before=beside)
    sheet.paragraph(texts.poster_scan, y, before=beside)
    open_it = texts.poster_type.format(address=frame.address)
    y = sheet.paragraph(texts.type_title, top - side - 5 * mm, font=BOLD)
    y = sheet.paragraph(open_it, y, size=fitting(open_it, 10.0, RIGHT - LEFT, least=6.5))
    y = _words(sheet, frame, y - 4 * mm, size=10.0)
    for fact in facts:
        y = sheet.paragraph(fact, y - 1 * mm, size=10.5)
    y = sheet.paragraph(texts.poster_promise.format(k=frame.k), y - 2 * mm, size=10.5)
    _contact(sheet, frame, y - 3 * mm, size=9.0)


def _words(sheet: Sheet, frame: LetterFrame, y: float, *, size: float) -> float:
    y = sheet.paragraph(frame.texts.words_title, y, font=BOLD, size=size)
    for words in halves(frame.words):
        fits = size
        while typeface.text_width(words, MONOSPACED, fits) > RIGHT - LEFT:
            fits -= 0.5
        sheet.canvas.setFont(MONOSPACED, fits)
        sheet.put(words, y, MONOSPACED, fits)
        y -= 1.5 * size
    below: float = y - 1 * mm
    return below


def _contact(sheet: Sheet, frame: LetterFrame, y: float, *, size: float) -> None:
    contact = frame.texts.contact.format(organizer=frame.organizer, contact=frame.contact)
    sheet.paragraph(contact, y, size=size, most=3)
