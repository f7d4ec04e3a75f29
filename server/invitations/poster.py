"""A poster, a letter and a message for everybody: the survey's link, its address, the words to compare.

Nothing on them is secret, and they are the same for all: who scans one tells nothing about herself.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from babel.dates import format_date
from reportlab.lib.units import mm

from server.collection.storage.published import PublishedSurvey
from server.invitations import typeface
from server.invitations.inviting import frame_of
from server.invitations.letters import LetterFrame
from server.invitations.sheet import HEIGHT, LEFT, RIGHT, WIDTH, Sheet, fitting, halves, new_canvas
from server.invitations.typeface import BOLD, MONOSPACED
from shared.invitation import survey_link
from shared.specification import Specification

MESSAGE: Final = "message.txt"
FILES: Final = ("poster.pdf", "letter.pdf", MESSAGE)


def make_posters(
    published: PublishedSurvey, *, public_url: str, language: str | None = None, reminder: bool = False
) -> dict[str, bytes]:
    """Make all, by the names in :data:`FILES`: two PDF, and a text to be sent.

    Parameters
    ----------
    published : PublishedSurvey
        The signed survey, verified.
    public_url : str
        Address of the server.
    language : str, optional
        One of the survey's; its first by default. Where we have no sentences in it, they are English.
    reminder : bool
        Whether letter and text say that they are reminders, to everybody: nobody knows who has answered.

    Raises
    ------
    InputError
        If the survey does not have the language, or the font lacks a character.
    """
    typeface.load_fonts()
    frame = frame_of(published, language, public_url, reminder=reminder)
    link = survey_link(public_url, published.digest, published.organizer_key)
    chosen = published.specification.languages[0] if language is None else language
    about = published.specification.description.get(chosen, "")
    for text in (frame.title, frame.organizer, frame.contact, about):
        typeface.require_printable(text, "the survey's title, description and organizer")
    drawn: dict[str, Callable[[Sheet, LetterFrame, str, str, list[str]], None]] = {
        "poster.pdf": _draw_poster,
        "letter.pdf": _draw_letter,
    }
    facts = _facts(published.specification, frame)
    made = {}
    for name, draw in drawn.items():
        output = io.BytesIO()
        canvas = new_canvas(output, title=frame.title, author=frame.organizer, language=frame.texts.language)
        sheet = Sheet(canvas, right_to_left=frame.texts.right_to_left)
        draw(sheet, frame, about, link, facts)
        canvas.showPage()
        canvas.save()
        made[name] = output.getvalue()
    return made | {MESSAGE: _message(frame, about, link, facts).encode("utf-8")}


def _message(frame: LetterFrame, about: str, link: str, facts: list[str]) -> str:
    """The letter as a text for mail; a link of everybody's, so that opening it tells nothing."""
    texts = frame.texts
    parts = [_title(frame), _intro(frame), about, link, *facts]
    parts += [f"{texts.words_title}:\n" + "\n".join(halves(frame.words))]
    parts += [texts.poster_promise.format(k=frame.k)]
    parts += [texts.contact.format(organizer=frame.organizer, contact=frame.contact)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(frame: LetterFrame) -> str:
    form = frame.texts.reminder_title if frame.reminder else frame.texts.title
    return form.format(title=frame.title)


def _intro(frame: LetterFrame) -> str:
    return frame.texts.poster_reminder if frame.reminder else frame.texts.poster_intro


def _facts(specification: Specification, frame: LetterFrame) -> list[str]:
    """What is the same for everybody: until when, and with what one takes part."""
    texts, period = frame.texts, specification.period
    closes = None if period is None or period.closes is None else period.closes
    found = [] if closes is None else [texts.poster_closes.format(day=_moment(closes, texts.language))]
    return [*found, texts.poster_same if specification.invited is None else texts.poster_code]


def _moment(moment: str, language: str) -> str:
    """A moment in ISO 8601, as a language writes it: ``20. Dezember 2026, 18:00 UTC``."""
    value = datetime.fromisoformat(moment).astimezone(UTC)
    return f"{format_date(value, 'long', locale=language)}, {value:%H:%M} UTC"


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
    y = sheet.paragraph(_title(frame), HEIGHT - 45 * mm, font=BOLD, size=14, most=2)
    y = sheet.paragraph(_intro(frame), y - 3 * mm, size=10.5)
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
