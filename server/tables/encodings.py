"""Which encoding bytes that are no UTF-8 are in, guessed from the words that they spell.

Under a wrong encoding letters of one language turn into signs, capitals inside words and letters of several
languages. The encoding wins under which one language spells most of the words.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final

_WESTERN: Final = (
    "äöüß",
    "àâæçéèêëîïôœùûüÿ",
    "áéíñóúü",
    "áàâãçéêíóôõúü",
    "àèéìíòóùú",
    "æøåéä",
    "åäöéšž",
    "áðéíóúýþæö",
)
_CENTRAL: Final = (
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýžö",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöőúüű",
    "čćđšž",
    "ăâîşţșț",
    "äöüß",
)
_CYRILLIC: Final = (
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "абвгдђежзијклљмнњопрстћуфхцчџш",
)
_ALPHABETS: Final = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC[:1],
    "cp1253": ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",),
    "cp1254": ("çğıi\u0307öşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "cp850": _WESTERN,
    "mac_roman": _WESTERN,
    "cp866": _CYRILLIC[:1],
    "koi8_u": _CYRILLIC[1:2],
    "iso8859_2": _CENTRAL,
    "cp852": _CENTRAL,
    "cp1256": ("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي",),
    "cp874": ("".join(map(chr, range(0x0E01, 0x0E5C))),),
}
_ASIAN: Final = ("cp932", "euc_jp", "euc_kr", "gb18030", "big5")
_WORD: Final = re.compile(rb"[A-Za-z'\x80-\xff]*[\x80-\xff][A-Za-z'\x80-\xff]*")
_MOST_WORDS: Final = 2_000
_SAMPLE: Final = 1 << 22
"""Bytes of lines beyond ASCII by which is guessed."""
_EAST: Final = 0.95
"""Share of the signs beyond ASCII that must be Japanese, Chinese or Korean."""


def guessed_encoding(data: bytes) -> str:
    """Name of the encoding.

    Parameters
    ----------
    data : bytes
        Not valid UTF-8.

    Notes
    -----
    In doubt Windows-1252, or Latin-1 where bytes are none of it, as most files are; the caller shows what was
    chosen.
    """
    # No encoding here has a line end within a sign, so that lines of ASCII alone say nothing.
    data = b"".join(line for line in BytesIO(data) if not line.isascii())
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1] or data
    for name in _ASIAN:
        if _is_asian(sample, name) and _decodes(data, name):
            return name
    words = list(dict.fromkeys(_WORD.findall(sample)))[:_MOST_WORDS]
    western = _plain(data)
    best, most = western, _spelled(words, western, _WESTERN)
    for name, alphabets in _ALPHABETS.items():
        score = _spelled(words, name, alphabets)
        if score > most and _decodes(data, name):
            best, most = name, score
    return best


def _plain(data: bytes) -> str:
    """Windows-1252 if there are bytes that Latin-1 leaves to control characters, else Latin-1."""
    return "cp1252" if re.search(rb"[\x80-\x9f]", data) and _decodes(data, "cp1252") else "latin-1"


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _spelled(words: list[bytes], name: str, alphabets: tuple[str, ...]) -> int:
    """Most words that one of the languages spells, all letters in plausible case."""
    texts = [word.decode(name, errors="replace") for word in words]
    plausible = [
        text
        for text in texts
        if len(text) > 1 and (text[1:].islower() or text.isupper() or text.lower() == text.upper())
    ]
    letters = [{letter for letter in text.lower() if ord(letter) > 127} for text in plausible]
    # A script of its own has no Latin letters beside it in a word.
    mixed = [bool(re.search("[A-Za-z]", text)) for text in plausible]
    return max(
        sum(
            found <= set(alphabet) and not (latin and alphabet[0] in "абα")
            for found, latin in zip(letters, mixed, strict=True)
        )
        for alphabet in alphabets
    )


def _is_asian(data: bytes, name: str) -> bool:
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        return False
    beyond = [ord(sign) for sign in text if ord(sign) > 127]
    if 10 * len(re.findall(r"[A-Za-z][^\x00-\x7f]", text)) > len(beyond):
        return False  # European words, whose single letters swallow their neighbours
    kana = sum(0x3040 <= sign <= 0x30FF for sign in beyond)
    hangul = sum(0xAC00 <= sign <= 0xD7A3 for sign in beyond)
    han = sum(0x4E00 <= sign <= 0x9FFF for sign in beyond)
    full = sum(0x3000 <= sign <= 0x303F or 0xFF01 <= sign <= 0xFF5E for sign in beyond)
    east = _EAST * len(beyond)
    if name in ("cp932", "euc_jp"):
        # Leads below 0xA0 are Shift-JIS alone; without them only kana tell Japanese from Chinese.
        own = name == "cp932" and len(re.findall(rb"[\x88-\x98][\x40-\xfc]", data)) * 2 > han > 0
        return kana + han + full >= east and (kana * 10 > len(beyond) or own)
    if name == "euc_kr":
        return hangul + full >= 0.8 * len(beyond)
    usual = rb"[\xb0-\xd7][\xa1-\xfe]" if name == "gb18030" else rb"[\xa4-\xc6][\x40-\xfe]"
    return han + full >= east and len(re.findall(usual, data)) * 10 >= han * 8
