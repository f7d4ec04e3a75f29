"""Choices, which several kinds of questions have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from shared.conditions import Comparison
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.limits import MAX_CHOICES, MAX_NAME_CHARACTERS, MAX_TEXT_CHARACTERS
from shared.questions.free_text import FreeText
from shared.questions.texts import Localized, localized

NONE: Final = "none"
OTHER: Final = "other"
OTHER_CHARACTERS: Final = 200
"""The longest words for "other"."""
SPECIAL: Final = ("hasNone", "noneText", "hasOther", "otherText")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One possible answer."""

    value: str
    text: Localized


def read_choices(
    fields: Fields, name: str, languages: tuple[str, ...], *, minimum: int = 2, maximum: int = MAX_CHOICES
) -> tuple[Choice, ...]:
    """A list of choices: texts, integers, true or false, or objects with such a value and a text."""
    choices = []
    for i, item in enumerate(fields.items(name, maximum, minimum=minimum)):
        place = f"{name}[{i}]"
        if isinstance(item, str | int):
            value = fields.value_in(place, _text(item), maximum=MAX_TEXT_CHARACTERS)
            choices.append(Choice(value=value, text=dict.fromkeys(languages, value)))
        else:
            inner = Fields(
                item, fields.where(place), ("value",), optional=("text",), error=QuestionnaireError
            )
            value = inner.value_in("value", _text(inner.raw("value")), maximum=MAX_TEXT_CHARACTERS)
            text = localized(inner, "text", languages, default=value)
            longest = max(MAX_NAME_CHARACTERS, *map(len, text.values()))
            if len(value) > longest:
                raise inner.fail(
                    "value",
                    f"the value has {len(value)} characters, many more than its text",
                    f"at most {MAX_NAME_CHARACTERS}, or as many as the longest text",
                )
            choices.append(Choice(value=value, text=text))
    if len({choice.value for choice in choices}) != len(choices):
        raise fields.fail(name, "a choice stands twice", "distinct choices")
    return tuple(choices)


def _text(value: Any) -> Any:
    """A number as the text that stands for it; true and false as a specification writes them."""
    return str(value).lower() if isinstance(value, int) else value


def choices_object(choices: tuple[Choice, ...]) -> list[dict[str, Any]]:
    """As they stand in a specification."""
    return [{"value": c.value, "text": dict(c.text)} for c in choices]


def read_special(fields: Fields, languages: tuple[str, ...], choices: tuple[Choice, ...]) -> dict[str, Any]:
    """The texts of "none" and "other", each None if it is not offered."""
    result: dict[str, Any] = {}
    for word, has, text in ((NONE, "hasNone", "noneText"), (OTHER, "hasOther", "otherText")):
        offered = has in fields and fields.boolean(has)
        if text in fields and not offered:
            raise fields.fail(text, f"{word!r} is not offered", f'"{has}": true')
        if offered and any(choice.value == word for choice in choices):
            raise fields.fail("choices", f"the value {word!r} is that of {has}", "another value")
        result[f"{word}_text"] = localized(fields, text, languages) if offered else None
    return result


def special_object(none_text: Localized | None, other_text: Localized | None) -> dict[str, Any]:
    """ "None" and "other" as they stand in a specification: not at all where they are not offered."""
    result: dict[str, Any] = {}
    if none_text is not None:
        result |= {"hasNone": True, "noneText": dict(none_text)}
    if other_text is not None:
        result |= {"hasOther": True, "otherText": dict(other_text)}
    return result


def with_special(
    choices: tuple[Choice, ...], none_text: Localized | None, other_text: Localized | None
) -> tuple[Choice, ...]:
    """The choices, with "none" and "other" behind them if they are offered."""
    more = [(NONE, none_text), (OTHER, other_text)]
    return choices + tuple(Choice(value=value, text=text) for value, text in more if text is not None)


def comment_on(name: str, title: Localized, other_text: Localized, *, several: bool) -> FreeText:
    """The question for the words of who chose "other"; called as SurveyJS calls it."""
    words = {language: f"{title[language] or name}: {text or OTHER}" for language, text in other_text.items()}
    chosen = Comparison(
        question=name,
        operator="contains" if several else "=",
        values=(OTHER,),
        compared_as="set" if several else "value",
    )
    return FreeText(
        name=f"{name}-Comment",
        title=words,
        description=dict.fromkeys(title, ""),
        required=True,
        visible_if=chosen,
        max_characters=OTHER_CHARACTERS,
        one_line=True,
    )


def choice_words(choices: tuple[Choice, ...]) -> dict[str | bool, Localized]:
    """How the choices are called; "none" and "other" may be left to the page."""
    return {choice.value: choice.text for choice in choices}


def label(choice: Choice, language: str) -> str:
    """What the release calls a choice."""
    return choice.text[language] or choice.value
