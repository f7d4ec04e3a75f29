"""What the command line says of the promise and its condition."""

from __future__ import annotations

import pytest

from respondent_client.headless.report import room_lines
from respondent_client.room import describe
from shared.checks import CELL_FAILURE
from shared.participation import Dependence, ParticipationSource
from tests.builders import ORGANIZER_KEY, sign, small_model, small_specification
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import fragment_of

STATEMENT = {"en": "The census of 2021.", "de": "Die Zählung von 2021."}


@pytest.mark.parametrize(
    ("dependence", "condition"),
    [
        (Dependence(), ", and everybody decides alone."),
        (Dependence(correlation="0.005"), ", with a correlation of at most 0.005 between them."),
        (Dependence(household_size=2), ", with households of at most 2 who decide together."),
        (Dependence(correlation="0.005", household_size=2), "between them and households of at most 2 who"),
    ],
)
def test_the_promise_stands_beside_its_half_and_its_condition(dependence: Dependence, condition: str) -> None:
    source = ParticipationSource(kind="even", statement=STATEMENT)
    specification = small_specification(dependence=dependence, failure="0.01", participation_source=source)
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    sound = examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model()).sound()
    room = describe(sound, 0)
    lines = room_lines(room, specification)
    assert float(room.half_failure) > float(room.record_failure)
    assert f"If only half as many take part as assumed: {room.half_failure}" in lines
    assert any(
        line.startswith("The first figure holds if at least 50 %") and condition in line for line in lines
    )
    assert "Where that comes from, says the organizer: The census of 2021." in lines


@pytest.mark.parametrize("kind", ["public", "register"])
def test_the_head_count_of_a_register_is_called_a_lower_bound(kind: str) -> None:
    specification = small_specification(kind=kind)
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    model = small_model() if kind == "public" else None
    examination = examine_bytes(envelope.to_bytes(), fragment_of(envelope), model)
    room = describe(examination.sound(), 0)
    lines = room_lines(room, specification)
    if kind == "public":
        assert "Your group is number 0: 25 people share it." in lines
        assert "You will appear in the results as:" in lines
        assert "kind" not in examination.line(CELL_FAILURE).figures
    else:
        assert "Your group is number 0: at least 18 people share it." in lines
        assert any("a point on the map" in line for line in lines)
        assert examination.line(CELL_FAILURE).figures["kind"] == "register"
    assert room.at_least == (kind == "register")
