"""survey.toml written by a program: the same layout for the same contents, and every key is kept."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def format_survey(document: Mapping[str, Any]) -> str:
    """A survey.toml with these contents.

    Parameters
    ----------
    document : mapping
        Texts, whole numbers, truth values, moments, lists and tables; decimals are texts.

    Notes
    -----
    Guarantee: :func:`parse_survey` gives the document back, except for None, which is left out.
    """
    plain, sections = [], []
    for key, value in document.items():
        if isinstance(value, Mapping):
            sections += [f"[{_key(key)}]", *_lines(value), ""]
        elif _is_tables(value):
            for entry in value:
                sections += [f"[[{_key(key)}]]", *_lines(entry), ""]
        elif value is not None:
            plain.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*plain, "", *sections]).strip("\n") + "\n"


def parse_survey(text: str) -> dict[str, Any]:
    """The contents of a survey.toml, decimals as the texts that stand there.

    Raises
    ------
    tomllib.TOMLDecodeError
        If it is no TOML.
    """
    return tomllib.loads(text, parse_float=str)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        if _is_tables(list(value)):
            return "[\n" + "".join(f"  {_value(item)},\n" for item in value) + "]"
        return f"[{', '.join(_value(item) for item in value)}]"
    raise TypeError(f"{type(value).__name__} cannot stand in a survey.toml")


def toml_text(text: str) -> str:
    """A text as TOML writes it."""
    # A JSON string is a TOML basic string but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
