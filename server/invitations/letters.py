"""The letters: one page A4 a person, with the address where the window of an envelope is.

What everybody's letter says is drawn once and referred to, so that ten thousand letters are a small file.
QR codes are drawn as areas, not as pictures: no program smooths them.

References
----------
DIN 5008, form B: address field 45 mm below the upper edge, 20 mm from the left, 85 mm wide, 45 mm high.
ISO/IEC 18004 (QR codes): a margin of four modules.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import segno
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from server.invitations import typeface
from server.invitations.texts import LetterTexts
from server.invitations.typeface import BOLD, MONOSPACED, REGULAR
from server.progress import Progress
from shared.invitation_code import InvitationCode

_WIDTH, _HEIGHT = A4
_LEFT: Final = 25 * mm
_RIGHT: Final = _WIDTH - 20 * mm
_WINDOW_LEFT: Final = 25 * mm
_WINDOW_TOP: Final = _HEIGHT - 63 * mm
_WINDOW_WIDTH: Final = 78 * mm
_LINK_SIDE: Final = 58 * mm
_CODE_SIDE: Final = 24 * mm
_QUIET_MODULES: Final = 4
_SENDER_SIZE: Final = 7.0
_SHARED: Final = "what-everybody-gets"


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterFrame:
    """What stands on every letter of a survey.

    Attributes
    ----------
    texts : LetterTexts
        The sentences.
    title, organizer, contact : str
        Of the survey, in the letter's language.
    address : str
        The survey's address without anything secret, to be typed.
    words : str
        Words of the survey's digest.
    k : int
        Fewest answers that protect.
    reminder : bool
        Whether this is the second letter.
    """

    texts: LetterTexts
    title: str
    organizer: str
    contact: str
    address: str
    words: str
    k: int
    reminder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One person's letter."""

    lines: tuple[str, ...] = field(repr=False)
    code: InvitationCode
    link: str = field(repr=False)
    place: str


def require_printable(frame: LetterFrame, letters: Iterable[Letter]) -> None:
    """Refuse, before anything is made, letters with characters that the font lacks.

    Raises
    ------
    InputError
        With the code ``input.letter-font``.
    """
    typeface.load_fonts()
    for text in (frame.title, frame.organizer, frame.contact):
        typeface.require_printable(text, "the survey's title and organizer")
    for letter in letters:
        for line in letter.lines:
            typeface.require_printable(line, letter.place)


def render_letters(
    frame: LetterFrame, letters: tuple[Letter, ...], progress: Progress | None = None
) -> bytes:
    """All letters as one PDF.

    Parameters
    ----------
    frame : LetterFrame
        What stands on every letter.
    letters : tuple of Letter
        In the order of the list.
    progress : callable, optional
        Called with the letters that are done and their number.

    Notes
    -----
    About 15 ms and 5 kB a letter; nearly all of the time is the QR code of the link. The file holds no date.
    """
    typeface.load_fonts()
    output = io.BytesIO()
    canvas = Canvas(output, pagesize=A4, pageCompression=1, invariant=1, lang="")
    canvas.setTitle(frame.title)
    canvas.setAuthor(frame.organizer)
    page = _Page(canvas, frame)
    page.draw_shared()
    for done, letter in enumerate(letters, 1):
        page.draw(letter)
        if progress is not None:
            progress(done, len(letters))
    canvas.save()
    return output.getvalue()


class _Page:
    """Draws on the page; `y` are distances from the lower edge, in points."""

    def __init__(self, canvas: Any, frame: LetterFrame) -> None:
        self._canvas = canvas
        self._frame = frame
        self._rtl = frame.texts.right_to_left
        self._code_y = 0.0
        self._link_y = 0.0

    def draw_shared(self) -> None:
        """Everything but address, code and QR codes."""
        frame, texts, canvas = self._frame, self._frame.texts, self._canvas
        canvas.beginForm(_SHARED)
        canvas.setFillGray(0.35)
        self._sender()
        canvas.setFillGray(0)
        canvas.setLineWidth(0.4)
        canvas.line(5 * mm, _HEIGHT - 105 * mm, 10 * mm, _HEIGHT - 105 * mm)  # where to fold
        y = _HEIGHT - 108 * mm
        title = (texts.reminder_title if frame.reminder else texts.title).format(title=frame.title)
        y = self._paragraph(title, y, font=BOLD, size=14, most=2)
        y = self._paragraph(texts.reminder if frame.reminder else texts.intro, y - 2 * mm, size=10.5)
        self._link_y = y - 3 * mm
        beside = _LINK_SIDE + 5 * mm
        y = self._paragraph(texts.scan_title, self._link_y - 6 * mm, font=BOLD, before=beside)
        y = self._paragraph(texts.scan, y, before=beside)
        y = self._paragraph(texts.type_title, y - 3 * mm, font=BOLD, before=beside)
        size = _fitting(frame.address, 10.0, _RIGHT - _LEFT - beside, least=6.5)  # in one piece, to be typed
        y = self._paragraph(texts.type_it.format(address=frame.address), y, before=beside, size=size)
        y = min(y, self._link_y - _LINK_SIDE) - 1 * mm
        self._code_y = y
        self._paragraph(texts.code_title, y - 4 * mm, font=BOLD, after=_CODE_SIDE)
        y = y - _CODE_SIDE - 3 * mm
        y = self._paragraph(texts.words_title, y, font=BOLD)
        y = self._paragraph(texts.words, y)
        for words in _halves(frame.words):
            canvas.setFont(MONOSPACED, 10)
            self._put(words, y, MONOSPACED, 10)
            y -= 5 * mm
        y = self._paragraph(texts.keep, y - 2 * mm, font=BOLD, size=9.5)
        y = self._paragraph(texts.promise.format(k=frame.k), y - 1 * mm, size=9)
        contact = texts.contact.format(organizer=frame.organizer, contact=frame.contact)
        self._paragraph(contact, y - 1 * mm, size=9, most=3)
        canvas.endForm()

    def draw(self, letter: Letter) -> None:
        """One letter."""
        canvas = self._canvas
        canvas.doForm(_SHARED)
        self._window(letter.lines)
        link_x = _RIGHT - _LINK_SIDE if self._rtl else _LEFT
        self._qr(letter.link, link_x, self._link_y - _LINK_SIDE, _LINK_SIDE)
        code_x = _LEFT if self._rtl else _RIGHT - _CODE_SIDE
        self._qr(letter.code.symbols, code_x, self._code_y - _CODE_SIDE, _CODE_SIDE)
        canvas.setFont(MONOSPACED, 15)
        self._put(letter.code.text, self._code_y - 13 * mm, MONOSPACED, 15)
        canvas.showPage()

    def _sender(self) -> None:
        """The organizer, small above the window, so that a letter that does not arrive comes back."""
        name = self._frame.organizer
        while typeface.text_width(name, REGULAR, _SENDER_SIZE) > _WINDOW_WIDTH:
            name = name.removesuffix("…")[:-1].rstrip() + "…"
        self._canvas.setFont(REGULAR, _SENDER_SIZE)
        text = typeface.to_visual(name, right_to_left=False)
        self._canvas.drawString(_WINDOW_LEFT, _HEIGHT - 55 * mm, text)

    def _window(self, lines: tuple[str, ...]) -> None:
        """The address; lines that are too long get smaller letters, then go on in the next line."""
        size = 10.5
        while size > 8 and any(typeface.text_width(line, REGULAR, size) > _WINDOW_WIDTH for line in lines):
            size -= 0.5
        if size <= 8:
            size = 9.0
            found = [
                part
                for line in lines
                for part in typeface.wrap(line, REGULAR, size, _WINDOW_WIDTH, right_to_left=False)
            ]
        else:
            found = [typeface.to_visual(line, right_to_left=False) for line in lines]
        self._canvas.setFont(REGULAR, size)
        step = min(4.6 * mm, 27 * mm / max(1, len(found)))
        for number, line in enumerate(found):
            x = _WINDOW_LEFT
            if self._rtl:
                x += _WINDOW_WIDTH - typeface.text_width(line, REGULAR, size)
            self._canvas.drawString(x, _WINDOW_TOP - number * step, line)

    def _paragraph(
        self,
        text: str,
        y: float,
        *,
        font: str = REGULAR,
        size: float = 10.0,
        before: float = 0.0,
        after: float = 0.0,
        most: int = 12,
    ) -> float:
        """Lines from `y` downwards, `before` left free where they begin; returns where the next may begin."""
        width = _RIGHT - _LEFT - before - after
        lines = typeface.wrap(text, font, size, width, right_to_left=self._rtl)
        if len(lines) > most and size > 5:
            return self._paragraph(text, y, font=font, size=size - 1, before=before, after=after, most=most)
        self._canvas.setFont(font, size)
        for line in lines:
            self._put(line, y, font, size, before)
            y -= 1.35 * size
        return y

    def _put(self, text: str, y: float, font: str, size: float, before: float = 0.0) -> None:
        if self._rtl:
            x = _RIGHT - before - typeface.text_width(text, font, size)
        else:
            x = _LEFT + before
        self._canvas.drawString(x, y, text)

    def _qr(self, text: str, x: float, y: float, side: float) -> None:
        rows = segno.make(text, error="m", micro=False).matrix
        module = side / (len(rows) + 2 * _QUIET_MODULES)
        path = self._canvas.beginPath()
        top = y + side - _QUIET_MODULES * module
        for number, row in enumerate(rows):
            for start, length in _runs(row):
                path.rect(
                    x + (start + _QUIET_MODULES) * module,
                    top - (number + 1) * module,
                    length * module,
                    module,
                )
        self._canvas.drawPath(path, stroke=0, fill=1)


def _fitting(text: str, size: float, width: float, *, least: float) -> float:
    """The largest size, not above the one given, in which a text fits into a width; at least `least`."""
    while size > least and typeface.text_width(text, REGULAR, size) > width:
        size -= 0.5
    return size


def _runs(row: bytes | bytearray) -> Iterable[tuple[int, int]]:
    """Start and length of each dark stretch."""
    start = None
    for x, dark in enumerate([*row, 0]):
        if dark and start is None:
            start = x
        elif not dark and start is not None:
            yield start, x - start
            start = None


def _halves(words: str) -> tuple[str, str]:
    parts = words.split("-")
    middle = len(parts) // 2
    return "-".join(parts[:middle]), "-".join(parts[middle:])
