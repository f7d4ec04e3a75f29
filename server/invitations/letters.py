"""The letters: one page A4 a person, with the address where the window of an envelope is.

What everybody's letter says is drawn once and referred to, so that ten thousand letters are a small file.

References
----------
DIN 5008, form B: address field 45 mm below the upper edge, 20 mm from the left, 85 mm wide, 45 mm high.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from reportlab.lib.units import mm

from server.invitations import typeface
from server.invitations.sheet import HEIGHT, LEFT, RIGHT, Sheet, fitting, halves, new_canvas
from server.invitations.texts import LetterTexts
from server.invitations.typeface import BOLD, MONOSPACED, REGULAR
from server.progress import Progress
from shared.invitation_code import InvitationCode

_WINDOW_LEFT: Final = 25 * mm
_WINDOW_TOP: Final = HEIGHT - 63 * mm
_WINDOW_WIDTH: Final = 78 * mm
_LINK_SIDE: Final = 58 * mm
_CODE_SIDE: Final = 24 * mm
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
    """One person's letter; of an election with the group that the roll has her in."""

    lines: tuple[str, ...] = field(repr=False)
    code: InvitationCode
    link: str = field(repr=False)
    place: str
    group: int | None = None


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
    About 4 ms and 5 kB a letter, most of it for the QR code of the link. The file holds no date.
    """
    typeface.load_fonts()
    output = io.BytesIO()
    canvas = new_canvas(output, title=frame.title, author=frame.organizer, language=frame.texts.language)
    page = _Page(canvas, frame)
    page.draw_shared()
    for done, letter in enumerate(letters, 1):
        page.draw(letter)
        if progress is not None:
            progress(done, len(letters))
    canvas.save()
    return output.getvalue()


class _Page(Sheet):
    """Draws letters."""

    def __init__(self, canvas: Any, frame: LetterFrame) -> None:
        super().__init__(canvas, right_to_left=frame.texts.right_to_left)
        self._frame = frame
        self._code_y = 0.0
        self._link_y = 0.0

    def draw_shared(self) -> None:
        """Everything but address, code and QR codes."""
        frame, texts, canvas = self._frame, self._frame.texts, self.canvas
        canvas.beginForm(_SHARED)
        canvas.setFillGray(0.35)
        self._sender()
        canvas.setFillGray(0)
        canvas.setLineWidth(0.4)
        canvas.line(5 * mm, HEIGHT - 105 * mm, 10 * mm, HEIGHT - 105 * mm)  # where to fold
        y = HEIGHT - 108 * mm
        title = (texts.reminder_title if frame.reminder else texts.title).format(title=frame.title)
        y = self.paragraph(title, y, font=BOLD, size=14, most=2)
        y = self.paragraph(texts.reminder if frame.reminder else texts.intro, y - 2 * mm, size=10.5)
        self._link_y = y - 3 * mm
        beside = _LINK_SIDE + 5 * mm
        y = self.paragraph(texts.scan_title, self._link_y - 6 * mm, font=BOLD, before=beside)
        y = self.paragraph(texts.scan, y, before=beside)
        y = self.paragraph(texts.type_title, y - 3 * mm, font=BOLD, before=beside)
        size = fitting(frame.address, 10.0, RIGHT - LEFT - beside, least=6.5)  # in one piece, to be typed
        y = self.paragraph(texts.type_it.format(address=frame.address), y, before=beside, size=size)
        y = min(y, self._link_y - _LINK_SIDE) - 1 * mm
        self._code_y = y
        self.paragraph(texts.code_title, y - 4 * mm, font=BOLD, after=_CODE_SIDE)
        y = y - _CODE_SIDE - 3 * mm
        y = self.paragraph(texts.words_title, y, font=BOLD)
        y = self.paragraph(texts.words, y)
        for words in halves(frame.words):
            canvas.setFont(MONOSPACED, 10)
            self.put(words, y, MONOSPACED, 10)
            y -= 5 * mm
        y = self.paragraph(texts.keep, y - 2 * mm, font=BOLD, size=9.5)
        y = self.paragraph(texts.promise.format(k=frame.k), y - 1 * mm, size=9)
        contact = texts.contact.format(organizer=frame.organizer, contact=frame.contact)
        self.paragraph(contact, y - 1 * mm, size=9, most=3)
        canvas.endForm()

    def draw(self, letter: Letter) -> None:
        """One letter."""
        canvas = self.canvas
        canvas.doForm(_SHARED)
        self._window(letter.lines)
        link_x = RIGHT - _LINK_SIDE if self.right_to_left else LEFT
        self.qr(letter.link, link_x, self._link_y - _LINK_SIDE, _LINK_SIDE)
        code_x = LEFT if self.right_to_left else RIGHT - _CODE_SIDE
        self.qr(letter.code.symbols, code_x, self._code_y - _CODE_SIDE, _CODE_SIDE)
        canvas.setFont(MONOSPACED, 15)
        self.put(letter.code.text, self._code_y - 13 * mm, MONOSPACED, 15)
        if letter.group is not None:
            text = self._frame.texts.group.format(group=letter.group)
            self.paragraph(text, self._code_y - 20 * mm, after=_CODE_SIDE)
        canvas.showPage()

    def _sender(self) -> None:
        """The organizer, small above the window, so that a letter that does not arrive comes back."""
        name = self._frame.organizer
        while typeface.text_width(name, REGULAR, _SENDER_SIZE) > _WINDOW_WIDTH:
            name = name.removesuffix("…")[:-1].rstrip() + "…"
        self.canvas.setFont(REGULAR, _SENDER_SIZE)
        text = typeface.to_visual(name, right_to_left=False)
        self.canvas.drawString(_WINDOW_LEFT, HEIGHT - 55 * mm, text)

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
        self.canvas.setFont(REGULAR, size)
        step = min(4.6 * mm, 27 * mm / max(1, len(found)))
        for number, line in enumerate(found):
            x = _WINDOW_LEFT
            if self.right_to_left:
                x += _WINDOW_WIDTH - typeface.text_width(line, REGULAR, size)
            self.canvas.drawString(x, _WINDOW_TOP - number * step, line)
