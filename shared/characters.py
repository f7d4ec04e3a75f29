"""Which characters a text may hold: in values, in texts that people read, in what a respondent writes.

What nobody sees can carry what nobody is told: 400 zero-width spaces in the value of one choice made its
answers longer, and their length readable. So names and values hold only what is seen, and texts that people
read at most the joiners that their script needs.

References
----------
The Unicode Standard, chapter 4 (general categories) and DerivedCoreProperties.txt
(Default_Ignorable_Code_Point). RFC 5892, appendix A.1 and A.2, for the places of joiners.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE_END: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_NOT_WRITTEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSEEN_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
# Ignored by rendering, or drawn as nothing, although their category is a letter's, a mark's or a symbol's.
_UNSEEN: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
)
_JOINER: Final = "\u200d"
_JOINERS: Final = "\u200c" + _JOINER
_JOINING_SCRIPTS: Final = (
    "ARABIC ",
    "SYRIAC ",
    "MONGOLIAN ",
    "NKO ",
    "MANDAIC ",
    "ADLAM ",
    "HANIFI ROHINGYA ",
)
_VIRAMA: Final = 9


def clean_value(text: str) -> bool:
    """Whether a name or a value holds only what is seen: no control, format, private or ignored character.

    Notes
    -----
    Unassigned characters are those of the Unicode version of the Python that asks.
    """
    return "\n" not in text and "\t" not in text and clean_text(text) and not any(j in text for j in _JOINERS)


def clean_text(text: str) -> bool:
    """Whether a text that people read holds only what they see.

    Line feeds and tabs are allowed, and a zero-width joiner or non-joiner where a script needs it: after a
    virama, or between two letters of a script whose letters join.
    """
    if _CONTROL.search(text) is not None:
        return False
    if text.isascii():
        return True
    unseen = {c for c in set(text) - {"\n", "\t"} if _is_unseen(c)}
    if not unseen <= set(_JOINERS):
        return False
    return not unseen or all(_joins(text, i) for i, c in enumerate(text) if c in unseen)


def looks(text: str) -> str:
    """What is seen of a text: equal for two that cannot be told apart in print.

    Composed letters are as decomposed ones (NFC), any blanks are one blank, and joiners nothing, which mostly
    change nothing. Letters of several scripts that look alike, such as Latin and Cyrillic a, stay apart.
    """
    return " ".join(unicodedata.normalize("NFC", text).replace(_JOINER, "").split())


def normalized(text: str) -> str:
    """What somebody wrote, with one kind of line end, the line feed, and blanks for tabs.

    A carriage return means a new line to one reader of CSV and nothing to another; a tab is where some
    spreadsheets split.
    """
    return _LINE_END.sub("\n", text).replace("\t", " ")


def writable(text: str) -> bool:
    """Whether an answer of :func:`normalized` free text is free of control characters and half characters.

    Everything else is the writer's: more is asked of what an organizer shows than of what people write.
    """
    return _NOT_WRITTEN.search(text) is None


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN_CATEGORIES or ord(character) in _UNSEEN


def _joins(text: str, place: int) -> bool:
    """Whether the joiner at a place is where a script needs one."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if before and unicodedata.combining(before) == _VIRAMA:
        return True
    return _is_joining(before) and _is_joining(after)


def _is_joining(character: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith(_JOINING_SCRIPTS)
