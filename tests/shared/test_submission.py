"""All that leaves a device: fixed layout, fixed sizes, answers never repeated in an error."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import QuestionnaireError, SubmissionError
from shared.limits import MAX_MESSAGE_BYTES, MIN_ENTROPY_BYTES
from shared.questionnaire import Questionnaire
from shared.specification import Specification
from shared.submission import Submission, decode, encode, longest_message, receipt, validate
from tests.builders import ANSWERS, LANGUAGES, MESSAGE_BYTES, small_specification
from tests.shared.strategies import JSON
from tests.vectors.core_vectors import DIGEST, LONGEST_ANSWERS, entropy
from tests.vectors.generate import FOLDER

VECTORS = json.loads((FOLDER / "submission.json").read_text("utf-8"))
SMALL = small_specification()
RANDOM = entropy("tests")


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda c: c["name"])
def test_committed_messages(case: dict[str, Any]) -> None:
    random, length = entropy(case["entropy_seed"]), case["message_bytes"]
    message = encode(VECTORS["specification"], case["cell"], case["answers"], random, length)
    assert message.decode("utf-8") == case["message"]
    assert len(message) == length
    assert receipt(message) == case["receipt"] == hashlib.sha256(message).hexdigest()
    submission = decode(message, length)
    assert (submission.cell, submission.answers) == (case["cell"], case["answers"])


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda c: c["name"])
def test_committed_malformed_messages(case: dict[str, Any]) -> None:
    with pytest.raises(SubmissionError) as caught:
        decode(case["message"].encode("utf-8"), case["message_bytes"])
    assert caught.value.expected
    assert caught.value.code == case["code"]


def test_layout() -> None:
    message = encode(DIGEST, 5, {"smokes": False}, RANDOM, MESSAGE_BYTES)
    value = json.loads(message)
    assert list(value) == ["protocol", "specification", "cell", "answers", "padding"]
    assert value["protocol"] == "roomful-submission/1"
    assert len(message) == MESSAGE_BYTES


@settings(max_examples=60)
@given(st.integers(0, 3000), st.binary(min_size=1, max_size=8))
def test_every_message_has_the_one_length_or_is_refused(length: int, seed: bytes) -> None:
    answers = {"remarks": "x" * length}
    try:
        message = encode(DIGEST, 1, answers, entropy(seed.hex()), 2048)
    except SubmissionError as problem:
        assert "too long" in str(problem)  # noqa: PT017 - both outcomes are right
        assert length > 1700
        return
    assert len(message) == 2048
    assert decode(message, 2048) == Submission(specification=DIGEST, cell=1, answers=answers)
    assert len(json.loads(message)["padding"]) * 3 / 4 >= MIN_ENTROPY_BYTES


def test_the_longest_answers_fill_the_message_to_the_byte() -> None:
    message = encode(DIGEST, 19_999, LONGEST_ANSWERS, RANDOM, MESSAGE_BYTES)
    assert len(json.loads(message)["padding"]) == 22
    assert SMALL.questionnaire.accept(decode(message, MESSAGE_BYTES).answers)["wage"] == "99.5"
    with pytest.raises(SubmissionError):
        encode(DIGEST, 19_999, LONGEST_ANSWERS | {"wage": "100.5"}, RANDOM, MESSAGE_BYTES)


def _questionnaire(*elements: dict[str, Any]) -> Questionnaire:
    return Questionnaire.parse({"pages": [{"elements": list(elements)}]}, LANGUAGES)


def test_a_questionnaire_of_too_long_answers_is_refused_by_its_costliest_question() -> None:
    texts = [{"type": "comment", "name": f"remark{i}", "maxLength": 1900} for i in range(8)]
    assert longest_message(_questionnaire(*texts)) <= MAX_MESSAGE_BYTES
    with pytest.raises(QuestionnaireError, match="8002 of them to the question 'story'") as caught:
        longest_message(_questionnaire(*texts, {"type": "comment", "name": "story", "maxLength": 2000}))
    assert str(MAX_MESSAGE_BYTES) in caught.value.expected
    assert "maxLength" in caught.value.remedy


def test_the_same_bytes_have_the_same_receipt_and_fresh_entropy_another() -> None:
    one, again, other = (encode(DIGEST, 1, ANSWERS, entropy(s), MESSAGE_BYTES) for s in ("a", "a", "b"))
    assert receipt(one) == receipt(again)
    assert receipt(one) != receipt(other)


def test_too_little_entropy_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="random bytes are too few"):
        encode(DIGEST, 1, {}, b"x" * (MESSAGE_BYTES - 1), MESSAGE_BYTES)


def test_canonical_answers_of_a_submission() -> None:
    submission = decode(encode(DIGEST, 7, ANSWERS, RANDOM, MESSAGE_BYTES), MESSAGE_BYTES)
    accepted = validate(submission, SMALL, DIGEST)
    expected: dict[str, Any] = ANSWERS | {"conditions": ("asthma",)}
    assert accepted == expected
    again = encode(DIGEST, 7, accepted, RANDOM, MESSAGE_BYTES)
    assert decode(again, MESSAGE_BYTES) == submission, "tuples are sent as lists"


@pytest.mark.parametrize(
    ("submission", "code", "where"),
    [
        (
            Submission(specification="00" * 32, cell=0, answers=ANSWERS),
            "submission.specification",
            "specification",
        ),
        (Submission(specification=DIGEST, cell=8, answers=ANSWERS), "submission.cell", "cell"),
        (Submission(specification=DIGEST, cell=0, answers={}), "submission.answers", "health"),
        (Submission(specification=DIGEST, cell=0, answers={"x": 1}), "submission.answers", "answers"),
        (
            Submission(specification=DIGEST, cell=0, answers=ANSWERS | {"wage": 999}),
            "submission.answers",
            "wage",
        ),
    ],
)
def test_what_does_not_belong_to_the_survey_is_refused(submission: Submission, code: str, where: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        validate(submission, SMALL, DIGEST)
    assert (caught.value.code, caught.value.where) == (code, where)


CANARY = "canary-7d1f"


def planted(value: Any) -> Any:
    """A JSON value with the canary in every text."""
    if isinstance(value, str):
        return CANARY + value
    if isinstance(value, list):
        return [planted(item) for item in value]
    if isinstance(value, dict):
        return {key: planted(item) for key, item in value.items()}
    return value


def refusals(message: bytes, specification: Specification) -> list[str]:
    """Text of the error that a collector's answer could hold, if there is one."""
    try:
        validate(decode(message, 65_536), specification, DIGEST)
    except SubmissionError as problem:
        parts = (str(problem), problem.message, problem.where, problem.expected, problem.remedy, problem.code)
        return [*parts, repr(problem)]
    return []


@given(
    st.dictionaries(st.sampled_from(["health", "conditions", "wage", "vote", "smokes", "wellbeing"]), JSON)
)
def test_answers_are_never_repeated_in_an_error(answers: dict[str, Any]) -> None:
    message = encode(DIGEST, 0, planted(answers), RANDOM, 65_536)
    assert all(CANARY not in text for text in refusals(message, SMALL))


@given(st.integers(0, 1023), st.binary(min_size=1, max_size=3))
def test_answers_are_not_repeated_from_a_damaged_message_either(place: int, noise: bytes) -> None:
    message = bytearray(encode(DIGEST, 0, {"vote": CANARY, "remarks": (CANARY,)}, RANDOM, 65_536))
    message[place : place + len(noise)] = noise
    assert all(CANARY not in text for text in refusals(bytes(message), SMALL))


@given(JSON)
def test_any_document_is_a_submission_or_refused(value: Any) -> None:
    with pytest.raises(SubmissionError):
        decode(json.dumps(value).encode(), len(json.dumps(value)))
