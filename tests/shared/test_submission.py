"""All that leaves a device: fixed layout, fixed sizes, answers never repeated in an error."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import SubmissionError
from shared.limits import MIN_ENTROPY_BYTES, SIZE_CLASSES
from shared.specification import Specification
from shared.submission import Submission, decode, encode, entropy_needed, receipt, size_class, validate
from tests.builders import ANSWERS, small_specification
from tests.shared.strategies import JSON
from tests.vectors.core_vectors import DIGEST, entropy
from tests.vectors.generate import FOLDER

VECTORS = json.loads((FOLDER / "submission.json").read_text("utf-8"))
SMALL = small_specification()
RANDOM = entropy("tests")


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda c: c["name"])
def test_committed_messages(case: dict[str, Any]) -> None:
    message = encode(VECTORS["specification"], case["cell"], case["answers"], entropy(case["entropy_seed"]))
    assert message.decode("utf-8") == case["message"]
    assert len(message) == case["bytes"]
    assert receipt(message) == case["receipt"] == hashlib.sha256(message).hexdigest()
    submission = decode(message)
    assert (submission.cell, submission.answers) == (case["cell"], case["answers"])


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda c: c["name"])
def test_committed_malformed_messages(case: dict[str, Any]) -> None:
    with pytest.raises(SubmissionError) as caught:
        decode(case["message"].encode("utf-8"))
    assert caught.value.expected


def test_layout() -> None:
    message = encode(DIGEST, 5, {"smokes": False}, RANDOM)
    value = json.loads(message)
    assert list(value) == ["protocol", "specification", "cell", "answers", "padding"]
    assert value["protocol"] == "roomful-submission/1"
    assert len(message) == SIZE_CLASSES[0]


@settings(max_examples=60)
@given(st.integers(0, 70_000), st.binary(min_size=1, max_size=8))
def test_length_tells_only_the_size_class(length: int, seed: bytes) -> None:
    answers = {"remarks": "x" * length}
    random = entropy(seed.hex())
    try:
        message = encode(DIGEST, 1, answers, random)
    except SubmissionError as problem:
        assert "too long" in str(problem)  # noqa: PT017 - both outcomes are right
        assert length > 65_000
        return
    assert len(message) in SIZE_CLASSES
    assert decode(message) == Submission(specification=DIGEST, cell=1, answers=answers)
    assert len(json.loads(message)["padding"]) * 3 / 4 >= MIN_ENTROPY_BYTES


def test_size_classes() -> None:
    assert [size_class(n) for n in (0, 1, 1024, 1025, 4096, 16_384, 16_385, 65_536)] == [
        1024,
        1024,
        1024,
        4096,
        4096,
        16_384,
        65_536,
        65_536,
    ]
    with pytest.raises(SubmissionError, match="too long") as caught:
        size_class(65_537)
    assert caught.value.remedy == "Shorten the free text."


def test_padding_never_falls_below_its_minimum_at_a_border() -> None:
    bare = len(encode(DIGEST, 1, {"r": ""}, RANDOM)) - len(
        json.loads(encode(DIGEST, 1, {"r": ""}, RANDOM))["padding"]
    )
    for length in range(1024 - bare - 30, 1024 - bare + 2):
        message = encode(DIGEST, 1, {"r": "x" * length}, RANDOM)
        assert len(json.loads(message)["padding"]) >= 22
        assert decode(message).answers == {"r": "x" * length}
        assert len(message) == (1024 if bare + length + 22 <= 1024 else 4096)


def test_the_same_bytes_have_the_same_receipt_and_fresh_entropy_another() -> None:
    one, again, other = (encode(DIGEST, 1, ANSWERS, entropy(s)) for s in ("a", "a", "b"))
    assert receipt(one) == receipt(again)
    assert receipt(one) != receipt(other)


def test_too_little_entropy_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="random bytes are too few"):
        encode(DIGEST, 1, {}, b"x" * (entropy_needed() - 1))


def test_canonical_answers_of_a_submission() -> None:
    submission = decode(encode(DIGEST, 7, ANSWERS, RANDOM))
    accepted = validate(submission, SMALL, DIGEST)
    expected: dict[str, Any] = ANSWERS | {"conditions": ("asthma",)}
    assert accepted == expected
    assert decode(encode(DIGEST, 7, accepted, RANDOM)) == submission, "tuples are sent as lists"


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
        validate(decode(message), specification, DIGEST)
    except SubmissionError as problem:
        parts = (str(problem), problem.message, problem.where, problem.expected, problem.remedy, problem.code)
        return [*parts, repr(problem)]
    return []


@given(
    st.dictionaries(st.sampled_from(["health", "conditions", "wage", "vote", "smokes", "wellbeing"]), JSON)
)
def test_answers_are_never_repeated_in_an_error(answers: dict[str, Any]) -> None:
    message = encode(DIGEST, 0, planted(answers), RANDOM)
    assert all(CANARY not in text for text in refusals(message, SMALL))


@given(st.integers(0, 1023), st.binary(min_size=1, max_size=3))
def test_answers_are_not_repeated_from_a_damaged_message_either(place: int, noise: bytes) -> None:
    message = bytearray(encode(DIGEST, 0, {"vote": CANARY, "remarks": (CANARY,)}, RANDOM))
    message[place : place + len(noise)] = noise
    assert all(CANARY not in text for text in refusals(bytes(message), SMALL))


@given(JSON)
def test_any_document_is_a_submission_or_refused(value: Any) -> None:
    with pytest.raises(SubmissionError):
        decode(json.dumps(value).encode())
