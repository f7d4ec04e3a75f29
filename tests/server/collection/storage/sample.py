"""A small signed survey and its submissions, for the tests of storage and web."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared import strict_json
from shared.envelope import PAYLOAD_TYPE, Envelope, pre_authentication_encoding, survey_digest
from shared.questionnaire import Questionnaire
from shared.submission import encode, longest_message

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
AUDITOR = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
MODEL = b"age,level,people\n20,0,40\n60,0,60\n"
QUESTIONNAIRE = {
    "pages": [
        {
            "name": "p1", "title": {"en": "", "de": ""},
            "elements": [
                {"type": "radiogroup", "name": "health", "isRequired": True, "choices": ["good", "bad"]},
                {"type": "comment", "name": "remark", "isRequired": False, "maxLength": 200},
            ],
        }
    ]
}  # fmt: skip
MODEL_REFERENCE = {
    "kind": "public", "digest": hashlib.sha256(MODEL).hexdigest(), "people": 100,
    "reading": {
        "count_column": None, "missing_markers": [""], "incomplete": "refuse", "required_columns": [],
        "id_column": None,
    },
}  # fmt: skip
RELEASE = {"rule": "withhold", "minimum": 5, "distinct_values": 1, "t_closeness": None, "row": [0, 1]}
MESSAGE_BYTES = longest_message(Questionnaire.parse(QUESTIONNAIRE, ("en", "de")))


@dataclass
class Clock:
    """A day that a test sets."""

    day: date

    def __call__(self) -> date:
        return self.day


def document(*, kind: str = "public", title: str = "Small survey") -> dict[str, Any]:
    """The specification as an object."""
    return {
        "protocol": "roomful/3",
        "languages": ["en", "de"],
        "title": {"en": title, "de": "Kleine Umfrage"},
        "description": {"en": "About <b>health</b> & work", "de": "Über Gesundheit"},
        "organizer": {"name": "Example Office", "contact": "office@example.org"},
        "attributes": [
            {
                "name": "age", "kind": "numeric", "label": {"en": "Age", "de": "Alter"},
                "help": {"en": "", "de": ""}, "missing": "refused", "minimum": "0", "maximum": "99",
                "step": "1", "open_below": False, "open_above": True, "rounding": "down",
            }
        ],
        "weights": [1],
        "participation": {
            "levels": [{"low": "0.5", "high": "0.5"}],
            "correlation": "0",
            "household_size": 1,
            "source": {
                "kind": "even",
                "column": None,
                "attribute": None,
                "rates": [],
                "household_column": None,
                "statement": None,
            },
        },
        "anonymity": {"k": 5, "acceptable_cell_failure": "1e-3", "n_min": [24], "n_min_safe": [24]},
        "model": MODEL_REFERENCE | {"kind": kind},
        "algorithm": {"name": "boxes", "parameters": {}},
        "cells": {"shape": "boxes", "boxes": [[[0, 40]], [[41, 99]]]},
        "eligible": [[40], [60]],
        "centroids": [["20.0000"], ["60.0000"]],
        "questionnaire": QUESTIONNAIRE,
        "message_bytes": MESSAGE_BYTES,
        "stored": ["cell", "answers", "receipt"],
        "retention_days": 365,
        "release": RELEASE,
        "permissions": {"free_text": True, "balls_from_register": False},
        "invited": None,
    }  # fmt: skip


def sign(payload: bytes, *keys: Ed25519PrivateKey) -> bytes:
    """An envelope by the given keys."""
    envelope = Envelope(payload=payload, signatures=())
    for key in keys or (KEY,):
        message = pre_authentication_encoding(PAYLOAD_TYPE, payload)
        envelope = envelope.with_signature(key.public_key().public_bytes_raw(), key.sign(message))
    return envelope.to_bytes()


@cache
def payload(title: str = "Small survey", kind: str = "public") -> bytes:
    """The signed bytes."""
    return strict_json.dumps(document(title=title, kind=kind))


def envelope(title: str = "Small survey", kind: str = "public") -> bytes:
    """A signed small survey."""
    return sign(payload(title, kind))


def digest(title: str = "Small survey", kind: str = "public") -> str:
    """Its identity."""
    return survey_digest(payload(title, kind))


def message(
    *, cell: int = 0, health: str = "good", remark: str | None = None, title: str = "Small survey"
) -> bytes:
    """A valid submission, different each time."""
    answers = {"health": health} | ({} if remark is None else {"remark": remark})
    return encode(digest(title), cell, answers, os.urandom(MESSAGE_BYTES), MESSAGE_BYTES)
