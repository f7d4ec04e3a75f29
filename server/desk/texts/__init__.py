"""The desk's words, one file a language; every language has every key (tested)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final = ("en", "de")


@cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language by their keys."""
    found: dict[str, str] = json.loads((Path(__file__).parent / f"{language}.json").read_text("utf-8"))
    return found


def say(language: str, key: str, **values: object) -> str:
    """One text, with values in its places."""
    return texts(language)[key].format(**values) if values else texts(language)[key]
