"""A survey of 600 people in 12 cells, their file, and a respondent that sends nowhere."""

from __future__ import annotations

import hashlib
import random
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared import strict_json
from shared.effective_anonymity import worst_cell_metrics
from shared.errors import RemoteError
from shared.invitation_code import InvitationCode
from shared.metrics import Metrics
from shared.questionnaire import Questionnaire
from shared.specification import Specification
from shared.submission import longest_message

N_CELLS = 12
N_PEOPLE = 600


def model_rows() -> list[tuple[int, int]]:
    """Age and head count: fifty people in each of twelve cells of five ages."""
    return [(age, 10) for age in range(5 * N_CELLS)]


def canonical_model() -> bytes:
    """The canonical text of the model."""
    return b"age,level,people\n" + b"".join(b"%d,0,%d\n" % row for row in model_rows())


def text(value: str) -> dict[str, str]:
    return {"en": value}


def specification(
    *,
    low: str = "0.5",
    high: str = "0.5",
    correlation: str = "0",
    household_size: int = 1,
    source: dict[str, Any] | None = None,
) -> Specification:
    """Twelve cells of five ages each."""
    value = {
        "protocol": "roomful/3",
        "languages": ["en"],
        "title": text("Simulated"),
        "description": text(""),
        "organizer": {"name": "Example Office", "contact": "office@example.org"},
        "attributes": [
            {"name": "age", "kind": "numeric", "label": text("Age"), "help": text(""), "missing": "refused",
             "minimum": "0", "maximum": "59", "step": "1", "open_below": False, "open_above": True,
             "rounding": "down"}
        ],
        "weights": [1],
        "participation": {
            "levels": [{"low": low, "high": high}],
            "correlation": correlation,
            "household_size": household_size,
            "source": source or {
                "kind": "even",
                "column": None,
                "attribute": None,
                "rates": [],
                "household_column": None,
                "statement": None,
            },
        },
        "anonymity": {"k": 20, "acceptable_cell_failure": "0.5", "n_min": [24], "n_min_safe": [24]},
        "model": {
            "kind": "public", "digest": hashlib.sha256(canonical_model()).hexdigest(), "people": N_PEOPLE,
            "reading": {
                "count_column": None, "missing_markers": ["?"], "incomplete": "refuse",
                "required_columns": [], "id_column": None,
            },
        },
        "algorithm": {"name": "boxes", "parameters": {}},
        "cells": {"shape": "boxes", "boxes": [[[5 * cell, 5 * cell + 4]] for cell in range(N_CELLS)]},
        "eligible": [[50]] * N_CELLS,
        "centroids": [[f"{5 * cell + 2}.0000"] for cell in range(N_CELLS)],
        "questionnaire": {
            "pages": [
                {
                    "name": "p1",
                    "elements": [
                        {"type": "radiogroup", "name": "job", "isRequired": True,
                         "choices": ["none", "some"]},
                        {"type": "checkbox", "name": "wishes", "choices": ["a", "b", "c"]},
                        {"type": "rating", "name": "mood", "rateMin": 1, "rateMax": 5},
                        {"type": "boolean", "name": "smokes"},
                        {"type": "text", "name": "hours", "inputType": "number", "min": "0", "max": "80",
                         "step": "0.5"},
                        {"type": "comment", "name": "remark", "maxLength": 10},
                    ],
                }
            ]
        },
        "stored": ["cell", "answers", "receipt"],
        "retention_days": 365,
        "release": {"rule": "withhold", "minimum": 20, "distinct_values": 1, "t_closeness": None,
                    "row": list(range(N_CELLS))},
        "permissions": {"free_text": True, "balls_from_register": False},
        "invited": None,
    }  # fmt: skip
    questions = Questionnaire.parse(value["questionnaire"], tuple(value["languages"]))
    return Specification.parse(strict_json.dumps(value | {"message_bytes": longest_message(questions)}))


def write_file(path: Path) -> Path:
    """The people with what they would answer; a job depends on the age, so that it can be followed."""
    chance = random.Random(3)
    lines = ["age,occupation,wishes,mood,smokes,hours,remark"]
    for age, people in model_rows():
        for _ in range(people):
            job = "some" if age >= 30 else "none"
            wishes = "|".join(wish for wish in "abc" if chance.random() < 0.5)
            lines.append(f"{age},{job},{wishes},{chance.randint(1, 5)},{chance.choice(['yes', 'No'])},37.5,?")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeMessage:
    """What the fake respondent would send."""

    cell: int
    quasi_identifiers: Mapping[str, str | None]
    answers: Mapping[str, Any]
    code: InvitationCode | None
    receipt: str


@dataclass(slots=True)
class FakeRespondent:
    """Keeps what it is told to send; the first `failures` attempts of each message do not arrive."""

    specification: Specification
    failures: int = 0
    of_test_copy: bool = True
    digest: str = "0" * 64
    sent: list[FakeMessage] = field(default_factory=list)
    attempts: Counter[int] = field(default_factory=Counter)
    fetched: list[InvitationCode] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_test(self) -> bool:
        return self.of_test_copy

    def prepare(self, *, compared: bool = False) -> FakeRespondent:
        assert compared
        return self

    @property
    def metrics(self) -> dict[int, Metrics]:
        """As the checks of a real client compute them."""
        survey = self.specification
        return {
            cell: worst_cell_metrics(counts, survey.levels, survey.k, survey.dependence)
            for cell, counts in enumerate(survey.eligible)
        }

    def place(self, quasi_identifiers: Mapping[str, str | None], /) -> Mapping[str, str | None]:
        return quasi_identifiers

    def prepare_token(self, code: InvitationCode, placement: object, /) -> list[InvitationCode]:  # noqa: ARG002
        return [code]

    def fetch_token(self, request: list[InvitationCode], /) -> object:
        """A token; an object that stands for nothing but itself."""
        with self.lock:
            self.attempts[id(request)] += 1
            if self.attempts[id(request)] <= self.failures:
                raise RemoteError("the server cannot be reached", remedy="Try again.")
            assert not self.sent, "somebody answered before everybody had a token"
            assert request[0] not in self.fetched
            self.fetched.append(request[0])
        return request

    def compose(self, placement: Any, answers: Mapping[str, Any], token: Any = None, /) -> FakeMessage:
        cell = self.specification.cells.assign(self.specification.vector(placement))
        accepted = self.specification.questionnaire.accept(answers)
        assert (token is None) == (self.specification.invited is None)
        return FakeMessage(
            cell=cell,
            quasi_identifiers=placement,
            answers=accepted,
            code=token[0] if token else None,
            receipt=hashlib.sha256(repr(token and token[0].symbols).encode()).hexdigest(),
        )

    def send(self, message: FakeMessage, /) -> object:
        with self.lock:
            self.attempts[id(message)] += 1
            if self.attempts[id(message)] <= self.failures:
                raise RemoteError("the server cannot be reached", remedy="Try again.")
            self.sent.append(message)
        return "receipt"
