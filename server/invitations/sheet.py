"""A page A4 of text and QR codes, from the left or from the right.

QR codes are drawn as areas, not as pictures: no program smooths them.

References
----------
ISO/IEC 18004 (QR codes): a margin of four modules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import segno
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from server.invitations import typeface
from server.invitations.typeface import REGULAR

WIDTH, HEIGHT = A4
LEFT: Final = 25 * mm
RIGHT: Final = WIDTH - 20 * mm
_QUIET_MODULES: Final = 4
_MASK: Final = 2
"""Finding the best of eight masks takes four fifths of a code's time, and readers take each. The standard's
choice avoids large areas of one colour, which links and codes, full of random symbols, do not have."""


def new_canvas(output: Any, *, title: str, author: str, language: str) -> Any:
    """An empty document with title and language, which readers aloud and their listeners need."""
    canvas = Canvas(output, pagesize=A4, pageCompression=1, invariant=1, lang=language)
    canvas.setTitle(title)
    canvas.setAuthor(author)
    canvas.setViewerPreference("DisplayDocTitle", "true")
    return canvas


class Sheet:
    """Draws on a page; `y` are distances from the lower edge, in points."""

    def __init__(self, canvas: Any, *, right_to_left: bool) -> None:
        self.canvas, self.right_to_left = canvas, right_to_left

    def paragraph(
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
        width = RIGHT - LEFT - before - after
        lines = typeface.wrap(text, font, size, width, right_to_left=self.right_to_left)
        if len(lines) > most and size > 5:
            return self.paragraph(text, y, font=font, size=size - 1, before=before, after=after, most=most)
        self.canvas.setFont(font, size)
        for line in lines:
            self.put(line, y, font, size, before)
            y -= 1.35 * size
        return y

    def put(self, text: str, y: float, font: str, size: float, before: float = 0.0) -> None:
        """One line in visual order, in the font that is set."""
        if self.right_to_left:
            x = RIGHT - before - typeface.text_width(text, font, size)
        else:
            x = LEFT + before
        self.canvas.drawString(x, y, text)

    def qr(self, text: str, x: float, y: float, side: float) -> None:
        """A QR code with its margin in a square whose lower left corner is given."""
        rows = segno.make(text, error="m", micro=False, mask=_MASK).matrix
        module = side / (len(rows) + 2 * _QUIET_MODULES)
        self.canvas.saveState()
        self.canvas.translate(x + _QUIET_MODULES * module, y + side - _QUIET_MODULES * module)
        self.canvas.scale(module, module)
        # As PDF operators (ISO 32000-1, tables 59 and 60): the library's own paths take longer than the code.
        areas = [
            f"{start} {-number} {length} 1 re"
            for number, row in enumerate(rows, 1)
            for start, length in _runs(row)
        ]
        self.canvas.addLiteral(" ".join([*areas, "f"]))
        self.canvas.restoreState()


def fitting(text: str, size: float, width: float, *, least: float) -> float:
    """The largest size, not above the one given, in which a text fits into a width; at least `least`."""
    while size > least and typeface.text_width(text, REGULAR, size) > width:
        size -= 0.5
    return size


def halves(words: str) -> tuple[str, str]:
    """The words of a digest in two lines."""
    parts = words.split("-")
    middle = len(parts) // 2
    return "-".join(parts[:middle]), "-".join(parts[middle:])


def _runs(row: bytes | bytearray) -> Iterable[tuple[int, int]]:
    """Start and length of each dark stretch."""
    start = None
    for x, dark in enumerate([*row, 0]):
        if dark and start is None:
            start = x
        elif not dark and start is not None:
            yield start, x - start
            start = None
