"""Text for a page: which glyphs, in which order, and where a line ends.

Right-to-left text is put into visual order by the Unicode bidirectional algorithm, line by line, and Arabic
letters are joined by their presentation forms. That serves Arabic, Persian, Urdu and Hebrew. Scripts that
need more (Devanagari, Thai line breaks), and those that DejaVu Sans lacks (Chinese, Japanese, Korean), are
not printed: such a letter is refused, never printed with boxes.

References
----------
Unicode Standard Annex 9. DejaVu fonts 2.35, in the folder ``fonts``.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Final

from arabic_reshaper import ArabicReshaper
from bidi.algorithm import get_display
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from shared.errors import InputError

REGULAR: Final = "Letter"
BOLD: Final = "LetterBold"
MONOSPACED: Final = "LetterMono"
_FOLDER: Final = Path(__file__).parent / "fonts"
_FILES: Final = {REGULAR: "DejaVuSans", BOLD: "DejaVuSans-Bold", MONOSPACED: "DejaVuSansMono-Bold"}
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})
_UNSHAPED: Final = (
    (0x0900, 0x0DFF),  # Indian scripts
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
)
_reshaper = ArabicReshaper(configuration={"support_ligatures": True, "delete_harakat": False})


def load_fonts() -> None:
    """Make the fonts known; once is enough."""
    known = pdfmetrics.getRegisteredFontNames()
    for name, file in _FILES.items():
        if name not in known:
            pdfmetrics.registerFont(TTFont(name, str(_FOLDER / f"{file}.ttf"), shapable=False))


def to_visual(text: str, *, right_to_left: bool) -> str:
    """One line in the order in which its glyphs stand, from left to right.

    Parameters
    ----------
    text : str
        In the order in which it is read.
    right_to_left : bool
        The direction of the whole line.
    """
    if not right_to_left and not is_right_to_left(text):
        return text
    return str(get_display(_reshaper.reshape(text), base_dir="R" if right_to_left else "L"))


def is_right_to_left(text: str) -> bool:
    """Whether any of it is read from the right."""
    return any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)


def require_printable(text: str, where: str) -> None:
    """Refuse a text that the font cannot show.

    Raises
    ------
    InputError
        With the code ``input.letter-font``; it names the character.
    """
    if text.isascii():
        return
    glyphs = pdfmetrics.getFont(REGULAR).face.charToGlyph
    for character in to_visual(text, right_to_left=False):
        point = ord(character)
        if point not in glyphs or any(low <= point <= high for low, high in _UNSHAPED):
            name = unicodedata.name(character, "no name")
            raise InputError(
                f"the letters' font cannot print “{character}” (U+{point:04X}, {name})",
                where=where,
                expected="Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian or Georgian letters",
                remedy="Write it in Latin letters; or use --no-letters and print from mail-merge.csv.",
                code="input.letter-font",
            )


def text_width(text: str, font: str, size: float) -> float:
    """How wide a line in visual order is, in points."""
    return float(pdfmetrics.stringWidth(text, font, size))


def wrap(text: str, font: str, size: float, width: float, *, right_to_left: bool) -> tuple[str, ...]:
    """Lines of at most a width, in visual order; words that are longer are cut.

    Parameters
    ----------
    text : str
        A paragraph as it is read.
    font, size : str, float
        Of the lines.
    width : float
        In points.
    right_to_left : bool
        The direction of the paragraph.
    """

    def fits(words: str) -> bool:
        return text_width(to_visual(words, right_to_left=right_to_left), font, size) <= width

    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        if line and fits(f"{line} {rest}"):
            line = f"{line} {rest}"
            continue
        if line:
            lines.append(line)
        while not fits(rest) and len(rest) > 1:
            cut = next(end for end in range(len(rest) - 1, 0, -1) if end == 1 or fits(rest[:end]))
            lines.append(rest[:cut])
            rest = rest[cut:]
        line = rest
    lines.append(line)
    return tuple(to_visual(line, right_to_left=right_to_left) for line in lines)
