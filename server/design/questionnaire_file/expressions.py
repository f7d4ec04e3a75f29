"""Conditions of XLSForm and LimeSurvey in the words of SurveyJS, as far as they mean the same.

Nothing is understood here: names, values and operators are spelled anew, and :mod:`shared.conditions` judges
the result, with every function that has no spelling left as it stands, to be refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from shared.decimals import format_decimal
from shared.questions.choices import OTHER

_TEXT: Final = r"'[^']*'|\"[^\"]*\""
_XLSFORM: Final[tuple[tuple[str, str], ...]] = (
    (r"\bstring-length\(\s*\{([^}]*)\}\s*\)\s*(?:>\s*0|>=\s*1|!=\s*0)", r"{\1} notempty"),
    (r"\bcount-selected\(\s*\{([^}]*)\}\s*\)\s*(?:>\s*0|>=\s*1|!=\s*0)", r"{\1} notempty"),
    (r"\bcount-selected\(\s*\{([^}]*)\}\s*\)\s*=\s*0", r"{\1} empty"),
    (r"\{([^}]*)\}\s*!=\s*(?:''|\"\")", r"{\1} notempty"),
    (r"\{([^}]*)\}\s*=\s*(?:''|\"\")", r"{\1} empty"),
    (r"\bnot\s*\(", "!("),
    (r"\bAND\b", "and"),
    (r"\bOR\b", "or"),
)
_LIMESURVEY: Final[tuple[tuple[str, str], ...]] = (
    (r"!\s*is_empty\(\s*(\w+)(?:\.NAOK)?\s*\)", r"{\1} notempty"),
    (r"\bis_empty\(\s*(\w+)(?:\.NAOK)?\s*\)", r"{\1} empty"),
    (r"\b([A-Za-z]\w*)(?:\.(?:NAOK|code|value))?\s*(?:!=|<>|\bne\b)\s*(?:''|\"\")", r"{\1} notempty"),
    (r"\b([A-Za-z]\w*)(?:\.(?:NAOK|code|value))?\s*(?:==|\beq\b)\s*(?:''|\"\")", r"{\1} empty"),
    (r"\b([A-Za-z]\w*)(?:\.(?:NAOK|code|value))?\s*(==|!=|<>|<=|>=|<|>)", r"{\1} \2"),
    (r"\b([A-Za-z]\w*)(?:\.(?:NAOK|code|value))?\s+(eq|ne|lt|le|gt|ge)\b", r"{\1} \2"),
    (r"(\}\s*)\beq\b", r"\1="),
    (r"(\}\s*)\bne\b", r"\1<>"),
    (r"(\}\s*)\ble\b", r"\1<="),
    (r"(\}\s*)\blt\b", r"\1<"),
    (r"(\}\s*)\bge\b", r"\1>="),
    (r"(\}\s*)\bgt\b", r"\1>"),
    (r"!\s*\(", "!("),
    (r"&&", " and "),
    (r"\|\|", " or "),
)
_SELECTED: Final = re.compile(rf"\bselected\(\s*\{{([^}}]*)\}}\s*,\s*({_TEXT})\s*\)")
_OF_ITSELF: Final = re.compile(r"(?<![\w./}])\.\s*(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?)(?![\w.])")


def from_xlsform(text: str, is_multiple: Callable[[str], bool]) -> str:
    """A condition of XLSForm.

    Parameters
    ----------
    text : str
        Such as ``selected(${travel}, 'bus') and ${age} > 17``.
    is_multiple : callable
        Whether several choices of a question can be selected.
    """
    text = re.sub(r"\$\{\s*([^}]*?)\s*\}|\.\./(\w[\w.-]*)", lambda m: "{" + (m[1] or m[2]) + "}", text)
    text = _SELECTED.sub(
        lambda m: f"{{{m[1]}}} {'contains' if is_multiple(m[1]) else '='} {m[2]}", " ".join(text.split())
    )
    return _replaced(text, _XLSFORM)


def from_limesurvey(text: str, parts: dict[str, tuple[str, str]]) -> str:
    """A condition of LimeSurvey's expression manager.

    Parameters
    ----------
    text : str
        Such as ``((travel.NAOK == "A1"))``.
    parts : dict
        From ``question_code`` of a box of a multiple choice to its question and its value.
    """
    text = re.sub(r"(['\"])-oth-\1", rf"\1{OTHER}\1", " ".join(text.split()))
    for name, (question, value) in parts.items():
        box = rf"\b{re.escape(name)}(?:\.(?:NAOK|code|value))?\s*"
        text = re.sub(rf"{box}(?:==|\beq\b)\s*['\"]Y['\"]", f"{{{question}}} contains '{value}'", text)
        text = re.sub(
            rf"{box}(?:!=|\bne\b)\s*['\"]Y['\"]|{box}==\s*(?:''|\"\")",
            f"{{{question}}} notcontains '{value}'",
            text,
        )
    return _replaced(text, _LIMESURVEY)


def bounds(text: str, step: str) -> tuple[dict[str, str], bool]:
    """The lowest and highest number of a constraint such as ``. >= 18 and . <= 120``.

    Parameters
    ----------
    text : str
    step : str
        Of the numbers that can be answered, whose multiples they are.

    Returns
    -------
    dict, bool
        Under ``min`` and ``max`` a multiple of the step, as :func:`bound`; and whether this is all that the
        constraint says. Where it says more nothing is bounded: of "under 9, or 99" no half is true.
    """
    found = _OF_ITSELF.findall(text)
    result = {
        "min" if operator[0] == ">" else "max": bound(operator, number, step)
        for operator, number in found
        if operator != "="
    }
    rest = re.sub(r"\band\b|&&|[()\s]", "", _OF_ITSELF.sub("", text))
    whole = rest == "" and len(result) == len(found)
    return result if whole else {}, whole


def bound(operator: str, number: str, step: str) -> str:
    """The outermost multiple of a step that ``>``, ``>=``, ``<`` or ``<=`` a number permits."""
    steps = Fraction(number) / Fraction(step)
    if operator[0] == ">":
        whole = math.floor(steps) + 1 if operator == ">" else math.ceil(steps)
    else:
        whole = math.ceil(steps) - 1 if operator == "<" else math.floor(steps)
    return format_decimal(whole * Fraction(step))


def _replaced(text: str, rules: tuple[tuple[str, str], ...]) -> str:
    """Replace outside quotation marks; a rule may name an empty text."""
    kept: list[str] = []

    def keep(quoted: re.Match[str]) -> str:
        if len(quoted[0]) == 2:
            return quoted[0]
        kept.append(quoted[0])
        return f"'{len(kept) - 1}'"

    text = re.sub(_TEXT, keep, text)
    for pattern, new in rules:
        text = re.sub(pattern, new, text)
    return re.sub(r"'(\d+)'", lambda place: kept[int(place[1])], text).strip()
