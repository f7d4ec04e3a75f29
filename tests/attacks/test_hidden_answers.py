"""An answer to a question that was not asked, a condition that means two things, one that never ends.

A collector that changed answers of others, or a device of its own making, could bring in what nobody was
asked. In the old code no questionnaire could have conditions at all; whoever hid questions by a page of her
own had every answer taken.
"""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from shared.conditions import parse_condition
from shared.errors import QuestionnaireError, SubmissionError
from shared.submission import decode, encode, longest_message, validate
from tests.builders import small_specification
from tests.every_question import BY_BUS, EVERY, everything

LENGTH = longest_message(everything())
SPECIFICATION = small_specification(questionnaire=EVERY, message_bytes=LENGTH)
DIGEST = "0" * 64


def message(answers: dict[str, Any]) -> bytes:
    return encode(DIGEST, 0, answers, os.urandom(LENGTH), LENGTH)


def test_an_answer_to_a_hidden_question_is_refused_without_being_repeated() -> None:
    forged = message(BY_BUS | {"reasons": ["crowds"]})
    with pytest.raises(SubmissionError) as caught:
        validate(decode(forged, LENGTH), SPECIFICATION, DIGEST)
    assert caught.value.where == "reasons"
    assert "crowds" not in str(caught.value)
    assert validate(decode(message(BY_BUS), LENGTH), SPECIFICATION, DIGEST) == BY_BUS


def test_the_length_does_not_tell_which_questions_were_asked() -> None:
    few = {"agree": True, "travel": "none", "views_price": "bad", "views_staff": "bad"}
    assert len(message(few)) == len(message(BY_BUS)) == LENGTH


def test_a_box_that_must_be_ticked_cannot_be_left_out() -> None:
    for answers in ({**BY_BUS, "agree": False}, {k: v for k, v in BY_BUS.items() if k != "agree"}):
        with pytest.raises(SubmissionError):
            validate(decode(message(answers), LENGTH), SPECIFICATION, DIGEST)


@pytest.mark.parametrize(
    "text", ["(" * 1000, "!" * 1999, "{car} or " * 220, "'" * 1999, "\\" * 1999, "{" * 1999]
)
def test_no_condition_takes_long(text: str) -> None:
    earlier = {question.name: question for question in everything().questions}
    began = time.process_time()
    with pytest.raises(QuestionnaireError):
        parse_condition(text, "visibleIf", earlier)
    assert time.process_time() - began < 5
