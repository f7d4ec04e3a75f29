"""Sound specifications, which every check lets pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shared.envelope import Envelope
from shared.participation import Dependence, ParticipationLevel
from tests.builders import (
    AUDITOR_KEY,
    ORGANIZER_KEY,
    register_cells,
    sign,
    small_cells,
    small_model,
    small_specification,
)
from tests.vectors.soundness_checks.making import claimed, signed, vector
from tests.vectors.surveys import (
    SoundnessVector,
    altered,
    districts_of,
    register,
    small_balls,
    small_boxes,
    small_prototypes,
    uneven_survey,
)


def sound_vectors() -> Iterator[SoundnessVector]:
    def sound(name: str, comment: str, envelope: Envelope, **more: Any) -> SoundnessVector:
        return vector(f"sound-{name}", comment, None, envelope, **more)

    model, honest = small_model(), signed(small_specification())
    yield sound("power-diagram", "200 people of a public model in eight cells.", honest, model=model)
    yield sound("balls", "Balls of a public model, and a last cell for the rest.", _balls(), model=model)
    yield sound(
        "balls-nearest",
        "Balls of a public model; what none contains belongs to the nearest.",
        signed(small_specification(cells=small_balls(remainder="nearest"))),
        model=model,
    )
    yield sound(
        "boxes", "Boxes of a public model.", signed(small_specification(cells=small_boxes())), model=model
    )
    yield sound(
        "prototypes",
        "Tabulated tuples of a public model.",
        signed(small_specification(cells=small_prototypes())),
        model=model,
    )
    yield sound(
        "districts",
        "Two districts of a public model, cut at an age, with four cells each.",
        signed(small_specification(cells=districts_of(small_cells(), 49))),
        model=model,
    )
    yield sound(
        "register-districts",
        "Districts of a register: the cut lies on the grid of its sites.",
        signed(register(districts_of(register_cells(), 51))),
    )
    yield sound(
        "register-power-diagram", "A register: check 10 does not apply.", signed(register(register_cells()))
    )
    yield sound(
        "register-boxes", "Boxes of a register that tile the domain.", signed(register(small_boxes()))
    )
    yield sound(
        "register-balls-permitted",
        "Balls of a register, with the permission that was signed for it.",
        signed(altered(register(small_balls()), lambda d: d["permissions"].update(balls_from_register=True))),
    )
    yield sound(
        "participation-range",
        "Participation from 0.4 to 0.6: the worst value in the range counts.",
        signed(small_specification(levels=(ParticipationLevel(low="0.4", high="0.6"),))),
        model=model,
    )
    yield sound(
        "correlated-participation",
        "Any two people of a cell have a correlation of 0.005; cells of 25 are large enough for that.",
        signed(small_specification(dependence=Dependence(correlation="0.005"))),
        model=model,
    )
    yield sound(
        "households",
        "Couples may decide together: one failure in a hundred.",
        signed(small_specification(dependence=Dependence(household_size=2), failure="0.005")),
        model=model,
    )
    uneven_together, uneven_model = uneven_survey(dependence=Dependence(correlation="0.005"), failure="0.01")
    yield sound(
        "uneven-correlated-participation",
        "Two levels of participation that one draw moves alike.",
        signed(uneven_together),
        model=uneven_model,
    )
    yield sound(
        "participation-with-a-source",
        "A participation of 0.7, and a statement of where the figure comes from.",
        signed(claimed("0.7", {"en": "The last three censuses.", "de": "Die letzten drei Zählungen."})),
        model=model,
    )
    uneven, uneven_model = uneven_survey()
    yield sound(
        "uneven-participation",
        "Two levels of participation, and an attribute that may be refused.",
        signed(uneven),
        model=uneven_model,
    )
    yield sound(
        "countersigned",
        "An auditor signed after the organizer.",
        sign(small_specification().to_bytes(), ORGANIZER_KEY, AUDITOR_KEY),
        model=model,
    )


def _balls(**changes: Any) -> Envelope:
    return signed(small_specification(cells=small_balls(**changes)))
