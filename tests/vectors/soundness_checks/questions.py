"""Check 9: the questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.builders import QUESTIONNAIRE, small_model, small_specification
from tests.vectors.soundness_checks.making import Change, signed, vector
from tests.vectors.surveys import SoundnessVector, altered


def questions() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return vector(name, comment, "check.questions", signed(payload), number=9, model=small_model())

    honest = small_specification()

    def element(**members: Any) -> Change:
        def change(document: dict[str, Any]) -> None:
            document["questionnaire"]["pages"][0]["elements"][0].update(members)

        return change

    comment = {"type": "comment", "name": "remarks"}
    free_text = {"pages": [*QUESTIONNAIRE["pages"], {"elements": [comment]}]}
    yield refused(
        "free-text-without-permission",
        "A question asks for free text, which was not permitted.",
        small_specification(questionnaire=free_text).to_bytes(),
    )
    asks = {"pages": [{"elements": [{"type": "boolean", "name": "Age"}]}]}
    yield refused(
        "zero-width-spaces-in-a-value",
        "The value of a choice is longer than it looks.",
        altered(
            honest,
            element(choices=[_choice("yes" + "\u200b" * 400, "Yes", "Ja"), _choice("no", "No", "Nein")]),
        ),
    )
    yield refused(
        "value-longer-than-its-text",
        "The value of a choice has 65 characters, its text has three.",
        altered(
            honest,
            element(choices=[_choice("y" * 65, "Yes", "Ja"), _choice("no", "No", "Nein")]),
        ),
    )
    yield refused(
        "asks-for-a-quasi-identifier",
        "A question has the name of a quasi-identifier.",
        small_specification(questionnaire=asks).to_bytes(),
    )
    yield refused(
        "expression", "An expression in a question.", altered(honest, element(visibleIf="{smokes} = true"))
    )
    yield refused(
        "html-element",
        "HTML among the questions.",
        altered(
            honest,
            lambda d: d["questionnaire"]["pages"][1]["elements"].append(
                {"type": "html", "name": "x", "html": "<img src='https://example.org/pixel'>"}
            ),
        ),
    )
    yield refused(
        "picture",
        "A picture from elsewhere.",
        altered(honest, element(imageLink="https://example.org/p.png")),
    )


def _choice(value: str, english: str, german: str) -> dict[str, Any]:
    return {"value": value, "text": {"en": english, "de": german}}
