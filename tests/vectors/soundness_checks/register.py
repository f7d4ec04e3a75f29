"""Check 8: what a specification may say of a register."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shared.specification import Specification
from tests.builders import register_cells
from tests.vectors.soundness_checks.making import Change, signed, vector
from tests.vectors.surveys import (
    SoundnessVector,
    altered,
    districts_of,
    register,
    small_balls,
    small_boxes,
    small_prototypes,
)


def model_shape() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification) -> SoundnessVector:
        return vector(name, comment, "check.model-shape", signed(specification), number=8)

    yield refused(
        "register-balls", "Reference points of balls are people of the register.", register(small_balls())
    )
    yield refused(
        "register-prototypes", "Tabulated tuples are people of the register.", register(small_prototypes())
    )
    boxes = small_boxes().boxes
    gap = (((0, 23), *boxes[0][1:]), *boxes[1:])
    yield refused(
        "register-boxes-leave-a-gap",
        "A box ends at the oldest of its people, which tells their greatest age.",
        register(small_boxes(boxes=gap)),
    )
    overlap = (((0, 25), *boxes[0][1:]), *boxes[1:])
    yield refused("register-boxes-overlap", "Two boxes share an age.", register(small_boxes(boxes=overlap)))


def districts() -> Iterator[SoundnessVector]:
    """Checks 3 and 8 for the cuts of districts."""
    honest = register(districts_of(register_cells(), 51))

    def refused(name: str, comment: str, check: str, number: int, tree: list[list[int]]) -> SoundnessVector:
        payload = altered(honest, lambda d: d["cells"].update(tree=tree))
        return vector(f"cuts-{name}", comment, check, signed(payload), number=number)

    form, shape = "check.form", "check.model-shape"
    yield refused("without-an-end", "The upper side of a cut is missing.", form, 3, [[0, 51], [], [0, 60]])
    yield refused("after-the-end", "Nodes stand behind the tree.", form, 3, [[0, 51], [], [], []])
    yield refused(
        "of-another-number", "Three leaves for two districts.", form, 3, [[0, 51], [], [0, 60], [], []]
    )
    yield refused("outside-the-domain", "A cut above the greatest age.", form, 3, [[0, 99], [], []])
    yield refused("of-no-coordinate", "A cut along a fourth of three coordinates.", form, 3, [[3, 0], [], []])
    yield refused(
        "that-nobody-reaches",
        "Below a cut another one at a higher age: nobody is above it.",
        form,
        3,
        [[0, 51], [0, 68], [], [], []],
    )
    yield refused(
        "finer-than-the-grid", "A cut at the age of one person of a register.", shape, 8, [[0, 50], [], []]
    )
    payload = altered(honest, _both_sexes_at_once)
    yield vector(
        "cuts-that-no-answer-reaches",
        "A district of people who are both female and male: empty, though cells stand in it.",
        shape,
        signed(payload),
        number=8,
    )


def _both_sexes_at_once(document: dict[str, Any]) -> None:
    cells = document["cells"]
    first, second = cells["districts"]
    cells["tree"] = [[1, 0], [], [2, 0], [], []]
    own = {"sites": second["sites"][2:], "offsets": second["offsets"][2:]}
    rest = {"sites": second["sites"][:2], "offsets": second["offsets"][:2]}
    cells["districts"] = [first, second | rest, second | own]


def off_the_grid() -> Iterator[SoundnessVector]:
    """Check 8 for the figures of a register: each finer than shared/register.py allows."""

    def refused(name: str, comment: str, change: Change) -> SoundnessVector:
        payload = altered(register(register_cells()), change)
        return vector(f"register-{name}", comment, "check.model-shape", signed(payload), number=8)

    yield refused(
        "exact-head-count",
        "A cell's true number of people instead of the bound of 18.",
        lambda d: d["eligible"].__setitem__(3, [25]),
    )
    yield refused(
        "exact-people",
        "The number of people in the register to the last one.",
        lambda d: d["model"].update(people=201),
    )
    yield refused(
        "exact-weight",
        "A weight with the variance of everybody in it.",
        lambda d: d["weights"].__setitem__(0, 1001),
    )
    yield refused(
        "exact-site",
        "A site at the mean of its cell, finer than three people could move it.",
        lambda d: (
            d["cells"]["sites"][0].__setitem__(0, 166),
            d["centroids"][0].__setitem__(0, "16.6000"),
        ),
    )
    yield refused(
        "exact-centroid",
        "A mean of the people of a cell in place of the point of the map.",
        lambda d: d["centroids"][0].__setitem__(0, "12.0000"),
    )
