"""Texts that no spreadsheet takes for a formula, whatever it splits lines at.

A respondent is a stranger to the analyst, and an analyst opens the table in a spreadsheet. Quotation marks do
not help there: a spreadsheet that splits at semicolons (every German one) sees a quoted field of this file in
pieces, and ``a;=1+1`` then has a cell that begins with ``=``.
"""

from __future__ import annotations

import re
from typing import Final

# After the beginning or a place where some spreadsheet splits, over blanks and quotation marks, to the sign.
# Not over another such place: the apostrophe stands after the last, and the search is linear in the text.
_FORMULA: Final = re.compile(
    r"""(?:\A|(?<=[;|\t\n\r]))(?=(?:[^\S\t\n\r]|")*[=+\-@\uff1d\uff0b\uff0d\uff20])"""
)
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def formula_safe(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet would begin a formula; plain numbers stay."""
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub("'", text)
