"""Check 10: the public model, counted again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shared.model import ModelRow, format_model, model_digest
from shared.specification import Specification
from tests.builders import age, sex, small_model, small_rows, small_specification
from tests.vectors.soundness_checks.making import Change, signed, vector
from tests.vectors.surveys import SoundnessVector, altered, small_balls


def model_recount() -> Iterator[SoundnessVector]:
    honest, rows = small_specification(), small_rows()
    attributes, model = (age(), sex()), small_model()

    def refused(name: str, comment: str, payload: Specification | bytes, text: bytes) -> SoundnessVector:
        return vector(name, comment, "check.model", signed(payload), number=10, model=text)

    yield refused(
        "dropped-record",
        "The model lacks a person of the one that was signed.",
        honest,
        format_model(attributes, rows[:-1]),
    )

    def counted(name: str, comment: str, change: Change) -> SoundnessVector:
        return refused(name, comment, altered(honest, change), model)

    def move_person(document: dict[str, Any]) -> None:
        document["eligible"][0], document["eligible"][1] = [24], [26]

    yield counted("wrong-count", "A person is counted in another cell.", move_person)

    def swap(document: dict[str, Any]) -> None:
        sites = document["cells"]["sites"]
        sites[0], sites[3] = sites[3], sites[0]

    yield counted("swapped-cell", "Two cells have changed places; their counts are equal.", swap)
    yield counted(
        "moved-centroid",
        "A centroid is a ten-thousandth off.",
        lambda d: d["centroids"][5].__setitem__(0, "62.0001"),
    )
    yield refused(
        "moved-radius",
        "The radius of a ball is one year longer than the counts were made with.",
        altered(
            small_specification(cells=small_balls()),
            lambda d: d["cells"]["radii"].__setitem__(1, 30**2),
        ),
        model,
    )
    invented = [replace(row, people=2) if i == 7 else row for i, row in enumerate(rows)]
    yield refused(
        "invented-person",
        "The head counts hold a person who is not in the model.",
        small_specification(
            rows=invented,
            model=replace(honest.model, people=201, digest=model_digest(model)),
        ),
        model,
    )
    shuffled = format_model(attributes, [rows[1], rows[0], *rows[2:]])
    yield refused(
        "model-out-of-order",
        "The rows of the signed model are not in canonical order.",
        altered(honest, lambda d: d["model"].update(digest=model_digest(shuffled))),
        shuffled,
    )
    outside = [*rows[:-2], ModelRow(vector=rows[-1].vector, level=0, people=2)]
    text = format_model(attributes, outside).replace(b"\n99,female", b"\n99,Female")
    yield refused(
        "model-answer-unknown",
        "A row of the signed model has a category that the specification does not know.",
        altered(honest, lambda d: d["model"].update(digest=model_digest(text))),
        text,
    )
