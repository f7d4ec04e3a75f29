from __future__ import annotations

from typing import Any

import pytest

from respondent_client.composing import compose
from respondent_client.headless.respondent import run
from respondent_client.session import Placement, examine_survey, faulty, place
from shared.checks import MODEL
from shared.errors import AnswerError, NotFoundError, RemoteError, SoundnessError
from shared.soundness import Examination, SoundSpecification
from shared.submission import decode
from tests.builders import (
    ANSWERS,
    AUDITOR_KEY,
    ORGANIZER_KEY,
    age,
    build_specification,
    register_cells,
    sex,
    sign,
    small_rows,
    small_specification,
)
from tests.respondent_client.fakes import FakePlatform, link_to

PERSON: dict[str, str | None] = {"age": "43", "sex": "female"}


def examine(platform: FakePlatform, **options: Any) -> Examination:
    return run(examine_survey(platform, link_to(platform.envelope, **options)))


@pytest.fixture
def platform() -> FakePlatform:
    return FakePlatform()


@pytest.fixture
def sound(platform: FakePlatform) -> SoundSpecification:
    return examine(platform).sound()


def test_a_sound_public_survey_passes_all_eleven_checks(platform: FakePlatform) -> None:
    examination = examine(platform)
    assert [line.outcome for line in examination.lines] == ["passed"] * 11
    assert examination.line(MODEL).figures["people"] == "200"


def test_a_register_is_not_recounted_and_its_model_never_asked_for() -> None:
    envelope = sign(small_specification(kind="register").to_bytes(), ORGANIZER_KEY, AUDITOR_KEY).to_bytes()
    platform = FakePlatform(envelope)
    examination = examine(platform)
    assert examination.line(MODEL).outcome == "not-applicable"
    assert all("model" not in url for _, url in platform.requests)
    examination.sound()


def test_a_link_that_pins_nothing_leaves_the_words_to_the_respondent(platform: FakePlatform) -> None:
    examination = examine(platform, pinned=False)
    assert examination.must_compare
    with pytest.raises(SoundnessError):
        examination.sound()
    examination.sound(compared=True)


def test_bytes_that_are_no_envelope_are_refused_by_the_first_check(platform: FakePlatform) -> None:
    link = link_to(platform.envelope)
    platform.envelope = platform.envelope[:-1]
    examination = run(examine_survey(platform, link))
    with pytest.raises(SoundnessError) as caught:
        examination.sound()
    assert caught.value.code == "check.signature"


def test_another_model_than_the_signed_one_is_refused(platform: FakePlatform) -> None:
    platform.model = platform.model.replace(b"99,male,0,1", b"99,male,0,2")
    with pytest.raises(SoundnessError) as caught:
        examine(platform).sound()
    assert caught.value.code == "check.model"


def test_no_bit_of_the_envelope_can_be_flipped() -> None:
    good = FakePlatform()
    link = link_to(good.envelope)
    for place_ in range(0, len(good.envelope), 97):
        flipped = bytearray(good.envelope)
        flipped[place_] ^= 1 << (place_ % 8)
        good_one = FakePlatform(bytes(flipped))
        with pytest.raises(SoundnessError):
            run(examine_survey(good_one, link)).sound()


def test_a_missing_survey_and_a_broken_server_have_their_own_errors(platform: FakePlatform) -> None:
    link = link_to(platform.envelope)
    platform.broken = 404
    with pytest.raises(NotFoundError):
        run(examine_survey(platform, link))
    platform.broken = 500
    with pytest.raises(RemoteError):
        run(examine_survey(platform, link))


def test_place_gives_the_cell_of_the_mapping_and_its_room(sound: SoundSpecification) -> None:
    placement = place(sound, PERSON)
    assert placement.vector == (43, 1, 0)
    assert placement.room.cell == sound.specification.cells.assign(placement.vector)
    assert placement.room.people == 25
    assert [value.label("en") for value in placement.room.centroid][1] == "Female"
    assert float(placement.room.record_failure) < float(placement.room.cell_failure) < 1e-3


def test_faulty_names_every_wrong_field_at_once(sound: SoundSpecification) -> None:
    assert faulty(sound.specification, PERSON) == {}
    assert set(faulty(sound.specification, {})) == {"age", "sex"}
    assert set(faulty(sound.specification, {"age": " ", "sex": "other"})) == {"age", "sex"}
    assert set(faulty(sound.specification, {"age": "-1", "sex": "male"})) == {"age"}
    assert faulty(sound.specification, {"age": "130", "sex": "male"}) == {}, "the top is open"


def test_an_empty_field_is_no_refusal_to_say() -> None:
    cells = register_cells()
    specification = build_specification(
        attributes=(age(), sex(missing="own-category")),
        rows=[type(row)(vector=(*row.vector, 0), level=0, people=row.people) for row in small_rows()],
        cells=type(cells)(
            weights=(*cells.weights, 4608),
            resolution=10,
            sites=tuple((*site, 0) for site in cells.sites),
            offsets=cells.offsets,
        ),
        kind="register",
    )
    sound = examine(FakePlatform(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes())).sound()
    assert set(faulty(sound.specification, {"age": "43", "sex": ""})) == {"sex"}
    assert set(faulty(sound.specification, {"age": "43"})) == {"sex"}
    assert place(sound, {"age": "43", "sex": None}).vector == (43, 0, 0, 1)


def test_an_unknown_quasi_identifier_is_refused(sound: SoundSpecification) -> None:
    with pytest.raises(AnswerError):
        place(sound, {**PERSON, "income": "1"})


def test_the_message_holds_the_cell_and_the_answers_and_nothing_of_the_person(
    platform: FakePlatform, sound: SoundSpecification
) -> None:
    link = link_to(platform.envelope)
    message = run(compose(platform, link, place(sound, PERSON), ANSWERS))
    submission = decode(message.body, sound.specification.message_bytes)
    assert submission.cell == message.cell == place(sound, PERSON).room.cell
    assert submission.answers == ANSWERS
    assert submission.specification == sound.digest
    head = message.body.partition(b'"padding"')[0]
    assert b"43" not in head.replace(sound.digest.encode(), b"")
    assert b"female" not in message.body
    assert len(message.body) == sound.specification.message_bytes


def test_two_messages_of_the_same_answers_differ(platform: FakePlatform, sound: SoundSpecification) -> None:
    link, placement = link_to(platform.envelope), place(sound, PERSON)
    first, second = (run(compose(platform, link, placement, ANSWERS)) for _ in range(2))
    assert first.body != second.body
    assert first.receipt != second.receipt


def test_values_of_a_person_are_in_no_repr(platform: FakePlatform, sound: SoundSpecification) -> None:
    placement = place(sound, PERSON)
    message = run(compose(platform, link_to(platform.envelope), placement, ANSWERS))
    assert "43" not in repr(placement)
    assert "good" not in repr(message)


def test_answers_outside_the_questionnaire_are_refused(
    platform: FakePlatform, sound: SoundSpecification
) -> None:
    placement: Placement = place(sound, PERSON)
    for wrong in ({}, {"health": "superb"}, {**ANSWERS, "name": "Ann"}):
        with pytest.raises(AnswerError):
            run(compose(platform, link_to(platform.envelope), placement, wrong))


def test_a_long_recount_reports_its_progress() -> None:
    platform = FakePlatform()
    examine(platform)
    assert platform.notices == [] or platform.notices[-1]["total"] == 200
