"""The submission: all that leaves a respondent's device.

Layout (UTF-8 JSON, members in this order, padded with random characters to the one length of the survey)::

    {"protocol":"roomful-submission/1","specification":"<64 hex>","cell":<int>,"answers":{...},
     "padding":"..."}                                                   (without the line break)

Every message of a survey has the same length, that of the longest which its questionnaire admits: the signed
field ``message_bytes``. The padding also makes every message unique, so that sending the same bytes again
after a lost connection is recognized by the receipt, the SHA-256 of the bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared import strict_json
from shared.errors import AnswerError, QuestionnaireError, SubmissionError
from shared.fields import Fields
from shared.limits import MAX_ALL_CELLS, MAX_CELLS, MAX_MESSAGE_BYTES, MIN_ENTROPY_BYTES
from shared.questionnaire import Questionnaire
from shared.questions import Answer
from shared.specification import Specification

PROTOCOL: Final = "roomful-submission/1"
_KEYS: Final = ("protocol", "specification", "cell", "answers", "padding")
_SHORTEST_PADDING: Final = -(-MIN_ENTROPY_BYTES * 4 // 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A well-formed submission, not yet compared with a specification."""

    specification: str
    cell: int
    answers: Mapping[str, Any]


def longest_message(questionnaire: Questionnaire, cells: int = MAX_CELLS) -> int:
    """Bytes of the longest message that a questionnaire admits: the length of every message of its survey.

    Guarantee: for all answers that the questionnaire accepts, and all cells, :func:`encode` needs no more.

    Parameters
    ----------
    cells : int, optional
        How many there are; up to :data:`shared.limits.MAX_CELLS` are counted as that many.

    Raises
    ------
    QuestionnaireError
        If it exceeds :data:`MAX_MESSAGE_BYTES`, naming the question that costs most.
    """
    cell = max(cells, MAX_CELLS)
    length = len(_written("0" * 64, cell, {}, "x" * _SHORTEST_PADDING)) + questionnaire.longest_answers
    if length > MAX_MESSAGE_BYTES:
        costliest = max(questionnaire.questions, key=lambda question: question.longest_answer)
        raise QuestionnaireError(
            f"the answers could take {length} bytes, {costliest.longest_answer} of them to the question "
            f"{costliest.name!r}",
            where="questionnaire",
            expected=f"at most {MAX_MESSAGE_BYTES} bytes in all, because every message is as long as the "
            "longest",
            remedy="Lower the maxLength of free text, shorten the values of choices, or ask less.",
        )
    return length


def encode(
    specification: str, cell: int, answers: Mapping[str, Answer], entropy: bytes, message_bytes: int
) -> bytes:
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
        Fresh random bytes, at least ``message_bytes``.
    message_bytes : int
        The one length of the survey's messages.

    Raises
    ------
    SubmissionError
        If the answers are too long, which answers to the signed questionnaire never are.
    ValueError
        For too little entropy.
    """
    if len(entropy) < message_bytes:
        raise ValueError(f"{len(entropy)} random bytes are too few")
    length = message_bytes - len(_written(specification, cell, answers, ""))
    if length < _SHORTEST_PADDING:
        raise SubmissionError(
            "the answers are too long to be sent",
            where="answers",
            expected=f"at most {message_bytes} bytes in all",
            remedy="Shorten the free text.",
        )
    padding = base64.urlsafe_b64encode(entropy).decode("ascii")[:length]
    return _written(specification, cell, answers, padding)


def _written(specification: str, cell: int, answers: Mapping[str, Answer], padding: str) -> bytes:
    value = {"protocol": PROTOCOL, "specification": specification, "cell": cell, "answers": dict(answers)}
    return strict_json.dumps(value | {"padding": padding})


def receipt(message: bytes) -> str:
    """SHA-256 of the sent bytes, hexadecimal."""
    return hashlib.sha256(message).hexdigest()


def decode(message: bytes, message_bytes: int) -> Submission:
    """Read a submission; run by the collector.

    Guarantee: for all bytes, either a :class:`SubmissionError` that repeats none of the answers, or a
    submission of exactly ``message_bytes``.
    """
    if len(message) != message_bytes:
        raise _not_padded(message_bytes)
    value = strict_json.loads(message, error=SubmissionError, where="submission", max_bytes=message_bytes)
    fields = Fields(value, "", _KEYS, error=SubmissionError)
    fields.choice("protocol", (PROTOCOL,))
    if len(fields.text("padding", maximum=message_bytes)) < _SHORTEST_PADDING:
        raise _not_padded(message_bytes)
    answers = fields.raw("answers")
    if not isinstance(answers, dict):
        raise fields.fail("answers", "not an object", "answers by question")
    return Submission(
        specification=fields.digest("specification"),
        cell=fields.integer("cell", 0, MAX_ALL_CELLS),
        answers=answers,
    )


def _not_padded(message_bytes: int) -> SubmissionError:
    return SubmissionError(
        "the message is not padded to the length of this survey",
        where="padding",
        expected=f"{message_bytes} bytes, of which at least {_SHORTEST_PADDING} are padding",
        code="submission.length",
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
