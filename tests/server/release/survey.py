"""A signed survey with every kind of attribute and question, and submissions to it."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from server.collection.storage.data_directory import DataDirectory
from shared import strict_json
from shared.envelope import survey_digest
from shared.questionnaire import Questionnaire
from shared.specification import Specification
from shared.submission import encode, longest_message
from tests.server.collection.storage import sample

MODEL = b"age,level,people\n20,0,40\n"
CANARY = "a-canary-nobody-may-read"
N_CELLS = 6
CELL_AGES = (10, 20, 36, 50, 66, 90)


def text(value: str) -> dict[str, str]:
    return {"en": value}


def document(**changes: Any) -> dict[str, Any]:
    """Six cells along the age; `changes` replace whole members."""
    attribute = {"help": text(""), "missing": "refused"}
    value = sample.document() | {
        "languages": ["en"],
        "title": text("Health & <work>"),
        "description": text("About <b>health</b>"),
        "attributes": [
            attribute
            | {"name": "age", "kind": "numeric", "label": text("Age in years"), "minimum": "0",
               "maximum": "99", "step": "1", "open_below": False, "open_above": True, "rounding": "down"},
            attribute
            | {"name": "sex", "kind": "nominal", "label": text("Sex"), "missing": "own-category",
               "categories": [{"value": v, "label": text(v.title())} for v in ("female", "male")]},
            attribute
            | {"name": "school", "kind": "ordinal", "label": text("School"), "missing": "own-category",
               "categories": [{"value": v, "label": text(v)} for v in ("none", "some", "much")]},
            attribute
            | {"name": "place", "kind": "lookup", "label": text("Place"), "axes": ["east", "north"],
               "entries": [{"value": "A", "vector": [0, 0]}, {"value": "B", "vector": [10, 4]}]},
        ],
        "weights": [1] * 8,
        "model": sample.MODEL_REFERENCE | {
            "digest": hashlib.sha256(MODEL).hexdigest(), "people": 40 * N_CELLS,
        },
        "cells": {
            "shape": "boxes",
            "boxes": [
                [[low, high], [0, 1], [0, 1], [0, 1], [0, 2], [0, 1], [0, 10], [0, 4]]
                for low, high in ((0, 14), (15, 29), (30, 41), (42, 59), (60, 79), (80, 99))
            ],
        },
        "eligible": [[40]] * N_CELLS,
        "centroids": [
            [f"{age}.0000", "0.5000", "0.2500", "0.2500", "1.5000", "0.5000", "4.0000", "1.6000"]
            for age in CELL_AGES
        ],
        "questionnaire": {
            "pages": [
                {
                    "name": "p1",
                    "elements": [
                        {"type": "radiogroup", "name": "health", "isRequired": True,
                         "choices": ["good", "bad"]},
                        {"type": "checkbox", "name": "wishes", "choices": ["a", "b", "c"]},
                        {"type": "rating", "name": "mood", "rateMin": 1, "rateMax": 5},
                        {"type": "boolean", "name": "smokes"},
                        {"type": "text", "name": "hours", "inputType": "number", "min": "0", "max": "80",
                         "step": "0.5"},
                        {"type": "dropdown", "name": "sex", "choices": ["x", "y"]},
                        {"type": "comment", "name": "remark"},
                    ],
                }
            ]
        },
        "release": sample.RELEASE | {"row": list(range(N_CELLS))},
    }  # fmt: skip
    value |= changes
    questionnaire = Questionnaire.parse(value["questionnaire"], tuple(value["languages"]))
    return value | {"message_bytes": longest_message(questionnaire)} | changes


def specification(**changes: Any) -> Specification:
    """The specification without signature."""
    return Specification.parse(strict_json.dumps(document(**changes)))


def answers(chance: random.Random, **changes: Any) -> dict[str, Any]:
    """Answers to every question."""
    value = {
        "health": chance.choice(["good", "bad"]),
        "wishes": [choice for choice in "abc" if chance.random() < 0.5],
        "mood": chance.randint(1, 5),
        "smokes": chance.random() < 0.5,
        "hours": str(chance.randint(0, 80)),
        "sex": chance.choice("xy"),
        "remark": "Nothing.",
    }
    return {name: answer for name, answer in (value | changes).items() if answer is not None}


Answer = Callable[[int, int, random.Random], Mapping[str, Any]]


def closed_survey(
    folder: Path,
    counts: Sequence[int],
    answer: Answer = lambda _cell, _person, chance: answers(chance),
    **changes: Any,
) -> tuple[DataDirectory, str]:
    """Publish, open, fill and close a survey."""
    payload = strict_json.dumps(document(**changes))
    data = DataDirectory(folder, quiet_seconds=30)
    survey = data.publish(sample.sign(payload), MODEL)
    data.open(survey)
    store = data.survey(survey)
    chance = random.Random(7)
    accept = store.specification.questionnaire.accept
    for cell, count in enumerate(counts):
        for person in range(count):
            given = accept(answer(cell, person, chance))
            length = store.specification.message_bytes
            store.submit(encode(survey_digest(payload), cell, given, os.urandom(length), length))
    data.close(survey)
    return data, survey
