"""Questions: what an answer to each may be, and what else a page, a table and a report need of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from shared.conditions import Answer, Condition, Operand, parse_condition
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.limits import MAX_CONDITION_CHARACTERS
from shared.questions.base import AnswerColumn, Asking, Element, Question, member_bytes
from shared.questions.choices import Choice
from shared.questions.consent import Consent
from shared.questions.date import Date
from shared.questions.free_text import FreeText
from shared.questions.matrix import Matrix
from shared.questions.multiple import MultipleChoice
from shared.questions.number import Number
from shared.questions.picture import Picture
from shared.questions.ranking import Ranking
from shared.questions.rating import Rating
from shared.questions.single import SingleChoice
from shared.questions.texts import Localized, in_language, localized
from shared.questions.yes_no import YesNo

__all__ = [
    "ELEMENTS",
    "ELEMENT_TYPES",
    "KINDS",
    "Answer",
    "AnswerColumn",
    "Asking",
    "Choice",
    "Consent",
    "Date",
    "Element",
    "FreeText",
    "Localized",
    "Matrix",
    "MultipleChoice",
    "Number",
    "Picture",
    "Question",
    "Ranking",
    "Rating",
    "SingleChoice",
    "YesNo",
    "element_class",
    "in_language",
    "localized",
    "member_bytes",
    "parse_element",
    "parse_if",
]

KINDS: Final[dict[str, type[Question]]] = {
    kind.kind: kind
    for kind in (SingleChoice, MultipleChoice, Rating, YesNo, Consent, Number, Date, Ranking, FreeText)
}
"""Every kind of question by its word; tests go over them."""

_CLASSES: Final[tuple[type[Element], ...]] = (*KINDS.values(), Matrix, Picture)
ELEMENTS: Final[dict[str, type[Element]]] = {word: kind for kind in _CLASSES for word in kind.types}
"""Every element by its type; behind a colon stands what else tells them apart."""

ELEMENT_TYPES: Final = tuple(dict.fromkeys(word.partition(":")[0] for word in ELEMENTS))
_TEXT_KINDS: Final = tuple(word.removeprefix("text:") for word in ELEMENTS if word.startswith("text:"))
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def element_class(value: Any) -> type[Element] | None:
    """The class of an element as it stands in a document; None if it is of no permitted type."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "text":
        asked = value.get("inputType", "text")
        kind = f"text:{asked}" if isinstance(asked, str) else None
    if kind == "boolean" and "validators" in value:
        kind = "boolean:consent"
    return ELEMENTS.get(kind) if isinstance(kind, str) else None


def parse_element(
    value: Any, where: str, languages: tuple[str, ...], earlier: Mapping[str, Operand]
) -> Element:
    """Read one element.

    Parameters
    ----------
    value : object
        Parsed JSON.
    where : str
        Its path.
    languages : tuple of str
        Of the survey.
    earlier : mapping of str to Operand
        The questions before it, which its conditions may name.

    Raises
    ------
    QuestionnaireError
        With the path of what is not permitted.
    """
    found = element_class(value)
    if found is None:
        Fields(value, where, (), optional=value, error=QuestionnaireError)  # refuses what is no object
        raise _not_permitted(value.get("type"), where)
    fields = Fields(
        value,
        where,
        ("type", "name", *found.needed),
        optional=found.permitted,
        error=QuestionnaireError,
    )
    name = fields.name("name")
    if _NAME.fullmatch(name) is None:
        raise fields.fail("name", f"{name!r} is no question name", "a letter, then letters, digits, - and _")
    common: dict[str, Any] = {"name": name, "visible_if": parse_if(fields, "visibleIf", earlier)}
    if issubclass(found, Asking):
        common |= {
            "title": localized(fields, "title", languages, default=name),
            "description": localized(fields, "description", languages),
            "required": fields.boolean("isRequired") if "isRequired" in fields else False,
            "required_if": parse_if(fields, "requiredIf", earlier),
        }
    return found.read(fields, languages, common)


def parse_if(fields: Fields, name: str, earlier: Mapping[str, Operand]) -> Condition | None:
    """The condition in a field, if there is one."""
    if name not in fields:
        return None
    text = fields.text(name, maximum=MAX_CONDITION_CHARACTERS)
    return parse_condition(text, fields.where(name), earlier)


def _not_permitted(kind: Any, where: str) -> QuestionnaireError:
    kind = kind if isinstance(kind, str) else ""
    if kind == "text":
        return QuestionnaireError(
            "this is nothing that a text element may ask for",
            where=f"{where}.inputType",
            expected=", ".join(_TEXT_KINDS),
            remedy="What tells who somebody is (an address, a telephone number) must not be asked;"
            " ask an hour as a number.",
        )
    return QuestionnaireError(
        f"the element type {kind[:40]!r} is not permitted", where=where, expected=", ".join(ELEMENT_TYPES)
    )
