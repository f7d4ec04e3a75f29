"""The submission: all that leaves a respondent's device.

Layout (UTF-8 JSON, members in this order, padded with random characters to a size class)::

    {"protocol":"roomful-submission/1","specification":"<64 hex>","cell":<int>,"answers":{...},
     "padding":"..."}                                                   (without the line break)

The padding hides the length of the answers and makes every message unique, so that sending the same bytes
again after a lost connection is recognized by the receipt, the SHA-256 of the bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared import strict_json
from shared.errors import AnswerError, SubmissionError
from shared.fields import Fields
from shared.limits import MAX_CELLS, MIN_ENTROPY_BYTES, SIZE_CLASSES
from shared.questions import Answer
from shared.specification import Specification

PROTOCOL = "roomful-submission/1"
_KEYS = ("protocol", "specification", "cell", "answers", "padding")
_SHORTEST_PADDING = -(-MIN_ENTROPY_BYTES * 4 // 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A well-formed submission, not yet compared with a specification."""

    specification: str
    cell: int
    answers: Mapping[str, Any]


def size_class(message_bytes: int) -> int:
    """Smallest size class that holds a message.

    Raises
    ------
    SubmissionError
        If no class does.
    """
    for size in SIZE_CLASSES:
        if message_bytes <= size:
            return size
    raise SubmissionError(
        "the answers are too long to be sent",
        where="answers",
        expected=f"at most {SIZE_CLASSES[-1]} bytes in all",
        remedy="Shorten the free text.",
    )


def entropy_needed() -> int:
    """Random bytes that :func:`encode` needs at most."""
    return SIZE_CLASSES[-1]


def encode(specification: str, cell: int, answers: Mapping[str, Answer], entropy: bytes) -> bytes:
    """Bytes of a submission.

    Run by the respondent's device.

    Parameters
    ----------
    specification : str
        Digest of the specification, hexadecimal.
    cell : int
        Index of the respondent's cell.
    answers : mapping
        Canonical answers by question (:meth:`Questionnaire.accept`).
    entropy : bytes
        Fresh random bytes, at least :func:`entropy_needed`.

    Raises
    ------
    SubmissionError
        If the answers are too long.
    ValueError
        For too little entropy.
    """
    if len(entropy) < entropy_needed():
        raise ValueError(f"{len(entropy)} random bytes are too few")
    value = {"protocol": PROTOCOL, "specification": specification, "cell": cell, "answers": dict(answers)}
    bare = len(strict_json.dumps(value | {"padding": ""}))
    length = size_class(bare + _SHORTEST_PADDING) - bare
    padding = base64.urlsafe_b64encode(entropy).decode("ascii")[:length]
    return strict_json.dumps(value | {"padding": padding})


def receipt(message: bytes) -> str:
    """SHA-256 of the sent bytes, hexadecimal."""
    return hashlib.sha256(message).hexdigest()


def decode(message: bytes) -> Submission:
    """Read a submission; run by the collector.

    Guarantee: for all bytes, either a :class:`SubmissionError` that repeats none of the answers, or a
    submission of one size class.
    """
    value = strict_json.loads(message, error=SubmissionError, where="submission", max_bytes=SIZE_CLASSES[-1])
    fields = Fields(value, "", _KEYS, error=SubmissionError)
    fields.choice("protocol", (PROTOCOL,))
    fields.text("padding", maximum=SIZE_CLASSES[-1])
    if len(message) not in SIZE_CLASSES or len(fields.raw("padding")) < _SHORTEST_PADDING:
        raise SubmissionError(
            "the message is not padded",
            where="padding",
            expected="one of the sizes " + ", ".join(map(str, SIZE_CLASSES)),
        )
    answers = fields.raw("answers")
    if not isinstance(answers, dict):
        raise fields.fail("answers", "not an object", "answers by question")
    return Submission(
        specification=fields.digest("specification"),
        cell=fields.integer("cell", 0, MAX_CELLS),
        answers=answers,
    )


def validate(submission: Submission, specification: Specification, digest: str) -> dict[str, Answer]:
    """Canonical answers of a submission that belongs to the survey.

    Raises
    ------
    SubmissionError
        For another survey's digest, a cell that does not exist, or answers outside the questionnaire; none
        of the answers is repeated in the message.
    """
    if submission.specification != digest:
        raise SubmissionError(
            "the answers are for another specification",
            where="specification",
            expected=digest,
            code="submission.specification",
        )
    if submission.cell >= specification.cells.count:
        raise SubmissionError(
            "there is no such cell",
            where="cell",
            expected=f"0 to {specification.cells.count - 1}",
            code="submission.cell",
        )
    try:
        return specification.questionnaire.accept(submission.answers)
    except AnswerError as problem:
        raise SubmissionError(
            problem.message, where=problem.where, expected=problem.expected, code="submission.answers"
        ) from None
