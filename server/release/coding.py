"""How a released column appears where values are numbers with labels: in SPSS and Stata.

Categories become 1, 2, ... in their order, no and yes 0 and 1, and a question that was not answered a code of
its own, which is declared missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from server.release.columns import TableColumn

NOT_ANSWERED: Final = "not answered"
_LONGEST_NAME: Final = 32
"""Characters that Stata allows; SPSS allows twice as many."""
_RESERVED: Final = {
    "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with",
    "byte", "double", "float", "if", "in", "int", "long", "strl", "using",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A column as numbers with labels, or as text.

    Attributes
    ----------
    name : str
        ASCII letters, digits and underscores, at most 32.
    codes : mapping of str to int
        Value -> its code; empty if values are numbers or texts themselves.
    labels : mapping of int to str
        Code -> what it means.
    is_text : bool
        Whether values are texts.
    missing : int or None
        Code of who did not answer; None where nobody can skip, and for texts.
    """

    name: str
    codes: dict[str, int]
    labels: dict[int, str]
    is_text: bool
    missing: int | None


def codings(columns: Iterable[TableColumn]) -> tuple[Coding, ...]:
    """The coding of each column; names are distinct whatever their case."""
    taken: set[str] = set()
    result = []
    for column in columns:
        name = _distinct(_plain(column.name), taken)
        taken.add(name.lower())
        values = column.categories or column.labels
        first = 0 if column.labels else 1
        codes = {value: code for code, (value, _) in enumerate(values, first)}
        labels = {code: label for code, (_, label) in enumerate(values, first)}
        is_text = column.type in ("string", "date") and not column.categories
        skippable = column.question and column.can_be_missing and not is_text
        missing = _below(Fraction(column.minimum or 0)) if skippable else None
        result.append(Coding(name=name, codes=codes, labels=labels, is_text=is_text, missing=missing))
    return tuple(result)


def _plain(name: str) -> str:
    """The name in letters, digits and underscores of ASCII, beginning with a letter."""
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", ascii_only).strip("_")[:_LONGEST_NAME]
    if not plain or not plain[0].isalpha() or plain.lower() in _RESERVED or re.fullmatch(r"str\d+", plain):
        plain = f"v_{plain}"[:_LONGEST_NAME]
    return plain


def _distinct(name: str, taken: set[str]) -> str:
    number, made = 2, name
    while made.lower() in taken:
        ending = f"_{number}"
        made, number = name[: _LONGEST_NAME - len(ending)] + ending, number + 1
    return made


def _below(minimum: Fraction) -> int:
    """The first of -9, -99, -999 ... below a minimum."""
    code = -9
    while code >= minimum:
        code = code * 10 - 9
    return code
