"""One table from errors to answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from server.collection.web import problems
from shared import errors
from shared.errors import RoomfulError


def _all_classes(kind: type[RoomfulError] = RoomfulError) -> Iterator[type[RoomfulError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _all_classes(child)


@pytest.mark.parametrize("kind", sorted(set(_all_classes()), key=lambda kind: kind.__name__))
def test_no_answer_repeats_the_message(kind: type[RoomfulError]) -> None:
    error = kind("canary-message", where="canary-where", expected="canary-expected", remedy="canary-remedy")
    problem = problems.from_error(error)
    body = problem.to_bytes().decode()
    assert "canary" not in body
    assert json.loads(body) == {
        "type": f"urn:roomful:problem:{error.code}",
        "title": problem.title,
        "status": problem.status,
        "code": error.code,
        "detail": problem.remedy,
    }
    assert 400 <= problem.status < 600


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.SubmissionError("x"), 400),
        (errors.AnswerError("x"), 400),
        (errors.NotFoundError("x"), 404),
        (errors.StateError("x"), 409),
        (errors.StorageError("x"), 503),
        (errors.SignatureError("x"), 500),
        (errors.SpecificationError("x"), 500),
        (errors.SetupError("x"), 503),
        (errors.RoomfulError("x"), 500),
    ],
)
def test_classes_have_their_status(error: RoomfulError, status: int) -> None:
    assert problems.from_error(error).status == status


def test_states_have_their_own_sentence() -> None:
    titles = {
        problems.from_error(errors.StateError("x", code=f"state.{state}")).title
        for state in ("draft", "closed", "released")
    }
    assert len(titles) == 3


@pytest.mark.parametrize("status", [400, 404, 405, 406, 411, 413, 414, 415, 418, 431, 500, 501, 503])
def test_plain_errors_have_a_code_and_a_sentence(status: int) -> None:
    problem = problems.from_status(status)
    assert problem.code == f"http.{status}"
    assert problem.title.endswith(".")
