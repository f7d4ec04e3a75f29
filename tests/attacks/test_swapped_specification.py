"""A collector serves another specification than the one that people were invited to."""

from __future__ import annotations

import pytest

from shared.envelope import Envelope
from shared.errors import SoundnessError, SubmissionError
from shared.submission import decode, encode, validate
from tests.builders import (
    ANSWERS,
    AUDITOR_KEY,
    MESSAGE_BYTES,
    ORGANIZER_KEY,
    sign,
    small_model,
    small_specification,
)
from tests.shared.examining import examine_bytes
from tests.vectors.core_vectors import entropy
from tests.vectors.surveys import STRANGER_KEY, fragment_of, register, small_boxes

INVITED = sign(small_specification().to_bytes(), ORGANIZER_KEY)
INVITATION = fragment_of(INVITED)
OTHER = small_specification(cells=small_boxes()).to_bytes()


@pytest.mark.parametrize(
    "served",
    [
        sign(OTHER, ORGANIZER_KEY),
        sign(small_specification(retention_days=36_500).to_bytes(), ORGANIZER_KEY),
        sign(register(small_boxes()).to_bytes(), ORGANIZER_KEY),
    ],
    ids=["other-cells", "longer-retention", "as-a-register"],
)
def test_another_survey_of_the_same_organizer_is_refused(served: Envelope) -> None:
    with pytest.raises(SoundnessError) as caught:
        examine_bytes(served.to_bytes(), INVITATION, small_model()).sound(compared=True)
    assert caught.value.code == "check.digest"


def test_another_survey_by_a_stranger_is_refused_before_its_digest_is_looked_at() -> None:
    examination = examine_bytes(sign(OTHER, STRANGER_KEY).to_bytes(), INVITATION, small_model())
    assert examination.refusal is not None
    assert examination.refusal.code == "check.signature"


def test_payload_of_another_survey_under_the_signature_of_this_one_is_refused() -> None:
    grafted = Envelope(payload=OTHER, signatures=INVITED.signatures)
    examination = examine_bytes(grafted.to_bytes(), INVITATION, small_model())
    assert examination.refusal is not None
    assert examination.refusal.code == "check.signature"


def test_stripped_auditors_are_noticed_but_do_not_refuse() -> None:
    countersigned = sign(INVITED.payload, ORGANIZER_KEY, AUDITOR_KEY)
    assert fragment_of(countersigned) == INVITATION, "the identity is that of the payload"
    for served, auditors in ((countersigned, "1"), (INVITED, "0")):
        examination = examine_bytes(served.to_bytes(), INVITATION, small_model())
        assert examination.sound()
        assert examination.lines[0].figures["auditors"] == auditors


def test_answers_for_one_survey_are_no_answers_for_another() -> None:
    digest = INVITATION.partition(".")[0]
    message = encode(digest, 3, ANSWERS, entropy("swapped"), MESSAGE_BYTES)
    assert validate(decode(message, MESSAGE_BYTES), small_specification(), digest)
    other_digest = fragment_of(sign(OTHER, ORGANIZER_KEY)).partition(".")[0]
    with pytest.raises(SubmissionError) as caught:
        validate(decode(message, MESSAGE_BYTES), small_specification(cells=small_boxes()), other_digest)
    assert caught.value.code == "submission.specification"


def test_two_surveys_that_differ_have_different_words_and_digests() -> None:
    words = {
        examine_bytes(sign(payload, ORGANIZER_KEY).to_bytes(), "").lines[1].figures["words"]
        for payload in (INVITED.payload, OTHER, register(small_boxes()).to_bytes())
    }
    assert len(words) == 3
