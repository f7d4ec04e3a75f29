"""Texts of a questionnaire, in every language of its survey."""

from __future__ import annotations

from typing import Any

from shared.fields import Fields

Localized = dict[str, str]


def localized(fields: Fields, name: str, languages: tuple[str, ...], default: str = "") -> Localized:
    """A text, or one per language; absent means the default."""
    if name not in fields:
        return dict.fromkeys(languages, default)
    if isinstance(fields.raw(name), str):
        return dict.fromkeys(languages, fields.text(name, empty=True))
    return fields.localized(name, languages, empty=True)


def in_language(value: Any, language: str) -> Any:
    """Replace every text per language by the text in one, dropping empty ones."""
    if isinstance(value, list):
        return [in_language(item, language) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if isinstance(item, dict) and language in item:
            if item[language]:
                result[key] = item[language]
        else:
            result[key] = in_language(item, language)
    return result
