"""Small, sound surveys for tests, made through the same code as real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.attributes import Attribute, Category, Nominal, Numeric
from shared.cells import Cells, PowerDiagram, Prototypes
from shared.declarations import Algorithm, ModelReference, Organizer, Permissions, ReleaseRule
from shared.effective_anonymity import n_min, n_min_safe
from shared.envelope import PAYLOAD_TYPE, Envelope, pre_authentication_encoding
from shared.model import ModelRow, ReadingRules, format_model, model_digest
from shared.participation import INDEPENDENT, Dependence, ParticipationLevel, ParticipationSource
from shared.questionnaire import Questionnaire
from shared.recount import centroid
from shared.register import bound_of, coarse_people, coarse_weight, map_centroids
from shared.specification import STORED, Specification
from shared.submission import longest_message

SALT = bytes(range(32))
"""Of the registers of the tests."""
LANGUAGES = ("en", "de")
ORGANIZER_KEY = Ed25519PrivateKey.from_private_bytes(b"organizer key of the test suite!")
AUDITOR_KEY = Ed25519PrivateKey.from_private_bytes(b"auditor key of the tests, secret")

QUESTIONNAIRE: dict[str, Any] = {
    "pages": [
        {
            "name": "one",
            "title": {"en": "Your health", "de": "Ihre Gesundheit"},
            "elements": [
                {
                    "type": "radiogroup",
                    "name": "health",
                    "title": {"en": "How is your health?", "de": "Wie ist Ihre Gesundheit?"},
                    "isRequired": True,
                    "choices": [
                        {"value": "good", "text": {"en": "Good", "de": "Gut"}},
                        {"value": "fair", "text": {"en": "Fair", "de": "Mittelmäßig"}},
                        {"value": "poor", "text": {"en": "Poor", "de": "Schlecht"}},
                    ],
                },
                {"type": "checkbox", "name": "conditions", "choices": ["asthma", "diabetes", "other"]},
                {"type": "rating", "name": "wellbeing", "rateMin": 0, "rateMax": 10},
            ],
        },
        {
            "name": "two",
            "elements": [
                {"type": "boolean", "name": "smokes"},
                {"type": "text", "inputType": "number", "name": "wage", "min": 0, "max": 100, "step": "0.5"},
                {"type": "dropdown", "name": "vote", "choices": ["red", "green", "blue"]},
            ],
        },
    ]
}
ANSWERS: dict[str, Any] = {
    "health": "good",
    "conditions": ["asthma"],
    "wellbeing": 7,
    "smokes": False,
    "wage": "12.5",
}


MESSAGE_BYTES = longest_message(Questionnaire.parse(QUESTIONNAIRE, LANGUAGES))
"""Length of every message of the small survey."""


def both(text: str) -> dict[str, str]:
    """The same text in every language of the tests."""
    return dict.fromkeys(LANGUAGES, text)


def age(**changes: Any) -> Numeric:
    """Age in years, 0 to 99 or older."""
    fields: dict[str, Any] = {
        "name": "age",
        "label": {"en": "Age", "de": "Alter"},
        "help": both(""),
        "missing": "refused",
        "minimum": "0",
        "maximum": "99",
        "step": "1",
        "open_above": True,
    }
    return Numeric(**fields | changes)


def sex(**changes: Any) -> Nominal:
    """Two categories."""
    fields: dict[str, Any] = {
        "name": "sex",
        "label": {"en": "Sex", "de": "Geschlecht"},
        "help": both(""),
        "missing": "refused",
        "categories": (
            Category(value="female", label={"en": "Female", "de": "Weiblich"}),
            Category(value="male", label={"en": "Male", "de": "Männlich"}),
        ),
    }
    return Nominal(**fields | changes)


def build_specification(
    *,
    attributes: Sequence[Attribute],
    rows: Sequence[ModelRow],
    cells: Cells,
    levels: Sequence[ParticipationLevel] = (ParticipationLevel(low="0.5", high="0.5"),),
    k: int = 3,
    failure: str = "0.001",
    dependence: Dependence = INDEPENDENT,
    kind: str = "public",
    questionnaire: dict[str, Any] | None = None,
    **changes: Any,
) -> Specification:
    """A specification whose counts and centroids are those of the rows; of a register, as is published."""
    if kind == "register":
        cells = replace(cells, weights=tuple(map(coarse_weight, cells.weights)))
    counts = [[0] * len(levels) for _ in range(cells.count)]
    sums = [[0] * len(cells.weights) for _ in range(cells.count)]
    for row in rows:
        cell = cells.assign(row.vector)
        counts[cell][row.level] += row.people
        for j, value in enumerate(row.vector):
            sums[cell][j] += row.people * value
    questions = Questionnaire.parse(questionnaire or QUESTIONNAIRE, LANGUAGES)
    safe = tuple(n_min_safe(k, level, failure, dependence) for level in levels)
    eligible = tuple(map(tuple, counts))
    centroids = tuple(centroid(s, sum(c)) for s, c in zip(sums, counts, strict=True))
    people = sum(row.people for row in rows)
    if kind == "register" and not isinstance(cells, Prototypes):
        eligible = tuple(bound_of(row, safe) or row for row in eligible)
        centroids = map_centroids(cells, attributes)
        people = coarse_people(people)
    specification = Specification(
        languages=LANGUAGES,
        title={"en": "Health in Smallville", "de": "Gesundheit in Kleinstadt"},
        description={"en": "A small survey.", "de": "Eine kleine Umfrage."},
        organizer=Organizer(name="Institute", contact="survey@example.org"),
        attributes=tuple(attributes),
        levels=tuple(levels),
        dependence=dependence,
        participation_source=ParticipationSource(kind="even"),
        k=k,
        acceptable_cell_failure=failure,
        n_min=tuple(n_min(k, level, failure, dependence) for level in levels),
        n_min_safe=safe,
        model=ModelReference(
            kind=kind,
            digest=model_digest(format_model(attributes, rows), SALT if kind == "register" else None),
            people=people,
            reading=ReadingRules(
                count_column=None,
                missing_markers=("",),
                incomplete="refuse",
                required_columns=(),
                id_column=None,
            ),
        ),
        algorithm=Algorithm(name=cells.shape, parameters={}),
        cells=cells,
        eligible=eligible,
        centroids=centroids,
        questionnaire=questions,
        message_bytes=longest_message(questions),
        stored=STORED["open"],
        retention_days=365,
        release=ReleaseRule(rule="withhold", minimum=k, distinct_values=1, t_closeness=None),
        row=tuple(range(cells.count)),
        permissions=Permissions(free_text=False, balls_from_register=False),
        invited=None,
    )
    return replace(specification, **changes)


def small_rows() -> list[ModelRow]:
    """One person of each age and sex, in canonical order: 200 people."""
    vectors = sorted((a, f, 1 - f) for a in range(100) for f in (0, 1))
    return [ModelRow(vector=vector, level=0, people=1) for vector in vectors]


def small_cells() -> PowerDiagram:
    """Eight cells of 25 people: four bands of age for each sex."""
    sites = tuple((int(10 * middle), 10 * f, 10 * (1 - f)) for middle in (12, 37, 62, 87) for f in (0, 1))
    return PowerDiagram(weights=(1, 5000, 5000), resolution=10, sites=sites, offsets=(0,) * len(sites))


def register_cells() -> PowerDiagram:
    """The same cells from sites on the grid of a register whose cells need 18 people."""
    sites = tuple((age, 10 * f, 10 * (1 - f)) for age in (165, 330, 660, 825) for f in (0, 1))
    return PowerDiagram(weights=(1, 4608, 4608), resolution=10, sites=sites, offsets=(0,) * len(sites))


def small_specification(**changes: Any) -> Specification:
    """A public model of 200 people in eight cells; k = 3, participation 0.5, failure 0.001."""
    cells = register_cells() if changes.get("kind") == "register" else small_cells()
    fields: dict[str, Any] = {"attributes": (age(), sex()), "rows": small_rows(), "cells": cells}
    return build_specification(**fields | changes)


def small_model(specification: Specification | None = None) -> bytes:
    """The canonical model of :func:`small_specification`."""
    attributes = specification.attributes if specification else (age(), sex())
    return format_model(attributes, small_rows())


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Raw public key."""
    return key.public_key().public_bytes_raw()


def sign(payload: bytes, *keys: Ed25519PrivateKey) -> Envelope:
    """An envelope over any payload, signed by the keys in turn."""
    message = pre_authentication_encoding(PAYLOAD_TYPE, payload)
    return Envelope(payload=payload, signatures=tuple((public_bytes(key), key.sign(message)) for key in keys))


def small_envelope(**changes: Any) -> bytes:
    """A signed :func:`small_specification`."""
    return sign(small_specification(**changes).to_bytes(), ORGANIZER_KEY).to_bytes()
