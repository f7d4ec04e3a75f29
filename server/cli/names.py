"""Lists of column names on the command line."""

from __future__ import annotations

import csv

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
