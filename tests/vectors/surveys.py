"""Surveys for the vectors beyond those of the builders, and one vector as a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.attributes import Category, Ordinal
from shared.cells import Balls, Boxes, Cells, CutTree, DistrictCells, PowerDiagram, Prototypes
from shared.envelope import Envelope
from shared.invitation import Invitation
from shared.model import ModelRow, format_model
from shared.participation import ParticipationLevel
from shared.specification import Specification
from shared.strict_json import dumps
from tests.builders import (
    ORGANIZER_KEY,
    both,
    build_specification,
    public_bytes,
    sex,
    sign,
    small_specification,
)

STRANGER_KEY = Ed25519PrivateKey.from_private_bytes(b"a key that nobody was told about")


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundnessVector:
    """An envelope with its invitation and model, and the check that must refuse it (None: it is sound)."""

    name: str
    comment: str
    source: str
    check: str | None
    envelope: bytes
    invitation: str
    model: bytes | None

    def to_json(self) -> str:
        """The text of its file."""
        value = {
            "comment": self.comment,
            "source": self.source,
            "check": self.check,
            "envelope": self.envelope.decode("utf-8"),
            "invitation": self.invitation,
            "model": None if self.model is None else self.model.decode("utf-8"),
        }
        return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def fragment_of(envelope: Envelope, key: Ed25519PrivateKey = ORGANIZER_KEY) -> str:
    """What an honest invitation to this envelope says."""
    digest = envelope.verified([True] * len(envelope.signatures), None).digest
    return Invitation(digest=digest, organizer_key=public_bytes(key)).fragment()


def altered(specification: Specification, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Payload of a specification after a change to its JSON document."""
    document = specification.to_object()
    change(document)
    return dumps(document)


def band(**changes: Any) -> Ordinal:
    """Three bands of income, in which a person may refuse to say."""
    fields: dict[str, Any] = {
        "name": "income",
        "label": both("Income"),
        "help": both("Of the household."),
        "missing": "own-category",
        "categories": tuple(Category(value=v, label=both(v.title())) for v in ("low", "middle", "high")),
    }
    return Ordinal(**fields | changes)


def small_balls(**changes: Any) -> Balls:
    """Four balls of age for each sex; what they leave belongs to the last cell."""
    references = ((0, 0, 1), (0, 1, 0), (99, 0, 1), (99, 1, 0))
    fields: dict[str, Any] = {
        "weights": (1, 5000, 5000),
        "references": references,
        "radii": (29**2,) * 4,
        "remainder": "last",
    }
    return Balls(**fields | changes)


def small_boxes(**changes: Any) -> Boxes:
    """Eight boxes that tile the domain: four bands of age for each sex."""
    bands = ((0, 24), (25, 49), (50, 74), (75, 99))
    boxes = tuple((b, (f, f), (1 - f, 1 - f)) for b in bands for f in (0, 1))
    return Boxes(**{"weights": (1, 5000, 5000), "boxes": boxes} | changes)


def small_prototypes() -> Prototypes:
    """One tabulated tuple a cell."""
    points = tuple((a, f, 1 - f) for a in (12, 37, 62, 87) for f in (0, 1))
    return Prototypes(weights=(1, 5000, 5000), points=points, cells=tuple(range(8)))


def districts_of(cells: PowerDiagram, cut: int) -> DistrictCells:
    """The people up to an age, and those above it, each with half of the sites."""
    half = len(cells.sites) // 2
    parts = tuple(
        replace(cells, sites=cells.sites[own], offsets=cells.offsets[own])
        for own in (slice(half), slice(half, None))
    )
    return DistrictCells(weights=cells.weights, tree=CutTree(nodes=((0, cut), None, None)), districts=parts)


def register(cells: Cells, **changes: Any) -> Specification:
    """The small survey, designed from a register."""
    return small_specification(cells=cells, kind="register", **changes)


def uneven_survey(**changes: Any) -> tuple[Specification, bytes]:
    """Two levels of participation, and an attribute that may be refused."""
    levels = (ParticipationLevel(low="0.4", high="0.4"), ParticipationLevel(low="0.6", high="0.6"))
    attributes = (band(), sex())
    vectors = sorted((*income, f, 1 - f) for income in ((0, 0), (1, 0), (2, 0), (1, 1)) for f in (0, 1))
    rows = [ModelRow(vector=v, level=level, people=12 + 3 * level) for v in vectors for level in (0, 1)]
    points = tuple(vectors)
    cells = Prototypes(weights=(4, 9, 1, 1), points=points, cells=tuple(range(len(points))))
    fields: dict[str, Any] = {"attributes": attributes, "rows": rows, "cells": cells, "levels": levels}
    return build_specification(**fields | changes), format_model(attributes, rows)


def envelope_of(payload: bytes) -> Envelope:
    """Any payload, signed by the organizer."""
    return sign(payload, ORGANIZER_KEY)
