"""Languages that a form calls by their names."""

from __future__ import annotations

import re
from typing import Final

from shared.fields import is_language

UNKNOWN: Final = "und"
"""The tag of a language that is not known (BCP 47)."""
_NAMES: Final = {
    "arabic": "ar", "bengali": "bn", "chinese": "zh", "dari": "prs", "deutsch": "de", "dutch": "nl",
    "english": "en", "español": "es", "farsi": "fa", "français": "fr", "french": "fr", "german": "de",
    "hindi": "hi", "indonesian": "id", "italian": "it", "italiano": "it", "kurdish": "ku", "nepali": "ne",
    "pashto": "ps", "persian": "fa", "polish": "pl", "portuguese": "pt", "português": "pt", "russian": "ru",
    "somali": "so", "spanish": "es", "swahili": "sw", "tamil": "ta", "turkish": "tr", "ukrainian": "uk",
    "urdu": "ur", "vietnamese": "vi",
}  # fmt: skip


def code_of(language: str) -> str:
    """The tag of a language such as ``English (en)``, ``en`` or ``English``; ``und`` if it is not known."""
    tag = re.search(r"\(([A-Za-z-]+)\)\s*$", language)
    word = (tag[1] if tag else language).strip()
    known = _NAMES.get(word.lower())
    if known is not None:
        return known
    return word if is_language(word) and len(word.partition("-")[0]) <= 3 else UNKNOWN
