"""Column names on the command line: lists, and what is assigned to a name."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from shared.errors import InputError


def listed(text: str) -> tuple[str, ...]:
    """Names with commas between; a name with a comma stands in double quotes.

    Raises
    ------
    InputError
        For an empty name or a quote that never closes.
    """
    if not text.strip():
        return ()
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], strict=True, skipinitialspace=True)))
    except csv.Error:
        raise InputError(f"a quote in {text!r} never closes", expected="names with commas between") from None
    if "" in names:
        raise InputError(f"{text!r} holds an empty name", expected="names with single commas between")
    return names


def assigned(texts: Sequence[str], option: str, *, alone: bool = False) -> dict[str, str]:
    """``NAME=VALUE`` as a mapping, split at the first equals sign.

    Parameters
    ----------
    texts : sequence of str
        As often as the option was given.
    option : str
        For messages.
    alone : bool
        Whether ``NAME`` may stand alone; its value is empty then.

    Raises
    ------
    InputError
        For a name given twice, or without a value.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or (not value and (equals or not alone)):
            raise InputError(f"{text!r} assigns nothing to a column", where=option, expected="NAME=...")
        if name in found:
            raise InputError(f"{name!r} is given twice", where=option)
        found[name] = value
    return found
