"""An element of every type of :data:`shared.questions.ELEMENTS`, and an answer to each question, for tests
that go over them: a type that is missing here fails them by its name."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from shared.questionnaire import Questionnaire
from shared.questions import ELEMENTS
from tests.builders import LANGUAGES


def png(side: int = 8) -> bytes:
    """A small picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes((40, 90, 160)) * side for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def data_url(data: bytes, kind: str = "image/png") -> str:
    """A picture as it stands in a document."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


MADE: dict[str, dict[str, Any]] = {
    "boolean:consent": {
        "type": "boolean",
        "name": "agree",
        "title": "Do you agree to take part?",
        "validators": [{"type": "expression", "expression": "{agree} = true"}],
        "labelTrue": "I agree",
    },
    "radiogroup": {
        "type": "radiogroup",
        "name": "travel",
        "title": "How do you travel?",
        "choices": [{"value": "bus", "text": "By bus"}, {"value": "bike", "text": "By bicycle"}],
        "hasNone": True,
        "hasOther": True,
        "isRequired": True,
    },
    "dropdown": {
        "type": "dropdown",
        "name": "line",
        "title": "Which line?",
        "choices": [f"Line {i}" for i in range(1, 21)],
        "visibleIf": "{travel} = 'bus'",
    },
    "checkbox": {
        "type": "checkbox",
        "name": "reasons",
        "title": "What keeps you from the bus?",
        "choices": ["price", "time", "crowds"],
        "hasNone": True,
        "hasOther": True,
        "visibleIf": "{travel} <> 'bus'",
    },
    "rating": {"type": "rating", "name": "content", "title": "How content are you?"},
    "boolean": {"type": "boolean", "name": "car", "title": "Have you a car?"},
    "text:number": {
        "type": "text",
        "name": "minutes",
        "title": "How many minutes a day?",
        "inputType": "number",
        "min": "0",
        "max": "600",
        "step": "0.5",
        "unit": "minutes a day",
    },
    "text:date": {
        "type": "text",
        "name": "day",
        "title": "When was the last time?",
        "inputType": "date",
        "min": "2020-01-01",
        "max": "2030-12-31",
        "requiredIf": "{minutes} > 60",
    },
    "matrix": {
        "type": "matrix",
        "name": "views",
        "title": "What do you think of it?",
        "rows": [{"value": "price", "text": "The price"}, {"value": "staff", "text": "The staff"}],
        "columns": ["bad", "fair", "good"],
        "isRequired": True,
    },
    "ranking": {
        "type": "ranking",
        "name": "order",
        "title": "What matters most?",
        "choices": ["speed", "comfort", "price"],
    },
    "image": {"type": "image", "name": "map", "imageLink": data_url(png()), "altText": "A map of the lines"},
    "text:text": {"type": "text", "name": "word", "title": "One word?", "maxLength": 20},
    "comment": {
        "type": "comment",
        "name": "remarks",
        "title": "Anything else?",
        "visibleIf": "{content} <= 2 or {reasons} contains 'other'",
        "maxLength": 100,
    },
}
"""By the word of the type; names and conditions make one questionnaire."""

EVERY: dict[str, Any] = {
    "pages": [
        {"title": "Travel", "elements": [MADE[w] for w in ("boolean:consent", "radiogroup", "dropdown")]},
        {"elements": [MADE["checkbox"]], "visibleIf": "{travel} <> 'bus'"},
        {
            "description": "Take your time.",
            "elements": [
                MADE[w]
                for w in MADE
                if w not in ("boolean:consent", "radiogroup", "dropdown", "checkbox", "comment")
            ],
        },
        {"elements": [MADE["comment"]], "visibleIf": "{content} <= 2"},
    ]
}

BY_BUS: dict[str, Any] = {
    "agree": True,
    "travel": "bus",
    "line": "Line 7",
    "content": 4,
    "car": False,
    "minutes": "61.5",
    "day": "2026-02-28",
    "views_price": "bad",
    "views_staff": "good",
    "order": ("comfort", "price", "speed"),
    "word": "late",
}
"""Of somebody who goes by bus."""

OTHERWISE: dict[str, Any] = {
    "agree": True,
    "travel": "other",
    "travel-Comment": "By boat",
    "reasons": ("time", "other"),
    "reasons-Comment": "No stop",
    "content": 1,
    "minutes": "10",
    "views_price": "fair",
    "views_staff": "fair",
    "remarks": "More boats.",
}
"""Of somebody who is asked what the other is not."""


def everything() -> Questionnaire:
    """The questionnaire of all types."""
    assert set(MADE) == set(ELEMENTS), "a type of element has no example in tests/every_question.py"
    return Questionnaire.parse(EVERY, LANGUAGES)
